"""What ruling lines alone get wrong: slivers between double lines, and rows stacked in one ruled band."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from .aligned_grid import NUMERIC, WordCell, WordGrid, text_rows
from .geometry import Rect
from .parts import Word
from .ruling_grid import Grid, GridCell

_SLIVER_PT = 9.0
_STACKED_COLUMNS = 3


def without_slivers(grid: Grid, words: Sequence[Word]) -> Grid:
    """The grid without columns and rows too thin for text and without words of their own.

    Double borders and the edges of shaded boxes beside them draw such slivers.

    Args:
        grid: As the lines draw it.
        words: The words inside of it.
    """
    for col in reversed(range(grid.n_cols)):
        own = [cell for cell in grid.cells if cell.col == col and cell.colspan == 1]
        if grid.n_cols > 1 and own and _is_sliver([cell.box.width for cell in own], own, words):
            grid = _without_column(grid, col)
    for row in reversed(range(grid.n_rows)):
        own = [cell for cell in grid.cells if cell.row == row and cell.rowspan == 1]
        if grid.n_rows > 1 and own and _is_sliver([cell.box.height for cell in own], own, words):
            grid = _transposed(_without_column(_transposed(grid), row))
    return grid


def _is_sliver(thickness: Sequence[float], cells: Sequence[GridCell], words: Sequence[Word]) -> bool:
    if max(thickness) > _SLIVER_PT:
        return False
    return not any(cell.box.holds(*word.box.middle) for cell in cells for word in words)


def _without_column(grid: Grid, col: int) -> Grid:
    """Leave a column out; where nothing covers it, the cell of its wider neighbour grows over its place."""
    beside = max(
        (other for other in (col - 1, col + 1) if 0 <= other < grid.n_cols),
        key=lambda other: max(
            (c.box.width for c in grid.cells if c.col == other and c.colspan == 1), default=0.0
        ),
    )
    removed = {cell.row: cell for cell in grid.cells if cell.col == col and cell.colspan == 1}
    cells = []
    for cell in grid.cells:
        if cell.col == col and cell.colspan == 1:
            continue
        box = cell.box
        if cell.col <= beside < cell.col + cell.colspan and cell.row in removed:
            box = box.union(Rect(removed[cell.row].box.x0, box.y0, removed[cell.row].box.x1, box.y1))
        covers = cell.col <= col < cell.col + cell.colspan
        cells.append(
            GridCell(
                cell.row,
                cell.col - (cell.col > col),
                cell.rowspan,
                cell.colspan - covers,
                box,
            )
        )
    return Grid(tuple(cells), grid.n_rows, grid.n_cols - 1, grid.box)


def _transposed(grid: Grid) -> Grid:
    cells = [
        GridCell(cell.col, cell.row, cell.colspan, cell.rowspan, _flipped(cell.box)) for cell in grid.cells
    ]
    return Grid(tuple(cells), grid.n_cols, grid.n_rows, _flipped(grid.box))


def _flipped(box: Rect) -> Rect:
    return Rect(box.y0, box.x0, box.y1, box.x1)


def split_stacked(grid: WordGrid) -> WordGrid:
    """Part rows in which several columns hold the same number of lines with numbers in them.

    A band between two rules then holds so many rows, and a cell with a single line belongs to all of them.
    """
    rows: list[list[WordCell]] = [[] for _ in range(grid.n_rows)]
    for cell in grid.cells:
        rows[cell.row].append(cell)
    through = {
        row for cell in grid.cells for row in range(cell.row, cell.row + cell.rowspan) if cell.rowspan > 1
    }
    counts = [1 if row in through else _stacked(cells) for row, cells in enumerate(rows)]
    if max(counts, default=1) == 1:
        return grid
    starts = [sum(counts[:row]) for row in range(grid.n_rows)]
    cells: list[WordCell] = []
    for cell in grid.cells:
        count, start = counts[cell.row], starts[cell.row]
        lines = text_rows(cell.words) if cell.words else []
        if count > 1 and len(lines) == count:
            cells.extend(
                WordCell(start + index, cell.col, 1, cell.colspan, tuple(line))
                for index, line in enumerate(lines)
            )
        else:
            span = sum(counts[cell.row : cell.row + cell.rowspan])
            cells.append(replace(cell, row=start, rowspan=span))
    return WordGrid(tuple(cells), sum(counts), grid.n_cols, grid.header_rows)


def _stacked(cells: Sequence[WordCell]) -> int:
    """How many rows stand in one band; 1 where its cells merely wrap."""
    lines = [text_rows(cell.words) for cell in cells if cell.words]
    counts = Counter(len(rows) for rows in lines)
    several = {count: number for count, number in counts.items() if count > 1}
    if not several:
        return 1
    count = max(several, key=lambda value: several[value])
    alike = [rows for rows in lines if len(rows) == count]
    numeric = sum(all(NUMERIC.match("".join(word.text for word in row)) for row in rows) for rows in alike)
    others = set(counts) - {count, 1}
    enough = len(alike) >= max(_STACKED_COLUMNS, 0.5 * len(lines)) and numeric >= 2
    return count if enough and not others else 1
