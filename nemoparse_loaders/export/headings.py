"""How deep a heading is: one rule for all exports.

In this order: a Title is level 1; the Markdown marks that the model printed; the depth of a leading number
("2.1 Data" is one deeper than "2 Methods"); else level 2.
"""

from __future__ import annotations

import re

from ..document import Element, ElementType

_MARKS = re.compile(r"(#{1,6})[ \t]+")
_NUMBER = re.compile(r"(?:[0-9]{1,3}|[A-Z])((?:\.[0-9]{1,3})*)\.?[ \t]")
_HEADINGS = frozenset({ElementType.TITLE.value, ElementType.SECTION_HEADER.value})


def is_heading(element: Element) -> bool:
    """Whether the element is a Title or a Section-header."""
    return element.type in _HEADINGS


def heading_level(element: Element) -> int:
    """The level of a Title or Section-header, from 1 to 6."""
    if element.type == ElementType.TITLE.value:
        return 1
    marks = _MARKS.match(element.markdown.lstrip())
    if marks:
        return max(2, len(marks[1]))
    number = _NUMBER.match(element.text.lstrip())
    if number:
        return min(6, 2 + number[1].count("."))
    return 2


def without_heading_marks(markdown: str) -> str:
    """The heading without its ``#`` marks, at the start and at the end."""
    text = markdown.strip()
    marks = _MARKS.match(text)
    return text[marks.end() :].rstrip("# \t") if marks else text
