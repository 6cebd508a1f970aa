"""The project's own sample, through the whole backend, against what its script says is in it."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nemoparse_loaders import DocumentParser, ParsedDocument
from nemoparse_loaders.document import Element, Table
from nemoparse_loaders.export.headings import heading_level

DOCUMENTS = Path(__file__).parents[3] / "examples" / "documents"


@pytest.fixture(scope="module")
def truth() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DOCUMENTS / "sample-paper.expected.json").read_text("utf-8"))
    return found


@pytest.fixture(scope="module")
def paper() -> ParsedDocument:
    return DocumentParser(backend="cpu").parse(DOCUMENTS / "sample-paper.pdf")


@pytest.fixture(scope="module")
def scan() -> ParsedDocument:
    return DocumentParser(backend="cpu", pages="1").parse(DOCUMENTS / "sample-scan.tiff")


def of_type(document: ParsedDocument, kind: str) -> Iterator[tuple[int, Element]]:
    for page in document.pages:
        for element in page.elements:
            if element.type == kind:
                yield page.number, element


def bare(text: str) -> str:
    """Letters and digits only: how marks, scripts and spaces are written does not matter here."""
    plain = unicodedata.normalize("NFKC", re.sub(r"</?su[bp]>", "", text))
    return re.sub(r"[\W_]+", "", plain).lower()


def cells(table: Table) -> list[tuple[int, int, int, int, str]]:
    return [(cell.row, cell.col, cell.rowspan, cell.colspan, bare(cell.text)) for cell in table.cells]


def expected_cells(table: dict[str, Any], rows: list[int]) -> list[tuple[int, int, int, int, str]]:
    """The cells of some of a table's rows, numbered from 0."""
    kept = [
        (rows.index(cell["row"]), cell["col"], cell["rowspan"], cell["colspan"], bare(cell["text"]))
        for cell in table["cells"]
        if cell["row"] in rows
    ]
    return sorted(kept)


def test_headings_have_their_levels(paper: ParsedDocument, truth: dict[str, Any]) -> None:
    found = [
        {"text": element.text, "level": heading_level(element) - 1, "page": page}
        for page, element in of_type(paper, "Section-header")
    ]
    assert found == truth["headings"]
    assert [element.text for _, element in of_type(paper, "Title")] == [truth["title"]]


def test_tables_are_exact(paper: ParsedDocument, truth: dict[str, Any]) -> None:
    first, second, third = truth["tables"]
    found = [element.table for _, element in of_type(paper, "Table")]
    assert len(found) == 4
    tables = [table for table in found if table is not None]
    assert cells(tables[0]) == expected_cells(first, list(range(first["n_rows"])))
    # The second goes on on the next page, under its header row.
    assert cells(tables[1]) == expected_cells(second, list(range(19)))
    assert cells(tables[2]) == expected_cells(second, [0, *range(19, 37)])
    assert cells(tables[3]) == expected_cells(third, list(range(third["n_rows"])))
    assert [table.header_rows for table in tables] == [2, 1, 1, 1]


def test_furniture_captions_and_footnotes_are_found(paper: ParsedDocument, truth: dict[str, Any]) -> None:
    headers: dict[int, list[str]] = {}
    for page, element in of_type(paper, "Page-header"):
        headers.setdefault(page, []).append(element.text)
    assert {" ".join(texts) for texts in headers.values()} == {truth["page_header"]}
    assert [element.text for _, element in of_type(paper, "Page-footer")] == truth["page_labels"]
    captions = [bare(item["caption"]) for item in (*truth["tables"], *truth["figures"])]
    assert sorted(bare(element.text) for _, element in of_type(paper, "Caption")) == sorted(captions)
    notes = [(note["page"], bare(note["mark"] + note["text"])) for note in truth["footnotes"]]
    assert [(page, bare(element.text)) for page, element in of_type(paper, "Footnote")] == notes


def test_blocks_come_in_reading_order(paper: ParsedDocument, truth: dict[str, Any]) -> None:
    wanted = [
        (place["page"], block["class"], bare(block["text"])[:30])
        for block in truth["blocks"]
        for place in block["places"][:1]
        if block["class"] != "Formula"
    ]
    kinds = {kind for _, kind, _ in wanted}
    found = []
    for page in paper.pages:
        for element in page.elements:
            entry = (page.number, element.type, bare(element.text)[:30])
            # The second half of a block is not named in the truth.
            if element.type in kinds and (entry in wanted or not element.continues_before):
                found.append(entry)
    assert found == wanted


def test_formulas_are_latex(paper: ParsedDocument, truth: dict[str, Any]) -> None:
    found = [(page, element.markdown) for page, element in of_type(paper, "Formula")]
    assert [page for page, _ in found] == [formula["page"] for formula in truth["formulas"]]
    assert [rf"\tag{{{number}}}" in latex for number, (_, latex) in enumerate(found, start=1)] == [True] * 3
    assert r"\frac{p_{m} v_{s}}{H}" in found[0][1]
    assert found[1][1].count(r"\frac") == 2


def test_the_bars_of_the_chart_are_read(paper: ParsedDocument, truth: dict[str, Any]) -> None:
    ((page, element),) = of_type(paper, "Chart")
    (figure,) = truth["figures"]
    assert page == figure["page"]
    assert element.chart is not None
    assert element.chart.type == "bar"
    (table,) = element.chart.tables
    header, *rows = table.grid()
    assert header[1:] == list(figure["series"])
    assert [row[0] for row in rows] == figure["groups"]
    for column, numbers in enumerate(figure["series"].values(), start=1):
        assert [float(row[column] or "nan") for row in rows] == numbers


def test_the_listing_keeps_its_indents(paper: ParsedDocument) -> None:
    ((page, code),) = of_type(paper, "Code")
    assert page == 6
    assert "def release_brake(now, slack, stream):\n    # seconds after slack water\n" in code.text


def test_nothing_on_the_pages_is_lost(paper: ParsedDocument, truth: dict[str, Any]) -> None:
    words = {bare(word) for element in paper.elements for word in element.text.split()}
    said = {
        bare(word)
        for block in truth["blocks"]
        if block["class"] != "Formula"
        for word in block["text"].split()
    }
    # A word that is parted between two columns is in neither half.
    assert len(said - words) <= 0.02 * len(said)


def test_paragraphs_that_go_on_say_so(paper: ParsedDocument) -> None:
    assert [
        page.number for page in paper.pages if page.elements and any(e.continues_after for e in page.elements)
    ]
    for page in paper.pages:
        before = [element for element in page.elements if element.continues_before]
        assert all(element.text[:1].islower() for element in before)


def test_the_scan_gives_the_same_table(scan: ParsedDocument, truth: dict[str, Any]) -> None:
    (table,) = [element.table for _, element in of_type(scan, "Table") if element.table is not None]
    assert cells(table) == expected_cells(truth["tables"][0], list(range(9)))
    assert table.header_rows == 2


def test_the_scan_has_the_same_structure(scan: ParsedDocument, truth: dict[str, Any]) -> None:
    wanted = [bare(item["text"]) for item in truth["headings"] if item["page"] == 2]
    assert [bare(element.text) for _, element in of_type(scan, "Section-header")] == wanted
    assert len(list(of_type(scan, "Caption"))) == 1
    assert len(list(of_type(scan, "List-item"))) == 4
    assert [element.text for _, element in of_type(scan, "Page-footer")] == ["102"]
