"""Ruling lines on a scanned page, from its picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...rendering.line_art import join_lines
from .geometry import Frame, Rect
from .picture import Picture

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DARKER = 12  # grey levels below the mean of the neighbourhood that make ink
_NEIGHBOURHOOD = 25  # pixels
_SHORTEST = 0.028  # shortest line as a share of the page's longer side: longer than the stem of any letter
_THICKEST_PT = 4.0
_BESIDE_PT = 2.0
_GAP_PT = 6.0
_MAX_LINES = 2_000


def raster_rulings(picture: Picture, frame: Frame) -> list[Rect]:
    """Horizontal and vertical lines that the picture shows.

    Args:
        picture: The page, turned and straightened like the frame.
        frame: The frame of the page.

    Returns:
        Zero-area rectangles in points of the frame, horizontal ones first.
    """
    import cv2
    import numpy as np

    local_mean, inverted = cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV
    ink: NDArray[np.uint8] = np.asarray(
        cv2.adaptiveThreshold(picture.grey, 255, local_mean, inverted, _NEIGHBOURHOOD, _DARKER),
        dtype=np.uint8,
    )
    length = max(24, round(_SHORTEST * max(picture.width, picture.height)))
    scale_x, scale_y = frame.width / picture.width, frame.height / picture.height
    level = [
        (y * scale_y, x0 * scale_x, x1 * scale_x)
        for x0, x1, y in _runs(ink, (length, 1), (1, 3), round(_THICKEST_PT / scale_y))
    ]
    upright = [
        (x * scale_x, y0 * scale_y, y1 * scale_y)
        for y0, y1, x in _runs(ink.T.copy(), (length, 1), (1, 3), round(_THICKEST_PT / scale_x))
    ]
    joined = {"beside": _BESIDE_PT, "gap": _GAP_PT}
    return [Rect(start, at, end, at) for at, start, end in join_lines(level, **joined)] + [
        Rect(at, start, at, end) for at, start, end in join_lines(upright, **joined)
    ]


def _runs(
    ink: NDArray[np.uint8], along: tuple[int, int], across: tuple[int, int], thickest: int
) -> list[tuple[float, float, float]]:
    """Horizontal runs of ink as (start, end, height), in pixels."""
    import cv2

    # A line that is not quite level steps from row to row: thickening it first keeps it whole.
    thick = cv2.dilate(ink, cv2.getStructuringElement(cv2.MORPH_RECT, across))
    lines = cv2.morphologyEx(thick, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_RECT, along))
    _, _, stats, _ = cv2.connectedComponentsWithStats(lines, connectivity=8)
    found = []
    for x, y, width, height, _area in stats[1 : _MAX_LINES + 1]:
        if height <= thickest + 2 and width > 3 * height:
            found.append((float(x), float(x + width), y + height / 2))
    return found
