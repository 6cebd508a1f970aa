"""Which caption of a page belongs to which table, picture or chart.

A float takes a caption that agrees with its class by its first word ("Table 3", "Figure 2") and stands next
to it, in reading order or on the page. First each float takes the best caption there is, then captions that
are left over (a second line, a note) go to the float nearest to them.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Sequence
from itertools import accumulate

from ..document import BBox, Element, ElementType

_TABLE = re.compile(r"\s*(?:table|tab\.|tabelle|tableau|tabla|tabella|表)", re.IGNORECASE)
_FIGURE = re.compile(
    r"\s*(?:fig(?:ure|\.)?|chart|diagram|plate|graph|abb(?:ildung|\.)|figura|图|圖)(?![a-z])", re.IGNORECASE
)
_TABLES = ElementType.TABLE.value
_FLOATS = frozenset({_TABLES, ElementType.PICTURE.value, ElementType.CHART.value})
# Further apart than this (of the page's height), and with text between, they do not belong together.
_FURTHEST = 0.12
# So many tables before a caption are looked at, and behind it, and as many pictures and charts.
_LOOKED_AT = 24


def bind_captions(elements: Sequence[Element]) -> dict[int, list[int]]:
    """Give the captions of one page to its floats.

    Args:
        elements: The elements of the page in reading order.

    Returns:
        Position of a float -> positions of its captions, in reading order.
    """
    captions = [
        index
        for index, element in enumerate(elements)
        if element.type == ElementType.CAPTION.value and (element.text or element.markdown).strip()
    ]
    floats = [index for index, element in enumerate(elements) if element.type in _FLOATS]
    kinds = [
        [index for index in floats if (elements[index].type == _TABLES) == is_table]
        for is_table in (True, False)
    ]
    # How many elements that part a caption from a float stand before each position.
    parting = list(accumulate((not _may_stand_between(element) for element in elements), initial=0))
    pairs: list[tuple[float, int, int]] = []
    for caption in captions:
        for target in (near for kind in kinds for near in _near(kind, caption)):
            low, high = sorted((caption, target))
            cost = _cost(
                elements[caption], elements[target], steps=high - low, parted=parting[high] > parting[low + 1]
            )
            if cost is not None:
                pairs.append((cost, caption, target))
    pairs.sort()
    bound: dict[int, list[int]] = {}
    settled: set[int] = set()
    for first_round in (True, False):
        for _, caption, target in pairs:
            if caption not in settled and not (first_round and target in bound):
                settled.add(caption)
                bound.setdefault(target, []).append(caption)
    return {target: sorted(found) for target, found in bound.items()}


def _near(floats: Sequence[int], caption: int) -> Sequence[int]:
    """The floats that are next to a caption in reading order."""
    place = bisect(floats, caption)
    return floats[max(0, place - _LOOKED_AT) : place + _LOOKED_AT]


def _may_stand_between(element: Element) -> bool:
    return element.type in _FLOATS or element.type == ElementType.CAPTION.value


def _cost(caption: Element, target: Element, *, steps: int, parted: bool) -> float | None:
    """How far the caption is from the float; None where it cannot belong to it."""
    is_table = target.type == _TABLES
    if (_FIGURE if is_table else _TABLE).match(caption.text or caption.markdown):
        return None
    if caption.bbox is None or target.bbox is None:
        return None if parted else float(steps)
    gap = _gap(caption.bbox, target.bbox)
    if parted and gap > _FURTHEST:
        return None
    # As a rule captions of tables stand above them, those of figures below.
    usual = caption.bbox.y0 <= target.bbox.y0 if is_table else caption.bbox.y1 >= target.bbox.y1
    return gap + 0.01 * steps + (0.0 if usual else 0.005)


def _gap(box: BBox, other: BBox) -> float:
    """Distance between two boxes; sideways counts twice, because it means another column."""
    down = max(0.0, other.y0 - box.y1, box.y0 - other.y1)
    across = max(0.0, other.x0 - box.x1, box.x0 - other.x1)
    return down + 2 * across
