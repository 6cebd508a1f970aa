"""The second set: documents with boxes, classes and captions, and questions about what layout parts.

Documents are files of DoclingDocuments, or what the CPU backend made of a PDF; `layout_questions.json` names
them, their sources and licences. Text that docling has joined over columns and pages is taken apart again by
its places, as a parser that reads page by page has it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nemoparse_loaders.decoding import decode_page, encode_page
from nemoparse_loaders.document import BBox, Element, ParsedDocument, Table, TableCell

QUESTIONS = Path(__file__).with_name("layout_questions.json")
_CLASSES = {
    "title": "Title",
    "section_header": "Section-header",
    "list_item": "List-item",
    "caption": "Caption",
    "footnote": "Footnote",
    "page_header": "Page-header",
    "page_footer": "Page-footer",
    "formula": "Formula",
    "code": "Code",
    "table": "Table",
    "picture": "Picture",
    "document_index": "TOC",
}


@dataclass(frozen=True)
class LayoutQuestion:
    """A question whose answer stands where layout parts it.

    Attributes:
        id: Its place in the file.
        document: Name of the file, without its ending.
        kind: "break" (over a column or page break), "caption", "footnote" or "table".
        text: The question.
        evidence: Words that have to be together in one chunk.
        domain: All documents are searched together.
    """

    id: str
    document: str
    kind: str
    text: str
    evidence: tuple[str, ...]
    domain: str = "layout"


def load(folder: Path) -> tuple[list[LayoutQuestion], list[ParsedDocument]]:
    """Questions, and the documents that they are about.

    Args:
        folder: With the documents as "NAME.json".

    Raises:
        FileNotFoundError: One is not there.
    """
    rows = json.loads(QUESTIONS.read_text(encoding="utf-8"))["questions"]
    questions = [
        LayoutQuestion(str(place), row["document"], row["kind"], row["question"], tuple(row["evidence"]))
        for place, row in enumerate(rows)
    ]
    names = sorted({question.document for question in questions})
    return questions, [parsed(folder / f"{name}.json") for name in names]


def parsed(path: Path) -> ParsedDocument:
    """A file of `ParsedDocument.to_json` or of a DoclingDocument as a parsed document."""
    text = path.read_text(encoding="utf-8")
    if '"schema_name"' not in text[:200]:
        document = ParsedDocument.from_json(text)
        return document.model_copy(update={"doc_id": path.stem, "file_name": path.name})
    return _of_docling(path)


def _of_docling(path: Path) -> ParsedDocument:
    from docling_core.types.doc import DoclingDocument

    document = DoclingDocument.load_from_json(path)
    by_page: dict[int, list[Element]] = {number: [] for number in sorted(document.pages)}
    for number, element in _elements(document):
        by_page[number].append(element)
    pages = tuple(
        decode_page(encode_page(elements), page_number=number) for number, elements in by_page.items()
    )
    return ParsedDocument(
        doc_id=path.stem, source=path.name, file_name=path.name, total_pages=len(pages), pages=pages
    )


def _elements(document: Any) -> Iterator[tuple[int, Element]]:
    from docling_core.types.doc import ContentLayer, TableItem, TextItem

    layers = {ContentLayer.BODY, ContentLayer.FURNITURE}
    for item, _ in document.iterate_items(included_content_layers=layers):
        kind = _CLASSES.get(str(item.label.value), "Text")
        text = item.text if isinstance(item, TextItem) else ""
        for place in item.prov:
            size = document.pages[place.page_no].size
            box = place.bbox.to_top_left_origin(size.height)
            bbox = BBox.clamped(
                box.l / size.width, box.t / size.height, box.r / size.width, box.b / size.height
            )
            start, end = place.charspan
            part = text[start:end] if len(item.prov) > 1 else text
            table = _table(item) if isinstance(item, TableItem) and kind == "Table" else None
            if kind == "TOC":
                part = "\n".join(" ".join(cell.text for cell in row) for row in item.data.grid)
            if not (part or table or kind == "Picture"):
                continue
            yield place.page_no, Element(id="", type=kind, bbox=bbox, markdown=part, text=part, table=table)


def _table(item: Any) -> Table | None:
    cells = tuple(
        TableCell(
            row=cell.start_row_offset_idx,
            col=cell.start_col_offset_idx,
            rowspan=cell.row_span,
            colspan=cell.col_span,
            text=cell.text,
            is_header=cell.column_header,
        )
        for cell in item.data.table_cells
    )
    if not cells:
        return None
    headers = {cell.row for cell in cells if cell.is_header}
    header_rows = next((row for row in range(item.data.num_rows) if row not in headers), 0)
    return Table(cells=cells, n_rows=item.data.num_rows, n_cols=item.data.num_cols, header_rows=header_rows)
