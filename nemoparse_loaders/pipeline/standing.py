"""What of a picture's reply stands on the page already; pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..document import BBox, Element
from .region_boxes import same_place
from .region_words import is_number, is_short, share_standing, word_pairs, words_of

# A neighbour at the edge of a picture is cut, and no two readings are alike to the letter.
_STANDING = 0.8
# A short text is the same one where boxes share this part of the smaller one.
_SHARED = 0.2

Words = tuple[str, ...]


def words_in(element: Element) -> Words:
    """The words of an element in order."""
    return tuple(words_of(element.text or element.markdown))


class _Neighbour(NamedTuple):
    element: Element
    words: Words


class Standing:
    """The words of a page around a picture of one of its regions.

    A text stands on the page already if

    - it has six words or more, and some element of the page, wherever it is, has just these words, or all
      of its pairs of neighbouring words stand in the elements that the picture shows;
    - or it has six words or more, and four fifths of its pairs, and every number, stand in elements whose
      boxes share a fifth of the smaller box with its own;
    - or it is shorter, and all of it stands in one of those.

    What is alike is not the same: the lines of a ledger differ in a name or a number, and short ones may be
    equal by right.

    What has no words stands there if an element of its class is at its place.
    """

    def __init__(self, elements: Iterable[tuple[Element, Words]], picture: BBox) -> None:
        """Take down a page.

        Args:
            elements: Of the page, with their words.
            picture: What the picture shows.
        """
        self._whole: set[Words] = set()
        self.near: list[Element] = []
        self._neighbours: list[_Neighbour] = []
        self._pairs: set[tuple[str, str]] = set()
        for element, words in elements:
            self._take(element, words, near=element.bbox is None or element.bbox.overlap(picture) > 0.0)

    def add(self, element: Element) -> None:
        """Count an element in that has come onto the page."""
        self._take(element, words_in(element), near=True)

    def has(self, element: Element) -> bool:
        """Whether what an element says stands on the page.

        Args:
            element: Of the reply; its box is on the page.
        """
        words = words_in(element)
        if not words:
            return any(
                other.type == element.type and _at_one_place(other.bbox, element.bbox) for other in self.near
            )
        at_place = [other for other in self._neighbours if _meet(other.element.bbox, element.bbox)]
        if is_short(words):
            return any(_contains(other.words, words) for other in at_place)
        if words in self._whole or word_pairs(words) <= self._pairs:
            return True
        known = {word for other in at_place for word in other.words}
        pairs = {pair for other in at_place for pair in word_pairs(other.words)}
        return share_standing(words, pairs) >= _STANDING and all(
            word in known for word in words if is_number(word)
        )

    def _take(self, element: Element, words: Words, *, near: bool) -> None:
        if not is_short(words):
            self._whole.add(words)
        if near:
            self.near.append(element)
            self._neighbours.append(_Neighbour(element, words))
            self._pairs |= word_pairs(words)


def _at_one_place(box: BBox | None, other: BBox | None) -> bool:
    return box is None or other is None or same_place(box, other)


def _meet(box: BBox | None, other: BBox | None) -> bool:
    if box is None or other is None:
        return True
    shared = box.overlap(other)
    return shared > 0.0 and shared >= _SHARED * min(box.area, other.area)


def _contains(words: Sequence[str], part: Sequence[str]) -> bool:
    """Whether all the words stand there one after the other."""
    length = len(part)
    first = part[0]
    return any(
        word == first and tuple(words[at : at + length]) == tuple(part) for at, word in enumerate(words)
    )
