r"""The tokens of a LaTeX table, and which brace, environment and formula ends where.

The model's LaTeX is a transcription: groups are closed twice or never, ``%``, ``#`` and ``$`` are text. So
a brace counts only if its partner stands in the same cell; any other brace is dropped. Two passes over the
text, both linear. Most of a table is cells of plain text: a run of them is one token.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import IntEnum


class Kind(IntEnum):
    """What a token is."""

    TEXT = 0
    BEGIN = 1
    END = 2
    ROW_END = 3
    COMMAND = 4
    ESCAPE = 5
    OPEN = 6
    CLOSE = 7
    DOLLAR = 8
    BREAK = 9
    # Ends of cells and rows, with the plain text behind each: "& a & 5\\% \\\\ c".
    CELLS = 10
    # A caption with its group; its text is that of the group.
    CAPTION = 11


_LENGTH = r"\[[ ]?-?[0-9.]{1,8}[ ]?(?:pt|ex|em|cm|mm|in|bp|pc|sp|\\[a-z]{4,16})[ ]?\]"
# "R&amp;D": no cell begins with "amp;".
_ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&nbsp;": " "}
_ENTITY = "|".join(_ENTITIES)
_ANY_ENTITY = re.compile(_ENTITY)
_CELL_END = rf"&(?!(?:{'|'.join(name[1:] for name in _ENTITIES)}))"
# Without a row end, so that one whose brace was left out takes no rows with it.
_SIGN = r"[^{}\\]|\\[^\\]"
_CAPTION = (
    rf"\\caption\*?(?:\[[^\]\n]{{0,400}}\])?\{{(?P<words>(?:{_SIGN}|\{{(?:{_SIGN}){{0,400}}\}}){{0,2000}})\}}"
)
_ADDRESS = r"(?:[^{}\s\\]|\\[^A-Za-z\s\\])*"
_TOKENS = (
    rf"|(?P<caption>{_CAPTION})"
    # In an address "&" ends no cell.
    rf"|(?P<url>\\(?:url|nolinkurl|path)\{{(?P<address>{_ADDRESS})\}})"
    rf"|(?P<link>\\href\{{{_ADDRESS}\}}(?=\{{))"
    r"|(?P<env>\\(?P<which>begin|end)[ ]{0,4}\{(?P<name>[A-Za-z]{1,24}\*?)\})"
    rf"|(?P<row_end>\\\\(?:\*(?=[\s\[]|\Z))?(?:[ ]?{_LENGTH})?)"
    r"|(?P<command>\\[A-Za-z]+(?:\*(?=[\[{]))?)(?P<option>\[[^\[\]{}&\\\n]{0,40}\])?"
    r"|(?P<escape>\\[^A-Za-z])"
    r"|(?P<line_break><[bB][rR][ ]{0,4}/?>)"
    r"|(?P<single>[{}$])"
    rf"|(?P<entity>{_ENTITY})"
    r"|[^\\{}&$<]+|[\\<]"
)
# Escapes that are always the bare character belong to plain text, too.
_PLAIN = r"[^\\{}&$<]*(?:\\[%#$][^\\{}&$<]*)*"
_TOKEN = re.compile(rf"(?P<cells>(?:(?:{_CELL_END}|\\\\(?!\*|[ ]?\[)){_PLAIN})+)" + _TOKENS)
# In a body with a path ("C:\\dir") the row ends have to be looked at one by one.
_TOKEN_NEAR_PATHS = re.compile(rf"(?P<cells>(?:{_CELL_END}{_PLAIN})+)" + _TOKENS)
# Of the groups that say all about their token.
_KINDS: dict[str | None, Kind] = {
    None: Kind.TEXT,
    "cells": Kind.CELLS,
    "escape": Kind.ESCAPE,
    "row_end": Kind.ROW_END,
    "line_break": Kind.BREAK,
}
_SINGLE = {"{": Kind.OPEN, "}": Kind.CLOSE, "$": Kind.DOLLAR}
_DRIVE = re.compile(r"(?:^|[^A-Za-z0-9])[A-Za-z]:\Z")
_ROW_COMMANDS = frozenset({"tabularnewline", "cr", "crcr"})
TABLE_ENVIRONMENTS = frozenset(
    [
        "tabular",
        "tabular*",
        "tabularx",
        "tabulary",
        "tabu",
        "longtable",
        "longtabu",
        "xltabular",
        "supertabular",
        "array",
    ]
)


@dataclass(slots=True)
class Token:
    """One token.

    Attributes:
        kind: What it is.
        text: Its source; for an environment its name, for a command its name without the backslash.
        start: Where it starts in the source.
        end: Where it ends.
        option: The bracketed option right behind a command, with its brackets, or empty.
    """

    kind: Kind
    text: str
    start: int
    end: int
    option: str = ""


@dataclass(slots=True)
class Structure:
    r"""What belongs together; all numbers are indices of tokens.

    Attributes:
        group_end: From the ``{`` of a sound group to its ``}``.
        math_end: From the delimiter that opens a formula to the one that closes it.
        env_end: From a ``\begin`` to its ``\end``; one without an end points behind the last token.
        lone_ends: Each ``\end`` without a beginning.
    """

    group_end: dict[int, int] = field(default_factory=dict)
    math_end: dict[int, int] = field(default_factory=dict)
    env_end: dict[int, int] = field(default_factory=dict)
    lone_ends: list[int] = field(default_factory=list)


def has_entity(source: str) -> bool:
    """Whether a body holds a character written as in HTML."""
    return ";" in source and _ANY_ENTITY.search(source) is not None


def tokenize(source: str) -> list[Token]:
    """Take a body apart; the tokens cover all of it."""
    tokens: list[Token] = []
    in_path = False
    may_be_path = ":\\\\" in source
    for match in (_TOKEN_NEAR_PATHS if may_be_path else _TOKEN).finditer(source):
        group = match.lastgroup
        start, end = match.span()
        text = match[0]
        option = ""
        kind = _KINDS.get(group)
        if kind is None:
            if group == "single":
                kind = _SINGLE[text]
            elif group == "entity":
                kind, text = Kind.TEXT, _ENTITIES[text]
            elif group == "caption":
                kind, text = Kind.CAPTION, match["words"].strip()
            elif group == "url":
                kind, text = Kind.TEXT, _address(match["address"])
            elif group == "link":
                kind, text = Kind.TEXT, ""
            elif group == "env":
                kind, text = (Kind.BEGIN if match["which"] == "begin" else Kind.END), match["name"]
            else:
                text, option = match["command"][1:], match["option"] or ""
                kind = Kind.ROW_END if text in _ROW_COMMANDS else Kind.COMMAND
        if may_be_path:
            if kind is Kind.ROW_END:
                in_path = _is_path(source, match, in_path)
                if in_path:
                    # "C:\\dir": the backslash of a file name, doubled.
                    kind, text = Kind.TEXT, "\\"
            elif in_path and (kind is not Kind.TEXT or any(character.isspace() for character in text)):
                in_path = False
        tokens.append(Token(kind, text, start, end, option))
    return tokens


def _address(source: str) -> str:
    """An address as it is, without LaTeX's escapes."""
    return _ANY_ENTITY.sub(lambda match: _ENTITIES[match[0]], source.replace("\\", ""))


def _is_path(source: str, match: re.Match[str], in_path: bool) -> bool:
    following = source[match.end() : match.end() + 1]
    before = source[max(0, match.start() - 3) : match.start()]
    if not (following.isalnum() or following == "_") or match.end() - match.start() != 2:
        return False
    return in_path or _DRIVE.search(before) is not None


def find_structure(tokens: list[Token]) -> Structure:
    """Match braces, formulas and environments."""
    finder = _Finder(Structure(), [_Level("", -1)])
    for index, token in enumerate(tokens):
        if token.kind is not Kind.TEXT:
            finder.take(index, token, tokens)
    open_begins = [level.begin for level in finder.levels[1:]]
    finder.structure.env_end.update(dict.fromkeys(open_begins, len(tokens)))
    _pair_misnamed_ends(tokens, finder.structure, open_begins)
    return finder.structure


def _pair_misnamed_ends(tokens: list[Token], structure: Structure, open_begins: list[int]) -> None:
    r"""Let ``\end{array}`` end the ``tabular`` before it, if nothing else does and no rows follow."""
    begins = [index for index in reversed(open_begins) if tokens[index].text in TABLE_ENVIRONMENTS]
    open_tables: list[int] = []
    kept: list[int] = []
    for end in structure.lone_ends:
        while begins and begins[-1] < end:
            open_tables.append(begins.pop())
        if open_tables and tokens[end].text in TABLE_ENVIRONMENTS and not _rows_follow(tokens, end):
            structure.env_end[open_tables.pop()] = end
        else:
            kept.append(end)
    structure.lone_ends = kept


def _rows_follow(tokens: list[Token], index: int) -> bool:
    """Whether ends of cells or rows stand behind a token, before a table begins or ends."""
    for following in range(index + 1, len(tokens)):
        token = tokens[following]
        if token.kind is Kind.CELLS or token.kind is Kind.ROW_END:
            return True
        if token.kind in (Kind.BEGIN, Kind.END) and token.text in TABLE_ENVIRONMENTS:
            return False
    return False


@dataclass(slots=True)
class _Level:
    """One open environment, with what is open inside of it."""

    name: str
    begin: int
    braces: list[int] = field(default_factory=list)
    math: int | None = None
    dollar: int | None = None


@dataclass(slots=True)
class _Finder:
    structure: Structure
    levels: list[_Level]
    open_names: dict[str, int] = field(default_factory=dict)

    def take(self, index: int, token: Token, tokens: list[Token]) -> None:
        level = self.levels[-1]
        kind = token.kind
        if kind is Kind.OPEN:
            level.braces.append(index)
        elif kind is Kind.CLOSE:
            if level.braces:
                self.structure.group_end[level.braces.pop()] = index
        elif kind is Kind.CELLS:
            level.dollar = None
            if "&" in token.text:
                # Nothing reaches out of its cell.
                level.braces.clear()
                level.math = None
        elif kind is Kind.ESCAPE:
            if token.text in ("\\(", "\\["):
                level.math = index
            elif token.text in ("\\)", "\\]") and level.math is not None:
                if tokens[level.math].text == ("\\(" if token.text == "\\)" else "\\["):
                    self.structure.math_end[level.math] = index
                level.math = None
        elif kind is Kind.DOLLAR:
            self._take_dollar(index, level, tokens)
        elif kind is Kind.ROW_END:
            level.dollar = None
        elif kind is Kind.BEGIN:
            self.levels.append(_Level(token.text, index))
            self.open_names[token.text] = self.open_names.get(token.text, 0) + 1
        elif kind is Kind.END:
            self._take_end(index, token.text)

    def _take_dollar(self, index: int, level: _Level, tokens: list[Token]) -> None:
        """``$x^2$`` is a formula, ``$5 to $9`` is money: a formula has no blank inside of its signs."""
        before = tokens[index - 1].text[-1:] if index else ""
        after = tokens[index + 1].text[:1] if index + 1 < len(tokens) else ""
        if level.dollar is not None and before.strip() and not after.isdigit():
            self.structure.math_end[level.dollar] = index
            level.dollar = None
        elif after.strip() and tokens[index + 1].kind not in (Kind.CELLS, Kind.ROW_END):
            level.dollar = index

    def _take_end(self, index: int, name: str) -> None:
        if not self.open_names.get(name):
            self.structure.lone_ends.append(index)
            return
        while True:
            level = self.levels.pop()
            self.open_names[level.name] -= 1
            self.structure.env_end[level.begin] = index
            if level.name == name:
                return
