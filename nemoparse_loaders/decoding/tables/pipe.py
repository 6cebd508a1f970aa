"""Pipe tables, as Markdown and the charts have them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .found import FoundTable, Grid
from .grid import grid_of_texts, is_sensible

_DELIMITER = re.compile(r":?-{1,200}:?")
_CELL_END = re.compile(r"(?<!\\)\|")
_BREAK = re.compile(r"[ \t]*<br ?/?>[ \t]*", re.IGNORECASE)


def find_pipe_tables(body: str, *, certain: bool = False) -> list[str | FoundTable]:
    """Split a body into words and pipe tables: lines that begin with a pipe, or go with a delimiter row.

    Args:
        body: The text.
        certain: Only those with a delimiter row below the first, and as many columns in both, two at least.
    """
    parts: list[str | FoundTable] = []
    words: list[str] = []
    rows: list[str] = []

    def end_words() -> None:
        text = "\n".join(words).strip()
        if text:
            parts.append(text)
        words.clear()

    def end_rows() -> None:
        if rows and certain and not _is_certain(rows):
            words.extend(rows)
            rows.clear()
        elif rows:
            end_words()
            grid = read_pipe_rows(rows)
            source = "\n".join(rows)
            # No page holds a wider one: keep the words.
            parts.append(FoundTable(grid, source) if grid else source)
            rows.clear()

    lines = body.split("\n")
    for number, line in enumerate(lines):
        text = line.strip()
        if text.startswith("|") or (
            "|" in text and (rows or (number + 1 < len(lines) and is_delimiter_row(lines[number + 1])))
        ):
            rows.append(text)
        else:
            end_rows()
            words.append(line)
    end_rows()
    end_words()
    return parts


def _is_certain(rows: Sequence[str]) -> bool:
    if len(rows) < 2 or not is_delimiter_row(rows[1]):
        return False
    n_cols = len(split_pipe_row(rows[0]))
    return n_cols > 1 and n_cols == len(split_pipe_row(rows[1]))


def is_delimiter_row(line: str) -> bool:
    """Whether a line is ``| --- | :---: |``."""
    if "-" not in line or "|" not in line:
        return False
    cells = split_pipe_row(line)
    return all(_DELIMITER.fullmatch(cell) for cell in cells)


def read_pipe_rows(rows: Sequence[str]) -> Grid | None:
    """The table of some lines; rows above a delimiter row are headers, empty ones are left out.

    Short rows are filled up on the right, long ones widen the table.

    Returns:
        None for rows that make no sensible table.
    """
    cells_by_row: list[list[str]] = []
    header_rows = 0
    for row in rows:
        if header_rows == 0 and cells_by_row and is_delimiter_row(row):
            header_rows = len(cells_by_row)
            continue
        cells = split_pipe_row(row)
        cells_by_row.append([_cell_text(cell) for cell in cells] if "<" in row else cells)
    n_cols = max(map(len, cells_by_row), default=0)
    if header_rows == 1 and not any(cells_by_row[0]):
        # A table without a header has to have an empty one in Markdown.
        cells_by_row = cells_by_row[1:]
        header_rows = 0
    if not is_sensible(len(cells_by_row), n_cols, sum(map(len, cells_by_row))):
        return None
    return grid_of_texts(cells_by_row, n_cols, header_rows)


def split_pipe_row(line: str) -> list[str]:
    r"""The cells of a line; ``\|`` is a pipe in a cell."""
    text = line.strip()
    text = text[1:] if text.startswith("|") else text
    escaped = "\\|" in text
    cells = [cell.replace("\\|", "|") for cell in _CELL_END.split(text)] if escaped else text.split("|")
    if len(cells) > 1 and not cells[-1].strip():
        cells.pop()
    return [cell.strip() for cell in cells]


def _cell_text(text: str) -> str:
    return _BREAK.sub("\n", text)
