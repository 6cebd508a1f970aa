"""Tables that go on on the next page, as one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..document import ElementType, Table, TableCell
from .body import Placed

# What may stand between the two parts of a table without ending it.
_PASSED_OVER = frozenset({ElementType.FOOTNOTE.value, ElementType.CAPTION.value})


@dataclass(frozen=True, slots=True)
class TablePart:
    """What one element gives to a table.

    Attributes:
        placed: The element.
        table: The element's own grid.
        first_row: Row of the whole table at which it begins.
        n_rows: Rows that it gives.
        skipped: Rows at its top that repeat the header and are left out.
    """

    placed: Placed
    table: Table
    first_row: int
    n_rows: int
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class WholeTable:
    """A table with all of its parts."""

    table: Table
    parts: tuple[TablePart, ...]


def join_tables(body: Sequence[Placed], captions: Mapping[int, Sequence[Placed]]) -> dict[int, WholeTable]:
    """All tables of the body; parts on following pages are joined where that is certain.

    A table goes on if it is the last thing on its page, the first thing on the next page is a table with as
    many columns, and that one repeats the header rows and has no caption of its own. Tables that go on
    without a repeated header stay apart.

    Returns:
        Position of the first part in the body -> the table. Later parts have no entry.
    """
    tables: dict[int, WholeTable] = {}
    before: WholeTable | None = None
    for placed in body:
        table = placed.element.table
        if table is None or not table.n_rows or not table.n_cols:
            if placed.element.type not in _PASSED_OVER:
                before = None
            continue
        if before is not None and _goes_on(before, placed, table, captions):
            before = _joined(before, placed, table)
        else:
            own = table.model_copy(update={"header_rows": header_rows(table)})
            before = WholeTable(own, (TablePart(placed, table, 0, table.n_rows),))
        tables[before.parts[0].placed.position] = before
    return tables


def header_rows(table: Table) -> int:
    """Rows at the top that are headers, a cell that reaches further down included; not all rows."""
    header = min(table.header_rows, table.n_rows)
    for cell in table.cells:
        if cell.row < header:
            header = max(header, cell.row + cell.rowspan)
    return header if header < table.n_rows else 0


def _goes_on(
    before: WholeTable, placed: Placed, table: Table, captions: Mapping[int, Sequence[Placed]]
) -> bool:
    last = before.parts[-1].placed
    if placed.page.number != last.page.number + 1 or table.n_cols != before.table.n_cols:
        return False
    if any("cont" not in caption.element.text.lower() for caption in captions.get(placed.position, ())):
        return False
    header = before.table.header_rows
    return 0 < header < table.n_rows and _rows(before.table, header) == _rows(table, header)


def _joined(before: WholeTable, placed: Placed, table: Table) -> WholeTable:
    header = before.table.header_rows
    shift = before.table.n_rows - header
    cells = [
        cell.model_copy(update={"row": cell.row + shift, "is_header": False})
        for cell in table.cells
        if cell.row >= header
    ]
    part = TablePart(placed, table, before.table.n_rows, table.n_rows - header, header)
    joined = Table(
        cells=(*before.table.cells, *cells),
        n_rows=before.table.n_rows + part.n_rows,
        n_cols=table.n_cols,
        header_rows=header,
    )
    return WholeTable(joined, (*before.parts, part))


def _rows(table: Table, count: int) -> list[tuple[int, int, int, int, str]]:
    """The first rows, for comparison: places and words of their cells."""
    cells: list[TableCell] = [cell for cell in table.cells if cell.row < count]
    return [
        (cell.row, cell.col, cell.rowspan, cell.colspan, "".join(cell.text.split()).lower()) for cell in cells
    ]
