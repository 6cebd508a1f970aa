"""Tables that go on on the next page, as one table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..document import ElementType, Table, TableCell
from ..export.markdown import FURNITURE
from .body import Placed
from .divided_rows import Beginnings, goes_on, rejoined
from .steps import ALL_STEPS, Steps

# What may stand between the two parts of a table without ending it; page headers where they were kept.
_PASSED_OVER = FURNITURE | {ElementType.FOOTNOTE.value, ElementType.CAPTION.value}
# Edges closer than this, of the page's width, stand above each other.
_SAME_EDGE = 0.03
_CONTINUED_WORD = (
    r"(?:cont(?:inued|inuation|['’]?d\.?|\.|(?=\s*[)\]]))|fortsetzung|forts\.|suite|continuación"
    r"|continuazione)(?!\w)"
)
# "(continued)", "- Suite", "Table 3, cont'd", "Fortsetzung von Seite 2", or the word alone at the end; not
# "Continued operations", "Contracts" or "Office suite".
_CONTINUED = re.compile(
    rf"[(\[–—-]\s*{_CONTINUED_WORD}|\d[.,:]?\s*{_CONTINUED_WORD}[\s.:)]*(?:\Z|[(–—:-])"
    rf"|(?<!\w){_CONTINUED_WORD}\s+(?:from|on|von|aus|de)\b|(?:\A|[.:,;]\s)\s*{_CONTINUED_WORD}[\s.]*\Z",
    re.IGNORECASE,
)
_LABEL = re.compile(r"\W*[^\W\d_]+\.?\s*(?P<number>[A-Z]?\d+(?:[.-]\d+)*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TablePart:
    """What one element gives to a table.

    Attributes:
        placed: The element.
        table: The element's own grid.
        first_row: Row of the whole table at which it begins; the last row of the part before where the page
            break divides that row.
        n_rows: Rows that it gives, one that it shares with the part before included.
        skipped: Rows at its top that repeat the header and are left out.
    """

    placed: Placed
    table: Table
    first_row: int
    n_rows: int
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class WholeTable:
    """A table with all of its parts."""

    table: Table
    parts: tuple[TablePart, ...]


def join_tables(
    body: Sequence[Placed], captions: Mapping[int, Sequence[Placed]], steps: Steps = ALL_STEPS
) -> dict[int, WholeTable]:
    """All tables of the body; parts on following pages are joined where that is certain.

    A table goes on if it is the last thing on its page, the first thing on the next page is a table with as
    many columns that have words, and that one has no caption but one that says so; and if it repeats the
    header rows, or has no header: it says so, the parser does, where the first one has a header of words its
    first row has numbers, or its first row is the rest of the last row before it (see `divided_rows`).

    A row that the page break divides is one row of the whole table, and of both parts.

    Returns:
        Position of the first part in the body -> the table. Later parts have no entry.
    """
    tables: list[_Growing] = []
    is_open = False
    for placed in body:
        table = placed.element.table
        if table is None or not table.n_rows or not table.n_cols:
            if placed.element.type not in _PASSED_OVER:
                is_open = False
            continue
        if not (is_open and steps.joins and _goes_on(tables[-1], placed, table, captions)):
            tables.append(_Growing(placed, table))
        is_open = True
    return {grown.parts[0].placed.position: grown.whole() for grown in tables}


def header_rows(table: Table) -> int:
    """Rows at the top that are headers, a cell that reaches further down included; not all rows."""
    header = min(table.header_rows, table.n_rows)
    for cell in table.cells:
        if cell.row < header:
            header = max(header, cell.row + cell.rowspan)
    return header if header < table.n_rows else 0


class _Growing:
    """A table to which parts are added.

    Attributes:
        first: The grid of its first part.
        header: Header rows of that.
        parts: In their order.
    """

    def __init__(self, placed: Placed, table: Table) -> None:
        """Begin with the first part."""
        self.first = table
        self.header = header_rows(table)
        self.parts = [TablePart(placed, table, 0, table.n_rows)]
        self._cells = list(table.cells)
        self._n_rows = table.n_rows
        # Cells from here on are of the last part, and some of them in its last row.
        self._last_part = 0
        self._ends: dict[int, int] | None = None
        self._beginnings = Beginnings()
        self._counted = 0

    def add(self, placed: Placed, table: Table, skipped: int) -> None:
        """Add a part whose columns are those of the first, without the rows at its top that are skipped."""
        is_divided = self.is_divided_before(table, skipped)
        first_row = self._n_rows - is_divided
        last_row = self._last_row() if is_divided else {}
        last_part = len(self._cells)
        for cell in table.cells:
            if cell.row < skipped:
                continue
            row, rowspan = cell.row - skipped + first_row, cell.rowspan
            if is_divided and cell.row == skipped:
                if cell.text.strip():
                    index = last_row[cell.col]
                    self._cells[index] = rejoined(self._cells[index], cell)
                    continue
                if rowspan == 1 or cell.row + 1 == table.n_rows:
                    continue
                # What is empty beside the rest goes on below it.
                row, rowspan = row + 1, rowspan - 1
            self._cells.append(cell.model_copy(update={"row": row, "rowspan": rowspan, "is_header": False}))
        # The part's own Markdown has its own grid.
        own = placed.element.table or table
        self.parts.append(TablePart(placed, own, first_row, table.n_rows - skipped, skipped))
        if first_row + table.n_rows - skipped > self._n_rows:
            self._n_rows = first_row + table.n_rows - skipped
            self._last_part, self._ends = last_part, None

    def is_divided_before(self, table: Table, skipped: int) -> bool:
        """Whether the first row of a part is the rest of the last row."""
        if self.first.n_cols < 2 or skipped >= table.n_rows:
            return False
        rest = [cell for cell in table.cells if cell.row == skipped]
        self._beginnings.add([cell for cell in self._cells[self._counted :] if cell.row >= self.header])
        self._counted = len(self._cells)
        last_row = {col: self._cells[index] for col, index in self._last_row().items()}
        return goes_on(last_row, rest, self._beginnings)

    def whole(self) -> WholeTable:
        """The table with all of its parts."""
        if len(self.parts) == 1:
            table = self.first.model_copy(update={"header_rows": self.header})
        else:
            cells, n_cols = tuple(self._cells), self.first.n_cols
            table = Table(cells=cells, n_rows=self._n_rows, n_cols=n_cols, header_rows=self.header)
        return WholeTable(table, tuple(self.parts))

    def _last_row(self) -> dict[int, int]:
        """First column -> index of the cell that stands in the last row or reaches into it."""
        if self._ends is None:
            self._ends = {
                cell.col: index
                for index, cell in enumerate(self._cells[self._last_part :], start=self._last_part)
                if cell.row < self._n_rows <= cell.row + cell.rowspan
            }
        return self._ends


def _goes_on(table: _Growing, placed: Placed, grid: Table, captions: Mapping[int, Sequence[Placed]]) -> bool:
    """Whether a grid is a further part of the table, which then holds it."""
    last = table.parts[-1].placed
    if placed.page.number != last.page.number + 1:
        return False
    own_captions = captions.get(placed.position, ())
    if not _say_it_goes_on(captions.get(table.parts[0].placed.position, ()), own_captions):
        return False
    own = _in_columns_of(table.first, grid)
    if own is None:
        return False
    header = table.header
    if 0 < header < own.n_rows and _rows(table.first, header) == _rows(own, header):
        table.add(placed, own, header)
        return True
    says_so = last.element.continues_after or placed.element.continues_before
    if says_so or (
        _same_width(last, placed)
        and (_has_no_header(table.first, header, own) or table.is_divided_before(own, 0))
    ):
        table.add(placed, own, 0)
        return True
    return False


def _say_it_goes_on(first: Sequence[Placed], captions: Sequence[Placed]) -> bool:
    """Whether all captions of a part, if it has any, say that it goes on, and none has another number."""
    texts = [caption.element.text for caption in captions]
    numbers = {match["number"] for placed in first if (match := _LABEL.match(placed.element.text))}
    others = {match["number"] for text in texts if (match := _LABEL.match(text))}
    return all(map(_CONTINUED.search, texts)) and not (numbers and others and numbers.isdisjoint(others))


def _in_columns_of(first: Table, table: Table) -> Table | None:
    """The table with its columns numbered as in ``first``; None where it has other columns.

    Columns without words are left out of account: a grid may have one more on one page than on the next.
    """
    if table.n_cols == first.n_cols:
        return table
    own, theirs = _columns(table), _columns(first)
    if len(own) != len(theirs) or not own:
        return None
    place = dict(zip(own, theirs, strict=True))
    cells = []
    for cell in table.cells:
        covered = [place[col] for col in range(cell.col, cell.col + cell.colspan) if col in place]
        if covered:
            update = {"col": covered[0], "colspan": covered[-1] - covered[0] + 1}
            cells.append(cell.model_copy(update=update))
    return table.model_copy(update={"cells": tuple(cells), "n_cols": first.n_cols})


def _columns(table: Table) -> list[int]:
    """Columns in which a cell with words begins."""
    return sorted({cell.col for cell in table.cells if cell.text.strip()})


def _same_width(placed: Placed, other: Placed) -> bool:
    box, second = placed.element.bbox, other.element.bbox
    if box is None or second is None:
        return box is second
    return abs(box.x0 - second.x0) <= _SAME_EDGE and abs(box.x1 - second.x1) <= _SAME_EDGE


def _has_no_header(first: Table, header: int, table: Table) -> bool:
    """Whether the table begins with a row of data, where the first one begins with a header of words.

    What a parser calls the header of a part without one is its first row.
    """
    if header == 0:
        return False
    if table.header_rows == 0:
        return True
    headed = [cell for cell in first.cells if cell.row < header and cell.text.strip()]
    top = [cell for cell in table.cells if cell.row == 0 and cell.text.strip()]
    return not any(map(_is_number, headed)) and 2 * sum(map(_is_number, top)) >= len(top) > 1


def _is_number(cell: TableCell) -> bool:
    digits = sum(map(str.isdigit, cell.text))
    return digits > 0 and 2 * digits >= sum(map(str.isalnum, cell.text))


def _rows(table: Table, count: int) -> list[tuple[int, int, int, int, str]]:
    """The first rows, for comparison: places and words of their cells."""
    cells = [cell for cell in table.cells if cell.row < count and cell.text.strip()]
    return [
        (cell.row, cell.col, cell.rowspan, cell.colspan, "".join(cell.text.split()).lower()) for cell in cells
    ]
