"""The main job on the sample documents: the CPU backend against what the sample is known to hold."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from nemoparse_loaders import METADATA_KEYS, DocumentParser, ElementType, LayoutChunker, ParsedDocument

DOCUMENTS = Path(__file__).parents[1] / "examples" / "documents"


@pytest.fixture(scope="module")
def truth() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((DOCUMENTS / "sample-paper.expected.json").read_text("utf-8"))
    return loaded


@pytest.fixture(scope="module")
def paper() -> ParsedDocument:
    return DocumentParser(backend="cpu").parse(DOCUMENTS / "sample-paper.pdf")


def plain(text: str) -> str:
    return " ".join(re.sub(r"</?su[bp]>", "", text).split())


def headings(document: ParsedDocument) -> list[tuple[str, int]]:
    return [
        (plain(element.text), page.number)
        for page in document.pages
        for element in page.elements
        if element.type == ElementType.SECTION_HEADER
    ]


def test_title_and_pages(paper: ParsedDocument, truth: dict[str, Any]) -> None:
    assert plain(paper.title) == truth["title"]
    assert paper.parser == "cpu"
    assert [page.status for page in paper.pages] == ["ok"] * truth["pages"]
    assert [page.label for page in paper.pages] == truth["page_labels"]


def test_headings_with_their_pages(paper: ParsedDocument, truth: dict[str, Any]) -> None:
    assert headings(paper) == [(heading["text"], heading["page"]) for heading in truth["headings"]]


def test_tables_cell_by_cell(paper: ParsedDocument, truth: dict[str, Any]) -> None:
    found = {
        (page.number, table.n_rows, table.n_cols): table for page in paper.pages for table in page.tables
    }
    for expected in truth["tables"]:
        first_row = expected["header_rows"]
        for part in expected["parts"]:
            rows = expected["header_rows"] + part["body_rows"]
            table = found[part["page"], rows, expected["n_cols"]]
            assert table.header_rows == expected["header_rows"]
            last_row = first_row + part["body_rows"]
            wanted = {
                (
                    cell["row"]
                    if cell["row"] < expected["header_rows"]
                    else cell["row"] - first_row + expected["header_rows"],
                    cell["col"],
                    cell["rowspan"],
                    cell["colspan"],
                ): plain(cell["text"])
                for cell in expected["cells"]
                if cell["row"] < expected["header_rows"] or first_row <= cell["row"] < last_row
            }
            got = {(cell.row, cell.col, cell.rowspan, cell.colspan): plain(cell.text) for cell in table.cells}
            assert got == wanted
            first_row = last_row


def test_furniture_is_no_text(paper: ParsedDocument, truth: dict[str, Any]) -> None:
    types = [{element.type for element in page.elements} for page in paper.pages]
    assert all(ElementType.PAGE_HEADER in kinds and ElementType.PAGE_FOOTER in kinds for kinds in types)
    assert "Notes on Marine Machinery" not in paper.to_markdown().split("## References")[0]


def test_chunks_know_page_section_and_budget(paper: ParsedDocument, truth: dict[str, Any]) -> None:
    chunks = LayoutChunker(max_tokens=256).chunk(paper)
    assert all(set(chunk.metadata) == set(METADATA_KEYS) for chunk in chunks)
    assert all(int(chunk.metadata["n_tokens"]) <= 256 for chunk in chunks)
    tables = [chunk for chunk in chunks if chunk.metadata["chunk_type"] == "table"]
    assert {str(chunk.metadata["caption"]).split(".")[0] for chunk in tables} == {
        "Table 1",
        "Table 2",
        "Table 3",
    }
    oil = [chunk for chunk in tables if str(chunk.metadata["caption"]).startswith("Table 2")]
    assert {page for chunk in oil for page in str(chunk.metadata["pages"]).split(",")} == {"3", "4"}
    assert all("Viscosity" in chunk.embed_text for chunk in oil), "each piece repeats the header"
    sampling = next(chunk for chunk in chunks if "Draw off two litres" in chunk.text)
    assert sampling.metadata["section_path"] == "3 Methods > 3.1 Measurements > 3.1.1 Oil sampling"
    assert sampling.metadata["page_number"] == 2
    assert sampling.metadata["page_label"] == "102"


def test_the_same_chunks_on_every_run(paper: ParsedDocument) -> None:
    again = DocumentParser(backend="cpu").parse(DOCUMENTS / "sample-paper.pdf")
    assert [chunk.id for chunk in LayoutChunker().chunk(again)] == [
        chunk.id for chunk in LayoutChunker().chunk(paper)
    ]


def test_the_scan(truth: dict[str, Any]) -> None:
    scan = DocumentParser(backend="cpu").parse(DOCUMENTS / "sample-scan.tiff")
    assert [page.status for page in scan.pages] == ["ok", "ok"]
    words = set(re.findall(r"\w{4,}", " ".join(element.text for element in scan.elements).lower()))
    known = {
        word
        for block in truth["blocks"]
        if any(place["page"] in (2, 3) for place in block["places"])
        for word in re.findall(r"\w{4,}", block["text"].lower())
    }
    assert len(words & known) >= 0.9 * len(known)
    assert len(scan.tables) == 2
