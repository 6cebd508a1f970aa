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
# Two swapped cells put two steps out of place.
_MOST_UNSORTED = 0.2
_FEW_OUT_OF_PLACE = 2
# Among so many words those of one cell do not shift the middle.
_MANY = 24


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
    sure = [
        (number, cell, place[0])
        for number, (cell, places) in enumerate(placed)
        for place in places
        if len(place) == 1
    ]
    columns = _Lines((cell.col, number, x) for number, cell, (x, _) in sure)
    rows = _Lines((cell.row, number, y) for number, cell, (_, y) in sure)
    if not (columns.are_sorted() and rows.are_sorted()):
        return []
    return [
        cell
        for number, (cell, places) in enumerate(placed)
        if not any(
            columns.has_at(cell.col, number, x) and rows.has_at(cell.row, number, y)
            for place in places
            for x, y in place
        )
    ]


class _Lines:
    """Where the rows of a table are, or its columns: the middles of the words that stand in one place only.

    Args:
        values: Line, cell and place of each of these words.
    """

    def __init__(self, values: Iterable[tuple[int, int, float]]) -> None:
        self._by_line: dict[int, list[tuple[int, float]]] = {}
        for line, number, value in values:
            self._by_line.setdefault(line, []).append((number, value))
        self._middles = {
            line: statistics.median(value for _, value in found)
            for line, found in sorted(self._by_line.items())
        }

    def are_sorted(self) -> bool:
        """Whether they mostly follow each other on the page."""
        steps = [after > before for before, after in pairwise(self._middles.values())]
        return len(steps) - sum(steps) <= max(_FEW_OUT_OF_PLACE, _MOST_UNSORTED * len(steps))

    def has_at(self, line: int, number: int, value: float) -> bool:
        """Whether a place is on this side of the lines before and after; True where that cannot be told."""
        own = self._others(line, number)
        # Only lines right beside it can tell: others may be wide.
        before, after = self._middle(line - 1, number), self._middle(line + 1, number)
        if not own:
            return (before is None or value > before) and (after is None or value < after)
        if min(own) <= value <= max(own):
            return True
        middle = statistics.median(own)
        if before is not None and before < middle and value < middle - _REACH * (middle - before):
            return False
        return not (after is not None and after > middle and value > middle + _REACH * (after - middle))

    def _middle(self, line: int, without: int) -> float | None:
        """The middle of a line without the words of one cell, which might stand elsewhere."""
        if len(self._by_line.get(line, ())) > _MANY:
            return self._middles[line]
        others = self._others(line, without)
        return statistics.median(others) if others else None

    def _others(self, line: int, without: int) -> list[float]:
        """The words of a line without those of one cell; of many some, spread over the line."""
        found = self._by_line.get(line, [])
        step = 1 + len(found) // (4 * _MANY)
        return [value for number, value in found[::step] if number != without]
