"""Lines to Markdown and to plain text, in the way the model writes it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .parts import Line, Word, is_cjk, spaced

_SMALL = 0.82  # a word this much smaller than its line is a superscript or a subscript, by where it stands
_HYPHENATED = re.compile(r"[^\W\d_]-$")


def plain_text(lines: Sequence[Line]) -> str:
    """The lines as one paragraph: words hyphenated at a line's end are put together."""
    return _join([line.text for line in lines])


def markdown(lines: Sequence[Line], *, styled: bool = True) -> str:
    """The lines as one Markdown paragraph.

    Args:
        lines: Top to bottom.
        styled: Mark bold and italic words; not wanted where the whole block is bold by its role.
    """
    return _join([_line_markdown(line, styled) for line in lines])


def _join(texts: Sequence[str]) -> str:
    joined = ""
    for text in texts:
        if not joined:
            joined = text
        elif _HYPHENATED.search(joined) and text[:1].islower():
            joined = joined[:-1] + text
        elif _glued(joined, text):
            joined += text
        else:
            joined += " " + text
    return joined


def _glued(before: str, after: str) -> bool:
    """Whether no space stands between the end of one line and the start of the next."""
    if before.endswith("-") and len(before) > 1 and before[-2].isalnum():
        return True
    return bool(after) and is_cjk(before[-1]) and is_cjk(after[0])


def _line_markdown(line: Line, styled: bool) -> str:
    size = line.size
    body = [word for word in line.words if word.size >= _SMALL * size]
    bottom = max((word.box.y1 for word in body), default=line.box.y1)
    parts: list[str] = []
    open_mark = ""
    for index, word in enumerate(line.words):
        mark = _mark(word) if styled else ""
        space = " " if index and spaced(line.words[index - 1], word) else ""
        if open_mark and mark != open_mark:
            parts.append(open_mark[::-1])
            open_mark = ""
        parts.append(space)
        if mark and not open_mark:
            parts.append(mark)
            open_mark = mark
        parts.append(_raised(word, size, bottom))
    if open_mark:
        parts.append(open_mark[::-1])
    return "".join(parts)


def _mark(word: Word) -> str:
    if not any(char.isalnum() for char in word.text):
        return ""
    return ("**" if word.bold else "") + ("_" if word.italic else "")


def _raised(word: Word, size: float, bottom: float) -> str:
    text = word.text
    if word.size >= _SMALL * size or len(text) > 12:
        return text
    tag = "sup" if word.box.y1 < bottom - 0.12 * size else "sub"
    return f"<{tag}>{text}</{tag}>"
