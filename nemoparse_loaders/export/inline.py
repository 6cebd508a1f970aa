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
# The two nodes of a pair, for each way to write one.
_ENDS = {
    written: (Node("open", name), Node("close", name))
    for written, name in {
        "*": "em",
        "_": "em",
        "**": "strong",
        "__": "strong",
        "***": "strong em",
        "___": "strong em",
        "****": "strong",
        "*****": "strong",
        "******": "strong",
        "<b>": "strong",
        "<strong>": "strong",
        "<i>": "em",
        "<em>": "em",
        "<u>": "u",
        "<sup>": "sup",
        "<sub>": "sub",
    }.items()
}
_MATH_HINT = re.compile(r"[\\^_={}]")
_HINT_WITHIN = 200


def parse_inline(markdown: str) -> list[Node]:
    """Take one block or one table cell apart."""
    if not has_marks(markdown):
        return [Node("text", markdown)] if markdown else []
    texts, nodes = inline_pieces(markdown)
    pieces = [nodes.get(index) or Node("text", text) for index, text in enumerate(texts)]
    return [piece for piece in pieces if piece.value or piece.kind != "text"]


def inline_pieces(markdown: str) -> tuple[list[str], dict[int, Node]]:
    """Take a text with marks apart.

    Returns:
        What the pieces say, in order: marks nothing, a break a newline; and those that are no text, by their
        position.
    """
    # Text and tokens in turn. A token is text as it is written until something else is found in it.
    texts = _TOKEN.split(markdown)
    nodes: dict[int, Node] = {}
    math_ends = _math_ends(texts) if "\\(" in markdown or "\\[" in markdown else {}
    # Where the marks of this paragraph are that are open, for each way to write one.
    opened: dict[str, list[int]] = {}
    after_math = 0
    # The token before, as written; of a formula its delimiter, which is neither a space nor a letter.
    previous = ""
    for index in range(1, len(texts), 2):
        if index < after_math:
            continue
        token = texts[index]
        first = token[0]
        if first == "\\":
            if index in math_ends and _take_formula(texts, nodes, index, math_ends[index]):
                after_math = math_ends[index] + 1
            else:
                texts[index] = token[1]
        elif first in "*_":
            before = (texts[index - 1] or previous)[-1:]
            after = (texts[index + 1] or (texts[index + 2] if index + 2 < len(texts) else ""))[:1]
            if opened.get(token) and _may_mark(token, after, before):
                _make_pair(texts, nodes, opened, token, index)
            elif _may_mark(token, before, after):
                opened.setdefault(token, []).append(index)
        elif first == "\n":
            # Marks do not reach over paragraphs.
            opened.clear()
        elif token[1] == "/":
            tag = "<" + token[2:].lower()
            if opened.get(tag):
                _make_pair(texts, nodes, opened, tag, index)
        else:
            tag = token.lower()
            if tag in _ENDS:
                opened.setdefault(tag, []).append(index)
            else:
                _break_line(texts, nodes, index)
        previous = token
    return texts, nodes


def _may_mark(mark: str, outside: str, inside: str) -> bool:
    """Whether stars or underscores may begin or end something, by the characters on both sides, if any."""
    if not inside or inside.isspace():
        return False
    # Inside of a word, or between digits, these are characters and no marks.
    return not ((mark == "*" or mark[0] == "_") and (outside.isalnum() or outside == "_"))


def _make_pair(
    texts: list[str], nodes: dict[int, Node], opened: dict[str, list[int]], written: str, end: int
) -> None:
    """Make a pair of a mark and the last one that opens it; what was opened in between stays text."""
    start = opened[written].pop()
    nodes[start], nodes[end] = _ENDS[written]
    texts[start] = texts[end] = ""
    if len(opened) > 1:
        for others in opened.values():
            while others and others[-1] > start:
                others.pop()


def _math_ends(texts: list[str]) -> dict[int, int]:
    r"""For each ``\(`` and ``\[`` the index of the token that closes it."""
    ends: dict[int, int] = {}
    round_end = square_end = 0
    for index in range(len(texts) - 2, 0, -2):
        piece = texts[index]
        if piece == "\\)":
            round_end = index
        elif piece == "\\]":
            square_end = index
        elif piece == "\\(" and round_end:
            ends[index] = round_end
        elif piece == "\\[" and square_end:
            ends[index] = square_end
    return ends


def _take_formula(texts: list[str], nodes: dict[int, Node], start: int, end: int) -> bool:
    """Make one piece of a formula and its delimiters, if it is one."""
    # "\[1\]" is an escaped bracket far more often than a formula. Every other text is a token, and not empty.
    if texts[start] == "\\[":
        beginning = "".join(texts[start + 1 : min(end, start + 1 + 2 * _HINT_WITHIN)])
        if not _MATH_HINT.search(beginning, 0, _HINT_WITHIN):
            return False
    formula = "".join(texts[start + 1 : end]).strip()
    texts[start : end + 1] = [formula] + [""] * (end - start)
    nodes[start] = Node("math", formula)
    return True


def _break_line(texts: list[str], nodes: dict[int, Node], index: int) -> None:
    """Make a break of a tag, without the spaces before it."""
    before = index - 1 if texts[index - 1] or index == 1 else index - 2
    if before not in nodes:
        texts[before] = texts[before].rstrip(" \t")
    texts[index] = "\n"
    nodes[index] = Node("break")
