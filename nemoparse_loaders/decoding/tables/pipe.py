"""Pipe tables, as Markdown and the charts have them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...document import Table, TableCell
from .found import FoundTable

_DELIMITER = re.compile(r":?-{1,200}:?")
_BREAK = re.compile(r"[ \t]*<br ?/?>[ \t]*", re.IGNORECASE)


def find_pipe_tables(body: str) -> list[str | FoundTable]:
    """Split a body into words and pipe tables: lines that begin with a pipe, or go with a delimiter row."""
    parts: list[str | FoundTable] = []
    words: list[str] = []
    rows: list[str] = []

    def end_words() -> None:
        text = "\n".join(words).strip()
        if text:
            parts.append(text)
        words.clear()

    def end_rows() -> None:
        if rows:
            end_words()
            parts.append(FoundTable(read_pipe_rows(rows), "\n".join(rows)))
            rows.clear()

    lines = body.split("\n")
    for number, line in enumerate(lines):
        text = line.strip()
        begins = "|" in text and number + 1 < len(lines) and is_delimiter_row(lines[number + 1])
        if text.startswith("|") or begins or (rows and "|" in text):
            rows.append(text)
        else:
            end_rows()
            words.append(line)
    end_rows()
    end_words()
    return parts


def is_delimiter_row(line: str) -> bool:
    """Whether a line is ``| --- | :---: |``."""
    cells = split_pipe_row(line)
    return "|" in line and "-" in line and all(_DELIMITER.fullmatch(cell) for cell in cells)


def read_pipe_rows(rows: Sequence[str]) -> Table:
    """The table of some lines; rows above a delimiter row are headers, empty ones are left out.

    Short rows are filled up on the right, long ones widen the table.
    """
    cells_by_row: list[list[str]] = []
    header_rows = 0
    for row in rows:
        if header_rows == 0 and cells_by_row and is_delimiter_row(row):
            header_rows = len(cells_by_row)
            continue
        cells_by_row.append([_cell_text(cell) for cell in split_pipe_row(row)])
    n_cols = max((len(cells) for cells in cells_by_row), default=0)
    if header_rows == 1 and not any(cells_by_row[0]):
        # A table without a header has to have an empty one in Markdown.
        cells_by_row = cells_by_row[1:]
        header_rows = 0
    return Table(
        cells=tuple(
            TableCell(
                row=row, col=col, text=cells[col] if col < len(cells) else "", is_header=row < header_rows
            )
            for row, cells in enumerate(cells_by_row)
            for col in range(n_cols)
        ),
        n_rows=len(cells_by_row),
        n_cols=n_cols,
        header_rows=header_rows,
    )


def split_pipe_row(line: str) -> list[str]:
    r"""The cells of a line; ``\|`` is a pipe in a cell."""
    text = line.strip()
    text = text[1:] if text.startswith("|") else text
    cells = [""]
    position = 0
    while True:
        pipe = text.find("|", position)
        if pipe < 0:
            cells[-1] += text[position:]
            break
        if pipe and text[pipe - 1] == "\\":
            cells[-1] += text[position : pipe - 1] + "|"
        else:
            cells[-1] += text[position:pipe]
            cells.append("")
        position = pipe + 1
    if len(cells) > 1 and not cells[-1].strip():
        cells.pop()
    return [cell.strip() for cell in cells]


def _cell_text(text: str) -> str:
    return _BREAK.sub("\n", text) if "<" in text else text
