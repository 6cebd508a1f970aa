r"""How many rows at the top of a table are headers: one rule, used by all readers.

In this order, the first that says something decides:

1. the table's own mark: ``thead`` or rows of ``th`` in HTML, the delimiter row of a pipe table, the place of
   the first ``\midrule`` in LaTeX when at most four rows stand above it (none above it: no header);
2. the leading rows whose cells are all ``\thead``;
3. the leading rows whose cells are all bold;
4. an ``\hline`` behind one to three rows, when it is the only one between rows;
5. the first row, and below a group heading (a cell over some but not all columns) the next row and those that
   the row spans beside it reach over; unless one of these rows holds a number that is no year, or the first
   row has a row span and no group heading (a row label over several rows, as tables without header have).

A table of one row has no header unless it is marked (1 or 2), nor has a table that is all header by 3 to 5.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .source_cell import Row, SourceCell, cell_text

_NUMBER = re.compile(r"[(\[]?[-+−–±~≈<>≤≥$€£¥]?\s?[0-9][0-9.,  ]*\s?[%‰]?[)\]]?")
_YEAR = re.compile(r"(?:1[6-9]|20|21)[0-9]{2}")
_BOLD = re.compile(r"(?:\*\*|__)(?!\s).+(?:\*\*|__)", re.DOTALL)
_MOST_MARKED_ROWS = 4
_MOST_RULED_ROWS = 3


def count_header_rows(
    rows: Sequence[Row] | Sequence[list[SourceCell]],
    *,
    n_cols: int,
    midrules: Sequence[int] = (),
    hlines: Sequence[int] = (),
    marked_only: bool = False,
) -> int:
    r"""Apply the rule.

    Args:
        rows: The cells that start in each row; covered positions are not in it.
        n_cols: Width of the table.
        midrules: Numbers of rows that stand above each ``\midrule``.
        hlines: The same for ``\hline``.
        marked_only: Stop after the first two parts of the rule (a table of contents).
    """
    n_rows = len(rows)
    if not n_rows:
        return 0
    if midrules and midrules[0] <= min(_MOST_MARKED_ROWS, n_rows):
        return midrules[0]
    marked = _leading(rows, _is_marked)
    if marked:
        return marked
    if n_rows == 1 or marked_only:
        return 0
    bold = _leading(rows, _is_bold)
    if 0 < bold < n_rows:
        return bold
    inner = sorted({row for row in hlines if 0 < row < n_rows})
    if len(inner) == 1 and inner[0] <= _MOST_RULED_ROWS:
        return inner[0]
    return _by_shape([_as_source_cells(row) for row in rows[: _MOST_MARKED_ROWS + 1]], n_rows, n_cols)


def _is_marked(cell: SourceCell | str) -> bool:
    return not isinstance(cell, str) and cell.is_head


def _is_bold(cell: SourceCell | str) -> bool:
    return _BOLD.fullmatch(cell_text(cell)) is not None


def _as_source_cells(row: Row | list[SourceCell]) -> list[SourceCell]:
    return [SourceCell(cell) if isinstance(cell, str) else cell for cell in row]


def _leading(
    rows: Sequence[Row] | Sequence[list[SourceCell]], holds: Callable[[SourceCell | str], bool]
) -> int:
    """How many rows at the top have text and only cells of which ``holds`` is true."""
    count = 0
    for row in rows:
        cells = [cell for cell in row if cell_text(cell)]
        if not cells or not all(holds(cell) for cell in cells):
            break
        count += 1
    return count


def _by_shape(rows: list[list[SourceCell]], n_rows: int, n_cols: int) -> int:
    end = 1
    row = 0
    while row < end and end < min(n_rows, _MOST_MARKED_ROWS):
        cells = rows[row]
        if any(_is_number(cell.text) for cell in cells):
            return 0
        grouped = any(1 < cell.colspan < n_cols and cell.text for cell in cells)
        if row == end - 1 and grouped:
            end += 1
        reached = max((row + cell.rowspan for cell in cells if cell.text), default=0)
        if reached > end and not grouped:
            return 0
        end = max(end, reached)
        row += 1
    if end >= n_rows or any(_is_number(cell.text) for cells in rows[:end] for cell in cells):
        return 0
    return end if end <= _MOST_MARKED_ROWS else 0


def _is_number(text: str) -> bool:
    text = text.strip()
    return _NUMBER.fullmatch(text) is not None and _YEAR.fullmatch(text) is None
