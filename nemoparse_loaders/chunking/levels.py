"""How deep each heading of a document is: numbering first, then marks of the parser, then its looks.

`export.headings` answers the same for one element by itself; here all headings are seen together.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

from ..document import Element, ElementType
from .styles import Style

_Look = TypeVar("_Look", int, Style)

# Deeper levels become this one.
MAX_LEVEL = 6

_DECIMAL = re.compile(r"(\d{1,3}(?:\.\d{1,3})*)\.?\)?[\s:–—-]+\S")
_LETTERED = re.compile(r"[A-Z]((?:\.\d{1,3})+)\.?[\s:–—-]+\S")
_NAMED = re.compile(
    r"(?P<name>appendix|annex|schedule|book|part|title|chapter|division|section|article|rule|clause"
    r"|anhang|teil|kapitel|abschnitt|artikel|annexe|partie|chapitre)"
    r"\s+(?P<number>\d{1,3}|[IVXLC]+|[A-Z])(?:[\s.:–—)-]|$)|(?P<sign>§)\s*\d",
    re.I,
)
# From the outermost to the innermost; those that a document has are ranked among each other.
_NAMES = (
    ("appendix", "annex", "schedule", "anhang", "annexe"),
    ("book",),
    ("part", "teil", "partie"),
    ("title",),
    ("chapter", "kapitel", "chapitre"),
    ("division",),
    ("section", "abschnitt"),
    ("article", "artikel", "rule", "clause", "§"),
)
_RANK_OF_NAME = {name: rank for rank, names in enumerate(_NAMES) for name in names}
_ROMAN = re.compile(r"[IVXLC]+\.\s+\S")
_TOP_LEVEL = frozenset(
    {
        "abstract",
        "acknowledgement",
        "acknowledgements",
        "acknowledgment",
        "acknowledgments",
        "appendices",
        "appendix",
        "bibliography",
        "conclusion",
        "conclusions",
        "contents",
        "foreword",
        "glossary",
        "index",
        "introduction",
        "literature",
        "preface",
        "references",
        "summary",
    }
)
_MARKS = re.compile(r"\s*(#{1,6})\s")


def heading_levels(headings: Sequence[Element], styles: Sequence[Style] = ()) -> list[int]:
    """The level of each heading, from 1; 0 for the document's title.

    A number in front tells the level ("2.1" is 2, "A.2" is 2, "Appendix B" is 1; "Article 5" is below
    "Chapter 2" in a document that has both). Where there is none, names that stand at the top in every
    document do, then the Markdown depth, then size, capitals and indentation: each is read as the depth that
    numbered headings have that look the same, or else ranked among the others. A heading with no such
    evidence is one deeper than the numbered one before it, or 1. Levels go down one step at a time.

    Args:
        headings: Titles and section headings in reading order.
        styles: What each of them looks like, see `styles`; empty where that is not known.
    """
    numbered = _numbered_levels([heading.text for heading in headings])
    marks = [_marks(heading) for heading in headings]
    free = [
        level is None and heading.type != ElementType.TITLE.value and _bare(heading.text) not in _TOP_LEVEL
        for level, heading in zip(numbered, headings, strict=True)
    ]
    by_marks = _levels_of(marks, numbered, free) if any(marks) else {}
    by_marks.pop(0, None)
    by_style = _levels_of(styles, numbered, free) if styles else {}
    levels: list[int] = []
    current = last_numbered = 0
    for index, heading in enumerate(headings):
        number = numbered[index]
        if index == 0 and heading.type == ElementType.TITLE.value and number is None:
            level = 0
        elif number is not None:
            level = last_numbered = number
        elif heading.type == ElementType.TITLE.value or _bare(heading.text) in _TOP_LEVEL:
            level = 1
            last_numbered = 0
        elif marks[index] in by_marks:
            level = by_marks[marks[index]]
        elif styles and styles[index] in by_style:
            level = by_style[styles[index]]
        else:
            level = last_numbered + 1
        current = max(0, min(level, current + 1, MAX_LEVEL))
        levels.append(current)
    return levels


def _numbered_levels(texts: Sequence[str]) -> list[int | None]:
    names = [_NAMED.match(text.strip()) for text in texts]
    used = sorted({_rank(match) for match in names if match} - {0})
    levels: list[int | None] = []
    # The level of the chapter or article that is open, and its number.
    open_level, open_number = 0, ""
    for text, match in zip(texts, names, strict=True):
        if match:
            rank = _rank(match)
            open_level = 1 if rank == 0 else used.index(rank) + 1
            open_number = match["number"] or ""
            levels.append(open_level)
            continue
        parts = _number_parts(text.strip())
        if not parts:
            levels.append(None)
        elif open_level and parts[0] == open_number:
            # "3.1" in chapter 3 counts the chapter.
            levels.append(open_level + len(parts) - 1)
        elif open_level and (len(used) > 1 or all(rank <= _RANK_OF_NAME["title"] for rank in used)):
            # Numbers inside of parts, articles and appendices.
            levels.append(open_level + len(parts))
        else:
            levels.append(len(parts))
    return levels


def _rank(match: re.Match[str]) -> int:
    return _RANK_OF_NAME[(match["name"] or match["sign"]).lower()]


def _number_parts(text: str) -> list[str]:
    """The parts of the number in front: "2.1" gives 2 and 1; none where there is no number."""
    decimal = _DECIMAL.match(text)
    if decimal:
        parts = decimal.group(1).split(".")
        return parts[:-1] if len(parts) > 1 and parts[-1] == "0" else parts
    lettered = _LETTERED.match(text)
    if lettered:
        return [text[0], *lettered.group(1)[1:].split(".")]
    roman = _ROMAN.match(text)
    return [roman.group().split(".")[0]] if roman else []


def _levels_of(
    looks: Sequence[_Look], numbered: Sequence[int | None], free: Sequence[bool]
) -> dict[_Look, int]:
    """For each of the looks the level that it stands for; the smaller one stands higher.

    Args:
        looks: Those of each heading.
        numbered: Levels that are known from numbers.
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
    # Where all look the same there is nothing to rank.
    return {look: rank for rank, look in enumerate(ranked, start=1)} if len(ranked) > 1 else {}


def _marks(heading: Element) -> int:
    found = _MARKS.match(heading.markdown)
    return len(found.group(1)) if found else 0


def _bare(text: str) -> str:
    return text.strip().rstrip(":.").lower()
