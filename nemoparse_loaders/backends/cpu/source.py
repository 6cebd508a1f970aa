"""Where a page's words come from: its text layer or OCR on its picture.

The rule is that only what people see is read. A word of the text layer counts when it is not invisible, not
tiny, and leaves ink on the picture. An invisible layer over a scan (as OCR programs write it) is not used
either: nothing shows whether it says what the scan says, and it is a known place to hide instructions; the
scan's own picture is read instead. OCR is used where the layer has no usable words, where its characters make
no sense, and where most of the page is a raster image without words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...document import BBox
from ...rendering.page_image import PageImage, TextLayer, TextWord
from ...rendering.text_sense import makes_sense
from .geometry import Frame, Turn
from .lines import build_lines
from .ocr_words import read_picture
from .parts import Line, PageWords, Word
from .picture import Picture, seen, unexplained_ink

if TYPE_CHECKING:
    from .models import PageModels

MOST_WORDS = 12_000
_TINY_PT = 1.0
_FEW_WORDS = 15
_STRAY_INK = 0.004  # share of the page inked outside of words that must hold text, if words are few
_SCAN_SHARE = 0.5  # share of the page under raster images without words that makes it a scan


def find_words(image: PageImage, picture: Picture, models: PageModels) -> PageWords:
    """Decide where the words come from, and get them."""
    layer = image.text_layer or TextLayer()
    visible = visible_words(layer.words, picture, image.geometry.width_pt, image.geometry.height_pt)
    size = _page_size(image)
    if usable(visible) and not _is_scan(visible, layer.images):
        few = len(visible) < _FEW_WORDS
        if not few or unexplained_ink(picture, [word.bbox for word in visible]) < _STRAY_INK:
            return words_of_layer(visible, size)
    elif not visible and unexplained_ink(picture, []) == 0.0:
        return PageWords(Frame(*size), [], [], from_ocr=False)
    return read_picture(picture, size, models)


def _page_size(image: PageImage) -> tuple[float, float]:
    geometry = image.geometry
    if geometry.width_pt > 0 and geometry.height_pt > 0:
        return geometry.width_pt, geometry.height_pt
    return float(image.width), float(image.height)


def visible_words(
    words: Sequence[TextWord], picture: Picture, width_pt: float, height_pt: float
) -> list[TextWord]:
    """The words that can be seen on the picture, at most 12,000."""
    readable = readable_words(words, width_pt, height_pt)
    return [word for word in readable if seen(picture, word.bbox)][:MOST_WORDS]


def readable_words(words: Sequence[TextWord], width_pt: float, height_pt: float) -> list[TextWord]:
    """The words that the file does not hide: neither invisible nor tiny."""
    return [
        word
        for word in words
        if word.visible
        and max(word.size_pt, word.bbox.height * height_pt, word.bbox.width * width_pt) >= _TINY_PT
    ]


def usable(words: Sequence[TextWord]) -> bool:
    """Whether there are words that make sense."""
    return makes_sense("".join([word.text for word in words]))


def _is_scan(words: Sequence[TextWord], images: Sequence[BBox]) -> bool:
    """Whether raster images that hold next to no words cover most of the page."""
    bare = 0.0
    for image in images:
        inside = sum(len(word.text) for word in words if image.overlap(word.bbox) > 0.5 * word.bbox.area)
        if inside < 20:
            bare += image.area
    return bare > _SCAN_SHARE


def words_of_layer(words: Sequence[TextWord], size: tuple[float, float]) -> PageWords:
    """The words in the frame in which most of them read from left to right.

    Args:
        words: Of the text layer; at least one.
        size: Width and height of the displayed page in points.
    """
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
    frame = Frame(*size, main)
    words_of_page = by_turn.pop(main)
    return PageWords(frame, words_of_page, _stray_lines(by_turn, size, frame), from_ocr=False)


def _stray_lines(by_turn: dict[Turn, list[Word]], size: tuple[float, float], frame: Frame) -> list[Line]:
    """Words that read in another direction, line by line, with their boxes in the frame of the page."""
    stray: list[Line] = []
    for turn, words in by_turn.items():
        for line in build_lines(words):
            box = frame.to_frame(Frame(*size, turn).to_page(line.box))
            first = line.words[0]
            stray.append(Line((Word(line.text, box, line.size, first.font, order=first.order),)))
    return stray


def _turn(angle: float) -> Turn:
    turns: tuple[Turn, ...] = (0, 90, 180, 270)
    return turns[round(angle / 90.0) % 4]
