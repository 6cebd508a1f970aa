r"""The inline Markdown that the model prints, as a flat list of nodes: text, breaks, formulas, paired marks.

Made for ``**bold**``, ``_italic_``, ``<sup>``, ``<sub>``, ``<u>``, ``<br>``, ``\(math\)`` and escaped
punctuation. It is careful rather than complete: ``foo_bar_baz``, ``5*3*2``, ``<LOQ`` and ``$5`` are text.
Marks are in the result only in pairs that nest; any other mark is text. The time is linear.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
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


_SPECIAL = re.compile(r"[\\*_<]")
_TOKEN = re.compile(
    r"\\[()\[\]]"  # math delimiters
    r"|\\[!-/:-@\[-`{-~]"  # an escaped character
    r"|\*{1,6}|_{1,3}"
    r"|<br[ \t]{0,4}/?>[ \t]*\n?[ \t]*"
    r"|</?(?:sup|sub|u|b|i|em|strong)>"
    r"|\n[ \t]*\n\s*",
    re.IGNORECASE,
)
_TAGS = {"b": "strong", "strong": "strong", "i": "em", "em": "em", "u": "u", "sup": "sup", "sub": "sub"}
_MARKS = {1: "em", 2: "strong", 3: "strong em"}
_MATH_HINT = re.compile(r"[\\^_={}]")


def parse_inline(markdown: str) -> list[Node]:
    """Take one block or one table cell apart."""
    if not _SPECIAL.search(markdown):
        return [Node("text", markdown)] if markdown else []
    return _Parser(markdown, list(_TOKEN.finditer(markdown))).parse()


@dataclass(slots=True)
class _Parser:
    source: str
    tokens: list[re.Match[str]]
    nodes: list[Node] = field(default_factory=list)
    # Open marks: how they were written, and where they are in the nodes.
    opened: list[tuple[str, int]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def parse(self) -> list[Node]:
        math_end = self._find_math_ends()
        position = index = 0
        while index < len(self.tokens):
            match = self.tokens[index]
            self._text(self.source[position : match.start()])
            end = math_end.get(index)
            if end is not None:
                inner = self.source[match.end() : self.tokens[end].start()]
                # "\[1\]" is an escaped bracket far more often than a formula.
                if match[0] == "\\(" or _MATH_HINT.search(inner, 0, 200):
                    self.nodes.append(Node("math", inner.strip()))
                    position = self.tokens[end].end()
                    index = end + 1
                    continue
            self._take(match)
            position = match.end()
            index += 1
        self._text(self.source[position:])
        return self.nodes

    def _find_math_ends(self) -> dict[int, int]:
        r"""For each ``\(`` and ``\[`` the index of the token that closes it."""
        ends: dict[int, int] = {}
        next_close = {"\\)": -1, "\\]": -1}
        for index in range(len(self.tokens) - 1, -1, -1):
            text = self.tokens[index][0]
            if text in next_close:
                next_close[text] = index
            elif text == "\\(" and next_close["\\)"] >= 0:
                ends[index] = next_close["\\)"]
            elif text == "\\[" and next_close["\\]"] >= 0:
                ends[index] = next_close["\\]"]
        return ends

    def _text(self, text: str) -> None:
        if text:
            self.nodes.append(Node("text", text))

    def _take(self, match: re.Match[str]) -> None:
        text = match[0]
        if text[0] == "\\":
            self._text(text[1])
        elif text[0] in "*_":
            self._take_mark(match)
        elif text[0] == "<":
            tag = text.rstrip().lower()
            if tag.startswith("<br"):
                self._break_line()
            elif tag.startswith("</"):
                self._close(f"<{tag[2:]}", _TAGS[tag[2:-1]], text)
            else:
                self._open(tag, text)
        else:
            # Marks do not reach over paragraphs.
            self.opened.clear()
            self.counts.clear()
            self._text(text)

    def _break_line(self) -> None:
        if self.nodes and self.nodes[-1].kind == "text":
            text = self.nodes.pop().value.rstrip(" \t")
            self._text(text)
        self.nodes.append(Node("break"))

    def _take_mark(self, match: re.Match[str]) -> None:
        mark = match[0]
        before = self.source[match.start() - 1 : match.start()]
        after = self.source[match.end() : match.end() + 1]
        opens = bool(after) and not after.isspace()
        closes = bool(before) and not before.isspace()
        if mark[0] == "_" or len(mark) == 1:
            # Inside of a word, or between digits, these are characters and no marks.
            opens = opens and not _is_word(before)
            closes = closes and not _is_word(after)
        name = _MARKS.get(len(mark), "strong")
        if closes and self.counts.get(mark):
            self._close(mark, name, mark)
        elif opens:
            self._open(mark, mark)
        else:
            self._text(mark)

    def _open(self, written: str, text: str) -> None:
        self.opened.append((written, len(self.nodes)))
        self.counts[written] = self.counts.get(written, 0) + 1
        # Text until its partner is found.
        self.nodes.append(Node("text", text))

    def _close(self, written: str, name: str, text: str) -> None:
        if not self.counts.get(written):
            self._text(text)
            return
        while True:
            # What was opened in between and not closed is text.
            opened, index = self.opened.pop()
            self.counts[opened] -= 1
            if opened == written:
                break
        self.nodes[index] = Node("open", name)
        self.nodes.append(Node("close", name))


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
