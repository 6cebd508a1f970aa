"""The text of one cell while it is read: pieces of Markdown, with white space settled at the end."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .source_cell import SourceCell

_SPACES = re.compile(r"[ \t]{2,}|\t")
_AROUND_BREAK = re.compile(r" *\n *")
# A span of more rows than any page has lines says nothing beyond "to the end".
LONGEST_SPAN = 10_000


@dataclass(slots=True)
class CellText:
    """A cell that is being read."""

    pieces: list[str] = field(default_factory=list)
    rowspan: int = 1
    colspan: int = 1
    is_head: bool = False
    spans_columns: bool = False
    has_text: bool = False
    eat_space: bool = False

    def add(self, text: str) -> None:
        """Add text; a line end in it is a space."""
        text = text.replace("\n", " ")
        if self.eat_space:
            text = text.lstrip(" \t")
            self.eat_space = not text
        if text:
            self.pieces.append(text)
            self.has_text = self.has_text or not text.isspace()

    def add_raw(self, text: str) -> None:
        """Add text that stays as it is, such as a formula or a mark."""
        self.eat_space = False
        self.pieces.append(text)
        self.has_text = True

    def break_line(self) -> None:
        """Begin a new line inside of the cell."""
        self.eat_space = False
        self.pieces.append("\n")

    def last_character(self) -> str:
        """The last character so far, or empty."""
        return self.pieces[-1][-1:] if self.pieces else ""

    def open_mark(self, mark: str) -> int:
        """Open bold, italics or a script; white space behind the mark goes. Returns a handle to close it."""
        self.pieces.append(mark)
        self.eat_space = True
        return len(self.pieces) - 1

    def close_mark(self, handle: int, mark: str) -> None:
        """Close what ``open_mark`` opened; with nothing between, both marks go."""
        self.eat_space = False
        trailing = False
        while len(self.pieces) - 1 > handle and not self.pieces[-1].strip(" \t"):
            trailing = bool(self.pieces.pop()) or trailing
        if len(self.pieces) - 1 <= handle:
            del self.pieces[handle:]
        else:
            last = self.pieces[-1]
            stripped = last.rstrip(" \t")
            trailing = trailing or len(stripped) < len(last)
            self.pieces[-1] = stripped
            self.pieces.append(mark)
        if trailing:
            self.pieces.append(" ")

    def finished(self) -> SourceCell | str:
        """The cell with its white space settled; its text alone where there is no more to it."""
        text = "".join(self.pieces)
        if "  " in text or "\t" in text:
            text = _SPACES.sub(" ", text)
        if "\n" in text:
            text = around_breaks(text)
        text = text.strip(" \n")
        if self.rowspan == self.colspan == 1 and not self.is_head:
            return text
        return SourceCell(text, self.rowspan, self.colspan, self.is_head)


def one_line(text: str) -> str:
    """The text with every stretch of white space as one space."""
    text = text.replace("\n", " ")
    return _SPACES.sub(" ", text) if "  " in text or "\t" in text else text


def around_breaks(text: str) -> str:
    """The text without spaces around its line ends."""
    return _AROUND_BREAK.sub("\n", text)


def span_number(text: str) -> int:
    r"""The number of a ``\multicolumn`` or ``\multirow``; one where it is no number."""
    digits = text.strip()
    negative = digits.startswith("-")
    digits = digits.lstrip("-")
    if not (digits.isascii() and digits.isdigit()):
        return 1
    number = LONGEST_SPAN if len(digits) > 6 else max(1, min(LONGEST_SPAN, int(digits)))
    return -number if negative and number > 1 else number
