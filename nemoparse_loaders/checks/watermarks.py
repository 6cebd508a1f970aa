"""Words drawn across the text of a page, as "DRAFT" is: a model rightly leaves them out of what it covers."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

from .layer import Layer

# A letter is about so many times as high as it is wide on average, with the room above and below it.
_LINE_TO_ADVANCE = 2.3
# So many lines of the page's text fit into the lesser extent of the word's box: it is large, or slanted.
_LEAST_LINES = 2.0
_FEWEST_COVERED = 2
_SHORTEST = 2
# Each costs a look at all words of the page.
_MOST_LOOKED_AT = 64


class Watermarks:
    """Tells which words are drawn across others.

    Args:
        layer: The words of the file that show.
    """

    def __init__(self, layer: Layer) -> None:
        self._layer = layer
        self._unit: tuple[float, float] | None = None
        self._left = _MOST_LOOKED_AT
        self._known: dict[int, bool] = {}

    def without(self, numbers: Sequence[int], peers: Iterable[int] = ()) -> list[int]:
        """The words that are none.

        Args:
            numbers: Tokens of the layer.
            peers: Words, by the index of their boxes, beside which they would stand; one that is about as
                large as these is none.
        """
        if not numbers:
            return []
        usual: float | None = None
        kept: list[int] = []
        for number in numbers:
            word = self._layer.words[number]
            if self._is_across(word):
                if usual is None:
                    lines = [self._lines(peer) for peer in peers]
                    usual = statistics.median(lines) if lines else 0.0
                if self._lines(word) >= _LEAST_LINES * usual:
                    continue
            kept.append(number)
        return kept

    def _is_across(self, word: int) -> bool:
        known = self._known.get(word)
        if known is None:
            known = self._known[word] = self._looks_across(word)
        return known

    def _looks_across(self, word: int) -> bool:
        layer = self._layer
        if len(layer.texts[word]) < _SHORTEST or self._lines(word) < _LEAST_LINES or not self._left:
            return False
        self._left -= 1
        x0, y0, x1, y1 = layer.boxes[word]
        covered = 0
        for other, (left, top, right, bottom) in enumerate(layer.boxes):
            inside = x0 < (left + right) / 2 < x1 and y0 < (top + bottom) / 2 < y1
            if inside and other != word and self._lines(other) < _LEAST_LINES:
                covered += 1
                if covered >= _FEWEST_COVERED:
                    return True
        return False

    def _lines(self, word: int) -> float:
        """The lesser extent of a word's box in lines of the page's text: 1 for common words, also upright."""
        if self._unit is None:
            layer = self._layer
            advance = statistics.median(
                box.width / max(1, len(text)) for box, text in zip(layer.boxes, layer.texts, strict=True)
            )
            self._unit = (_LINE_TO_ADVANCE * advance, statistics.median(box.height for box in layer.boxes))
        wide, high = self._unit
        box = self._layer.boxes[word]
        if wide <= 0 or high <= 0:
            return 0.0
        return min(box.width / wide, box.height / high)
