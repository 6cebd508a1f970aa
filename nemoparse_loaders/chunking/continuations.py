"""Tables that go on on the next page, as one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

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
    groups: list[list[_Grid]] = []
    is_open = False
    for placed in body:
        table = placed.element.table
        if table is None or not table.n_rows or not table.n_cols:
            if placed.element.type not in _PASSED_OVER:
                is_open = False
            continue
        grid = _Grid(placed, table)
        if is_open and _goes_on(groups[-1], grid, captions):
            groups[-1].append(grid)
        else:
            groups.append([grid])
        is_open = True
    return {group[0].placed.position: _joined(group) for group in groups}


def header_rows(table: Table) -> int:
    """Rows at the top that are headers, a cell that reaches further down included; not all rows."""
    header = min(table.header_rows, table.n_rows)
    for cell in table.cells:
        if cell.row < header:
            header = max(header, cell.row + cell.rowspan)
    return header if header < table.n_rows else 0


class _Grid(NamedTuple):
    placed: Placed
    table: Table


def _goes_on(group: Sequence[_Grid], grid: _Grid, captions: Mapping[int, Sequence[Placed]]) -> bool:
    first, table = group[0].table, grid.table
    if grid.placed.page.number != group[-1].placed.page.number + 1 or table.n_cols != first.n_cols:
        return False
    if any("cont" not in caption.element.text.lower() for caption in captions.get(grid.placed.position, ())):
        return False
    header = header_rows(first)
    return 0 < header < table.n_rows and _rows(first, header) == _rows(table, header)


def _joined(group: Sequence[_Grid]) -> WholeTable:
    first = group[0].table
    header, n_rows = header_rows(first), first.n_rows
    parts = [TablePart(group[0].placed, first, 0, n_rows)]
    if len(group) == 1:
        return WholeTable(first.model_copy(update={"header_rows": header}), tuple(parts))
    cells = list(first.cells)
    for placed, table in group[1:]:
        cells += [
            cell.model_copy(update={"row": cell.row + n_rows - header, "is_header": False})
            for cell in table.cells
            if cell.row >= header
        ]
        parts.append(TablePart(placed, table, n_rows, table.n_rows - header, header))
        n_rows += table.n_rows - header
    joined = Table(cells=tuple(cells), n_rows=n_rows, n_cols=first.n_cols, header_rows=header)
    return WholeTable(joined, tuple(parts))


def _rows(table: Table, count: int) -> list[tuple[int, int, int, int, str]]:
    """The first rows, for comparison: places and words of their cells."""
    cells: list[TableCell] = [cell for cell in table.cells if cell.row < count]
    return [
        (cell.row, cell.col, cell.rowspan, cell.colspan, "".join(cell.text.split()).lower()) for cell in cells
    ]
