r"""The column specification of a ``tabular``: ``|l|p{3cm}|*{3}{c}|``."""

from __future__ import annotations

import re

_MOST_COLUMNS = 1_000
# What may stand in one; anything else is the first cell of a table whose specification is missing.
_ALLOWED = frozenset("lcrLCRXJSNDdPpmbMBwWV|:!@><*.,;()[]0123456789=+- \t\n")
_COMMAND = re.compile(r"\\[A-Za-z]+")
# "S[table-format=2.1]", "X[2,c]".
_OPTION = re.compile(r"(?<=[A-Za-z])\[[^\[\]{}\n]{0,80}\]")
_REPEAT = re.compile(r"\s*\{([0-9]{1,6})\}\s*(?=\{)")
_COLUMNS = frozenset("lcrLCRXJSNDdPpmbMBwWV")


def looks_like_spec(text: str) -> bool:
    r"""Whether a group behind ``\begin{tabular}`` is a specification and no text."""
    return len(text) < 2_000 and _ALLOWED.issuperset(_COMMAND.sub("", _without_arguments(text)))


def count_columns(text: str) -> int:
    """How many columns a specification declares, 1,000 at most."""
    text = _OPTION.sub("", text)
    total = 0
    # Of each open repeat: its factor, the depth of its group, the columns before it.
    repeats: list[tuple[int, int, int]] = []
    depth = 0
    position = 0
    while position < len(text):
        character = text[position]
        if character == "*":
            match = _REPEAT.match(text, position + 1)
            if match:
                repeats.append((int(match[1]), depth, total))
                total = 0
                position = match.end()
                depth += 1
        elif character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if repeats and repeats[-1][1] == depth:
                factor, _, before = repeats.pop()
                total = min(_MOST_COLUMNS, before + factor * total)
        elif character in _COLUMNS and depth == len(repeats):
            total += 1
        position += 1
    while repeats:
        total += repeats.pop()[2]
    return min(_MOST_COLUMNS, total)


def _without_arguments(text: str) -> str:
    """The letters outside of inner groups and options: ``p{3cm}`` and ``S[...]`` have any text inside."""
    pieces: list[str] = []
    depth = 0
    for character in _OPTION.sub("", text):
        if character == "{":
            depth += 1
        elif character == "}":
            depth = max(0, depth - 1)
        elif not depth:
            pieces.append(character)
    return "".join(pieces)
