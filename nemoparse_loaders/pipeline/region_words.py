"""The words of elements, in a form in which two readings of the same place can be compared."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from itertools import pairwise

from ..document import Element, Table

# Marks of Markdown and HTML say how a word looks. A line break parts words.
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_MARKS = re.compile(r"</?(?:sup|sub|u|b|i|em|strong)>|\*\*|\\[()\[\]]|\\(?=[^\w\s])|^#+ ", re.I | re.M)
_EDGES = ".,;:!?\"'`“”„‘’«»()[]{}*_|•·…"
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"))
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
# Signs of currencies (Unicode category Sc, as far as it is in use), and what stands behind numbers. Units of
# one letter are not among them: "12g" is a line of a form as well.
_MONEY = "$\u00a2-\u00a5\u20a0-\u20c0"
_UNIT = rf"°[cf]|[%‰°{_MONEY}]|(?:[kcm]m|[kmμ]g|ml|[kmg]?hz|[kmg]wh?|[kmg]b|usd|eur|gbp|chf|jpy)"
_BEFORE = re.compile(rf"(?<![^\s(a-z])([-+]?)([{_MONEY}]) ?([-+]?)(?=\.?\d)")
_CODE_BEFORE = re.compile(r"(?<!\w)(usd|eur|gbp|chf|jpy)(?=[-+]?\d)")
_BEHIND = re.compile(rf"(?<=\d) ?({_UNIT})(?![\w+-])")
# Accounts write numbers below zero in parentheses.
_NEGATIVE = re.compile(rf"(?<![\w)])\( ?([{_MONEY}]?) ?(\d[\d.,]*) ?(%?) ?\)(?!\w)")
# Shorter texts stand on a page more than once by right: labels, ledger lines, units.
_SHORT = 6


def words_of(text: str) -> list[str]:
    """The words of a text in order: without marks, punctuation at their ends, case and forms of letters.

    A sign before a number counts, and a symbol that stands alone; lines of dots and dashes are no words.
    ``1,234`` and ``1234`` are one number, ``(5)`` and ``-5`` as well; currencies and units are words of their
    own, with a space before the number or without one.
    """
    plain = _MARKS.sub("", _BREAK.sub(" ", text))
    if not plain.isascii():
        plain = unicodedata.normalize("NFKC", plain).translate(_DASHES)
    plain = plain.casefold()
    if any(map(str.isdigit, plain)):
        plain = _parted(plain)
    words = (word.strip(_EDGES) for word in plain.split())
    return [_THOUSANDS.sub("", word) for word in words if word.strip("-.=_~")]


def _parted(text: str) -> str:
    """A folded text with the signs, the currencies and the units of its numbers as words of one form."""
    text = _NEGATIVE.sub(r" \1 -\2 \3 ", " ".join(text.split()))
    text = _BEFORE.sub(r"\2 \1\3", text)
    return _BEHIND.sub(r" \1", _CODE_BEFORE.sub(r"\1 ", text))


def tables_of(element: Element) -> tuple[Table, ...]:
    """The grids of a table or of a chart."""
    if element.table is not None:
        return (element.table,)
    return element.chart.tables if element.chart is not None else ()


def element_words(element: Element) -> Counter[str]:
    """How often each word stands in an element; in a cell over several rows or columns once.

    What its plain text says besides the cells is added: the caption that was printed with a table, the title
    of a chart.
    """
    in_text = Counter(words_of(element.text or element.markdown))
    cells: Counter[str] = Counter()
    for table in tables_of(element):
        for cell in table.cells:
            cells.update(words_of(cell.text))
    if not cells:
        return in_text
    for word, count in in_text.items():
        if word not in cells:
            cells[word] = count
    return cells


def is_number(word: str) -> bool:
    """Whether a word has a digit."""
    return any(char.isdigit() for char in word)


def numbers_of(elements: Iterable[Element]) -> Counter[str]:
    """How often each number stands in the elements."""
    found: Counter[str] = Counter()
    for element in elements:
        for word, count in element_words(element).items():
            if is_number(word):
                found[word] += count
    return found


def is_short(words: Sequence[str]) -> bool:
    """Whether a text may stand on a page more than once by right."""
    return len(words) < _SHORT


def share_standing(words: Sequence[str], pairs: Set[tuple[str, str]]) -> float:
    """Which part of a text's pairs of neighbouring words is among those of another text, 0..1.

    Pairs, since single words of one paragraph often stand in the next one as well.
    """
    mine = word_pairs(words)
    return len(mine & pairs) / len(mine) if mine else 0.0


def word_pairs(words: Sequence[str]) -> frozenset[tuple[str, str]]:
    """The pairs of neighbouring words; of a single word, the word twice."""
    if len(words) == 1:
        return frozenset({(words[0], words[0])})
    return frozenset(pairwise(words))
