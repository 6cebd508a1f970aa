"""Builders of parsed documents for the tests of chunking."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from nemoparse_loaders.document import BBox, Element, ParsedDocument, ParsedPage, Table, TableCell

Spec = tuple[str, str] | Element
MakeDocument = Callable[..., ParsedDocument]
MakeTable = Callable[..., Table]

SAMPLE = Path(__file__).parents[2] / "examples" / "documents" / "sample-paper.expected.json"


@pytest.fixture
def make_table() -> MakeTable:
    """A table from rows of texts."""

    def make(rows: Sequence[Sequence[str]], header_rows: int = 1) -> Table:
        cells = tuple(
            TableCell(row=row, col=col, text=text, is_header=row < header_rows)
            for row, texts in enumerate(rows)
            for col, text in enumerate(texts)
        )
        return Table(cells=cells, n_rows=len(rows), n_cols=len(rows[0]), header_rows=header_rows)

    return make


@pytest.fixture
def make_document() -> MakeDocument:
    """A document from pages of (class, text) or of elements; boxes run down the page."""

    def make(*pages: Sequence[Spec], **fields: Any) -> ParsedDocument:
        parsed = []
        for number, specs in enumerate(pages, start=1):
            step = 1 / (len(specs) + 1)
            elements = []
            for index, spec in enumerate(specs):
                element_id = f"p{number}e{index + 1}"
                box = BBox(0.1, 0.02 + index * step, 0.9, 0.02 + (index + 0.9) * step)
                if isinstance(spec, Element):
                    elements.append(spec.model_copy(update={"id": element_id, "bbox": spec.bbox or box}))
                else:
                    elements.append(
                        Element(id=element_id, type=spec[0], bbox=box, markdown=spec[1], text=spec[1])
                    )
            parsed.append(ParsedPage(number=number, label=str(100 + number), elements=tuple(elements)))
        base: dict[str, Any] = {
            "doc_id": "2f1d6bde-40c5-5a6f-8d43-0a4b0f1a9d10",
            "source": "file:///documents/report.pdf",
            "file_name": "report.pdf",
            "content_hash": "0" * 64,
            "parser": "test",
            "total_pages": len(pages),
        }
        return ParsedDocument(pages=tuple(parsed), **{**base, **fields})

    return make


@pytest.fixture(scope="session")
def sample_truth() -> dict[str, Any]:
    """What is in the sample paper."""
    truth: dict[str, Any] = json.loads(SAMPLE.read_text(encoding="utf-8"))
    return truth


@pytest.fixture(scope="session")
def sample_paper(sample_truth: dict[str, Any]) -> ParsedDocument:
    """The sample paper as a perfect parser would give it."""
    pages: dict[int, list[tuple[BBox, str, str, Table | None]]] = {
        number: [] for number in range(1, sample_truth["pages"] + 1)
    }
    for number, elements in pages.items():
        header = sample_truth["page_header"]
        elements.append((BBox(0.1, 0.03, 0.9, 0.05), "Page-header", header, None))
        label = sample_truth["page_labels"][number - 1]
        elements.append((BBox(0.45, 0.95, 0.55, 0.97), "Page-footer", label, None))
    for table in sample_truth["tables"]:
        start = 0
        header = table["header_rows"]
        for index, part in enumerate(table["parts"]):
            box = BBox(*part["bbox"])
            if index == 0:
                above = BBox(box.x0, box.y0 - 0.04, box.x1, box.y0)
                pages[part["page"]].append((above, "Caption", table["caption"], None))
            grid = _part_of(table, header, start, start + part["body_rows"])
            pages[part["page"]].append((box, "Table", grid.to_markdown(), grid))
            start += part["body_rows"]
    for block in sample_truth["blocks"]:
        words = block["text"].split(" ")
        count = len(block["places"])
        for index, place in enumerate(block["places"]):
            first, last = index * len(words) // count, (index + 1) * len(words) // count
            pages[place["page"]].append(
                (BBox(*place["bbox"]), block["class"], " ".join(words[first:last]), None)
            )
    parsed = []
    for number, content in pages.items():
        content.sort(key=_reading_order)
        placed = tuple(
            Element(id=f"p{number}e{index}", type=name, bbox=box, markdown=text, text=text, table=grid)
            for index, (box, name, text, grid) in enumerate(content, start=1)
        )
        parsed.append(
            ParsedPage(number=number, label=sample_truth["page_labels"][number - 1], elements=placed)
        )
    return ParsedDocument(
        doc_id="f3a2b6f0-1a43-5d3c-9d0e-6a0f3a5b7c11",
        source="file:///home/reader/documents/sample-paper.pdf",
        file_name="sample-paper.pdf",
        content_hash="0123456789abcdef" * 4,
        title=sample_truth["title"],
        total_pages=sample_truth["pages"],
        parser="test",
        pages=tuple(parsed),
    )


def _part_of(table: dict[str, Any], header: int, start: int, end: int) -> Table:
    """The header and some body rows, as a page shows them."""
    cells = [TableCell(**cell, is_header=True) for cell in table["cells"] if cell["row"] < header]
    cells += [
        TableCell(**{**cell, "row": cell["row"] - start})
        for cell in table["cells"]
        if header + start <= cell["row"] < header + end
    ]
    return Table(cells=tuple(cells), n_rows=header + end - start, n_cols=table["n_cols"], header_rows=header)


def _reading_order(entry: tuple[BBox, str, str, Table | None]) -> tuple[int, int, float]:
    """Wide blocks on top, then both columns, then wide blocks at the foot."""
    box = entry[0]
    if box.width > 0.5:
        return (0 if box.y0 < 0.3 else 2, 0, box.y0)
    return (1, 0 if box.x0 < 0.4 else 1, box.y0)
