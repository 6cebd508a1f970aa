"""What of a picture's reply stands on the page already; pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..document import BBox, Element
from .region_boxes import same_place, share_inside
from .region_words import is_number, is_short, share_standing, word_pairs, words_of

# A neighbour at the edge of a picture is cut, and no two readings are alike to the letter.
_STANDING = 0.8
_NEW_NUMBERS = 0.1
# No picture shows more elements; in a reply that runs wild all may overlap.
_MOST_NEAR = 256
# A short text is the same one where boxes share this part of the smaller one.
_SHARED = 0.2
# An element of which this part is in the picture shows whole; boxes are not exact.
_WHOLE = 0.9

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
    - or it has six words or more, and four fifths of its pairs stand in elements whose boxes share a fifth of
      the smaller box with its own, and at most a tenth of its words are numbers that do not;
    - or it is shorter, and all of it stands in one of those, or is a part of an element that the edge of the
      picture cuts through.

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
        self._cut_through: list[_Neighbour] = []
        self._picture = picture
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
            torn = (other for other in self._cut_through if len(other.words) > len(words))
            return any(contains(other.words, words) for other in (*at_place, *torn))
        if words in self._whole or word_pairs(words) <= self._pairs:
            return True
        known = {word for other in at_place for word in other.words}
        pairs = {pair for other in at_place for pair in word_pairs(other.words)}
        new_numbers = sum(is_number(word) and word not in known for word in words)
        return share_standing(words, pairs) >= _STANDING and new_numbers <= _NEW_NUMBERS * len(words)

    def _take(self, element: Element, words: Words, *, near: bool) -> None:
        if not is_short(words):
            self._whole.add(words)
        if near and len(self.near) < _MOST_NEAR:
            self.near.append(element)
            self._neighbours.append(_Neighbour(element, words))
            if element.bbox is not None and share_inside(element.bbox, self._picture) < _WHOLE:
                self._cut_through.append(self._neighbours[-1])
            self._pairs |= word_pairs(words)


def _at_one_place(box: BBox | None, other: BBox | None) -> bool:
    return box is None or other is None or same_place(box, other)


def _meet(box: BBox | None, other: BBox | None) -> bool:
    if box is None or other is None:
        return True
    shared = box.overlap(other)
    return shared > 0.0 and shared >= _SHARED * min(box.area, other.area)


def contains(words: Words, part: Words) -> bool:
    """Whether all the words of a part stand there one after the other."""
    first, length = part[0], len(part)
    return any(word == first and words[at : at + length] == part for at, word in enumerate(words))


def is_part(part: Words, words: Words) -> bool:
    """Whether a text is less than another one, and all of it stands there."""
    return 0 < len(part) < len(words) and contains(words, part)
