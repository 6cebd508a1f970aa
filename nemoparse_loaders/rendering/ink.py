"""Whether anything is drawn in a part of a page; on the rows of the picture, without any library."""

from __future__ import annotations

from .png import Scanlines

CONTRAST = 24
"""Levels of one colour, of 255, between ink and ground that an eye can tell apart; less is noise."""

# Of a larger part only some rows are looked at: letters as large as that are many rows high.
_MOST_BYTES = 32_768


def has_ink(lines: Scanlines, box: tuple[float, float, float, float]) -> bool:
    """Whether something stands out from its ground inside of a box.

    Text in the colour of its ground, behind a picture, clipped or switched off by a layer leaves no ink: the
    picture, which people see, is the judge of what is on the page.

    Args:
        lines: The page's pixels.
        box: (x0, y0, x1, y1), 0..1 of the page.
    """
    x0, y0, x1, y1 = box
    width, height = lines.width, lines.height
    left, top, right, bottom = int(x0 * width), int(y0 * height), int(x1 * width) + 1, int(y1 * height) + 1
    if right > width or bottom > height:
        right, bottom = min(right, width), min(bottom, height)
        left, top = min(left, right - 1), min(top, bottom - 1)
    buffer, stride = lines.buffer, lines.stride
    # Nearly every word that shows does so in green along its middle, and dots and dashes down their middle.
    start = (top + bottom) // 2 * stride + 1
    greens = buffer[start + 3 * left + 1 : start + 3 * right : 3]
    if max(greens) - min(greens) >= CONTRAST:
        return True
    start = top * stride + 1 + (left + right) // 2 * 3 + 1
    greens = buffer[start : bottom * stride : stride]
    if max(greens) - min(greens) >= CONTRAST:
        return True
    return _contrast(lines, left, top, right, bottom) >= CONTRAST


def _contrast(lines: Scanlines, left: int, top: int, right: int, bottom: int) -> int:
    """The largest difference of one colour between two pixels of a part; stops once that is enough."""
    buffer, stride = lines.buffer, lines.stride
    first = top * stride + 1 + 3 * left
    length = 3 * (right - left)
    known = bytes(buffer[first : first + length])
    low = [min(known[channel::3]) for channel in range(3)]
    high = [max(known[channel::3]) for channel in range(3)]
    step = max(1, (bottom - top) * length // _MOST_BYTES)
    for start in range(first, first + (bottom - top) * stride, step * stride):
        if buffer.startswith(known, start):
            continue
        known = bytes(buffer[start : start + length])
        for channel in range(3):
            part = known[channel::3]
            low[channel], high[channel] = min(low[channel], min(part)), max(high[channel], max(part))
        if max(map(int.__sub__, high, low)) >= CONTRAST:
            break
    return max(map(int.__sub__, high, low))
