"""Tables that go on on the next page, as one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..document import ElementType, Table, TableCell
from .body import Placed
from .steps import ALL_STEPS, Steps

# What may stand between the two parts of a table without ending it.
_PASSED_OVER = frozenset({ElementType.FOOTNOTE.value, ElementType.CAPTION.value})
# Edges closer than this, of the page's width, stand above each other.
_SAME_EDGE = 0.03


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


def join_tables(
    body: Sequence[Placed], captions: Mapping[int, Sequence[Placed]], steps: Steps = ALL_STEPS
) -> dict[int, WholeTable]:
    """All tables of the body; parts on following pages are joined where that is certain.

    A table goes on if it is the last thing on its page, the first thing on the next page is a table with as
    many columns that have words, and that one has no caption of its own; and if it repeats the header rows,
    or has no header: it says so, the parser does, or where the first one has a header of words its first row
    has numbers.

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
        grid = _Grid(placed, table, 0)
        going_on = _going_on(groups[-1], grid, captions) if is_open and steps.joins else None
        if going_on is not None:
            groups[-1].append(going_on)
        else:
            groups.append([grid])
        is_open = True
    return {group[0].placed.position: _whole(group) for group in groups}


def header_rows(table: Table) -> int:
    """Rows at the top that are headers, a cell that reaches further down included; not all rows."""
    header = min(table.header_rows, table.n_rows)
    for cell in table.cells:
        if cell.row < header:
            header = max(header, cell.row + cell.rowspan)
    return header if header < table.n_rows else 0


class _Grid(NamedTuple):
    """A table's grid in the columns of the first part, and how many of its rows repeat the header."""

    placed: Placed
    table: Table
    skipped: int


def _going_on(group: Sequence[_Grid], grid: _Grid, captions: Mapping[int, Sequence[Placed]]) -> _Grid | None:
    """The grid as a further part of the group; None where it is a table of its own."""
    first, last = group[0].table, group[-1].placed
    if grid.placed.page.number != last.page.number + 1:
        return None
    if any("cont" not in caption.element.text.lower() for caption in captions.get(grid.placed.position, ())):
        return None
    table = _in_columns_of(first, grid.table)
    if table is None:
        return None
    header = header_rows(first)
    if 0 < header < table.n_rows and _rows(first, header) == _rows(table, header):
        return _Grid(grid.placed, table, header)
    says_so = last.element.continues_after or grid.placed.element.continues_before
    if says_so or (_same_width(group[-1].placed, grid.placed) and _has_no_header(first, header, table)):
        return _Grid(grid.placed, table, 0)
    return None


def _in_columns_of(first: Table, table: Table) -> Table | None:
    """The table with its columns numbered as in ``first``; None where it has other columns.

    Columns without words are left out of account: a grid may have one more on one page than on the next.
    """
    if table.n_cols == first.n_cols:
        return table
    own, theirs = _columns(table), _columns(first)
    if len(own) != len(theirs) or not own:
        return None
    place = dict(zip(own, theirs, strict=True))
    cells = []
    for cell in table.cells:
        covered = [place[col] for col in range(cell.col, cell.col + cell.colspan) if col in place]
        if covered:
            update = {"col": covered[0], "colspan": covered[-1] - covered[0] + 1}
            cells.append(cell.model_copy(update=update))
    return table.model_copy(update={"cells": tuple(cells), "n_cols": first.n_cols})


def _columns(table: Table) -> list[int]:
    """Columns in which a cell with words begins."""
    return sorted({cell.col for cell in table.cells if cell.text.strip()})


def _same_width(placed: Placed, other: Placed) -> bool:
    box, second = placed.element.bbox, other.element.bbox
    if box is None or second is None:
        return box is second
    return abs(box.x0 - second.x0) <= _SAME_EDGE and abs(box.x1 - second.x1) <= _SAME_EDGE


def _has_no_header(first: Table, header: int, table: Table) -> bool:
    """Whether the table begins with a row of data, where the first one begins with a header of words.

    What a parser calls the header of a part without one is its first row.
    """
    if header == 0:
        return False
    if table.header_rows == 0:
        return True
    headed = [cell for cell in first.cells if cell.row < header and cell.text.strip()]
    top = [cell for cell in table.cells if cell.row == 0 and cell.text.strip()]
    return not any(map(_is_number, headed)) and 2 * sum(map(_is_number, top)) >= len(top) > 1


def _is_number(cell: TableCell) -> bool:
    digits = sum(map(str.isdigit, cell.text))
    return digits > 0 and 2 * digits >= sum(map(str.isalnum, cell.text))


def _whole(group: Sequence[_Grid]) -> WholeTable:
    first = group[0].table
    header, n_rows = header_rows(first), first.n_rows
    parts = [TablePart(group[0].placed, first, 0, n_rows)]
    if len(group) == 1:
        return WholeTable(first.model_copy(update={"header_rows": header}), tuple(parts))
    cells = list(first.cells)
    for placed, table, skipped in group[1:]:
        cells += [
            cell.model_copy(update={"row": cell.row + n_rows - skipped, "is_header": False})
            for cell in table.cells
            if cell.row >= skipped
        ]
        # The part's own Markdown has its own grid.
        own = placed.element.table or table
        parts.append(TablePart(placed, own, n_rows, table.n_rows - skipped, skipped))
        n_rows += table.n_rows - skipped
    joined = Table(cells=tuple(cells), n_rows=n_rows, n_cols=first.n_cols, header_rows=header)
    return WholeTable(joined, tuple(parts))


def _rows(table: Table, count: int) -> list[tuple[int, int, int, int, str]]:
    """The first rows, for comparison: places and words of their cells."""
    cells = [cell for cell in table.cells if cell.row < count and cell.text.strip()]
    return [
        (cell.row, cell.col, cell.rowspan, cell.colspan, "".join(cell.text.split()).lower()) for cell in cells
    ]
