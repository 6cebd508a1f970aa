"""Models built without validation, from values that the decoder made itself.

A reply may hold ten thousand cells, and to check what was just computed would take most of the time. The
tests of this module show that what comes out equals the validated models.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..document import BBox, Chart, Element, Issue, TocEntry
from ..table import Table, TableCell

# What `BaseModel.model_construct` sets, without its loop over the fields.
_set = object.__setattr__
# Shared by all instances: frozen models never change theirs, and copies copy it.
_SHARED_CELL_FIELDS = set(TableCell.model_fields)
_SHARED_ELEMENT_FIELDS = set(Element.model_fields)


def build_element(
    element_id: str,
    kind: str,
    bbox: BBox | None,
    markdown: str = "",
    text: str = "",
    raw: str = "",
    *,
    table: Table | None = None,
    chart: Chart | None = None,
    toc: tuple[TocEntry, ...] = (),
    continues_before: bool = False,
    continues_after: bool = False,
    issues: tuple[Issue, ...] = (),
) -> Element:
    """An `Element`, with every field given."""
    element = Element.__new__(Element)
    _set(
        element,
        "__dict__",
        {
            "id": element_id,
            "type": kind,
            "bbox": bbox,
            "markdown": markdown,
            "text": text,
            "raw": raw,
            "table": table,
            "chart": chart,
            "toc": toc,
            "continues_before": continues_before,
            "continues_after": continues_after,
            "issues": issues,
        },
    )
    _set(element, "__pydantic_fields_set__", _SHARED_ELEMENT_FIELDS)
    _set(element, "__pydantic_extra__", None)
    _set(element, "__pydantic_private__", None)
    return element


def build_cells(cells: Iterable[tuple[int, int, int, int, str, bool]]) -> tuple[TableCell, ...]:
    """Cells from (row, col, rowspan, colspan, text, is_header)."""
    new = TableCell.__new__
    built: list[TableCell] = []
    for row, col, rowspan, colspan, text, is_header in cells:
        # Written out, not called: this is where the time of a large table goes.
        cell = new(TableCell)
        _set(
            cell,
            "__dict__",
            {
                "row": row,
                "col": col,
                "rowspan": rowspan,
                "colspan": colspan,
                "text": text,
                "is_header": is_header,
            },
        )
        _set(cell, "__pydantic_fields_set__", _SHARED_CELL_FIELDS)
        _set(cell, "__pydantic_extra__", None)
        _set(cell, "__pydantic_private__", None)
        built.append(cell)
    return tuple(built)


def build_table(cells: tuple[TableCell, ...], n_rows: int, n_cols: int, header_rows: int) -> Table:
    """A `Table` of cells that fill it."""
    return Table.model_construct(cells=cells, n_rows=n_rows, n_cols=n_cols, header_rows=header_rows)


def build_plain_table(rows: Sequence[Sequence[str]], n_cols: int, header_rows: int) -> Table:
    """The table of some rows of texts without spans; short rows are filled up on the right."""
    cells = build_cells(
        (row, col, 1, 1, text, row < header_rows)
        for row, texts in enumerate(rows)
        for col, text in enumerate(texts if len(texts) == n_cols else [*texts, *[""] * (n_cols - len(texts))])
    )
    return build_table(cells, len(rows), n_cols, header_rows)
