"""How many pixels a page gets: pure arithmetic, before anything is allocated."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .settings import MIN_SIDE

# Sizes are rounded up; without this a page that fits exactly comes out one pixel too large.
_SHRINK = 1.0 - 1e-6


@dataclass(frozen=True, slots=True)
class PixelSize:
    """The size to draw at.

    Attributes:
        width: Pixels.
        height: Pixels.
        scale: Pixels a unit of the page; of the longer side where a sliver is stretched.
    """

    width: int
    height: int
    scale: float


def fit_page(width: float, height: float, box: tuple[int, int], max_scale: float | None = None) -> PixelSize:
    """Scale a page to fit in a box, keeping its shape.

    A side that would come out shorter than `MIN_SIDE` is stretched to it, not padded: a box on the picture is
    then still the same fraction of the page.

    Args:
        width: Of the page, in its own units; above 0.
        height: Likewise.
        box: Largest (width, height) in pixels, at least `MIN_SIDE` either way.
        max_scale: Most pixels a unit, or None.

    Returns:
        At least `MIN_SIDE` and at most ``box`` pixels either way.
    """
    scale = min(box[0] / width, box[1] / height)
    if max_scale is not None:
        scale = min(scale, max_scale)
    # Specks grow to the least side in their own shape, where the box has room for that.
    enlarged = MIN_SIDE / min(width, height)
    if scale < enlarged <= min(box[0] / width, box[1] / height):
        scale = enlarged
    scale *= _SHRINK
    return PixelSize(_pixels(width * scale, box[0]), _pixels(height * scale, box[1]), scale)


def _pixels(length: float, limit: int) -> int:
    return min(limit, max(MIN_SIDE, math.ceil(length)))
