"""Which caption belongs to which table, picture or chart."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..document import BBox, ElementType
from .body import Placed

_TABLE_PREFIX = re.compile(r"\s*(?:table|tab\.|tabelle|tableau|tabla|tabella|表)", re.I)
_FIGURE_PREFIX = re.compile(
    r"\s*(?:fig(?:ure|\.)?|chart|diagram|plate|graph|abb(?:ildung|\.)|figura|图|圖)(?![a-z])", re.I
)
# Further away than this (as a part of the page's height) a caption belongs to something else.
_FURTHEST = 0.12


def bind_captions(body: Sequence[Placed]) -> dict[int, list[Placed]]:
    """Give each caption to the nearest float on its page.

    A float takes a caption if the caption's first word agrees with its class ("Table 3", "Figure 2"), and if
    it is next to it: in the reading order, but for other captions, or on the page.

    Returns:
        Position of the float in the body -> its captions in reading order. Captions without a float are in no
        list.
    """
    pages: dict[int, list[Placed]] = {}
    for placed in body:
        pages.setdefault(placed.page.number, []).append(placed)
    bound: dict[int, list[Placed]] = {}
    for elements in pages.values():
        _bind_page(elements, bound)
    return bound


def is_float(placed: Placed) -> bool:
    """Whether the element can have a caption."""
    element = placed.element
    return element.type in (
        ElementType.TABLE.value,
        ElementType.PICTURE.value,
        ElementType.CHART.value,
    )


def is_caption(placed: Placed) -> bool:
    """Whether the element is a caption with words."""
    element = placed.element
    return element.type == ElementType.CAPTION.value and bool((element.text or element.markdown).strip())


def _bind_page(elements: Sequence[Placed], bound: dict[int, list[Placed]]) -> None:
    captions = [placed for placed in elements if is_caption(placed)]
    floats = [placed for placed in elements if is_float(placed)]
    pairs = sorted(
        (
            (cost, caption.position, target.position)
            for caption in captions
            for target in floats
            if (cost := _cost(caption, target, elements)) is not None
        ),
    )
    by_position = {placed.position: placed for placed in elements}
    settled: set[int] = set()
    taken: set[int] = set()
    # First the best pair of each float, then captions that are left over (a second line, a note).
    for first_round in (True, False):
        for _, caption, target in pairs:
            if caption in settled or (first_round and target in taken):
                continue
            settled.add(caption)
            taken.add(target)
            bound.setdefault(target, []).append(by_position[caption])
    for position in taken:
        bound[position].sort(key=lambda placed: placed.position)


def _cost(caption: Placed, target: Placed, elements: Sequence[Placed]) -> float | None:
    """How far the caption is from the float; None where it cannot belong to it."""
    text = caption.element.text
    is_table = target.element.type == ElementType.TABLE.value
    if (is_table and _FIGURE_PREFIX.match(text)) or (not is_table and _TABLE_PREFIX.match(text)):
        return None
    low, high = sorted((caption.position, target.position))
    between = [
        placed
        for placed in elements
        if low < placed.position < high
        and placed.element.type != ElementType.CAPTION.value
        and not is_float(placed)
    ]
    box, other = caption.element.bbox, target.element.bbox
    steps = high - low
    if box is None or other is None:
        return None if between else float(steps)
    gap = _gap(box, other)
    if between and gap > _FURTHEST:
        return None
    # Captions of tables stand above them as a rule, those of figures below.
    usual = box.y0 <= other.y0 if is_table else box.y1 >= other.y1
    return gap + 0.01 * steps + (0.0 if usual else 0.005)


def _gap(box: BBox, other: BBox) -> float:
    """Distance between two boxes; sideways counts more, for it means another column."""
    down = max(0.0, other.y0 - box.y1, box.y0 - other.y1)
    across = max(0.0, other.x0 - box.x1, box.x0 - other.x1)
    return down + 2 * across
