"""Rows of cells as a reader found them, to one grid in which no cell overlaps another.

Two ways to say what a row span covers: in LaTeX the covered places are there as empty cells; in HTML they
are left out. Whatever the spans say, no text is lost: a span ends where it would cover text, and where the
table ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TypeGuard

from ...document import Table
from ..construct import build_cells, build_plain_table, build_table
from .found import Grid
from .headers import count_header_rows
from .source_cell import Row, SourceCell, cell_text

# A table far wider than any page, or with next to nothing in it, is a looping reply and no table.
MAX_COLUMNS = 1_000
_MOST_EMPTY = 50

# Row, column, and what stands there.
_Placed = tuple[int, int, SourceCell | str]
# What stands in each column of a row; None where the cell to the left goes on.
_Places = list[SourceCell | str | None]
# Where a cell above goes on.
_FROM_ABOVE = SourceCell()


def table_from_placeholders(
    rows: Sequence[Row],
    *,
    declared_cols: int = 0,
    midrules: Sequence[int] = (),
    hlines: Sequence[int] = (),
    marked_only: bool = False,
) -> Grid | None:
    r"""The table of rows in which a covered place is an empty cell (LaTeX).

    Args:
        rows: The cells of each row.
        declared_cols: Columns of the column specification, 0 where there is none.
        midrules: Numbers of rows above each ``\midrule``.
        hlines: Numbers of rows above each ``\hline``.
        marked_only: Only marked rows are headers (a table of contents).

    Returns:
        None for rows that make no sensible table.
    """
    if not has_spans(rows):
        return _without_spans(rows, midrules, hlines, marked_only=marked_only)
    n_cols = _width(rows, declared_cols)
    if not is_sensible(len(rows), n_cols, sum(map(len, rows))):
        return None
    placed = [_columns(row, n_cols) for row in rows]
    if any(cell.rowspan < 0 for _, _, cell in _row_spans(placed)):
        _lift_upward_spans(placed)
    _settle_row_spans(placed)
    starts: list[Row] = [
        [cell for cell in places if cell is not None and cell is not _FROM_ABOVE] for places in placed
    ]
    if not has_spans(starts):
        return _without_spans(starts, midrules, hlines, marked_only=marked_only)
    header_rows = count_header_rows(
        starts, n_cols=n_cols, midrules=midrules, hlines=hlines, marked_only=marked_only
    )
    cells: list[_Placed] = [
        (row, col, cell)
        for row, places in enumerate(placed)
        for col, cell in enumerate(places)
        if cell is not None and cell is not _FROM_ABOVE
    ]
    return Grid(_table(cells, len(rows), n_cols, header_rows))


def table_from_free_cells(rows: Sequence[Row], *, header_rows: int | None) -> Grid | None:
    """The table of rows in which covered places are left out (HTML).

    Args:
        rows: The cells of each row.
        header_rows: As the source marks them; None to apply the rule.

    Returns:
        None for rows that make no sensible table.
    """
    if not has_spans(rows):
        return _without_spans(rows, header_rows=header_rows)
    n_rows = len(rows)
    spanned = [_as_source_cells(row) for row in rows]
    occupied: list[set[int]] = [set() for _ in range(n_rows)]
    starts: list[list[SourceCell]] = [[] for _ in range(n_rows)]
    cells: list[_Placed] = []
    n_cols = 0
    widest = _widest_span(spanned)
    total = sum(map(len, rows))
    for row, sources in enumerate(spanned):
        col = 0
        for cell in sources:
            while col in occupied[row]:
                col += 1
            if col >= MAX_COLUMNS:
                return None
            colspan = 1
            while colspan < min(cell.colspan, widest) and col + colspan not in occupied[row]:
                colspan += 1
            rowspan = max(1, min(cell.rowspan, n_rows - row))
            if rowspan * colspan > _MOST_EMPTY * max(total, 100):
                rowspan = 1
            for covered in range(row, row + rowspan):
                occupied[covered].update(range(col, col + colspan))
            cell.rowspan, cell.colspan = rowspan, colspan
            starts[row].append(cell)
            cells.append((row, col, cell))
            col += colspan
            n_cols = max(n_cols, col)
    if not is_sensible(n_rows, n_cols, total):
        return None
    for row in range(n_rows):
        for col in range(n_cols):
            if col not in occupied[row]:
                starts[row].append(SourceCell())
                cells.append((row, col, starts[row][-1]))
    cells.sort(key=_place)
    if header_rows is None:
        header_rows = count_header_rows(starts, n_cols=n_cols)
    return Grid(_table(cells, n_rows, n_cols, header_rows))


def has_spans(rows: Sequence[Row]) -> bool:
    """Whether a cell of some rows claims more than one place."""
    return not _are_texts(rows) and any(
        not isinstance(cell, str) and (cell.rowspan != 1 or cell.colspan != 1) for row in rows for cell in row
    )


def _are_texts(rows: Sequence[Row]) -> TypeGuard[Sequence[list[str]]]:
    """Whether all cells are texts and nothing else; a loop over their types alone is quick."""
    return set(map(type, chain.from_iterable(rows))) <= {str}


def _without_spans(
    rows: Sequence[Row],
    midrules: Sequence[int] = (),
    hlines: Sequence[int] = (),
    *,
    marked_only: bool = False,
    header_rows: int | None = None,
) -> Grid | None:
    n_cols = max(map(len, rows), default=0)
    if not is_sensible(len(rows), n_cols, sum(map(len, rows))):
        return None
    if header_rows is None:
        header_rows = count_header_rows(
            rows, n_cols=n_cols, midrules=midrules, hlines=hlines, marked_only=marked_only
        )
    texts = rows if _are_texts(rows) else [[cell_text(cell) for cell in row] for row in rows]
    return grid_of_texts(texts, n_cols, header_rows)


def grid_of_texts(rows: Sequence[list[str]], n_cols: int, header_rows: int) -> Grid:
    """The table of rows without spans; short rows are filled up on the right."""
    filled = [row if len(row) == n_cols else [*row, *[""] * (n_cols - len(row))] for row in rows]
    return Grid(build_plain_table(filled, n_cols, min(header_rows, len(rows))), filled)


def _as_source_cells(row: Row) -> list[SourceCell]:
    return [SourceCell(cell) if isinstance(cell, str) else cell for cell in row]


def _width(rows: Sequence[Row], declared_cols: int) -> int:
    """Columns that the single cells need; spans count only as far as the specification goes with them."""
    single = max(map(len, rows), default=0)
    spanned = max(
        (sum(1 if isinstance(cell, str) else cell.colspan for cell in row) for row in rows), default=0
    )
    return max(single, min(declared_cols, spanned))


def _widest_span(rows: Sequence[Sequence[SourceCell]]) -> int:
    """The most columns that a span may claim: as many as a row without absurd spans has."""
    widths = [sum(cell.colspan for cell in row) for row in rows]
    return max(
        [1, *(width if width <= MAX_COLUMNS else len(row) for width, row in zip(widths, rows, strict=True))]
    )


def is_sensible(n_rows: int, n_cols: int, n_cells: int) -> bool:
    """Whether a page could hold such a table, with cells in most of its places."""
    return n_cols <= MAX_COLUMNS and n_rows * n_cols <= _MOST_EMPTY * max(n_cells, 1_000)


def _columns(row: Row, n_cols: int) -> _Places:
    """The cells of a row by column, spans clipped so that all of them have a place."""
    places: _Places = []
    for index, cell in enumerate(row):
        places.append(cell)
        if not isinstance(cell, str) and cell.colspan > 1:
            room = n_cols - len(places) + 1 - (len(row) - index - 1)
            cell.colspan = max(1, min(cell.colspan, room))
            places.extend([None] * (cell.colspan - 1))
    # Filled up on the right, so that every position belongs to a cell.
    places.extend([""] * (n_cols - len(places)))
    return places


def _row_spans(placed: list[_Places]) -> list[tuple[int, int, SourceCell]]:
    """Row, column and cell of each cell that claims anything but one row."""
    return [
        (row, col, cell)
        for row, places in enumerate(placed)
        for col, cell in enumerate(places)
        if isinstance(cell, SourceCell) and cell.rowspan != 1
    ]


def _lift_upward_spans(placed: list[_Places]) -> None:
    r"""``\multirow{-2}`` stands in its last row: move it to its first, if the cells above are empty."""
    for row, col, cell in _row_spans(placed):
        if cell.rowspan > 0:
            continue
        top = row
        while top > max(0, row + cell.rowspan + 1) and _is_empty(placed[top - 1][col], cell.colspan):
            top -= 1
        height = row - top + 1
        cell.rowspan = 1
        if top < row:
            placed[top][col] = SourceCell(cell.text, height, cell.colspan, cell.is_head)
            placed[row][col] = SourceCell(colspan=cell.colspan)


def _is_empty(cell: SourceCell | str | None, colspan: int) -> bool:
    """Whether a cell over so many columns and one row has no text."""
    if cell is None or isinstance(cell, str):
        return cell == "" and colspan == 1
    return not cell.text and cell.colspan == colspan and cell.rowspan == 1


def _settle_row_spans(placed: list[_Places]) -> None:
    """Let each cell cover as many rows as it claims, as long as they are empty below it."""
    for row, col, cell in _row_spans(placed):
        if placed[row][col] is not cell:
            # An empty one that a cell above it covers.
            continue
        height = 1
        columns = range(col, col + cell.colspan)
        limit = min(cell.rowspan, len(placed) - row)
        while height < limit and _clear(placed[row + height], columns):
            height += 1
        cell.rowspan = height


def _clear(below: _Places, columns: range) -> bool:
    """Make room for a span in the row below it; False where there is text, or another span."""
    owners: set[int] = set()
    for column in columns:
        owner = column
        while below[owner] is None:
            owner -= 1
        cell = below[owner]
        if cell is None or cell is _FROM_ABOVE or cell_text(cell):
            return False
        owners.add(owner)
    for owner in owners:
        cell = below[owner]
        # An empty cell that reaches out of the span falls apart into single ones.
        width = 1 if cell is None or isinstance(cell, str) else cell.colspan
        below[owner : owner + width] = [""] * width
    below[columns.start : columns.stop] = [_FROM_ABOVE] * len(columns)
    return True


def _table(cells: list[_Placed], n_rows: int, n_cols: int, header_rows: int) -> Table:
    header_rows = min(header_rows, n_rows)
    return build_table(
        build_cells(
            (row, col, 1, 1, cell, row < header_rows)
            if isinstance(cell, str)
            else (row, col, cell.rowspan, cell.colspan, cell.text, row < header_rows)
            for row, col, cell in cells
        ),
        n_rows,
        n_cols,
        header_rows,
    )


def _place(placed: _Placed) -> tuple[int, int]:
    return placed[0], placed[1]
