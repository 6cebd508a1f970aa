"""The words that a page's file stores, taken apart and each given to the element that it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..document import BBox
from ..rendering.page_image import MOST_WORDS, EvidenceWord
from .normal_form import folded, is_doubtful, is_right_to_left, tokens_of_folded

# A page that stores more is a data dump or an attack.
_MOST_CHARS = 400_000
_LONGEST_WORD = 2_000
# How far outside of a box a word may stand and still be meant: boxes are not exact. Shares of the page.
_GROW_X, _GROW_Y = 0.008, 0.005
_CELLS = 24
_MOST_IN_CELL = 12
_MOST_PLACED = 200_000
# Fake bold is the same word drawn again a hair's breadth aside. Steps in a page's width or height.
_SAME_PLACE = 400


@dataclass(slots=True)
class Layer:
    """The visible words as tokens.

    Attributes:
        tokens: In the order of the file.
        words: Which word each token is of.
        boxes: The box of each word.
        texts: The text of each word as stored.
        doubtful: Words with characters of unknown meaning; their tokens are not among the tokens.
        cut: There are more words than these.
    """

    tokens: list[str] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    boxes: list[BBox] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    doubtful: frozenset[int] = frozenset()
    cut: bool = False


class Homes(NamedTuple):
    """Which words belong to which box.

    Attributes:
        owner: For each word the smallest box that holds it, or None.
        near: For each box the words whose centre is in it or a little outside.
    """

    owner: list[int | None]
    near: list[list[int]]


def visible_layer(words: Sequence[EvidenceWord]) -> Layer:
    """The words that show, each once."""
    layer = Layer()
    seen: set[tuple[str, int, int]] = set()
    chars = 0
    for word in words:
        if word.hidden:
            continue
        text = word.text
        if len(text) > _LONGEST_WORD or "\n" in text:
            text = text[:_LONGEST_WORD].replace("\n", " ")
        box = word.bbox
        key = (text, int(box[0] * _SAME_PLACE), int(box[1] * _SAME_PLACE))
        if key in seen:
            continue
        seen.add(key)
        chars += len(text)
        if len(layer.texts) >= MOST_WORDS or chars > _MOST_CHARS:
            layer.cut = True
            break
        layer.texts.append(text)
        layer.boxes.append(box)
    joined = "\n".join(layer.texts)
    if is_doubtful(joined):
        layer.doubtful = frozenset(index for index, text in enumerate(layer.texts) if is_doubtful(text))
        joined = "\n".join("" if index in layer.doubtful else text for index, text in enumerate(layer.texts))
    # In one piece, since that costs far less than word by word.
    index = 0
    for piece in tokens_of_folded(folded(joined), lines=True):
        if piece == "\n":
            index += 1
        else:
            layer.tokens.append(piece)
            layer.words.append(index)
    return layer


def turned_round(layer: Layer, *, all_scripts: bool = False) -> Layer:
    """The layer with its words of Hebrew and Arabic letters read backwards, as visual order needs it.

    Args:
        layer: The words.
        all_scripts: Read all words backwards.
    """
    tokens = [token[::-1] if all_scripts or is_right_to_left(token) else token for token in layer.tokens]
    return Layer(tokens, layer.words, layer.boxes, layer.texts, layer.doubtful, layer.cut)


def homes(boxes: Sequence[BBox], areas: Sequence[BBox | None]) -> Homes:
    """Give each word to the smallest box that holds its centre; else to none.

    Args:
        boxes: Of the words.
        areas: Of the elements; None for one without.
    """
    cells: list[list[tuple[float, float, float, float, int, BBox]]] = [[] for _ in range(_CELLS * _CELLS)]
    placed = 0
    by_size = sorted((area.area, index, area) for index, area in enumerate(areas) if area is not None)
    for _, index, area in by_size:
        x0, y0, x1, y1 = area.x0 - _GROW_X, area.y0 - _GROW_Y, area.x1 + _GROW_X, area.y1 + _GROW_Y
        columns = range(_cell(x0), _cell(x1) + 1)
        for row in range(_cell(y0), _cell(y1) + 1):
            for column in columns:
                cell = cells[row * _CELLS + column]
                if len(cell) < _MOST_IN_CELL:
                    cell.append((x0, y0, x1, y1, index, area))
                    placed += 1
        if placed > _MOST_PLACED:
            break
    owner: list[int | None] = []
    near: list[list[int]] = [[] for _ in areas]
    last = _CELLS - 1
    for word, (left, top, right, bottom) in enumerate(boxes):
        x, y = (left + right) / 2, (top + bottom) / 2
        home = None
        for x0, y0, x1, y1, index, area in cells[
            min(int(y * _CELLS), last) * _CELLS + min(int(x * _CELLS), last)
        ]:
            if x0 <= x <= x1 and y0 <= y <= y1:
                near[index].append(word)
                if home is None and area[0] <= x <= area[2] and area[1] <= y <= area[3]:
                    home = index
        owner.append(home)
    return Homes(owner, near)


def _cell(value: float) -> int:
    return min(_CELLS - 1, max(0, int(value * _CELLS)))
