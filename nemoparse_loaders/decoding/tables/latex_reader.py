r"""One ``tabular`` to rows of cells: a loop over its tokens, without recursion, so any depth is safe."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .column_spec import count_columns
from .latex_accents import read_accent
from .latex_arguments import Arguments
from .latex_cells import CellText, one_line, span_number
from .latex_commands import (
    DECLARATIONS,
    LINE_BREAKS,
    LINED_BOXES,
    MATH_ENVIRONMENTS,
    OPERATORS,
    RULES,
    SKIPPED_ARGUMENTS,
    SPACES,
    STYLES,
    SYMBOLS,
)
from .latex_rows import TabularRows
from .latex_tokens import TABLE_ENVIRONMENTS, Kind, Structure, Token
from .latex_units import QUANTITIES, quantity_text
from .source_cell import Row

_RULE_OPTION = re.compile(r"\s*(?:\[[^\[\]\n]{0,40}\]|\((?:l|r|lr|rl|[lr]{0,2}\{[^{}]{0,20}\}){0,4}\))\s*")
_LENGTH_OPTION = re.compile(r"\s*\[\s*-?[0-9.]{0,8}\s*(?:[a-z]{2}|\\[A-Za-z]+)\s*\]")
_CELL_OR_ROW_END = re.compile(r"(&|\\\\)")
# Escapes that stay escaped in Markdown, because the bare character would be a mark.
_MARKDOWN_MARKS = frozenset("*_`")


def read_tabular(
    source: str, tokens: list[Token], structure: Structure, start: int, end: int, name: str
) -> TabularRows:
    r"""Read the rows between two tokens.

    Args:
        source: The whole body.
        tokens: Its tokens.
        structure: What belongs together.
        start: First token behind ``\begin{...}``, or of the rows where that is missing.
        end: The token of ``\end{...}``, or one behind the last.
        name: The environment; empty where its beginning is missing.
    """
    reader = _Reader(source, tokens, structure, end, Arguments(source, tokens, structure, end))
    index = reader.read_spec(start, name) if name else start
    while index < end:
        index = reader.take(index)
    reader.end_row(at_end=True)
    return reader.result


@dataclass(slots=True)
class _Reader:
    source: str
    tokens: list[Token]
    structure: Structure
    end: int
    arguments: Arguments
    result: TabularRows = field(default_factory=TabularRows)
    row: Row = field(default_factory=list)
    cell: CellText = field(default_factory=CellText)
    # From the token that closes a group to what has to be written there.
    closers: dict[int, tuple[int, str]] = field(default_factory=dict)
    open_groups: int = 0
    # The row end behind a caption ends no row.
    behind_caption: bool = False
    nested: int = 0
    bold: int = 0

    # --- rows and cells ---------------------------------------------------------------------------------

    def end_cell(self) -> None:
        self.row.append(self.cell.finished())
        self.cell = CellText()

    def end_row(self, *, at_end: bool = False) -> None:
        ends_caption, self.behind_caption = self.behind_caption, False
        if not (self.row or self.cell.has_text or self.cell.spans_columns) and (at_end or ends_caption):
            return
        self.end_cell()
        self.result.rows.append(self.row)
        self.row = []

    # --- tokens -----------------------------------------------------------------------------------------

    def take(self, index: int) -> int:
        """Read one token, or a command with its arguments; the index of the next one."""
        token = self.tokens[index]
        kind = token.kind
        if kind is Kind.TEXT:
            self.cell.add(token.text)
        elif kind is Kind.CELLS:
            self._take_cells(token.text)
        elif kind is Kind.ROW_END:
            self._take_row_end()
        elif kind is Kind.BREAK:
            self.cell.break_line()
        elif kind is Kind.CAPTION:
            self.result.captions.append(token.text)
            self.behind_caption = True
        elif kind is Kind.COMMAND:
            return self._take_command(index, token)
        elif kind is Kind.ESCAPE:
            return self._take_escape(index, token)
        elif kind is Kind.DOLLAR:
            after = self._take_formula(index)
            if after is not None:
                return after
            self.cell.add("$")
        elif kind is Kind.OPEN:
            if index in self.structure.group_end:
                self.open_groups += 1
                self.closers[self.structure.group_end[index]] = (-1, "")
            else:
                self.result.damage = "a group has no end"
        elif kind is Kind.CLOSE:
            self._close_group(index)
        elif kind is Kind.BEGIN:
            return self._take_begin(index, token)
        elif kind is Kind.END and token.text in TABLE_ENVIRONMENTS and self.nested:
            self.nested -= 1
        return index + 1

    def _take_row_end(self) -> None:
        if self.nested or self.open_groups:
            self.cell.break_line()
        else:
            self.end_row()

    def _take_cells(self, text: str) -> None:
        """Read ends of cells and rows with plain text behind each."""
        if self.nested or self.open_groups:
            for piece in _CELL_OR_ROW_END.split(text):
                if piece == "\\\\":
                    self._take_row_end()
                elif piece != "&":
                    self.cell.add(_unescaped(piece))
                elif self.nested:
                    self.cell.add(" ")
                else:
                    self.end_cell()
            return
        first, *lines = one_line(text).split("\\\\")
        if first:
            self.end_cell()
            self._add_cells(first[1:])
        if lines:
            self.end_row()
            last = lines.pop()
            self.result.rows.extend(
                [cell.strip(" ") for cell in _unescaped(line).split("&")] for line in lines
            )
            self._add_cells(last)

    def _add_cells(self, text: str) -> None:
        """Add cells of plain text; the last one stays open."""
        *whole, last = _unescaped(text).split("&")
        self.row.extend([cell.strip(" ") for cell in whole])
        self.cell.add(last)

    def _close_group(self, index: int) -> None:
        closer = self.closers.pop(index, None)
        if closer is None:
            self.result.damage = self.result.damage or "a group is closed twice"
            return
        self.open_groups -= 1
        handle, mark = closer
        if mark == "**":
            self.bold -= 1
        if mark == "_" and self._next_character(index + 1).isalnum():
            # Inside of a word the sign would be no mark.
            mark = ""
            if handle >= 0 and handle < len(self.cell.pieces):
                self.cell.pieces[handle] = ""
        if handle >= 0:
            self.cell.close_mark(handle, mark)

    def _next_character(self, index: int) -> str:
        if index < self.end and self.tokens[index].kind is Kind.TEXT:
            return self.tokens[index].text[:1]
        return ""

    def _take_begin(self, index: int, token: Token) -> int:
        if token.text in TABLE_ENVIRONMENTS:
            self.nested += 1
            return self.read_spec(index + 1, token.text, nested=True)
        end = self.structure.env_end.get(index, self.end)
        if token.text.rstrip("*") in MATH_ENVIRONMENTS and end < self.end:
            self.cell.add_raw(self.source[token.start : self.tokens[end].end].replace("\n", " "))
            return end + 1
        return index + 1

    def _take_formula(self, index: int) -> int | None:
        end = self.structure.math_end.get(index)
        if end is None or end >= self.end:
            return None
        text = self.source[self.tokens[index].start : self.tokens[end].end]
        self.cell.add_raw(" ".join(text.split()))
        return end + 1

    def _take_escape(self, index: int, token: Token) -> int:
        character = token.text[1]
        if character in "([":
            after = self._take_formula(index)
            if after is not None:
                return after
        after = self._take_accent(index)
        if after is not None:
            return after
        if character in ", \n\t;":
            # White space behind a command is eaten, but not this one.
            self.cell.eat_space = False
            self.cell.add(" ")
        elif character in _MARKDOWN_MARKS and not self._inside_word(index):
            self.cell.add_raw(token.text)
        else:
            self.cell.add_raw(character)
        return index + 1

    def _take_accent(self, index: int) -> int | None:
        accent = read_accent(self.arguments, index)
        if accent is None:
            return None
        letter, rest, after = accent
        self.cell.add_raw(letter)
        self.cell.add(rest)
        return after

    def _inside_word(self, index: int) -> bool:
        return self.cell.last_character().isalnum() and self._next_character(index + 1).isalnum()

    # --- commands ---------------------------------------------------------------------------------------

    def _take_command(self, index: int, token: Token) -> int:
        name = token.text
        if name in ("multicolumn", "multirow", "multirowcell", "multirowthead"):
            return self._take_span(index, name)
        if name in RULES:
            return self._take_rule(index, token)
        if name in STYLES:
            return self._take_style(index, name)
        if name in LINED_BOXES:
            self.cell.is_head = self.cell.is_head or name == "thead"
            return self._enter_group(index + 1)
        if name in SYMBOLS:
            return self._take_symbol(index, token, SYMBOLS[name])
        after = self._take_accent(index)
        if after is not None:
            return after
        if name in OPERATORS:
            self.cell.add_raw(OPERATORS[name])
            return self._after_option(index, token)
        if name in LINE_BREAKS:
            self.cell.break_line()
            return index + 1
        if name in SPACES:
            self.cell.add(" ")
            return index + 1
        if name in DECLARATIONS:
            self.cell.eat_space = True
            return index + 1
        if name in SKIPPED_ARGUMENTS:
            after = index + 1
            for _ in range(SKIPPED_ARGUMENTS[name]):
                after = self.arguments.skip_group(after)
            return self._enter_group(after)
        if name in ("diagbox", "backslashbox", "slashbox"):
            return self._take_diagonal(index)
        if name in QUANTITIES:
            return self._take_quantity(index, token)
        return self._take_unknown(index, token)

    def _take_unknown(self, index: int, token: Token) -> int:
        """A command that is not known gives its argument; without one it is text, such as a path."""
        group = self.arguments.group(index + 1)
        if group is not None:
            return self._enter_group(index + 1)
        self.cell.add(self.source[token.start : token.end])
        return index + 1

    def _take_symbol(self, index: int, token: Token, symbol: str) -> int:
        self.cell.add_raw(symbol)
        group = self.arguments.group(index + 1)
        if group == index + 2:
            # "\textless{}": the empty group only ends the command.
            return group + 1
        self.cell.eat_space = True
        return self._after_option(index, token)

    def _after_option(self, index: int, token: Token) -> int:
        if token.option:
            self.cell.add(token.option)
        return index + 1

    def _take_style(self, index: int, name: str) -> int:
        group = self.arguments.group(index + 1)
        if group is None:
            return index + 1
        before, after = STYLES[name]
        is_bold = before == "**"
        if is_bold:
            self.bold += 1
            if self.bold > 1:
                before = after = ""
        if before == "_" and self.cell.last_character().isalnum():
            before = after = ""
        inner = self.arguments.open_index(index + 1)
        self.open_groups += 1
        handle = self.cell.open_mark(before)
        # Bold inside of bold has no mark of its own, but is counted.
        self.closers[group] = (-1, "**") if is_bold and not after else (handle, after)
        return inner + 1

    def _take_span(self, index: int, name: str) -> int:
        r"""``\multicolumn{n}{spec}{text}``, ``\multirow[pos]{n}[struts]{width}[shift]{text}``."""
        count_group = self.arguments.group(index + 1)
        if count_group is None:
            return index + 1
        if name == "multicolumn" and self.cell.spans_columns and self.cell.has_text and not self.open_groups:
            # Two of them without an "&" between: each is a cell.
            self.end_cell()
        number = span_number(self.arguments.group_text(index + 1, count_group))
        if name == "multicolumn":
            self.cell.colspan = max(self.cell.colspan, abs(number))
            self.cell.spans_columns = True
        else:
            if self.cell.rowspan == 1:
                self.cell.rowspan = number
            self.cell.is_head = self.cell.is_head or name == "multirowthead"
        after = count_group + 1
        if name in ("multirowcell", "multirowthead"):
            return self._enter_group(after)
        return self._enter_group(self.arguments.skip_layout(after, is_row=name == "multirow"))

    def _take_rule(self, index: int, token: Token) -> int:
        if self.nested:
            self.cell.add(" ")
        elif self.row or self.cell.has_text:
            # A rule ends the row whose "\\" was left out.
            self.end_row()
        if not self.nested:
            above = len(self.result.rows)
            if token.text == "midrule":
                self.result.midrules.append(above)
            elif token.text in ("hline", "hdashline", "Xhline", "hlineB"):
                self.result.hlines.append(above)
        if token.option and not _LENGTH_OPTION.fullmatch(token.option):
            self.cell.add(token.option)
        after = index + 1
        for _ in range(RULES[token.text]):
            after = self.arguments.skip_group(after, option=_RULE_OPTION)
        return after

    def _take_diagonal(self, index: int) -> int:
        """Two texts in one cell, parted by a line."""
        found = self.arguments.texts(index + 1, 2)
        if found is None:
            return self._enter_group(index + 1)
        texts, after = found
        self.cell.add(" / ".join(texts))
        return after

    def _take_quantity(self, index: int, token: Token) -> int:
        n_numbers, has_unit = QUANTITIES[token.text]
        found = self.arguments.texts(index + 1, n_numbers + has_unit)
        if found is None:
            return self._take_unknown(index, token)
        texts, after = found
        self.cell.add(quantity_text(token.text, texts[:n_numbers], texts[-1] if has_unit else ""))
        return after

    # --- arguments --------------------------------------------------------------------------------------

    def read_spec(self, index: int, name: str, *, nested: bool = False) -> int:
        r"""Skip position, width and column specification behind a ``\begin``."""
        after, spec = self.arguments.skip_spec(index, name)
        if spec and not nested:
            self.result.declared_cols = count_columns(spec)
        return after

    def _enter_group(self, index: int) -> int:
        """Go on inside of the group that comes next; its end closes nothing but itself."""
        group = self.arguments.group(index)
        if group is None:
            return index
        self.open_groups += 1
        self.closers[group] = (-1, "")
        return self.arguments.open_index(index) + 1


def _unescaped(text: str) -> str:
    """Plain text without the backslashes that a run of cells may have."""
    return text.replace("\\", "") if "\\" in text else text
