"""The boxes of a chunk: one for each page and column that it runs through."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..document import BBox, ParsedPage
from .blocks import Span

# Two boxes may touch or overlap by this part of the smaller one.
_TOLERANCE = 0.1

PageBox = tuple[int, BBox]


def column_boxes(spans: Sequence[Span]) -> list[PageBox]:
    """Page number and box of each run of spans down a column, in order.

    A run ends where the next box is not below the last one, or where the box around both would cover an
    element that is not in the chunk.
    """
    inside = {id(span.element) for span in spans if span.element is not None}
    runs: list[PageBox] = []
    foreign: list[BBox] = []
    page: ParsedPage | None = None
    last: BBox | None = None
    for span in spans:
        box = span.bbox
        if box is None:
            continue
        if span.page is not page:
            page, last = span.page, None
            foreign = [
                element.bbox
                for element in page.elements
                if element.bbox is not None and id(element) not in inside
            ]
        if last is not None and _is_below(box, last):
            joined = runs[-1][1].union(box)
            if not any(_covers(joined, other) for other in foreign):
                runs[-1] = (span.page.number, joined)
                last = box
                continue
        runs.append((span.page.number, box))
        last = box
    return runs


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
