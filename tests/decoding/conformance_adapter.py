"""The adapter that the conformance suite asks for: a reply in, plain dictionaries out."""

from __future__ import annotations

from typing import Any

from nemoparse_loaders.decoding import decode_page
from nemoparse_loaders.document import Table
from nemoparse_loaders.export.plain import markdown_to_text


def parse(raw: str, finish_reason: str) -> dict[str, Any]:
    page = decode_page(raw, finish_reason)
    issues = [*page.issues, *(issue for element in page.elements for issue in element.issues)]
    return {
        "elements": [
            {
                "class": element.type,
                "bbox": list(element.bbox) if element.bbox else None,
                "text": [element.text, element.markdown],
            }
            for element in page.elements
        ],
        "tables": [
            {
                "element": index,
                "grid": _grid(element.table),
                "spans": [[cell.row, cell.col, cell.rowspan, cell.colspan] for cell in element.table.cells],
                "header_rows": element.table.header_rows,
            }
            for index, element in enumerate(page.elements)
            if element.table is not None
        ],
        "charts": [
            {
                "type": element.chart.type,
                "title": element.chart.title,
                "tables": [_grid(table) for table in element.chart.tables],
            }
            for element in page.elements
            if element.chart is not None
        ],
        "partial": page.status in ("partial", "failed"),
        "flags": sorted({issue.code for issue in issues}),
    }


def _grid(table: Table) -> list[list[str | None]]:
    return [[None if cell is None else markdown_to_text(cell) for cell in row] for row in table.grid()]
