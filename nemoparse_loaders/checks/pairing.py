"""Which words of an element are words of the file: each is used once, and words cut differently are found.

The order of words is not compared: a file stores them in the order of its own. What is compared is how often
each word comes, so that a doubled line is found, and a moved one is no error.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from .normal_form import is_number

# Characters that may be searched for one page; a page that needs more is not compared to the end.
SEARCH_BUDGET = 3_000_000
# A word that is cut across other words on both sides needs so many letters to be more than an accident.
_LONG = 5
_MOST_HITS = 8


@dataclass(slots=True)
class Budget:
    """How many characters may still be searched."""

    left: int = SEARCH_BUDGET


def pair_equal(
    tokens: Sequence[str],
    wanted: Iterable[int],
    layer: Sequence[str],
    offered: Iterable[int],
    used: bytearray,
) -> dict[int, int]:
    """Pair equal words, each once.

    Args:
        tokens: Of the element.
        wanted: Which of them have no support yet.
        layer: Words of the file.
        offered: Which of those may be used.
        used: For each word of the file whether it is used; marked here.

    Returns:
        For each word of the element that found one, that one.
    """
    waiting: dict[str, list[int]] = {}
    for number in offered:
        if not used[number]:
            waiting.setdefault(layer[number], []).append(number)
    for numbers in waiting.values():
        numbers.reverse()
    pairs: dict[int, int] = {}
    for index in wanted:
        same = waiting.get(tokens[index])
        if same:
            number = same.pop()
            used[number] = 1
            pairs[index] = number
    return pairs


def pair_joined(
    tokens: Sequence[str], layer: Sequence[str], offered: Sequence[int], used: bytearray, budget: Budget
) -> set[int]:
    """Pair words that are cut differently: "to day" and "today", "1 000" and "1,000", "exam-" "ple".

    Only words are looked for that the other side does not have at all, and only where they reach over a gap
    of the other side; numbers have to begin and end where words of the other side do, with their points in
    the same places.

    Args:
        tokens: All words of the element.
        layer: Words of the file.
        offered: Those in the element's box, in the order of the file.
        used: For each word of the file whether it is used; marked here.
        budget: How much may be searched.

    Returns:
        The words of the element that are supported so.
    """
    theirs = [layer[number] for number in offered]
    own, other = set(tokens), set(theirs)
    supported: set[int] = set()
    # Words of the element in the file's, then the other way round.
    for index, first, last in _joins(tokens, other, theirs, budget):
        if not any(used[offered[position]] for position in range(first, last + 1)):
            supported.add(index)
            for position in range(first, last + 1):
                used[offered[position]] = 1
    for position, first, last in _joins(theirs, own, tokens, budget):
        if not used[offered[position]] and not any(i in supported for i in range(first, last + 1)):
            used[offered[position]] = 1
            supported.update(range(first, last + 1))
    return supported


def pair_rest(
    tokens: Sequence[str],
    wanted: Sequence[int],
    layer: Sequence[str],
    offered: Sequence[int],
    used: bytearray,
    budget: Budget,
) -> set[int]:
    """Pair words that are cut differently once more, among those that are left on both sides.

    A word that also comes whole elsewhere ("to day" beside another "today") is found only now. The pieces
    have to follow each other.

    Args:
        tokens: All words of the element.
        wanted: Those without support.
        layer: Words of the file.
        offered: Those in the element's box, in the order of the file.
        used: For each word of the file whether it is used; marked here.
        budget: How much may be searched.

    Returns:
        The words of the element that are supported so.
    """
    places = [place for place, number in enumerate(offered) if not used[number]]
    ours, theirs = [tokens[index] for index in wanted], [layer[offered[place]] for place in places]
    supported: set[int] = set()
    for index, first, last in _joins(ours, set(), theirs, budget):
        if places[last] - places[first] == last - first and not used[offered[places[first]]]:
            supported.add(wanted[index])
            for place in places[first : last + 1]:
                used[offered[place]] = 1
    for position, first, last in _joins(theirs, set(), ours, budget):
        run = wanted[first : last + 1]
        number = offered[places[position]]
        if run[-1] - run[0] == last - first and not used[number] and supported.isdisjoint(run):
            used[number] = 1
            supported.update(run)
    return supported


def _joins(
    words: Sequence[str], known: set[str], others: Sequence[str], budget: Budget
) -> Iterable[tuple[int, int, int]]:
    """Words that are not known, and the run of two others or more that they stretch over."""
    missing = [index for index, word in enumerate(words) if word not in known]
    if not missing or len(others) < 2:
        return
    pieces = [_digits(word) for word in others]
    joined = "".join(pieces)
    starts: dict[int, int] = {}
    bounds: list[int] = []
    offset = 0
    for position, piece in enumerate(pieces):
        starts[offset] = position
        bounds.append(offset)
        offset += len(piece)
    ends = {
        start + len(piece): position
        for position, (start, piece) in enumerate(zip(bounds, pieces, strict=True))
    }
    taken: dict[str, int] = {}
    for index in missing:
        word = _digits(words[index])
        if len(word) < 2:
            continue
        begin = taken.get(word, 0)
        for _ in range(_MOST_HITS):
            if budget.left <= 0:
                return
            found = joined.find(word, begin)
            budget.left -= 64 + (len(joined) - begin if found < 0 else found - begin)
            if found < 0:
                break
            begin = found + 1
            span = _span(found, found + len(word), starts, ends, bounds, exact=is_number(word))
            if span is not None and _has_points_of(words[index], others[span[0] : span[1] + 1]):
                taken[word] = found + len(word)
                yield index, *span
                break


def _span(
    start: int, end: int, starts: dict[int, int], ends: dict[int, int], bounds: Sequence[int], *, exact: bool
) -> tuple[int, int] | None:
    """The first and the last of the words over which a stretch of the joined text goes, if it is of use."""
    first, last = starts.get(start), ends.get(end)
    if first is None or last is None:
        if exact or end - start < _LONG or (first is None and last is None):
            return None
        first = bisect_right(bounds, start) - 1 if first is None else first
        last = bisect_right(bounds, end - 1) - 1 if last is None else last
    return (first, last) if last > first else None


def _digits(word: str) -> str:
    return word.replace(".", "") if is_number(word) else word


def _points(number: str) -> set[int]:
    """Before which of its digits a number has points."""
    parts = number.split(".")
    return set(accumulate(map(len, parts[:-1])))


def _has_points_of(word: str, pieces: Sequence[str]) -> bool:
    """Whether a number's points are those of its pieces.

    Between pieces a point may be missing where the number has several, as a date has: "12. 05. 2024". In a
    decimal number it may not, since two neighbouring numbers are none.
    """
    if not is_number(word):
        return True
    wanted = _points(word)
    had: set[int] = set()
    joints: set[int] = set()
    offset = 0
    for piece in pieces:
        joints.add(offset)
        if is_number(piece):
            had.update(offset + place for place in _points(piece))
        offset += len(_digits(piece))
    return had <= wanted and (had == wanted or (len(wanted) > 1 and wanted <= had | joints))
