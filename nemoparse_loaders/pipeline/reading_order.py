"""Where in the reading order a region belongs that the page's own order does not know; pure."""

from __future__ import annotations

from collections.abc import Sequence

from ..document import BBox, Element, ElementType
from .region_boxes import middle

# Boxes that share this part of the narrower one's width stand above each other.
_ABOVE = 0.5
# Boxes that share this part of the lower one's height stand beside each other.
_BESIDE = 0.3
# Neighbours may overlap by this much of the page: a line is higher.
_TOUCH = 0.005
# A region sees at most this many elements above it: more stand only in replies that run wild.
_MOST_SEEN = 16

_PAGE_HEADER = ElementType.PAGE_HEADER.value
_PAGE_FOOTER = ElementType.PAGE_FOOTER.value
_FLOATS = frozenset(
    kind.value for kind in (ElementType.PICTURE, ElementType.CHART, ElementType.TABLE, ElementType.CAPTION)
)


def place_in_order(box: BBox, kind: str, elements: Sequence[Element]) -> int:
    """Where to insert a region so that the page reads on: a position in ``elements``.

    The order of the page is trusted and not changed; the region is hung on its neighbours in it:

    1. A page header stands first, behind other page headers; a page footer last.
    2. It follows what it sees straight above it, of several the last in the order: in its own column that is
       the paragraph before; for a table over the whole width, the end of the last column above it.
    3. But if what is above reaches over something beside the region as well (a title over two columns), the
       region begins a column, and goes before what it sees below, of several the first, unless that reaches
       over as well.
    4. If it is all there is of its column, it follows what stands on its left between those two; and the one
       above if nothing does.

    Elements without boxes, page headers and page footers tell nothing about a place.

    Generation 1.1 prints pictures, tables and captions behind the running text. Where a page does so (all of
    them are behind it, and one of them stands above a text of its column or follows the page footer) these
    rules hold within the running text, or within what is behind it.

    Args:
        box: The region, on the page.
        kind: Its class.
        elements: In reading order.
    """
    start = _start_of_floats(elements)
    if start:
        if kind in _FLOATS:
            return start + _place(box, kind, elements[start:])
        return _place(box, kind, elements[:start])
    return _place(box, kind, elements)


def _start_of_floats(elements: Sequence[Element]) -> int:
    """Where what is no running text begins, if the page prints it behind; 0 where it does not."""
    start = next((at for at, element in enumerate(elements) if element.type in _FLOATS), 0)
    if not start or not all(element.type in _FLOATS for element in elements[start:]):
        return 0
    if elements[start - 1].type == _PAGE_FOOTER:
        return start
    texts = [element.bbox for element in elements[:start] if element.type != _PAGE_FOOTER and element.bbox]
    for element in elements[start : start + _MOST_SEEN]:
        box = element.bbox
        if box and any(other.y0 >= box.y1 - _TOUCH and _share_width(box, other) for other in texts):
            return start
    return 0


def _place(box: BBox, kind: str, elements: Sequence[Element]) -> int:
    if kind == _PAGE_HEADER:
        return next((at for at, element in enumerate(elements) if element.type != kind), len(elements))
    placed = [
        (at, element.bbox)
        for at, element in enumerate(elements)
        if element.bbox is not None and element.type not in (_PAGE_HEADER, _PAGE_FOOTER)
    ]
    if kind == _PAGE_FOOTER:
        return len(elements)
    if not placed:
        return _end(elements)
    beside = [other for _, other in placed if _is_beside(box, other)]
    above = _seen(box, placed, upwards=True)
    before = max(above, default=None, key=lambda item: item[0])
    if before is not None and not _reaches_over(before[1], beside):
        return before[0] + 1
    below = _seen(box, placed, upwards=False)
    after = min(below, default=None, key=lambda item: item[0])
    if after is not None and not _reaches_over(after[1], beside):
        return after[0]
    return _in_band(box, placed, before, after, _end(elements))


def _end(elements: Sequence[Element]) -> int:
    """Behind the last element that is no page footer."""
    at = len(elements)
    while at and elements[at - 1].type == _PAGE_FOOTER:
        at -= 1
    return at


def _seen(box: BBox, placed: Sequence[tuple[int, BBox]], *, upwards: bool) -> list[tuple[int, BBox]]:
    """What stands above or below a box without another one between."""
    y = middle(box)[1]
    if upwards:
        column = [item for item in placed if middle(item[1])[1] < y and _share_width(box, item[1])]
        column.sort(key=lambda item: -item[1].y1)
    else:
        column = [item for item in placed if middle(item[1])[1] >= y and _share_width(box, item[1])]
        column.sort(key=lambda item: item[1].y0)
    seen: list[tuple[int, BBox]] = []
    for at, other in column:
        if len(seen) == _MOST_SEEN:
            break
        if not any(_share_width(other, nearer) and _stand_apart(other, nearer) for _, nearer in seen):
            seen.append((at, other))
    return seen


def _in_band(
    box: BBox,
    placed: Sequence[tuple[int, BBox]],
    before: tuple[int, BBox] | None,
    after: tuple[int, BBox] | None,
    end: int,
) -> int:
    """The place of a column of its own between what reaches over it above and below."""
    top = 0.0 if before is None else before[1].y1 - _TOUCH
    bottom = 1.0 if after is None else after[1].y0 + _TOUCH
    band = [(at, other) for at, other in placed if top <= middle(other)[1] <= bottom]
    left = [at for at, other in band if other.x1 <= box.x0 + _TOUCH]
    if left:
        return max(left) + 1
    if before is not None:
        return before[0] + 1
    if after is not None:
        return after[0]
    right = [at for at, other in band if other.x0 >= box.x1 - _TOUCH]
    return min(right) if right else end


def _is_beside(box: BBox, other: BBox) -> bool:
    down = min(box.y1, other.y1) - max(box.y0, other.y0)
    lower = min(box.height, other.height)
    return down > 0 and down >= _BESIDE * lower and not _touch_across(box, other)


def _touch_across(box: BBox, other: BBox) -> bool:
    return min(box.x1, other.x1) - max(box.x0, other.x0) > _TOUCH


def _reaches_over(box: BBox, beside: Sequence[BBox]) -> bool:
    return any(_share_width(box, other) for other in beside)


def _share_width(box: BBox, other: BBox) -> bool:
    across = min(box.x1, other.x1) - max(box.x0, other.x0)
    return across > 0 and across >= _ABOVE * min(box.width, other.width)


def _stand_apart(box: BBox, other: BBox) -> bool:
    """Whether one of the boxes begins where the other has ended."""
    return box.y0 >= other.y1 - _TOUCH or other.y0 >= box.y1 - _TOUCH
