"""Words read from a picture, upright and straight: the way the page stands, its skew, the size of its type.

OCR gives boxes around ink, so the height of a line depends on its letters; sizes close to that of the running
text are set to it, or every line would seem to be in a type of its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .geometry import Frame, Rect, Turn
from .parts import Line, PageWords, Word
from .picture import Picture

if TYPE_CHECKING:
    from .models import FoundText, PageModels

_MAX_WORDS = 12_000
_EM = 0.74  # font size over the height of an OCR box
_LINE_EM = 1.0  # OCR boxes have air above and below; the words themselves are about as high as their size
_SAMPLE = 8
_LONG = 12  # letters that a line needs to tell the skew
_LEAST_SKEW = 0.1  # degrees
_MOST_SKEW = 8.0
_NEAR_LOW, _NEAR_HIGH = 0.8, 1.2  # sizes within these shares of the running text's are its size
_LINE_STEP = 1_000  # words of one line follow each other in order, those of two lines never do

Points = Sequence[tuple[float, float]]


def read_picture(picture: Picture, size: tuple[float, float], models: PageModels) -> PageWords:
    """Read a page by OCR.

    Args:
        picture: The page as displayed.
        size: Its width and height in points.
        models: The OCR.

    Returns:
        Words in an upright and straight frame.
    """
    found = models.text(picture.colours)
    turn = _direction(found, picture, models)
    upright = picture
    if turn:
        upright = picture.turned(turn)
        found = models.text(upright.colours)
    frame = Frame(*size, turn, _skew(found))
    scale = (frame.width / upright.width, frame.height / upright.height)
    tall = [line for line in found if _is_tall(line)]
    level = [line for line in found if not _is_tall(line)]
    stray = [Line((word,)) for word in _words(tall, frame, scale, whole=True)]
    return PageWords(frame, _words(level, frame, scale)[:_MAX_WORDS], stray, from_ocr=True)


def _is_tall(line: FoundText) -> bool:
    """Whether the line runs up or down the page while the others run across."""
    box = _around(line.corners)
    return box.height > 1.5 * box.width and len(line.text) > 2


def _words(
    found: Sequence[FoundText], frame: Frame, scale: tuple[float, float], *, whole: bool = False
) -> list[Word]:
    sizes = [_EM * min(_sides(line.corners, scale)) for line in found]
    body = _running_size(sizes, [len(line.text) for line in found])
    words: list[Word] = []
    for number, (line, size) in enumerate(zip(found, sizes, strict=True)):
        if _NEAR_LOW * body <= size <= _NEAR_HIGH * body:
            size = body
        height = _sides(line.corners, scale)[1]
        pieces = line.words if line.words and not whole else ((line.text, line.corners),)
        for index, (text, corners) in enumerate(pieces):
            text = text.strip()
            width, _ = _sides(corners, scale)
            if not text or width <= 0 or height <= 0:
                continue
            x, y = frame.straightened(*_centre(corners, scale))
            half = (height if whole else min(height, _LINE_EM * size)) / 2
            box = Rect(x - width / 2, y - half, x + width / 2, y + half)
            words.append(Word(text, box, size, order=number * _LINE_STEP + index))
    return words


def _running_size(sizes: Sequence[float], letters: Sequence[int]) -> float:
    """The size in the middle of all letters."""
    ordered = sorted(zip(sizes, letters, strict=True))
    half, seen = sum(letters) / 2, 0
    for size, count in ordered:
        seen += count
        if seen >= half:
            return size
    return 10.0


def _sides(corners: Points, scale: tuple[float, float]) -> tuple[float, float]:
    """Width and height of a box that may be tilted, in points."""
    (x0, y0), (x1, y1), _, (x3, y3) = corners[:4]
    width = math.hypot((x1 - x0) * scale[0], (y1 - y0) * scale[1])
    return width, math.hypot((x3 - x0) * scale[0], (y3 - y0) * scale[1])


def _centre(corners: Points, scale: tuple[float, float]) -> tuple[float, float]:
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return (min(xs) + max(xs)) / 2 * scale[0], (min(ys) + max(ys)) / 2 * scale[1]


def _skew(found: Sequence[FoundText]) -> float:
    """Degrees by which the lines drop to the right, in the middle of the longer lines; 0 where level."""
    angles = []
    for line in found:
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = line.corners[:4]
        run = (x1 + x2 - x0 - x3) / 2
        if len(line.text) >= _LONG and run > 0:
            angles.append(math.degrees(math.atan2((y1 + y2 - y0 - y3) / 2, run)))
    if len(angles) < 2:
        return 0.0
    middle = sorted(angles)[len(angles) // 2]
    return middle if _LEAST_SKEW <= abs(middle) <= _MOST_SKEW else 0.0


def _direction(found: Sequence[FoundText], picture: Picture, models: PageModels) -> Turn:
    """The reading direction of most lines on the picture."""
    import numpy as np

    long = sorted((line for line in found if len(line.text) >= 4), key=lambda line: -len(line.text))[:_SAMPLE]
    if not long:
        return 0
    boxes = [_around(line.corners) for line in long]
    tall = [box.height > 1.5 * box.width for box in boxes]
    sideways = sum(tall) * 2 > len(tall)
    crops = []
    for box, is_tall in zip(boxes, tall, strict=True):
        crop = picture.colours[int(box.y0) : int(box.y1) + 1, int(box.x0) : int(box.x1) + 1]
        if crop.size and is_tall == sideways:
            crops.append(np.ascontiguousarray(np.rot90(crop) if sideways else crop))
    flipped = models.upside_down(crops) * 2 > len(crops)
    if sideways:
        return 270 if flipped else 90
    return 180 if flipped else 0


def _around(corners: Points) -> Rect:
    xs, ys = [max(x, 0.0) for x, _ in corners], [max(y, 0.0) for _, y in corners]
    return Rect(min(xs), min(ys), max(xs), max(ys))
