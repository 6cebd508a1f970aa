"""Rectangles in points, and the frame in which a page's text reads from left to right.

A page whose text stands sideways is read in a frame that is turned with the text; at the end all boxes are
turned back to the page as displayed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ...document import BBox

Turn = Literal[0, 90, 180, 270]


class Rect(NamedTuple):
    """A rectangle in points, origin top left, y down; ``x0 <= x1`` and ``y0 <= y1``."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        """Width in points."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """Height in points."""
        return self.y1 - self.y0

    @property
    def area(self) -> float:
        """Area in square points."""
        return self.width * self.height

    @property
    def middle(self) -> tuple[float, float]:
        """The centre."""
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    def union(self, other: Rect) -> Rect:
        """The smallest rectangle that holds both."""
        return Rect(
            min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1)
        )

    def across(self, other: Rect) -> float:
        """How much of x both share, in points; negative: how far they are apart."""
        return min(self.x1, other.x1) - max(self.x0, other.x0)

    def down(self, other: Rect) -> float:
        """How much of y both share, in points; negative: how far they are apart."""
        return min(self.y1, other.y1) - max(self.y0, other.y0)

    def shared(self, other: Rect) -> float:
        """The area that both share."""
        across, down = self.across(other), self.down(other)
        return across * down if across > 0 and down > 0 else 0.0

    def share_in(self, other: Rect) -> float:
        """Which part of this rectangle lies in the other, 0..1; by its centre where it has no area."""
        if self.area <= 0:
            return float(other.holds(*self.middle))
        return self.shared(other) / self.area

    def holds(self, x: float, y: float) -> bool:
        """Whether the point lies inside or on the edge."""
        return self.x0 <= x <= self.x1 and self.y0 <= y <= self.y1

    def grown(self, by: float) -> Rect:
        """Larger by so many points on each side; smaller where negative."""
        return Rect(self.x0 - by, self.y0 - by, self.x1 + by, self.y1 + by)


def bounds(rects: list[Rect]) -> Rect:
    """The smallest rectangle that holds all; the list is not empty."""
    return Rect(
        min(rect.x0 for rect in rects),
        min(rect.y0 for rect in rects),
        max(rect.x1 for rect in rects),
        max(rect.y1 for rect in rects),
    )


@dataclass(frozen=True, slots=True)
class Frame:
    """The page turned so that its text reads from left to right.

    Attributes:
        page_width: Width of the displayed page in points.
        page_height: Height of the displayed page in points.
        turn: Clockwise reading direction of the text on the displayed page.
        skew: Degrees by which lines of the turned page drop to the right; the frame is straight.
    """

    page_width: float
    page_height: float
    turn: Turn = 0
    skew: float = 0.0

    @property
    def width(self) -> float:
        """Width of the frame in points."""
        return self.page_height if self.turn in (90, 270) else self.page_width

    @property
    def height(self) -> float:
        """Height of the frame in points."""
        return self.page_width if self.turn in (90, 270) else self.page_height

    def to_frame(self, box: BBox) -> Rect:
        """From 0..1 of the displayed page to points of the frame."""
        x0, y0, x1, y1 = box
        if self.turn == 90:
            x0, y0, x1, y1 = y0, 1.0 - x1, y1, 1.0 - x0
        elif self.turn == 180:
            x0, y0, x1, y1 = 1.0 - x1, 1.0 - y1, 1.0 - x0, 1.0 - y0
        elif self.turn == 270:
            x0, y0, x1, y1 = 1.0 - y1, x0, 1.0 - y0, x1
        rect = Rect(x0 * self.width, y0 * self.height, x1 * self.width, y1 * self.height)
        return self._rotated(rect, -self.skew)

    def to_page(self, rect: Rect) -> BBox:
        """From points of the frame to 0..1 of the displayed page."""
        rect = self._rotated(rect, self.skew)
        x0, y0 = rect.x0 / self.width, rect.y0 / self.height
        x1, y1 = rect.x1 / self.width, rect.y1 / self.height
        if self.turn == 90:
            x0, y0, x1, y1 = 1.0 - y1, x0, 1.0 - y0, x1
        elif self.turn == 180:
            x0, y0, x1, y1 = 1.0 - x1, 1.0 - y1, 1.0 - x0, 1.0 - y0
        elif self.turn == 270:
            x0, y0, x1, y1 = y0, 1.0 - x1, y1, 1.0 - x0
        return BBox.clamped(x0, y0, x1, y1)

    def straightened(self, x: float, y: float) -> tuple[float, float]:
        """A point of the turned page, in points, to the straight frame."""
        return rotate(x, y, -self.skew, (self.width / 2, self.height / 2))

    def _rotated(self, rect: Rect, degrees: float) -> Rect:
        """The rectangle with its centre turned about the page's; its size stays."""
        if degrees == 0:
            return rect
        x, y = rotate(*rect.middle, degrees, (self.width / 2, self.height / 2))
        return Rect(x - rect.width / 2, y - rect.height / 2, x + rect.width / 2, y + rect.height / 2)


def rotate(x: float, y: float, degrees: float, centre: tuple[float, float]) -> tuple[float, float]:
    """Turn a point clockwise (y grows downwards) about a centre."""
    angle = math.radians(degrees)
    dx, dy = x - centre[0], y - centre[1]
    return (
        centre[0] + dx * math.cos(angle) - dy * math.sin(angle),
        centre[1] + dx * math.sin(angle) + dy * math.cos(angle),
    )
