"""Which of two readings of a table is the better one; pure.

The page's reading stands until the other one is better by a rule, and until it is sure that nothing of the
page's is lost: what a parser once had, it must not lose by looking again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ..document import Element
from .region_words import (
    element_words,
    is_number,
    numbers_of,
    share_standing,
    tables_of,
    word_pairs,
    words_of,
)

Witness = Callable[[str], "float | None"]
"""How far something independent of the model bears a text out, 0..1; None where it cannot tell."""

# From worse to worse: what a reading lacks if it has one of these issues.
_DAMAGE = {"malformed": 1, "truncated": 1, "loop": 2}
_REASONS = ("is whole", "is damaged or cut", "repeats itself")
# The decoder leaves some rounds of a run; what comes so often in a reading that loops is its loop.
_LOOP_ROUNDS = 4
# Of the characters of the words in which two readings differ.
_CLEARLY = 0.2
_NEITHER = 0.5
_MOST_NAMED = 3


class Choice(NamedTuple):
    """Which reading is taken.

    Attributes:
        takes_new: Whether it is the new one.
        reason: Why, to go on from "The table was read again by itself: "; empty where the old one stays.
        by_witness: The witness decided: it bears the one out, and clearly not the other.
    """

    takes_new: bool
    reason: str = ""
    by_witness: bool = False


_KEEP = Choice(False)


class Reading(NamedTuple):
    """One reading of a table: one element, or several where it was read in pieces.

    Attributes:
        elements: In reading order; at least one.
        damage: 0 whole, 1 damaged or cut, 2 looping.
        words: How often each word stands in it.
        cells: Cells with something in them.
        evenness: Share of the rows that fill as many columns as most rows do, 0..1.
    """

    elements: tuple[Element, ...]
    damage: int
    words: Counter[str]
    cells: int
    evenness: float

    @property
    def text(self) -> str:
        """What it says."""
        return "\n".join(element.text or element.markdown for element in self.elements)

    @property
    def has_grid(self) -> bool:
        """Whether it has rows and columns."""
        return any(tables_of(element) for element in self.elements)


def reading_of(elements: Sequence[Element], *, cut: bool = False) -> Reading:
    """What is to be known of a reading.

    Args:
        elements: Of the table.
        cut: Whether it is cut though nothing shows it: the last block of a reply that ended at its limit.
    """
    codes = {issue.code for element in elements for issue in element.issues}
    damage = max((_DAMAGE.get(code, 0) for code in codes), default=0)
    words: Counter[str] = Counter()
    for element in elements:
        words.update(element_words(element))
    tables = [table for element in elements for table in tables_of(element)]
    fills = [sum(bool(text) for text in row) for table in tables for row in table.grid(expand_spans=True)]
    cells = sum(bool(cell.text.strip()) for table in tables for cell in table.cells)
    usual = Counter(fills).most_common(1)
    evenness = usual[0][1] / len(fills) if fills else 0.0
    return Reading(tuple(elements), max(damage, int(cut)), words, cells, evenness)


def choose(
    old: Reading, new: Reading, *, beside: Iterable[str] = (), witness: Witness | None = None
) -> Choice:
    """Choose between the page's reading of a table and that of its picture alone.

    First, what the new one must have at all:

    - a grid, if the old one has one: a table read as running text has lost its columns;
    - no loop, unless the old one loops too, and it must be whole if the old one is;
    - every word of the old one, and every number as often. Exempt are words that the witness does not bear
      out, those that an old reading that loops has four times or more, the torn last word of an old reading
      that is cut, and what stands beside: a caption that one reading takes into the table stands by itself
      on the page.

    Then the first of these rules that tells them apart decides:

    1. Whole beats damaged or cut, and that beats looping.
    2. The one whose own words, which the other has not, the witness bears out better by a fifth.
    3. The one with more distinct words; those that stand beside do not count.
    4. The one that fills more cells, if its rows are as even: words of two columns in one cell are the usual
       fault of a small picture, and a cell torn in two makes uneven rows.
    5. The one whose rows are more even, that is fill as many columns as most of its rows.

    A tie keeps the page's: it knows what is around the table.

    Args:
        old: The page's reading.
        new: That of the picture.
        beside: What other elements near the table say.
        witness: Something independent of the model.
    """
    if (old.has_grid and not new.has_grid) or not new.words:
        return _KEEP
    if new.damage > old.damage:
        return _KEEP
    around = [words_of(text) for text in beside]
    supported = _support(old, new, witness)
    if _loses(old, new, around, witness):
        return Choice(False, by_witness=supported is not None and supported < -_CLEARLY)
    if new.damage < old.damage:
        return Choice(True, f"the page's reading {_REASONS[old.damage]}, and this one {_REASONS[new.damage]}")
    if supported is not None and abs(supported) > _CLEARLY:
        reason = "what the file itself stores bears it out better" if supported > 0 else ""
        return Choice(supported > 0, reason, by_witness=True)
    words_around = {word for words in around for word in words}
    more = len(new.words.keys() - old.words.keys() - words_around)
    if more:
        return Choice(True, f"it holds {_count(more, 'word')} more")
    if old.words.keys() - new.words.keys() - words_around:
        # They were exempt from the loss, but they are no gain of the new reading.
        return _KEEP
    if new.cells > old.cells and new.evenness >= old.evenness:
        return Choice(True, f"it fills {_count(new.cells - old.cells, 'cell')} more")
    if new.cells >= old.cells and new.evenness > old.evenness:
        return Choice(True, "its rows agree better about the columns")
    return _KEEP


def disagreement(old: Reading, new: Reading) -> str:
    """In which numbers two whole readings differ, in words; empty where they do not or one is not whole.

    Numbers, since they look right when they are wrong, and no word beside them shows it.
    """
    if old.damage or new.damage:
        return ""
    mine, other = numbers_of(old.elements), numbers_of(new.elements)
    only_old, only_new = mine - other, other - mine
    if not only_old and not only_new:
        return ""
    return f"on the page {_named(only_old)}, by itself {_named(only_new)}"


def says_the_same(old: Reading, new: Reading) -> bool:
    """Whether two readings are the same tables, or the same text."""
    mine = [(tables_of(element), words_of(element.text or element.markdown)) for element in old.elements]
    other = [(tables_of(element), words_of(element.text or element.markdown)) for element in new.elements]
    return mine == other


def _loses(old: Reading, new: Reading, around: Sequence[Sequence[str]], witness: Witness | None) -> bool:
    """Whether the old reading has a word that the new one has not, and that is not exempt."""
    lost = {
        word
        for word, count in old.words.items()
        if word not in new.words or (is_number(word) and new.words[word] < count)
    }
    if old.damage > 1:
        # How often a number stands in a loop says nothing.
        lost = {word for word in lost if word not in new.words and old.words[word] < _LOOP_ROUNDS}
    if lost and old.damage:
        # The last word of a cut reading is torn.
        tail = _last_word(old)
        if tail in lost and any(word.startswith(tail) for word in new.words):
            lost.discard(tail)
    if lost:
        lost = _not_beside(old, lost, around)
    if not lost or witness is None:
        return bool(lost)
    # One that is borne out is a loss, and where the witness cannot tell, nothing is given up.
    return witness(" ".join(sorted(lost))) != 0.0


def _last_word(reading: Reading) -> str:
    words = words_of(reading.text)
    return words[-1] if words else ""


def _not_beside(old: Reading, lost: set[str], around: Sequence[Sequence[str]]) -> set[str]:
    """The lost words but for those whose whole cell, of two words or more, stands beside the table."""
    pairs = frozenset(pair for words in around for pair in word_pairs(words))
    if not pairs:
        return lost
    excused: Counter[str] = Counter()
    inside: Counter[str] = Counter()
    for words in _cells(old):
        known = len(words) > 1 and share_standing(words, pairs) == 1.0
        (excused if known else inside).update(words)
    return {word for word in lost if word not in excused or word in inside}


def _cells(reading: Reading) -> list[list[str]]:
    cells: list[list[str]] = []
    for element in reading.elements:
        tables = tables_of(element)
        cells += [words_of(cell.text) for table in tables for cell in table.cells]
        # Lines of the table's text are other cells; those that are none of them are words around it.
        cells += [words_of(line) for line in element.text.splitlines() if " | " not in line]
    return cells


def _support(old: Reading, new: Reading, witness: Witness | None) -> float | None:
    """How much better the new reading is borne out where the two differ, -1..1; None for no witness.

    Only the words that one of them has and the other has not are asked about: in a large table a wrong number
    is a small part of the whole. A reading without any of its own neither gains nor loses by them.
    """
    if witness is None:
        return None
    shares = [
        witness(" ".join(sorted(own))) if (own := one.words.keys() - other.words.keys()) else _NEITHER
        for one, other in ((new, old), (old, new))
    ]
    of_new, of_old = shares
    return None if of_old is None or of_new is None else of_new - of_old


def _named(numbers: Counter[str]) -> str:
    if not numbers:
        return "none of them"
    named = ", ".join(list(numbers)[:_MOST_NAMED])
    return f"{named} and {len(numbers) - _MOST_NAMED} more" if len(numbers) > _MOST_NAMED else named


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
