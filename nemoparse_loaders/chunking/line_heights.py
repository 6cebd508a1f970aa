"""How high a line of an element is, estimated from its box and its text."""

from __future__ import annotations

import math

from ..document import Element, ParsedPage

# A line's height by its letters' mean width, both in points: 1.2 by 0.5 of the font's size.
_HEIGHT_BY_WIDTH = 2.4
# Points; no text has a box that is thinner, and numbers get out of hand below.
_SMALLEST_SIDE = 0.1
# Points, where the page's size is not known.
_PAGE = (612.0, 792.0)


def line_height(element: Element, page: ParsedPage) -> float:
    """Height of one line of an element in points; 0 without a box."""
    box, text = element.bbox, element.text.strip()
    if box is None or not text:
        return 0.0
    page_width, page_height = page.width_pt or _PAGE[0], page.height_pt or _PAGE[1]
    width, height = box.width * page_width, box.height * page_height
    if min(width, height) < _SMALLEST_SIDE:
        return 0.0
    # n lines are as high as height / n, and their letters as wide as width * n / length.
    lines = max(1, round(math.sqrt(height * len(text) / (_HEIGHT_BY_WIDTH * width))), text.count("\n") + 1)
    return height / lines
