"""What headings look like: marks, size, capitals and indentation, as far as boxes and text tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..document import BBox, Element, ElementType
from .body import Placed
from .line_heights import line_height

# Heights of lines that differ by less than this part are of one size.
_SAME_SIZE = 0.13
# Left edges closer than this, of the page's width, stand above each other.
_SAME_EDGE = 0.012


class Style(NamedTuple):
    """The looks of a heading; the smaller one stands higher.

    Attributes:
        size: Rank of its line height, 0 for the largest; 0 for all where boxes are missing.
        small: 0 for capitals, else 1.
        indent: 0 for a heading in the middle, 1 at the edge of the text below it, 2 for an indented one.
    """

    size: int
    small: int
    indent: int


def styles_of(headings: Sequence[Placed], body: Sequence[Placed]) -> list[Style]:
    """The looks of each heading. Differences that only one heading shows, but for size, say nothing.

    Args:
        headings: In reading order.
        body: All elements; a heading's position is its place in there.
    """
    heights = [line_height(placed.element, placed.page) for placed in headings]
    ranks = _ranks(heights)
    small = [0 if _in_capitals(placed.element.text) else 1 for placed in headings]
    if min(small.count(0), small.count(1)) < 2:
        small = [1] * len(small)
    indents = [_indent(placed, body) for placed in headings]
    if any(0 < indents.count(kind) < 2 for kind in (0, 1, 2)):
        indents = [1] * len(indents)
    return [Style(*looks) for looks in zip(ranks, small, indents, strict=True)]


def _ranks(heights: Sequence[float]) -> list[int]:
    """Rank of each height among the sizes that are found, from the largest; all 0 where one is not known."""
    if not heights or min(heights) <= 0:
        return [0] * len(heights)
    edges: list[float] = []
    last = 0.0
    for height in sorted(heights, reverse=True):
        if not edges or height < last * (1 - _SAME_SIZE):
            edges.append(height)
            last = height
    # Each size is known by its largest height.
    return [max(index for index, edge in enumerate(edges) if height <= edge) for height in heights]


def _in_capitals(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return len(letters) > 3 and all(not char.islower() for char in letters) and any(map(str.isupper, letters))


def _indent(heading: Placed, body: Sequence[Placed]) -> int:
    box, below = heading.element.bbox, _text_below(heading, body)
    if box is None or below is None:
        return 1
    if abs(box.x0 - below.x0) <= _SAME_EDGE:
        return 1
    if box.x0 > below.x0 and abs((box.x0 + box.x1) - (below.x0 + below.x1)) <= 4 * _SAME_EDGE:
        return 0
    return 2 if below.x0 < box.x0 < below.x1 else 1


def _text_below(heading: Placed, body: Sequence[Placed]) -> BBox | None:
    """Box of the text right after the heading, on the same page and under it."""
    box = heading.element.bbox
    for placed in body[heading.position + 1 : heading.position + 4]:
        element: Element = placed.element
        if placed.page is not heading.page:
            return None
        if element.type == ElementType.TEXT.value:
            below = element.bbox
            return below if box and below and below.y0 >= box.y0 and below.x0 < box.x1 else None
    return None
