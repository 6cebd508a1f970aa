"""What a file can say of two readings of a table; pure.

That the file has a word is proof of it. That it has not is none: the table may be a picture, or drawn as
outlines, its values may be those of form fields, its digits in codes without a meaning; and words around it,
or some of its own, are stored all the same. So a word counts as refuted only where the file clearly stores
this table, and something else in the word's place, or the table so that the word's row has no room in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence, Set
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from ..checks.evidence import supported_by
from ..document import BBox
from ..rendering.page_image import PageEvidence
from .region_words import tables_of, words_of
from .table_reading import Reading

# Of the characters of words; a few are stored as no reading has them: ligatures, broken words.
_MOSTLY = 0.8
# Fewer words, such as a caption's or a header's, may be text where the rest of the table is none.
_LEAST_SHARED = 4
# Rows that only one reading has are to be the smaller part of it, by characters over those of shared words.
_SMALL_PART = 0.5
# What stands in the place of another word is about as long, in characters.
_AS_LONG = 0.8
# Readings that differ in more places, or have more words, are no two readings of the same.
_MOST_PLACES = 64
_MOST_WORDS = 5_000
# Pairs of equal words that two texts may be compared over: about a second in the worst case.
_MOST_PAIRS = 200_000
# Distances of lines, in that of most of them: two lines with room for one between them, and an edge with room
# for one before it.
_ROOM_BETWEEN = 1.7
_ROOM_AT_EDGE = 1.2
_LEAST_LINES = 3


class Witness(NamedTuple):
    """Something independent of the model, and what it has at the place of a table.

    Attributes:
        share: How far it bears a text out, 0..1; None where it cannot tell.
        words: Its words there.
        has_room: Whether a line of the table may stand there that it does not have.
    """

    share: Callable[[str], float | None]
    words: tuple[str, ...] = ()
    has_room: bool = True


def witness_of(evidence: PageEvidence, box: BBox) -> Witness:
    """The words that a file stores in a box.

    None beside it count: a caption would speak for a table that is a picture.

    Args:
        evidence: Of the page.
        box: Of the table.
    """
    inside = [word for word in evidence.words if not word.hidden and _is_centred_in(word.bbox, box)]
    there = replace(evidence, words=tuple(inside))
    return Witness(
        supported_by(there),
        tuple(word.text for word in inside),
        _has_room([word.bbox for word in inside], box),
    )


def share_of(words: Collection[str], witness: Witness | None) -> float | None:
    """How far the witness bears words out, 0..1; None without words, without one, or where it cannot tell."""
    return witness.share(" ".join(sorted(words))) if words and witness is not None else None


def is_borne_out(words: Collection[str], witness: Witness | None) -> bool:
    """Whether the witness has most of the words."""
    share = share_of(words, witness)
    return share is not None and share >= _MOSTLY


def outvoted(words: Set[str], one: Reading, other: Reading, witness: Witness | None) -> bool:
    """Whether the file says what stands in the place of words, and that is the other reading's.

    Args:
        words: Of the one reading, all of which the other has not.
        one: The reading that has them.
        other: That has not.
        witness: Something independent of the model.

    Returns:
        True where the file stores the table, that is most of what both readings have, and for each place of
        each of the words it bears out words of the other reading alone that are about as long.
    """
    if not words or witness is None or not _stores_table(one, other, witness):
        return False
    return not _left(words, one, other, witness)


def refuted(words: Set[str], one: Reading, other: Reading, witness: Witness | None) -> bool:
    """Whether the file says that words are not in the table.

    Args:
        words: Of the one reading, all of which the other has not, and which the witness does not bear out.
        one: The reading that has them.
        other: That has not.
        witness: Something independent of the model.

    Returns:
        True for what is `outvoted`, and for words of whole rows, of which the other reading does not know
        even the first cell, if such rows have no room between the lines that the file stores, none of its
        words are left over that might be theirs, and they are a small part of the table. A cell that one
        reading fills and the other leaves empty is never refuted: it is how a filled-in field looks.
    """
    if not words or witness is None or not _stores_table(one, other, witness):
        return False
    left = _left(words, one, other, witness)
    if not left:
        return True
    if witness.has_room or left - _in_unknown_rows(one, other):
        return False
    shared = one.words.keys() & other.words.keys()
    known = one.words.keys() | other.words.keys()
    over = {word for word in words_of(" ".join(witness.words)) if word not in known}
    return _length(left) <= _SMALL_PART * _length(shared) and _length(over) < _SMALL_PART * _length(left)


def _stores_table(one: Reading, other: Reading, witness: Witness) -> bool:
    shared = one.words.keys() & other.words.keys()
    return len(shared) >= _LEAST_SHARED and is_borne_out(shared, witness)


def _left(words: Set[str], one: Reading, other: Reading, witness: Witness) -> set[str]:
    """The words that have no borne out words of the other reading in their place, everywhere."""
    places = list(_places(words_of(one.text), words_of(other.text), words))
    if len(places) > _MOST_PLACES:
        return set(words)
    left = set(words) - {word for mine, _ in places for word in mine}
    for mine, theirs in places:
        own = [word for word in theirs if word not in one.words]
        if _length(own) < _AS_LONG * _length(mine) or share_of(own, witness) != 1.0:
            left.update(mine)
    return left


def _places(
    mine: Sequence[str], theirs: Sequence[str], words: Set[str]
) -> Iterator[tuple[list[str], list[str]]]:
    """Where some of the words stand: those of them at the place, and what the other text has there."""
    often = Counter(theirs)
    if max(len(mine), len(theirs)) > _MOST_WORDS or sum(often[word] for word in mine) > _MOST_PAIRS:
        return
    for kind, start, end, from_, to in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
        if kind != "equal":
            found = [word for word in mine[start:end] if word in words]
            if found:
                yield found, list(theirs[from_:to])


def _in_unknown_rows(one: Reading, other: Reading) -> set[str]:
    """Words of rows alone whose first filled cell says nothing that the other reading has."""
    unknown: set[str] = set()
    known: set[str] = set()
    for element in one.elements:
        for table in tables_of(element):
            for row in table.grid(expand_spans=True):
                cells = [words for text in row if text and (words := words_of(text))]
                is_unknown = bool(cells) and not any(word in other.words for word in cells[0])
                (unknown if is_unknown else known).update(word for words in cells for word in words)
    return unknown - known


def _length(words: Collection[str]) -> int:
    return sum(map(len, words))


def _has_room(words: Sequence[BBox], box: BBox) -> bool:
    lines: list[float] = []
    for middle, height in sorted(((word.y0 + word.y1) / 2, word.height) for word in words):
        if not lines or middle - lines[-1] > height / 2:
            lines.append(middle)
    if len(lines) < _LEAST_LINES:
        return True
    steps = [below - above for above, below in pairwise(lines)]
    usual = median(steps)
    at_edges = max(lines[0] - box.y0, box.y1 - lines[-1])
    return max(steps) >= _ROOM_BETWEEN * usual or at_edges >= _ROOM_AT_EDGE * usual


def _is_centred_in(word: BBox, box: BBox) -> bool:
    x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
    return box.x0 <= x <= box.x1 and box.y0 <= y <= box.y1
