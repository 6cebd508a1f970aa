"""HTML tables in a body: a small reader of the few tags that tables are made of.

Only those tags are tags; ``<LOQ`` and ``a < b`` are text. Nothing is ever an error.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

from .found import FoundTable
from .grid import table_from_free_cells
from .latex_cells import span_number
from .source_cell import Row, SourceCell, cell_text

# Most cells are words between two tags: such a cell is found whole.
_TAG = re.compile(
    r"<t(?P<kind>[dh])>(?P<words>[^<>&]*)</t(?P=kind)>"
    r"|<(?P<slash>/?)"
    r"(?P<name>t[rdh]|table|caption|thead|tbody|tfoot|colgroup|col|br|b|strong|i|em|p|div|span)"
    r"(?P<attributes>(?:\s[^<>]{0,400})?)/?>",
    re.IGNORECASE,
)
_SPAN = re.compile(r"\b(row|col)span\s{0,4}=\s{0,4}[\"']?\s{0,4}([0-9]{1,9})", re.IGNORECASE)
_SPACES = re.compile(r"[ \t\n]+")
_MARKS = {"b": "**", "strong": "**", "i": "_", "em": "_"}
_INLINE = frozenset({"br", "p", "div", "span", *_MARKS})


def find_html_tables(body: str) -> list[str | FoundTable]:
    """Split a body into words and HTML tables."""
    reader = _Reader(body)
    position = 0
    for match in _TAG.finditer(body):
        start, end = match.span()
        if position < start:
            reader.text(body[position:start])
        kind, words, *tag = match.groups()
        if kind:
            reader.whole_cell(start, words, is_head=kind in "hH")
        else:
            reader.tag(match, *tag)
        position = end
    reader.text(body[position:])
    reader.end_table(len(body), cut=reader.depth > 0)
    reader.end_words()
    return reader.parts


@dataclass(slots=True)
class _Reader:
    body: str
    parts: list[str | FoundTable] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    head_flags: list[bool] = field(default_factory=list)
    pieces: list[str] | None = None
    cell: SourceCell = field(default_factory=SourceCell)
    last_cell: SourceCell = field(default_factory=SourceCell)
    depth: int = 0
    start: int = 0
    in_head: bool = False
    has_body: bool = False
    has_head_cell: bool = False

    def text(self, text: str) -> None:
        if self.pieces is not None:
            self.pieces.append(_words(text))
        elif text.strip():
            self._stray(text)

    def _stray(self, text: str) -> None:
        """Words in a table but in no cell belong to the cell before them, if there is one."""
        if self.rows and self.rows[-1]:
            cell = self.last_cell
            cell.text = f"{cell.text} {_words(text).strip()}".strip()
        else:
            self.words.append(text)

    def whole_cell(self, position: int, words: str, *, is_head: bool) -> None:
        """Read a cell of words alone, with its two tags."""
        if self.depth > 1:
            for text in (" ", words, " "):
                self.text(text)
            return
        self._end_cell()
        self._begin_cell(position, "", is_head=is_head)
        self.cell.text = _SPACES.sub(" ", words).strip()
        self._add_cell()

    def tag(self, match: re.Match[str], slash: str, name: str, attributes: str) -> None:
        """Read a tag."""
        name = name.lower()
        closing = slash == "/"
        if name == "table":
            self._table(match, closing=closing)
        elif name in _INLINE:
            self._inline(match[0], name, closing=closing)
        elif self.depth > 1:
            # A table in a cell is text of that cell.
            self.text(" ")
        elif name in ("td", "th"):
            self._end_cell()
            if not closing:
                self._begin_cell(match.start(), attributes, is_head=name == "th")
        elif name == "tr":
            self._end_cell()
            if not closing:
                self._begin_row(match.start())
        elif name in ("thead", "tbody", "tfoot"):
            self._end_cell()
            self.in_head = name == "thead" and not closing
            self.has_body = self.has_body or name == "tbody"

    def _table(self, match: re.Match[str], *, closing: bool) -> None:
        if not closing:
            if self.depth == 0:
                self.end_table(match.start(), cut=False)
                self.end_words()
                self.start = match.start()
            self.depth += 1
        elif self.depth > 1:
            self.depth -= 1
        else:
            self.depth = 0
            self.end_table(match.end(), cut=False)

    def _inline(self, source: str, name: str, *, closing: bool) -> None:
        if self.pieces is None:
            self.words.append(source if name not in ("p", "div", "span") else "\n" * (name != "span"))
        elif name in _MARKS:
            self.pieces.append(_MARKS[name])
        elif name == "br" or (name != "span" and closing):
            self.pieces.append("\n")

    def _begin_row(self, position: int) -> None:
        if not self.rows:
            self.end_words()
            if self.depth == 0:
                self.start = position
        self.rows.append([])
        self.head_flags.append(self.in_head)

    def _begin_cell(self, position: int, attributes: str, *, is_head: bool) -> None:
        if not self.rows:
            self._begin_row(position)
        self.cell = SourceCell(is_head=is_head)
        self.has_head_cell = self.has_head_cell or is_head
        for kind, number in _SPAN.findall(attributes) if attributes else ():
            if kind.lower() == "row":
                self.cell.rowspan = span_number(number)
            else:
                self.cell.colspan = span_number(number)
        self.pieces = []

    def _end_cell(self) -> None:
        if self.pieces is None:
            return
        text = "".join(self.pieces)
        if "\n" in text or "  " in text:
            text = "\n".join(_SPACES.sub(" ", line).strip() for line in text.split("\n")).strip("\n")
        self.cell.text = text.strip()
        self._add_cell()

    def _add_cell(self) -> None:
        self.rows[-1].append(self.cell)
        self.last_cell = self.cell
        self.pieces = None

    def end_table(self, position: int, *, cut: bool) -> None:
        self._end_cell()
        if not any(self.rows):
            self.rows, self.head_flags = [], []
            return
        source = self.body[self.start : position]
        grid = table_from_free_cells(self.rows, header_rows=self._header_rows())
        if grid is None:
            self.parts.append("\n".join(" ".join(map(cell_text, row)) for row in self.rows))
        else:
            self.parts.append(FoundTable(grid, source, cut))
        self.rows, self.head_flags = [], []
        self.in_head = self.has_body = self.has_head_cell = False

    def _header_rows(self) -> int | None:
        """As the source marks them: by ``thead``, or by a ``tbody`` without any ``th``; None to look."""
        leading = 0
        while leading < len(self.head_flags) and self.head_flags[leading]:
            leading += 1
        if leading:
            return leading
        return 0 if self.has_body and not self.has_head_cell else None

    def end_words(self) -> None:
        text = "".join(self.words).strip()
        if text:
            self.parts.append(text)
        self.words = []


def _words(text: str) -> str:
    """The text of a piece between two tags, with single spaces."""
    return _SPACES.sub(" ", html.unescape(text) if "&" in text else text)
