"""The boxes of a chunk: one for each page and column that it runs through."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from ..document import BBox, ParsedPage
from .blocks import Span
from .box_grid import BoxGrid

# Two boxes may touch or overlap by this part of the smaller one.
_TOLERANCE = 0.1

PageBox = tuple[int, BBox]


class BoxesOfPages:
    """Where the elements of pages stand; each page is sorted in once, when it is first asked for."""

    def __init__(self) -> None:
        # The page is kept, so that its id stays its own.
        self._grids: dict[int, tuple[ParsedPage, BoxGrid]] = {}

    def on(self, page: ParsedPage) -> BoxGrid:
        """The boxes of a page's elements, each under the ``id()`` of its element."""
        found = self._grids.get(id(page))
        if found is None:
            boxes = [
                (id(element), BBox.clamped(*element.bbox))
                for element in page.elements
                if element.bbox is not None
            ]
            found = self._grids[id(page)] = (page, BoxGrid(boxes))
        return found[1]


def column_boxes(spans: Sequence[Span], pages: BoxesOfPages | None = None) -> list[PageBox]:
    """Page number and box of each run of spans down a column, in order.

    A run ends where the next box is not below the last one, or where the box around both would cover an
    element that is not in the chunk.

    Args:
        spans: Those of a chunk.
        pages: Kept from chunk to chunk, so that a page is sorted in once.
    """
    pages = pages or BoxesOfPages()
    inside = {id(span.element) for span in spans if span.element is not None}
    runs: list[PageBox] = []
    page: ParsedPage | None = None
    last: BBox | None = None
    # The box around the run, as far as it is known to cover nothing else.
    clear: BBox | None = None
    for span in spans:
        box = span.bbox
        if box is None:
            continue
        if span.page is not page:
            page, last = span.page, None
        if last is not None and _is_below(box, last):
            joined = runs[-1][1].union(box)
            if not _covers_others(joined, clear, pages.on(span.page), inside):
                runs[-1] = (span.page.number, joined)
                last = box
                clear = joined
                continue
        runs.append((span.page.number, box))
        last = box
        clear = None
    return runs


def _covers_others(joined: BBox, clear: BBox | None, grid: BoxGrid, inside: set[int]) -> bool:
    """Whether a box covers an element that is not in the chunk; only looked for outside of what is clear."""
    return any(
        _covers(joined, other)
        for area in ([joined] if clear is None else _outside(joined, clear))
        for element, other in grid.touching(area)
        if element not in inside
    )


def _outside(joined: BBox, clear: BBox) -> Iterator[BBox]:
    """The parts of a box that are not in the smaller one in it, overlapping at corners."""
    if joined.y0 < clear.y0:
        yield BBox(joined.x0, joined.y0, joined.x1, clear.y0)
    if joined.y1 > clear.y1:
        yield BBox(joined.x0, clear.y1, joined.x1, joined.y1)
    if joined.x0 < clear.x0:
        yield BBox(joined.x0, joined.y0, clear.x0, joined.y1)
    if joined.x1 > clear.x1:
        yield BBox(clear.x1, joined.y0, joined.x1, joined.y1)


def page_boxes(boxes: Sequence[PageBox]) -> list[PageBox]:
    """One box a page, around all of its boxes."""
    merged: dict[int, BBox] = {}
    for number, box in boxes:
        merged[number] = merged[number].union(box) if number in merged else box
    return list(merged.items())


def boxes_json(boxes: Sequence[PageBox]) -> str:
    """``[[page,x0,y0,x1,y1],...]``, rounded to four decimals."""
    return json.dumps(
        [[number, *(round(edge, 4) for edge in box)] for number, box in boxes], separators=(",", ":")
    )


def _is_below(box: BBox, last: BBox) -> bool:
    across = min(box.x1, last.x1) - max(box.x0, last.x0)
    return across > 0 and box.y0 >= last.y0


def _covers(joined: BBox, other: BBox) -> bool:
    smaller = min(joined.area, other.area)
    return joined.overlap(other) > _TOLERANCE * smaller
