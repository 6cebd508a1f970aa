"""Cells of a table whose words stand elsewhere in the table: swapped cells, columns that slipped."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from ..document import BBox, Table, TableCell

_MOST_CELLS = 4_000
_MOST_PLACES = 6
# How far a word may lie towards the middle of the next row or column.
_REACH = 0.7
# Rows and columns that are not sorted by place are of a table that is printed otherwise (turned, in blocks).
_FEWEST_SORTED = 0.8


class PlacedCell(NamedTuple):
    """A cell and where its words may stand.

    Attributes:
        cell: The cell.
        places: For each word that the file has a few times at most, the centres (x, y) of these.
    """

    cell: TableCell
    places: list[list[tuple[float, float]]]


def displaced_cells(
    table: Table,
    cell_tokens: Sequence[Sequence[str]],
    layer: Sequence[str],
    words: Sequence[int],
    boxes: Sequence[BBox],
    offered: Sequence[int],
) -> list[TableCell]:
    """The cells of which no word stands near the crossing of the cell's row and column.

    Args:
        table: The grid.
        cell_tokens: The words of each cell.
        layer: Words of the file.
        words: The index of the box of each of them.
        boxes: Boxes.
        offered: The words of the file that stand in the table.
    """
    if len(table.cells) > _MOST_CELLS:
        return []
    where: dict[str, list[tuple[float, float]]] = {}
    for number in offered:
        box = boxes[words[number]]
        where.setdefault(layer[number], []).append(((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2))
    placed = [
        PlacedCell(cell, places)
        for cell, tokens in zip(table.cells, cell_tokens, strict=True)
        if cell.rowspan == cell.colspan == 1
        and (places := [where[token] for token in tokens if 0 < len(where.get(token, ())) <= _MOST_PLACES])
    ]
    sure = [(cell, [place[0] for place in places if len(place) == 1]) for cell, places in placed]
    columns = _middles((cell.col, x) for cell, places in sure for x, _ in places)
    rows = _middles((cell.row, y) for cell, places in sure for _, y in places)
    if not (_is_sorted(columns) and _is_sorted(rows)):
        return []
    return [
        cell
        for cell, places in placed
        if cell.col in columns
        and cell.row in rows
        and not any(
            _is_at(x, cell.col, columns) and _is_at(y, cell.row, rows) for place in places for x, y in place
        )
    ]


def _middles(values: Iterable[tuple[int, float]]) -> dict[int, float]:
    """The median of each row or column that has two words at least to go by."""
    by_line: dict[int, list[float]] = {}
    for line, value in values:
        by_line.setdefault(line, []).append(value)
    return {line: statistics.median(found) for line, found in sorted(by_line.items()) if len(found) > 1}


def _is_sorted(middles: dict[int, float]) -> bool:
    values = list(middles.values())
    steps = [after > before for before, after in pairwise(values)]
    return sum(steps) >= _FEWEST_SORTED * len(steps)


def _is_at(value: float, line: int, middles: dict[int, float]) -> bool:
    """Whether a place is on this side of the rows or columns before and after."""
    own = middles[line]
    # Only those with neighbours right beside them can be told: others may be wide.
    before, after = middles.get(line - 1), middles.get(line + 1)
    if before is not None and before < own and value < own - _REACH * (own - before):
        return False
    return not (after is not None and after > own and value > own + _REACH * (after - own))
