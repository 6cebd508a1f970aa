"""Lines to Markdown and to plain text, in the way the model writes it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .parts import Line, Word, is_cjk, spaced

_SMALL = 0.85  # a word this much smaller than its line is a superscript or a subscript, by where it stands
_LONGEST_SCRIPT = 12
_RAISED_EM, _ON_LINE_EM = 0.15, 0.03
_SCRIPT = re.compile(r"[^\W_]|[*†‡§¶∗+−=()-]")
_HYPHENATED = re.compile(r"[^\W\d_]-$")
_SPECIAL = re.compile(r"\\(?=[!-/:-@\[-`{-~])|\*|(?<!\w)_|_(?!\w)|<(?=[A-Za-z/|!])")


def plain_text(lines: Sequence[Line]) -> str:
    """The lines as one paragraph: words hyphenated at a line's end are put together."""
    return "".join(text for text, _, _ in _pieces(lines))


def markdown(lines: Sequence[Line], *, styled: bool = True) -> str:
    """The lines as one Markdown paragraph.

    Args:
        lines: Top to bottom.
        styled: Mark bold and italic words; not wanted where the whole block is bold by its role.
    """
    parts: list[str] = []
    opened = ""
    for text, word, line in _pieces(lines):
        mark = _mark(word) if styled else ""
        space = " " if text.startswith(" ") else ""
        bare = text[len(space) :]
        # Marks without letters, such as a dash between two italic words, do not end the emphasis.
        neutral = not any(char.isalnum() for char in bare)
        if opened and mark != opened and not (neutral and _style(word) == opened):
            parts.append(opened[::-1])
            opened = ""
        parts.append(space)
        if mark and not opened:
            parts.append(mark)
            opened = mark
        parts.append(_raised(_SPECIAL.sub(r"\\\g<0>", bare), word, line))
    if opened:
        parts.append(opened[::-1])
    return "".join(parts)


def _pieces(lines: Sequence[Line]) -> list[tuple[str, Word, Line]]:
    """Each word with the space before it; a hyphen at a line's end is gone where the word goes on."""
    pieces: list[tuple[str, Word, Line]] = []
    before: Word | None = None
    for line in lines:
        for index, word in enumerate(line.words):
            space = ""
            if index and before is not None:
                space = " " if spaced(before, word) else ""
            elif before is not None:
                last = pieces[-1]
                if _HYPHENATED.search(last[0]) and word.text[:1].islower():
                    pieces[-1] = (last[0][:-1], last[1], last[2])
                elif not _glued(before.text, word.text):
                    space = " "
            pieces.append((space + word.text, word, line))
            before = word
    return pieces


def _glued(before: str, after: str) -> bool:
    """Whether no space stands between the end of one line and the start of the next."""
    if before.endswith("-") and len(before) > 1 and before[-2].isalnum():
        return True
    return is_cjk(before[-1]) and is_cjk(after[0])


def _mark(word: Word) -> str:
    return _style(word) if any(char.isalnum() for char in word.text) else ""


def _style(word: Word) -> str:
    return ("**" if word.bold else "") + ("_" if word.italic else "")


def _raised(text: str, word: Word, line: Line) -> str:
    if word.size >= _SMALL * line.size or len(text) > _LONGEST_SCRIPT or not _SCRIPT.search(text):
        return text
    body = [other for other in line.words if other.size >= _SMALL * line.size]
    bottom = max((other.box.y1 for other in body), default=line.box.y1)
    if word.box.y1 < bottom - _RAISED_EM * line.size:
        return f"<sup>{text}</sup>"
    # Small capitals stand on the line: their box ends a little above that of the larger letters.
    if word.box.y1 > bottom - _ON_LINE_EM * line.size and not (len(text) > 3 and text.isupper()):
        return f"<sub>{text}</sub>"
    return text
