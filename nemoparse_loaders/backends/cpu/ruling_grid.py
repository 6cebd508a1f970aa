"""Ruling lines to a grid of cells with row and column spans. Pure geometry.

Lines that touch form one figure. Their positions are the grid lines; where a line is missing between two
places of the grid, those places are one cell.

This is written here rather than taken from a library: img2table reads pixels and brings a third OpenCV wheel
(opencv-contrib-python) into the folder that two already fight over; pdfplumber's pure functions stop at cells
without rows, columns and spans, and bring pdfminer.six and cryptography (24 MB) along.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from .geometry import Rect, bounds

_MAX_LINES = 1_200
_TOUCH = 2.5  # points by which two lines may miss each other and still touch
_SAME = 3.0  # points within which two parallel lines are one grid line
_EDGE_SHARE = 0.6  # share of a cell's side that a line has to cover to part two cells
_OVERHANG = 6.0  # points by which a line has to reach beyond the outermost crossing line to open a column
_MAX_PLACES = 6_000


@dataclass(frozen=True, slots=True)
class GridCell:
    """One cell: its place, how many rows and columns it covers, and where it stands on the page."""

    row: int
    col: int
    rowspan: int
    colspan: int
    box: Rect


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells that tile a rectangle, in row-major order."""

    cells: tuple[GridCell, ...]
    n_rows: int
    n_cols: int
    box: Rect


def ruled_grids(rulings: Sequence[Rect]) -> list[Grid]:
    """All grids that ruling lines form.

    Args:
        rulings: Horizontal lines (zero height) and vertical lines (zero width), in points.

    Returns:
        Grids of two cells or more, from top to bottom.
    """
    grids = [grid for figure in touching(rulings) if (grid := grid_of(figure)) is not None]
    return sorted(grids, key=lambda grid: (grid.box.y0, grid.box.x0))


def touching(rulings: Sequence[Rect]) -> list[list[Rect]]:
    """Group lines that cross or touch each other, directly or through others."""
    lines = sorted(rulings, key=lambda line: -max(line.width, line.height))[:_MAX_LINES]
    level = [index for index, line in enumerate(lines) if line.width >= line.height]
    upright = sorted(
        (index for index, line in enumerate(lines) if line.width < line.height), key=lambda i: lines[i].x0
    )
    xs = [lines[index].x0 for index in upright]
    owner = list(range(len(lines)))
    for index in level:
        line = lines[index]
        first = bisect_left(xs, line.x0 - _TOUCH)
        last = bisect_right(xs, line.x1 + _TOUCH)
        for other in upright[first:last]:
            if lines[other].y0 - _TOUCH <= line.y0 <= lines[other].y1 + _TOUCH:
                owner[_root(owner, index)] = _root(owner, other)
    groups: dict[int, list[Rect]] = {}
    for index, line in enumerate(lines):
        groups.setdefault(_root(owner, index), []).append(line)
    return list(groups.values())


def _root(owner: list[int], index: int) -> int:
    while owner[index] != index:
        owner[index] = owner[owner[index]]
        index = owner[index]
    return index


def grid_of(lines: Sequence[Rect]) -> Grid | None:
    """The grid of one figure of touching lines; None where it has fewer than two cells.

    Args:
        lines: Horizontal and vertical lines, in points.
    """
    level = [line for line in lines if line.width >= line.height]
    upright = [line for line in lines if line.width < line.height]
    if len(level) < 2 or not upright:
        return None
    xs = _positions([line.x0 for line in upright], [(line.x0, line.x1) for line in level])
    ys = _positions([line.y0 for line in level], [(line.y0, line.y1) for line in upright])
    n_rows, n_cols = len(ys) - 1, len(xs) - 1
    if n_rows < 1 or n_cols < 1 or not 2 <= n_rows * n_cols <= _MAX_PLACES:
        return None
    across = _walls(
        xs[1:-1], ys, [(line.x0, line.y0, line.y1) for line in upright]
    )  # [inner x][row]: a wall between two columns
    down = _walls(ys[1:-1], xs, [(line.y0, line.x0, line.x1) for line in level])
    owner = list(range(n_rows * n_cols))
    for row in range(n_rows):
        for col in range(n_cols):
            place = row * n_cols + col
            if col + 1 < n_cols and not across[col][row]:
                owner[_root(owner, place)] = _root(owner, place + 1)
            if row + 1 < n_rows and not down[row][col]:
                owner[_root(owner, place)] = _root(owner, place + n_cols)
    spans = _rectangles(owner, n_rows, n_cols)
    if len(spans) < 2:
        return None
    return _compact(spans, xs, ys)


def _positions(lines: list[float], reaches: list[tuple[float, float]]) -> list[float]:
    """Grid positions: parallel lines close together count as one; lines across may reach further out."""
    found: list[list[float]] = []
    for position in sorted(lines):
        if found and position - found[-1][0] <= _SAME:
            found[-1].append(position)
        else:
            found.append([position])
    positions = [sum(group) / len(group) for group in found]
    if reaches:
        low, high = min(start for start, _ in reaches), max(end for _, end in reaches)
        if low < positions[0] - _OVERHANG:
            positions.insert(0, low)
        if high > positions[-1] + _OVERHANG:
            positions.append(high)
    return positions


def _walls(
    positions: Sequence[float], steps: Sequence[float], lines: Sequence[tuple[float, float, float]]
) -> list[list[bool]]:
    """For each inner grid position and each step along it, whether lines cover most of that step."""
    by_position: list[list[tuple[float, float]]] = [[] for _ in positions]
    for at, start, end in lines:
        for index, position in enumerate(positions):
            if abs(at - position) <= _SAME:
                by_position[index].append((start, end))
                break
    walls = []
    for parts in by_position:
        row = []
        for low, high in pairwise(steps):
            covered = _covered(low, high, parts)
            row.append(covered >= _EDGE_SHARE * (high - low))
        walls.append(row)
    return walls


def _covered(low: float, high: float, parts: Sequence[tuple[float, float]]) -> float:
    total, reached = 0.0, low
    for start, end in sorted(parts):
        start, end = max(start, reached), min(end, high)
        if end > start:
            total += end - start
            reached = end
    return total


def _rectangles(owner: list[int], n_rows: int, n_cols: int) -> list[tuple[int, int, int, int]]:
    """Groups of places as (row, col, last row, last col), united until each is a rectangle of its own."""
    while True:
        groups: dict[int, tuple[int, int, int, int]] = {}
        for row in range(n_rows):
            for col in range(n_cols):
                root = _root(owner, row * n_cols + col)
                top, left, bottom, right = groups.get(root, (row, col, row, col))
                groups[root] = (min(top, row), min(left, col), max(bottom, row), max(right, col))
        changed = False
        for root, (top, left, bottom, right) in groups.items():
            for row in range(top, bottom + 1):
                for col in range(left, right + 1):
                    other = _root(owner, row * n_cols + col)
                    if other != _root(owner, root):
                        owner[other] = _root(owner, root)
                        changed = True
        if not changed:
            return sorted(groups.values())


def _compact(spans: list[tuple[int, int, int, int]], xs: list[float], ys: list[float]) -> Grid:
    """Leave out rows and columns in which no cell begins, and number the rest."""
    rows = sorted({top for top, _, _, _ in spans})
    cols = sorted({left for _, left, _, _ in spans})
    cells = []
    for top, left, bottom, right in spans:
        row, col = rows.index(top), cols.index(left)
        rowspan = bisect_right(rows, bottom) - row
        colspan = bisect_right(cols, right) - col
        box = Rect(xs[left], ys[top], xs[right + 1], ys[bottom + 1])
        cells.append(GridCell(row, col, rowspan, colspan, box))
    return Grid(tuple(cells), len(rows), len(cols), bounds([cell.box for cell in cells]))
