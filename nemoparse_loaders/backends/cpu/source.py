"""Where a page's words come from: its text layer or OCR on its picture.

The rule is that only what people see is read. A word of the text layer counts when it is not invisible, not
tiny, and leaves ink on the picture. An invisible layer over a scan (as OCR programs write it) is not used
either: nothing shows whether it says what the scan says, and it is a known place to hide instructions; the
scan's own picture is read instead. OCR is used where the layer has no usable words, where its characters make
no sense, and where most of the page is a raster image without words.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...document import BBox
from ...rendering.page_image import PageImage, TextLayer, TextWord
from .geometry import Frame, Rect, Turn
from .parts import Word
from .picture import Picture, seen, unexplained_ink

if TYPE_CHECKING:
    from .models import FoundText, PageModels

_MAX_WORDS = 20_000
_TINY_PT = 1.0
_FEW_WORDS = 15
_STRAY_INK = 0.004  # share of the page inked outside of words that must hold text, if words are few
_SCAN_SHARE = 0.5  # share of the page under raster images without words that makes it a scan
_STRANGE = 0.2
_FEWEST_LETTERS = 150
_FEWEST_VOWELS = 0.17
_OCR_EM = 0.78  # font size over the height of an OCR box
_SAMPLE = 8


@dataclass(frozen=True, slots=True)
class PageWords:
    """The words of a page.

    Attributes:
        frame: The frame in which most of them read from left to right.
        words: Those that do, in points of the frame.
        stray: The others, by their own reading direction, in points of a frame of that turn.
        from_ocr: Whether they were read from the picture.
    """

    frame: Frame
    words: list[Word]
    stray: dict[Turn, list[Word]]
    from_ocr: bool


def find_words(image: PageImage, picture: Picture, models: PageModels) -> PageWords:
    """Decide where the words come from, and get them."""
    layer = image.text_layer or TextLayer()
    visible = visible_words(layer.words, picture, image.geometry.width_pt, image.geometry.height_pt)
    size = _page_size(image)
    if usable(visible) and not _is_scan(visible, layer.images):
        few = len(visible) < _FEW_WORDS
        if not few or unexplained_ink(picture, [word.bbox for word in visible]) < _STRAY_INK:
            return _from_layer(visible, size)
    elif not visible and unexplained_ink(picture, []) == 0.0:
        return PageWords(Frame(*size), [], {}, from_ocr=False)
    return _from_ocr(picture, size, models)


def _page_size(image: PageImage) -> tuple[float, float]:
    geometry = image.geometry
    if geometry.width_pt > 0 and geometry.height_pt > 0:
        return geometry.width_pt, geometry.height_pt
    return float(image.width), float(image.height)


def visible_words(
    words: Sequence[TextWord], picture: Picture, width_pt: float, height_pt: float
) -> list[TextWord]:
    """The words that can be seen on the picture, at most 20,000."""
    return [
        word
        for word in words
        if word.visible
        and max(word.size_pt, word.bbox.height * height_pt, word.bbox.width * width_pt) >= _TINY_PT
        and seen(picture, word.bbox)
    ][:_MAX_WORDS]


def usable(words: Sequence[TextWord]) -> bool:
    """Whether the words make sense: no mojibake, no private-use codes, no shifted alphabet."""
    text = "".join(word.text for word in words)
    if not text:
        return False
    strange = sum(char == "\ufffd" or unicodedata.category(char) in {"Co", "Cn"} for char in text)
    if strange > _STRANGE * len(text):
        return False
    letters = [char for char in text.lower() if char.isascii() and char.isalpha()]
    if len(letters) < _FEWEST_LETTERS or len(letters) < 0.5 * len(text):
        return True
    return sum(char in "aeiouy" for char in letters) >= _FEWEST_VOWELS * len(letters)


def _is_scan(words: Sequence[TextWord], images: Sequence[BBox]) -> bool:
    """Whether raster images that hold next to no words cover most of the page."""
    bare = 0.0
    for image in images:
        inside = sum(len(word.text) for word in words if image.overlap(word.bbox) > 0.5 * word.bbox.area)
        if inside < 20:
            bare += image.area
    return bare > _SCAN_SHARE


def _from_layer(words: Sequence[TextWord], size: tuple[float, float]) -> PageWords:
    turns = [_turn(word.angle) for word in words]
    weights: dict[Turn, int] = {}
    for word, turn in zip(words, turns, strict=True):
        weights[turn] = weights.get(turn, 0) + len(word.text)
    main = max(weights, key=lambda turn: (weights[turn], -turn))
    by_turn: dict[Turn, list[Word]] = {turn: [] for turn in weights}
    for order, (word, turn) in enumerate(zip(words, turns, strict=True)):
        box = Frame(*size, turn).to_frame(word.bbox)
        em = word.size_pt if 0.4 * box.height <= word.size_pt <= 3 * box.height else 0.85 * box.height
        by_turn[turn].append(Word(word.text, box, em, word.font, word.bold, word.italic, word.mono, order))
    return PageWords(Frame(*size, main), by_turn.pop(main), by_turn, from_ocr=False)


def _turn(angle: float) -> Turn:
    turns: tuple[Turn, ...] = (0, 90, 180, 270)
    return turns[round(angle / 90.0) % 4]


def _from_ocr(picture: Picture, size: tuple[float, float], models: PageModels) -> PageWords:
    found = models.text(picture.colours)
    turn = _direction(found, picture, models)
    upright = picture
    if turn:
        upright = picture.turned(turn)
        found = models.text(upright.colours)
    frame = Frame(*size, turn)
    scale_x, scale_y = frame.width / upright.width, frame.height / upright.height
    words: list[Word] = []
    tall: list[Word] = []
    for line in found:
        box = _scaled(line.corners, scale_x, scale_y)
        if box.width <= 0 or box.height <= 0:
            continue
        # A line's own corners give its height; its words then share size and baseline.
        em = _OCR_EM * min(box.height, box.width)
        order = len(words) + len(tall)
        if box.height > 1.5 * box.width and len(line.text) > 2:
            tall.append(Word(line.text, box, em, order=order))
            continue
        for index, (text, corners) in enumerate(line.words or ((line.text, line.corners),)):
            part = _scaled(corners, scale_x, scale_y)
            text = text.strip()
            if text and part.width > 0 and part.height > 0:
                words.append(Word(text, part, em, order=order + index))
        order += len(line.words)
    return PageWords(frame, words[:_MAX_WORDS], {}, from_ocr=True)


def _scaled(corners: Sequence[tuple[float, float]], scale_x: float, scale_y: float) -> Rect:
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return Rect(min(xs) * scale_x, min(ys) * scale_y, max(xs) * scale_x, max(ys) * scale_y)


def _direction(found: Sequence[FoundText], picture: Picture, models: PageModels) -> Turn:
    """The reading direction of most lines on the picture."""
    import numpy as np

    long = sorted((line for line in found if len(line.text) >= 4), key=lambda line: -len(line.text))[:_SAMPLE]
    if not long:
        return 0
    boxes = [_scaled(line.corners, 1.0, 1.0) for line in long]
    sideways = sum(box.height > 1.5 * box.width for box in boxes) * 2 > len(boxes)
    crops = []
    for box in boxes:
        crop = picture.colours[int(box.y0) : int(box.y1) + 1, int(box.x0) : int(box.x1) + 1]
        if crop.size and (box.height > 1.5 * box.width) == sideways:
            crops.append(np.ascontiguousarray(np.rot90(crop) if sideways else crop))
    flipped = models.upside_down(crops) * 2 > len(crops)
    if sideways:
        return 270 if flipped else 90
    return 180 if flipped else 0
