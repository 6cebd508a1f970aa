"""Boxes of a page by their place, so that those in an area are found without looking at all."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

from ..document import BBox

_Cells = dict[tuple[int, int], list[tuple[int, BBox]]]


class BoxGrid:
    """Boxes in grids of cells; the columns and the rows of each grid are a power of two.

    A box is in the finest grid whose cells are no narrower and no lower than it, so that it is in four cells
    at most; and no grid has more than twice as many cells as there are boxes.
    """

    def __init__(self, boxes: Sequence[tuple[int, BBox]]) -> None:
        """Sort the boxes in.

        Args:
            boxes: Each with the number by which it is known; edges are 0..1.
        """
        most = math.ceil(math.log2(max(1, len(boxes))))
        self._grids: dict[tuple[int, int], _Cells] = {}
        for number, box in boxes:
            across, down = _level(box.width, most), _level(box.height, most)
            # The finer side gives way first.
            for _ in range(across + down - most):
                across, down = (across - 1, down) if across > down else (across, down - 1)
            cells = self._grids.setdefault((across, down), defaultdict(list))
            columns, rows = _range(box.x0, box.x1, across), _range(box.y0, box.y1, down)
            for column in columns:
                for row in rows:
                    cells[column, row].append((number, box))

    def touching(self, area: BBox) -> Iterator[tuple[int, BBox]]:
        """The boxes in the cells that an area is in: all that touch it, and others; some more than once."""
        for (across, down), cells in self._grids.items():
            columns, rows = _range(area.x0, area.x1, across), _range(area.y0, area.y1, down)
            if len(columns) * len(rows) > len(cells):
                for (column, row), found in cells.items():
                    if column in columns and row in rows:
                        yield from found
            else:
                for column in columns:
                    for row in rows:
                        yield from cells.get((column, row), ())


def _level(side: float, most: int) -> int:
    """How often the page can be halved before its parts are smaller than the side of a box."""
    return most if side <= 0 else min(most, max(0, math.floor(-math.log2(side))))


def _range(start: float, end: float, level: int) -> range:
    return range(int(start * 2**level), int(end * 2**level) + 1)
