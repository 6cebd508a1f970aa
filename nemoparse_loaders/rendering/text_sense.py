"""Whether a text that a file stores can be what its page says; pure.

Files store letters by numbers of their own and often forget to say which letters these are: what is read
then is mojibake, a private alphabet, or one shifted by a few places.
"""

from __future__ import annotations

import unicodedata
from collections import Counter

_STRANGE = 0.2
_FEWEST_LETTERS = 150
_COMMON_LETTERS = frozenset("etaoinrs")  # more than half of all letters in any language written in Latin ones
_FEWEST_COMMON = 0.42


def makes_sense(text: str) -> bool:
    """Whether it does: no mojibake, no private-use codes, no shifted alphabet; False where it is empty.

    Args:
        text: All words of a page in a row.
    """
    if not text:
        return False
    counts = Counter(text.lower())
    total = counts.total()
    strange = sum(count for char, count in counts.items() if _is_strange(char))
    if strange > _STRANGE * total:
        return False
    letters = sum(count for char, count in counts.items() if char.isascii() and char.isalpha())
    if letters < _FEWEST_LETTERS or letters < 0.5 * total:
        return True
    return sum(counts[char] for char in _COMMON_LETTERS) >= _FEWEST_COMMON * letters


def _is_strange(char: str) -> bool:
    return char == "\ufffd" or unicodedata.category(char) in {"Co", "Cn"}
