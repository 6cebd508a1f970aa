"""Which of two readings of a table is the better one; pure.

The page's reading stands until the other one is better by a rule, and until it is sure that nothing of the
page's is lost: what a parser once had, it must not lose by looking again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

from .region_words import is_number, numbers_of, share_standing, tables_of, word_pairs, words_of
from .table_reading import Reading
from .table_witness import Witness, is_borne_out, outvoted, refuted, share_of

_REASONS = ("is whole", "is damaged or cut", "repeats itself")
# The decoder leaves some rounds of a run; what comes so often in a reading that loops is its loop.
_LOOP_ROUNDS = 4
# Of the characters of words that only the new reading has: so few borne out are none.
_HARDLY = 0.2
_MOST_NAMED = 3


class Choice(NamedTuple):
    """Which reading is taken.

    Attributes:
        takes_new: Whether it is the new one.
        reason: Why, to go on from "The table was read again by itself: "; empty where the old one stays.
        by_witness: The witness decided: it bears the one out, and the other has nothing that it may not know.
    """

    takes_new: bool
    reason: str = ""
    by_witness: bool = False


_KEEP = Choice(False)


def choose(
    old: Reading, new: Reading, *, beside: Iterable[str] = (), witness: Witness | None = None
) -> Choice:
    """Choose between the page's reading of a table and that of its picture alone.

    First, what the new one must have at all:

    - a grid, if the old one has one: a table read as running text has lost its columns;
    - no loop, unless the old one loops too, and it must be whole if the old one is;
    - every word of the old one, and every number as often. Exempt are words that the witness has not and
      refutes (`table_witness`), those that an old reading that loops has four times or more, the torn last
      word of an old reading that is cut, and what stands beside: a caption that one reading takes into the
      table stands by itself on the page.

    Then the first of these rules that tells them apart decides:

    1. Whole beats damaged or cut, and that beats looping.
    2. The new one if the witness bears out most of what it alone has; the old one if the witness refutes
       that.
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
    words_around = {word for words in around for word in words}
    lost = _lost(old, new, around)
    gained = new.words.keys() - old.words.keys() - words_around
    if lost and not (share_of(lost, witness) == 0.0 and refuted(lost, old, new, witness)):
        return Choice(False, by_witness=_is_proof(lost, gained, old, new, witness))
    if new.damage < old.damage:
        return Choice(True, f"the page's reading {_REASONS[old.damage]}, and this one {_REASONS[new.damage]}")
    if is_borne_out(gained, witness):
        is_proof = not lost or outvoted(lost, old, new, witness)
        return Choice(True, "what the file itself stores bears it out better", by_witness=is_proof)
    share = share_of(gained, witness)
    if share is not None and share <= _HARDLY and refuted(gained, new, old, witness):
        return _KEEP
    if lost:
        return Choice(True, "what the file itself stores does not have the rest")
    if gained:
        return Choice(True, f"it holds {_count(len(gained), 'word')} more")
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


def _lost(old: Reading, new: Reading, around: Sequence[Sequence[str]]) -> set[str]:
    """Words of the old reading that the new one has not, or numbers less often, but for exempt ones."""
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
    return _not_beside(old, lost, around) if lost else lost


def _is_proof(lost: Set[str], gained: Set[str], old: Reading, new: Reading, witness: Witness | None) -> bool:
    """Whether the witness has the words that would be lost, and those in the place of all that is new."""
    if lost & new.words.keys() or not is_borne_out(lost, witness):
        # How often a number stands there, it does not tell.
        return False
    return not gained or (share_of(gained, witness) == 0.0 and outvoted(gained, new, old, witness))


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


def _named(numbers: Counter[str]) -> str:
    if not numbers:
        return "none of them"
    named = ", ".join(list(numbers)[:_MOST_NAMED])
    return f"{named} and {len(numbers) - _MOST_NAMED} more" if len(numbers) > _MOST_NAMED else named


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
