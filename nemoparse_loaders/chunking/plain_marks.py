"""Marks of footnotes that are printed as plain digits right behind a word: "it rose.3 Then", "of the wear3".

A number that stands by itself may be any number, so only those without a space before them are looked at, and
only where a sentence, a part of it or the text ends behind them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# A word, what closes it, a number, and behind it the end, a closing mark or a capital. The limits keep the
# search linear.
_MARK = re.compile(
    r"(?<![\w.])(?P<word>[^\W\d_]{2,40})(?P<close>[.,;!?)\]”’\"'»]{0,3})(?P<number>[1-9]\d{0,2})"
    r"(?=\s*\Z|[.,;:!?)\]”’\"»](?!\w)|\s+(?:[\"“‘«(]\s?)?(?P<next>[^\W\d_]))"
)
_ABBREVIATIONS = """
    abb abs al art bd ca cf ch chap col eq eqs fig figs no nos nr op par pp ref refs sec secs tab vgl
    vol vols vs
"""
_NAMES = """
    abbildung appendix article artikel case chapter class column equation figure grade group kapitel layer
    level line model page part phase section seite stage step tabelle table tableau type version
"""
# Behind their stop a number is theirs: "Fig.2".
_SHORTENED = frozenset(_ABBREVIATIONS.split())
# What is numbered: "Figure2", "layer3".
_NUMBERED = frozenset(_NAMES.split())


class PlainMark(NamedTuple):
    """A number in a text that may be the mark of a footnote.

    Attributes:
        number: As printed.
        word: The word that it stands behind.
        offset: Where it stands in the text.
        is_tight: It stands right behind the letters of the word, and may be a part of a name.
    """

    number: str
    word: str
    offset: int
    is_tight: bool


def plain_marks(text: str) -> Iterator[PlainMark]:
    """Numbers of a text that may be marks of footnotes, in their order; others are left out."""
    for match in _MARK.finditer(text):
        word, close, following = match["word"].lower(), match["close"], match["next"]
        if following is not None and not following.isupper():
            continue
        # Names of formulas and programs end in capitals and a number: CO2, GPT4.
        is_name = not close and (not match["word"][-2:].islower() or word in _NUMBERED)
        if not is_name and not (close.startswith(".") and word in _SHORTENED):
            yield PlainMark(match["number"], match["word"], match.start("number"), not close)
