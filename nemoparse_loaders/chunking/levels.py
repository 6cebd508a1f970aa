"""How deep each heading of a document is: numbering first, then marks of the parser, then its looks.

`export.headings` answers the same for one element by itself; here all headings are seen together.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

from ..document import Element, ElementType
from .heading_numbers import Numbered, numbered_levels
from .styles import Style

_Look = TypeVar("_Look", int, Style)

# Deeper levels become this one.
MAX_LEVEL = 6
# So many names at the top that look the same tell what headings at the top look like.
_LEAST_NAMES = 2

# Headings without a number that stand at the top where no chapter or part is open: at the head of a document,
_OPENING = """
    abstract conclusion conclusions contents foreword introduction preface summary
    einführung einleitung fazit inhalt inhaltsverzeichnis schluss schlussfolgerung schlussfolgerungen vorwort
    zusammenfassung avant-propos préface résumé sommaire conclusiones conclusión introducción prefacio prólogo
    resumen
"""
# and at its end. Behind the last chapter these are no part of it, unless every chapter has them.
_CLOSING = """
    acknowledgement acknowledgements acknowledgment acknowledgments appendices appendix bibliography glossary
    index literature references anhang anhänge danksagung glossar literatur literaturverzeichnis
    stichwortverzeichnis annexe annexes bibliographie glossaire remerciements références agradecimientos anexo
    anexos apéndice apéndices bibliografía glosario referencias índice
"""
_CLOSING_NAMES = frozenset(_CLOSING.split())
_TOP_LEVEL = _CLOSING_NAMES.union(_OPENING.split(), ("table des matières", "table of contents"))
_MARKS = re.compile(r"\s*(#{1,6})\s")


def heading_levels(headings: Sequence[Element], styles: Sequence[Style] = ()) -> list[int]:
    """The level of each heading, from 1; 0 for the document's title.

    A number in front tells the level, see `heading_numbers`. Where there is none, names that stand at the top
    ("References") do if no chapter or part is open, then the Markdown depth, then size, capitals and
    indentation: each is read as the depth that numbered headings have that look the same, or else ranked
    among the others. A heading with no such evidence is one deeper than the numbered one before it, or 1.

    Equal evidence gives equal levels, so that siblings stay siblings; levels may be left out ("1", "1.1.1").

    Args:
        headings: Titles and section headings in reading order.
        styles: What each of them looks like, see `styles`; empty where that is not known.
    """
    found = numbered_levels([heading.text for heading in headings])
    numbered = [number.level for number in found]
    at_top = _at_top(headings, found)
    marks = [_marks(heading) for heading in headings]
    free = [
        level is None and heading.type != ElementType.TITLE.value and not is_top
        for heading, level, is_top in zip(headings, numbered, at_top, strict=True)
    ]
    named = [
        is_top and heading.type != ElementType.TITLE.value
        for heading, is_top in zip(headings, at_top, strict=True)
    ]
    marked = [is_named and mark > 0 for is_named, mark in zip(named, marks, strict=True)]
    by_marks = _levels_of(marks, numbered, marked, free) if any(marks) else {}
    by_marks.pop(0, None)
    by_style = _levels_of(styles, numbered, named, free) if styles else {}
    levels: list[int] = []
    last_numbered = 0
    for index, heading in enumerate(headings):
        number = numbered[index]
        if index == 0 and heading.type == ElementType.TITLE.value and number is None:
            level = 0
        elif number is not None:
            level = last_numbered = number
        elif at_top[index]:
            level = 1
            last_numbered = 0
        elif marks[index] in by_marks:
            level = by_marks[marks[index]]
        elif styles and styles[index] in by_style:
            level = by_style[styles[index]]
        elif _bare(heading.text) in _TOP_LEVEL:
            # The introduction or the summary of a chapter.
            last_numbered = found[index].chapter
            level = last_numbered + 1
        else:
            level = last_numbered + 1
        levels.append(min(level, MAX_LEVEL))
    return levels


def _at_top(headings: Sequence[Element], found: Sequence[Numbered]) -> list[bool]:
    """Which headings without a number stand at the top by their name or class."""
    names = Counter(_bare(heading.text) for heading in headings)
    last_chapter = max(
        (index for index, number in enumerate(found) if number.level == number.chapter), default=-1
    )
    at_top: list[bool] = []
    is_closed = False
    for index, (heading, number) in enumerate(zip(headings, found, strict=True)):
        name = _bare(heading.text)
        is_known = number.level is None and name in _TOP_LEVEL
        closes = is_known and name in _CLOSING_NAMES and names[name] == 1 and index > last_chapter
        is_closed = (is_closed and number.level is None) or closes
        is_title = number.level is None and heading.type == ElementType.TITLE.value
        at_top.append(is_title or closes or (is_known and (is_closed or number.chapter == 0)))
    return at_top


def _levels_of(
    looks: Sequence[_Look], numbered: Sequence[int | None], named: Sequence[bool], free: Sequence[bool]
) -> dict[_Look, int]:
    """For each of the looks the level that it stands for; the smaller one stands higher.

    Args:
        looks: Those of each heading.
        numbered: Levels that are known from numbers.
        named: Headings that stand at the top by their name.
        free: Headings whose level is to be found.
    """
    votes: dict[_Look, Counter[int]] = {}
    for look, level in zip(looks, numbered, strict=True):
        if level is not None:
            votes.setdefault(look, Counter())[level] += 1
    if votes:
        # One look for numbers of several depths says nothing ("always ###").
        known = {look: next(iter(counts)) for look, counts in votes.items() if len(counts) == 1}
        others = {look for look, is_free in zip(looks, free, strict=True) if is_free} - set(votes)
        above = {look: [level for other, level in known.items() if other < look] for look in others}
        return known | {look: max(found, default=0) + 1 for look, found in above.items() if known}
    ranked = sorted({look for look, is_free in zip(looks, free, strict=True) if is_free})
    top = _look_at_top(looks, named)
    if top is not None:
        deeper = [look for look in ranked if look > top]
        return dict.fromkeys(ranked, 1) | {look: rank for rank, look in enumerate(deeper, start=2)}
    # Where all look the same there is nothing to rank.
    return {look: rank for rank, look in enumerate(ranked, start=1)} if len(ranked) > 1 else {}


def _look_at_top(looks: Sequence[_Look], named: Sequence[bool]) -> _Look | None:
    """What names that stand at the top look like: "Methods" stands beside "Introduction" and "References".

    A single name is no evidence, and nor is one that looks like no other name.
    """
    counts = Counter(look for look, is_named in zip(looks, named, strict=True) if is_named)
    usual = min(counts, key=lambda look: (-counts[look], look), default=None)
    return usual if usual is not None and counts[usual] >= _LEAST_NAMES else None


def _marks(heading: Element) -> int:
    found = _MARKS.match(heading.markdown)
    return len(found.group(1)) if found else 0


def _bare(text: str) -> str:
    return text.strip().rstrip(":.").lower()
