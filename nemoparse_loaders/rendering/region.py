"""Which pixels show a part of a page, drawn larger than on the page's own picture; pure arithmetic."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..document import BBox
from .settings import MIN_SIDE

MARGIN = 0.015
"""What is shown around a region on each side, as a share of the page's longer side: 12.6 points on A4.

Models place boxes within about one percent of a page, and a table without its outer line reads worse."""

MOST_TIMES_LARGER = 4.0
"""Most pixels of a region a pixel of the page's own picture, either way."""

MOST_DPI = 400.0
"""Highest resolution of a region of a PDF: letters have all their detail by then. A page shorter than A4
counts as if it were as long, since scans often claim to be far smaller than their paper was."""

_A4_PT = 842.0

# What rounding the edges outwards may add to a side.
_ROUNDING = 2


@dataclass(frozen=True, slots=True)
class RegionPixels:
    """A window onto a page that is drawn at some size.

    Attributes:
        page_width: Pixels of the whole page at that size; it is never drawn as a whole.
        page_height: Likewise.
        left: Where the window begins.
        top: Likewise.
        width: Pixels of the window.
        height: Likewise.
    """

    page_width: int
    page_height: int
    left: int
    top: int
    width: int
    height: int

    @classmethod
    def whole(cls, width: int, height: int) -> RegionPixels:
        """All of a page of so many pixels."""
        return cls(width, height, 0, 0, width, height)

    @property
    def box(self) -> BBox:
        """Which part of the page the window shows, 0..1."""
        return BBox(
            self.left / self.page_width,
            self.top / self.page_height,
            (self.left + self.width) / self.page_width,
            (self.top + self.height) / self.page_height,
        )


def region_scale(own: float, width: float, height: float, unit: float) -> float:
    """Most pixels a unit of a region of a PDF page.

    Args:
        own: Pixels a unit of the page's own picture; a region never has less.
        width: Of the page, in units.
        height: Likewise.
        unit: Points in one unit.
    """
    dpi = MOST_DPI * max(1.0, _A4_PT / (max(width, height) * unit))
    return max(own, min(own * MOST_TIMES_LARGER, dpi / 72.0 * unit))


def with_margin(box: BBox, width: float, height: float) -> BBox:
    """A box with `MARGIN` around it, as far as the page reaches.

    Args:
        box: 0..1 of the page.
        width: Of the page, in any unit.
        height: In the same unit.
    """
    margin = MARGIN * max(width, height)
    across, down = margin / width, margin / height
    return BBox.clamped(box.x0 - across, box.y0 - down, box.x1 + across, box.y1 + down)


def place_region(
    box: BBox, width: float, height: float, limit: tuple[int, int], max_scale: float
) -> RegionPixels:
    """The largest window that shows a box and fits.

    Its edges lie on whole pixels, outside of the box. A window with a side shorter than `MIN_SIDE` shows more
    of the page; a page that is itself more slender is stretched, as a page's own picture is.

    Args:
        box: 0..1 of the page, margin included.
        width: Of the page, in its own units; above 0.
        height: Likewise.
        limit: Largest (width, height) of the window in pixels, at least `MIN_SIDE` either way.
        max_scale: Most pixels a unit.
    """
    scale = max_scale
    for share, length, most in ((box.width, width, limit[0]), (box.height, height, limit[1])):
        if share > 0:
            scale = min(scale, max(most - _ROUNDING, 1) / (share * length))
    page_width, page_height = max(MIN_SIDE, round(width * scale)), max(MIN_SIDE, round(height * scale))
    left, across = _span(box.x0, box.x1, page_width, limit[0])
    top, down = _span(box.y0, box.y1, page_height, limit[1])
    return RegionPixels(page_width, page_height, left, top, across, down)


def _span(start: float, end: float, length: int, most: int) -> tuple[int, int]:
    """The first pixel and the number of pixels from ``start`` to ``end``, 0..1 of a length in pixels."""
    first, last = math.floor(start * length), math.ceil(end * length)
    count = min(max(last - first, MIN_SIDE), most, length)
    first = max(0, min(first - (count - (last - first)) // 2, length - count))
    return first, count
