"""Boxes of regions: how far two of them are the same place, and from a picture of a region to the page."""

from __future__ import annotations

from collections.abc import Sequence

from ..document import BBox

SAME = 0.5
"""Intersection over union from which on two boxes are one place: the usual bound of object detection."""

INSIDE = 0.8
"""Share of the smaller box from which on it is a part of the larger one: a model's boxes are off by a line
or a cell, which is less than a fifth of what is worth a request."""

_STRIPS = 64


def share_inside(box: BBox, outer: BBox) -> float:
    """Which part of a box lies in another, 0..1; of a box without an area, whether its middle does."""
    if box.area > 0.0:
        return min(1.0, box.overlap(outer) / box.area)
    x, y = middle(box)
    return float(outer.x0 <= x <= outer.x1 and outer.y0 <= y <= outer.y1)


def likeness(box: BBox, other: BBox) -> float:
    """Intersection over union, 0..1."""
    shared = box.overlap(other)
    return shared / (box.area + other.area - shared) if shared > 0.0 else 0.0


def same_place(box: BBox, other: BBox) -> bool:
    """Whether two boxes show the same thing, or one of them a part of what the other shows."""
    shared = box.overlap(other)
    if shared <= 0.0:
        return False
    smaller = min(box.area, other.area)
    return shared >= INSIDE * smaller or shared >= SAME * (box.area + other.area - shared)


def middle(box: BBox) -> tuple[float, float]:
    """The middle of a box."""
    return (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2


def to_page(box: BBox, picture: BBox) -> BBox:
    """A box on the picture of a region as one on the page.

    Args:
        box: 0..1 of the picture.
        picture: What the picture shows, 0..1 of the page.

    Returns:
        A box within ``picture``: rounding does not carry it over an edge.
    """
    return BBox(
        min(picture.x0 + box.x0 * picture.width, picture.x1),
        min(picture.y0 + box.y0 * picture.height, picture.y1),
        min(picture.x0 + box.x1 * picture.width, picture.x1),
        min(picture.y0 + box.y1 * picture.height, picture.y1),
    )


def to_picture(box: BBox, picture: BBox) -> BBox:
    """A box on the page as one on the picture of a region, cut at its edges: the inverse of `to_page`.

    Args:
        box: 0..1 of the page.
        picture: What the picture shows, with an area.
    """
    return BBox.clamped(
        (box.x0 - picture.x0) / picture.width,
        (box.y0 - picture.y0) / picture.height,
        (box.x1 - picture.x0) / picture.width,
        (box.y1 - picture.y0) / picture.height,
    )


class BoxIndex:
    """Boxes by strips of the page's height, so that what meets a box is found without a look at all.

    A reply may hold thousands of boxes, and so may another that it is compared with.
    """

    def __init__(self, boxes: Sequence[BBox | None]) -> None:
        self._boxes = boxes
        self._strips: list[list[int]] = [[] for _ in range(_STRIPS)]
        for index, box in enumerate(boxes):
            if box is not None:
                for strip in _strips(box):
                    self._strips[strip].append(index)

    def meeting(self, box: BBox) -> list[int]:
        """Positions of the boxes that share some area with this one, in order."""
        found: set[int] = set()
        for strip in _strips(box):
            found.update(self._strips[strip])
        return [index for index in sorted(found) if self._overlap(index, box) > 0.0]

    def covered(self, box: BBox, enough: float) -> bool:
        """Whether the boxes cover at least this share of one; what two of them cover counts twice."""
        wanted, total = enough * box.area, 0.0
        seen: set[int] = set()
        for strip in _strips(box):
            for index in self._strips[strip]:
                if index not in seen:
                    seen.add(index)
                    total += self._overlap(index, box)
                    if total >= wanted:
                        return True
        return False

    def _overlap(self, index: int, box: BBox) -> float:
        other = self._boxes[index]
        return 0.0 if other is None else other.overlap(box)


def _strips(box: BBox) -> range:
    return range(min(_STRIPS - 1, int(box.y0 * _STRIPS)), min(_STRIPS - 1, int(box.y1 * _STRIPS)) + 1)
