r"""The inline Markdown that the model prints, as a flat list of pieces: text, breaks, formulas, paired marks.

Made for ``**bold**``, ``_italic_``, ``<sup>``, ``<sub>``, ``<u>``, ``<br>``, ``\(math\)`` and escaped
punctuation. It is careful rather than complete: ``foo_bar_baz``, ``5*3*2``, ``<LOQ`` and ``$5`` are text.
Marks are in the result only in pairs that nest; any other mark is text. The time is linear.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

NodeKind = Literal["text", "break", "math", "open", "close"]
"""Text; a line break; a formula; the beginning and the end of what the value names."""


class Node(NamedTuple):
    """One piece.

    Attributes:
        kind: What it is.
        value: Its text without escapes, the formula without delimiters, or the name of a mark: "strong",
            "em", "sup", "sub" or "u"; several at once with a space between ("strong em").
    """

    kind: NodeKind
    value: str = ""


# Whether a text may be anything but one piece of text: what it finds begins a mark, an escape or a break.
has_marks = re.compile(r"[\\*_<]").search
# Each alternative begins with a character, so that the search skips all others. Case without regard to other
# scripts: a long s is no s.
_TOKEN = re.compile(
    r"(\\[!-/:-@\[-`{-~]"  # an escaped character, or a delimiter of a formula
    r"|\*\*{0,5}|__{0,2}"
    r"|<(?ai:br[ \t]{0,4}/?>[ \t]*\n?[ \t]*|/?(?:sup|sub|u|b|i|em|strong)>)"
    r"|\n[ \t]*\n\s*)"
)
_TAGS = {"b": "strong", "strong": "strong", "i": "em", "em": "em", "u": "u", "sup": "sup", "sub": "sub"}
_OPENING = frozenset(f"<{tag}>" for tag in _TAGS)
# What a closing tag closes, and its name.
_CLOSING = {f"</{tag}>": (f"<{tag}>", name) for tag, name in _TAGS.items()}
_MARKS = {1: "em", 2: "strong", 3: "strong em"}
_MATH_HINT = re.compile(r"[\\^_={}]")


def parse_inline(markdown: str) -> list[Node]:
    """Take one block or one table cell apart."""
    if not has_marks(markdown):
        return [Node("text", markdown)] if markdown else []
    kinds, values = inline_pieces(markdown)
    return [Node(kind, value) for kind, value in zip(kinds, values, strict=True) if value or kind != "text"]


def inline_pieces(markdown: str) -> tuple[list[NodeKind], list[str]]:
    """The kinds and the values of the pieces, as `Node` describes them, and texts that are empty."""
    # Text and tokens in turn. A token is text as it is written until something else is found in it.
    values = _TOKEN.split(markdown)
    kinds: list[NodeKind] = ["text"] * len(values)
    math_ends = _math_ends(values) if "\\(" in markdown or "\\[" in markdown else {}
    marks = _OpenMarks(kinds, values)
    after_math = 0
    # The token before, as written; of a formula its delimiter, which is neither a space nor a letter.
    previous = ""
    for index in range(1, len(values), 2):
        if index < after_math:
            continue
        token = values[index]
        first = token[0]
        if first == "\\":
            if index in math_ends and _take_formula(kinds, values, index, math_ends[index]):
                after_math = math_ends[index] + 1
            else:
                values[index] = token[1]
        elif first in "*_":
            before = values[index - 1] or previous
            after = values[index + 1] or (values[index + 2] if index + 2 < len(values) else "")
            marks.take(index, token, before[-1:], after[:1])
        elif first == "\n":
            # Marks do not reach over paragraphs.
            marks = _OpenMarks(kinds, values)
        else:
            tag = token.lower()
            if tag in _OPENING:
                marks.open(index, tag)
            elif tag in _CLOSING:
                marks.close(index, *_CLOSING[tag])
            else:
                _break_line(kinds, values, index)
        previous = token
    return kinds, values


def _math_ends(values: list[str]) -> dict[int, int]:
    r"""For each ``\(`` and ``\[`` the index of the token that closes it."""
    ends: dict[int, int] = {}
    round_end = square_end = 0
    for index in range(len(values) - 2, 0, -2):
        piece = values[index]
        if piece == "\\)":
            round_end = index
        elif piece == "\\]":
            square_end = index
        elif piece == "\\(" and round_end:
            ends[index] = round_end
        elif piece == "\\[" and square_end:
            ends[index] = square_end
    return ends


def _take_formula(kinds: list[NodeKind], values: list[str], start: int, end: int) -> bool:
    """Make one piece of a formula and its delimiters, if it is one."""
    inner = "".join(values[start + 1 : end])
    # "\[1\]" is an escaped bracket far more often than a formula.
    if values[start] == "\\[" and not _MATH_HINT.search(inner, 0, 200):
        return False
    kinds[start] = "math"
    values[start] = inner.strip()
    values[start + 1 : end + 1] = [""] * (end - start)
    return True


def _break_line(kinds: list[NodeKind], values: list[str], index: int) -> None:
    """Make a break of a tag, without the spaces before it."""
    before = index - 1 if values[index - 1] or index == 1 else index - 2
    if kinds[before] == "text":
        values[before] = values[before].rstrip(" \t")
    kinds[index] = "break"
    values[index] = ""


class _OpenMarks:
    """The marks of a paragraph that are open; in pairs they become pieces of their own."""

    __slots__ = ("_counts", "_kinds", "_opened", "_values")

    def __init__(self, kinds: list[NodeKind], values: list[str]) -> None:
        self._kinds = kinds
        self._values = values
        # How they were written, and where they are.
        self._opened: list[tuple[str, int]] = []
        self._counts: dict[str, int] = {}

    def take(self, index: int, mark: str, before: str, after: str) -> None:
        """Take stars or underscores for what the characters around them make of them."""
        opens = after != "" and not after.isspace()
        closes = before != "" and not before.isspace()
        if mark == "*" or mark[0] == "_":
            # Inside of a word, or between digits, these are characters and no marks.
            opens = opens and not (before.isalnum() or before == "_")
            closes = closes and not (after.isalnum() or after == "_")
        if closes and self._counts.get(mark):
            self.close(index, mark, _MARKS.get(len(mark), "strong"))
        elif opens:
            self.open(index, mark)

    def open(self, index: int, written: str) -> None:
        """Note a mark; it is text until its partner is found."""
        self._opened.append((written, index))
        self._counts[written] = self._counts.get(written, 0) + 1

    def close(self, index: int, written: str, name: str) -> None:
        """Make a pair of a mark and the last one that was written so; it is text if there is none."""
        if not self._counts.get(written):
            return
        while True:
            # What was opened in between and not closed is text.
            opened, start = self._opened.pop()
            self._counts[opened] -= 1
            if opened == written:
                break
        self._kinds[start] = "open"
        self._kinds[index] = "close"
        self._values[start] = self._values[index] = name
