r"""What the model prints that is no text (``<tbc>``, ``\unknown``), and characters that no store takes."""

from __future__ import annotations

import re
from typing import NamedTuple

# Each alternative begins with a character, so that the search skips all others.
_ARTEFACT = re.compile(
    r"<(?ai:tbc)>|\\(?ai:unknown)(?![A-Za-z])(?:\{\})?|<\|(?ai:unk)\|\\?>|\\<\|(?ai:unk)\|\\?>"
)
# NUL and other controls: databases and JSON refuse them.
_CONTROL = bytes([*range(9), 11, 12, *range(14, 32), 127])
_LINE_END = re.compile("\r\n?")


class CleanBody(NamedTuple):
    """A body without artefacts.

    Attributes:
        text: What is left.
        continues_before: ``<tbc>`` stood at the start.
        continues_after: ``<tbc>`` stood at the end.
        unreadable: How many unreadable glyphs were marked.
    """

    text: str
    continues_before: bool = False
    continues_after: bool = False
    unreadable: int = 0


def storable(text: str) -> str:
    r"""The text without control characters and lone surrogates, with ``\n`` as the only line end."""
    if "\r" in text:
        text = _LINE_END.sub("\n", text)
    # In UTF-8 a byte below 128 is that character and no part of another; lone surrogates have no bytes.
    return text.encode("utf-8", "ignore").translate(None, _CONTROL).decode("utf-8")


def clean_body(body: str, *, only_continuation: bool = False) -> CleanBody:
    """Take the artefacts out of a body and say what they meant.

    Args:
        body: As printed.
        only_continuation: Take out ``<tbc>`` at the start and at the end, and nothing else (code).
    """
    if "<" not in body and "\\" not in body:
        return CleanBody(body)
    pieces: list[str] = []
    position = unreadable = 0
    before = after = False
    first_word = len(body) - len(body.lstrip())
    last_word = len(body.rstrip())
    for match in _ARTEFACT.finditer(body):
        is_continuation = "tbc" in match[0].lower()
        if only_continuation and not (
            is_continuation and (match.start() == first_word or match.end() == last_word)
        ):
            continue
        pieces.append(body[position : match.start()])
        position = match.end()
        if is_continuation:
            before = before or match.start() == first_word
            after = after or match.end() == last_word
        else:
            unreadable += 1
            position = _skip_one_space(body, pieces, position)
    if not position:
        return CleanBody(body)
    pieces.append(body[position:])
    return CleanBody("".join(pieces), before, after, unreadable)


def _skip_one_space(body: str, pieces: list[str], end: int) -> int:
    """Where white space stands on both sides of a lost glyph, one space is enough."""
    if body[end : end + 1] != " ":
        return end
    before = next((piece for piece in reversed(pieces[-2:]) if piece), "")
    return end + 1 if not before or before[-1] in " \n\t" else end
