"""Models built without validation, from values that the decoder made itself.

A reply may hold ten thousand cells, and to check what was just computed would take most of the time. The
tests of this module show that what comes out equals the validated models.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import repeat

from pydantic import BaseModel

from ..document import BBox, Chart, Element, Issue, Severity, TocEntry
from ..table import Table, TableCell

# What `BaseModel.model_construct` makes and sets, without its loop over the fields and without a look for the
# slots by name.
_new = object.__new__
_set_fields = BaseModel.__dict__["__dict__"].__set__
_set_fields_given = BaseModel.__dict__["__pydantic_fields_set__"].__set__
_set_extra = BaseModel.__dict__["__pydantic_extra__"].__set__
_set_private = BaseModel.__dict__["__pydantic_private__"].__set__
# Shared by all instances: frozen models never change theirs, and copies copy it.
_SHARED_CELL_FIELDS = set(TableCell.model_fields)
_SHARED_ELEMENT_FIELDS = set(Element.model_fields)
_SHARED_ISSUE_FIELDS = set(Issue.model_fields)


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
    element = _new(Element)
    _set_fields(
        element,
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
            "confidence": None,
            "alternatives": (),
            "issues": issues,
        },
    )
    _set_fields_given(element, _SHARED_ELEMENT_FIELDS)
    _set_extra(element, None)
    _set_private(element, None)
    return element


def build_issue(code: str, message: str, severity: Severity, page: int, element_id: str) -> Issue:
    """An `Issue` of an element."""
    issue = _new(Issue)
    _set_fields(
        issue,
        {"code": code, "message": message, "severity": severity, "page": page, "element_id": element_id},
    )
    _set_fields_given(issue, _SHARED_ISSUE_FIELDS)
    _set_extra(issue, None)
    _set_private(issue, None)
    return issue


def build_cells(cells: Iterable[tuple[int, int, int, int, str, bool]]) -> tuple[TableCell, ...]:
    """Cells from (row, col, rowspan, colspan, text, is_header)."""
    return _cells(
        [
            {
                "row": row,
                "col": col,
                "rowspan": rowspan,
                "colspan": colspan,
                "text": text,
                "is_header": is_header,
            }
            for row, col, rowspan, colspan, text, is_header in cells
        ]
    )


def _cells(fields: list[dict[str, object]]) -> tuple[TableCell, ...]:
    """Cells of these fields. This is where most of the time of a large table goes."""
    cells = list(map(_new, repeat(TableCell, len(fields))))
    # One slot of all cells after the other: a loop over them here would take a fifth longer.
    for set_slot, values in (
        (_set_fields, fields),
        (_set_fields_given, repeat(_SHARED_CELL_FIELDS)),
        (_set_extra, repeat(None)),
        (_set_private, repeat(None)),
    ):
        deque(map(set_slot, cells, values), maxlen=0)
    return tuple(cells)


def build_table(cells: tuple[TableCell, ...], n_rows: int, n_cols: int, header_rows: int) -> Table:
    """A `Table` of cells that fill it."""
    return Table.model_construct(cells=cells, n_rows=n_rows, n_cols=n_cols, header_rows=header_rows)


def build_plain_table(rows: Sequence[Sequence[str]], n_cols: int, header_rows: int) -> Table:
    """The table of some rows of texts without spans; short rows are filled up on the right."""
    fields: list[dict[str, object]] = [
        {"row": row, "col": col, "rowspan": 1, "colspan": 1, "text": text, "is_header": row < header_rows}
        for row, texts in enumerate(rows)
        for col, text in enumerate(texts if len(texts) == n_cols else [*texts, *[""] * (n_cols - len(texts))])
    ]
    return build_table(_cells(fields), len(rows), n_cols, header_rows)
