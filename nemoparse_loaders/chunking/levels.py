"""How deep each heading of a document is: numbering first, then the marks that the parser printed.

`export.headings` answers the same for one element by itself; here all headings are seen together.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ..document import Element, ElementType

# Deeper levels become this one.
MAX_LEVEL = 6

_DECIMAL = re.compile(r"(\d{1,3}(?:\.\d{1,3})*)\.?\)?[\s:–—-]+\S")
_LETTERED = re.compile(r"[A-Z]((?:\.\d{1,3})+)\.?[\s:–—-]+\S")
_NAMED = re.compile(
    r"(?:appendix|annex|chapter|part|article)\s+(?:\d{1,3}|[IVXLC]+|[A-Z])(?:[\s.:–—-]|$)", re.I
)
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


def heading_levels(headings: Sequence[Element]) -> list[int]:
    """The level of each heading, from 1; 0 for the document's title.

    A number in front tells the level ("2.1" is 2, "A.2" is 2, "Appendix B" is 1). Where there is none, names
    that stand at the top in every document do, and then the Markdown depth, read as the depth that numbered
    headings have with the same marks. A heading with no such evidence is one deeper than the numbered one
    before it, or 1. Levels go down one step at a time.

    Args:
        headings: Titles and section headings in reading order.
    """
    numbered = [_numbered_level(heading.text) for heading in headings]
    by_marks = _levels_of_marks(headings, numbered)
    levels: list[int] = []
    current = last_numbered = 0
    for index, heading in enumerate(headings):
        number = numbered[index]
        marks = _marks(heading)
        if index == 0 and heading.type == ElementType.TITLE.value and number is None:
            level = 0
        elif number is not None:
            level = last_numbered = number
        elif heading.type == ElementType.TITLE.value or _bare(heading.text) in _TOP_LEVEL:
            level = 1
            last_numbered = 0
        elif marks in by_marks:
            level = by_marks[marks]
        else:
            level = last_numbered + 1
        current = max(0, min(level, current + 1, MAX_LEVEL))
        levels.append(current)
    return levels


def _numbered_level(text: str) -> int | None:
    text = text.strip()
    if _NAMED.match(text):
        return 1
    decimal = _DECIMAL.match(text)
    if decimal:
        parts = decimal.group(1).split(".")
        if len(parts) > 1 and parts[-1] == "0":
            parts.pop()
        return len(parts)
    lettered = _LETTERED.match(text)
    if lettered:
        return 1 + lettered.group(1).count(".")
    return 1 if _ROMAN.match(text) else None


def _levels_of_marks(headings: Sequence[Element], numbered: Sequence[int | None]) -> dict[int, int]:
    """For each number of ``#`` the level that it stands for."""
    with_marks = [(_marks(heading), level) for heading, level in zip(headings, numbered, strict=True)]
    seen = {marks for marks, _ in with_marks if marks}
    votes: dict[int, Counter[int]] = {}
    for marks, level in with_marks:
        if marks and level is not None:
            votes.setdefault(marks, Counter())[level] += 1
    if votes:
        # One kind of marks for numbers of several depths says nothing ("always ###").
        return {marks: next(iter(counts)) for marks, counts in votes.items() if len(counts) == 1}
    unnumbered = sorted(
        {
            marks
            for heading, (marks, _) in zip(headings, with_marks, strict=True)
            if marks and heading.type != ElementType.TITLE.value
        }
        or seen
    )
    return {marks: rank for rank, marks in enumerate(unnumbered, start=1)}


def _marks(heading: Element) -> int:
    found = _MARKS.match(heading.markdown)
    return len(found.group(1)) if found else 0


def _bare(text: str) -> str:
    return text.strip().rstrip(":.").lower()
