"""Marks of footnotes that are printed as plain digits: "the assets 1 are", "it rose. 3 Then", "wear3 rose".

Any number in a text may look like one, so each is judged by the words around it, and most are no marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# A word, what closes it, at most one space, and a number that is not part of a larger one or of a name.
# The limits keep the search linear.
_NUMBER = re.compile(
    r"(?<!\w)(?P<word>[^\W\d_]{2,40})(?P<close>[.,;!?)\]”’\"'»]{0,3})(?P<gap>\s?)(?P<number>[1-9]\d{0,2})(?!\w)"
)
# What follows it: a closing mark, with or without space before it; the end; or a word.
_BEHIND = re.compile(
    r"(?:(?P<space>\s?)(?P<stop>[.,;!?)\]”’\"»](?![\d(%]))|(?P<end>\s*\Z)|\s+(?P<open>\()?[\"“‘«]?(?P<next>[^\W\d_]+))"
)
_ABBREVIATIONS = """
    abb abs al approx art bd ca cf ch chap col dr ed eds eq eqs etc ex fig figs jr mr mrs ms nos nr
    op par pp prof rev sec secs ser sp st tab vgl vol vols vs
"""
# What is numbered, and verbs of measuring, without the "s" at their ends.
_NAMES = """
    abbildung absatz act address algorithm amendment anlage annex answer appendix april article
    artikel assumption august axiom band bit book box branch bulletin byte category chapitre chapter
    claim class clause cluster code column component condition core corollary cycle day december
    definition degree depth dimension distance division docket edition eq equation example exercise
    exhibit experiment fact factor february fig figure file flag footnote form formula frame gene
    generation gleichung grade group groupe head hypothesis id image index input issue item january
    july june kapitel label layer lemma length lesson level line list listing march may method mode
    model module month never no node norm note november nr number object october option order output
    page panel paper paragraph part partie period phase plate player point port position principle
    priority problem process product program proof property proposition protein query question rank
    rate reaction reference region release remark requirement revision room round row rule run
    sample satz scenario schedule schema score season section seite september sequence session set
    share side size slide solution source stage state statement step strategy stream student study
    subject symbol tabelle table tableau task team term test theorem tier time title token top trial
    type unit user value variable variant vector version volume week width year zone
"""
_VERBS = """
    become contain equal exceed get give have had hold need reach return score take took use used
    want yield
"""
# What stands before a count.
_BEFORE_COUNTS = """
    about above all almost and any approximately are around as at be been before behind below beside
    between by contains costs every exactly few first following for from had has in including into
    is last least less like most nearly next of off on one only or other out over past per plus
    minus remaining roughly same since some than that the their then these this those through till
    times to total under until up was were when where which while with within without your our its
    au aux ca de des du et la le les ou par pour un une auf aus bis das der die für im mit nach oder
    und von vor zu zwischen
"""
# No number counts these: they go on with what stands before the number.
_BEHIND_MARKS = """
    a although an and are as at because been but by can cannot could did do does for from had has
    have he how if in into is it its may might must no nor not on our shall she should since so such
    than that the their then there these they this those though thus to under until via was we were
    what when where whereas which while who whose will with would you aber als auf aus das dass der
    die durch ist mit oder sind und von war wird avec ce dans elle est et il la le les par pour que
    qui sont sur
"""
_SHORTENED = frozenset(_ABBREVIATIONS.split())
_NUMBERED = frozenset((_NAMES + _VERBS + _BEFORE_COUNTS).split())
_GOES_ON = frozenset(_BEHIND_MARKS.split())
_LEAST_WORDS = 6
# Characters between round brackets, at most.
_LONGEST_ASIDE = 200


class PlainMark(NamedTuple):
    """A number in a text that may be the mark of a footnote.

    Attributes:
        number: As printed.
        word: The word that it stands behind.
        offset: Where it stands in the text.
        is_clear: The words around it say that it is no other number; else it is possible.
        is_tight: It stands right behind the letters of the word, and may be a part of a name.
    """

    number: str
    word: str
    offset: int
    is_clear: bool
    is_tight: bool = False


def plain_marks(text: str) -> Iterator[PlainMark]:
    """Numbers of running text that may be marks of footnotes, in their order; others are left out."""
    # A line of a list of contents, a label.
    if text.count(" ", 0, 400) < _LEAST_WORDS - 1:
        return
    for match in _NUMBER.finditer(text):
        behind = _BEHIND.match(text, match.end())
        is_clear = None if behind is None else _judged(match, behind, text)
        if is_clear is not None:
            is_tight = not match["close"] and not match["gap"]
            yield PlainMark(match["number"], match["word"], match.start("number"), is_clear, is_tight)


def _judged(match: re.Match[str], behind: re.Match[str], text: str) -> bool | None:
    """True for a clear mark, False for a possible one, None for another number."""
    word, close = match["word"], match["close"]
    lower = word.lower()
    if close.startswith(".") and lower in _SHORTENED:
        return None
    if behind["stop"] == ")":
        # "wear 3) rose": some print their marks like that.
        since = max(0, match.start() - _LONGEST_ASIDE)
        is_aside = text.rfind("(", since, match.start()) > text.rfind(")", since, match.start())
        return None if is_aside or close or _is_numbered(lower) else True
    if not match["gap"]:
        return _judged_close(word, close, behind)
    if close[:1] in (".", "!", "?"):
        following = behind["next"] or ""
        return True if behind["end"] is not None or following[:1].isupper() else None
    if close[:1] in (",", ";"):
        following = (behind["next"] or "").lower()
        return False if following in _GOES_ON and following != "to" else None
    if not close and _is_numbered(lower):
        return None
    return _judged_apart(word, match["number"], behind)


def _judged_close(word: str, close: str, behind: re.Match[str]) -> bool | None:
    """A number without space before it."""
    if not close:
        # Names of formulas and programs end in numbers: CO2, GPT4.
        return True if word[-2:].islower() else (False if len(word) > 3 else None)
    if close.startswith(".") and (behind["next"] or "A")[:1].islower():
        return None
    return True


def _judged_apart(word: str, number: str, behind: re.Match[str]) -> bool | None:
    """A number between two words, or behind the last one."""
    if behind["stop"]:
        if behind["stop"] not in ".,;":
            return None
        # A raised number that was read as a word of its own has a space behind it as well.
        return True if behind["space"] else (False if word[:1].isupper() else None)
    if behind["end"] is not None:
        return False
    following = behind["next"]
    if following.lower() in _GOES_ON:
        return not behind["open"]
    is_count = number != "1" and following.endswith("s")
    return False if word[:1].isupper() and following[:1].islower() and not is_count else None


def _is_numbered(word: str) -> bool:
    return word in _NUMBERED or word.removesuffix("s") in _NUMBERED
