"""Rows of cell texts as a pipe table and as plain lines: all that a table without spans needs.

Both look at a whole row, or at all of them, before they look at a cell: most cells hold nothing to escape and
no mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..table import Table
from .plain import markdown_to_text

Rows = Sequence[Sequence[str]]

_BACKSLASHES_AND_PIPE = re.compile(r"(?<!\\)(\\*)\|")
# What `plain_line` could change, in lines of cells and in a cell.
_NOT_PLAIN = re.compile(r"[\\*_<]|[^\S \n]")
_CHANGED = re.compile(r"[\\*_<]|[^\S ]|  |^ | \Z")


def rows_without_spans(table: Table) -> list[list[str]] | None:
    """The texts of a table by row; None where a cell spans or a position belongs to no cell or to several."""
    n_cols = table.n_cols
    cells = table.cells
    if len(cells) != table.n_rows * n_cols:
        return None
    places = [
        cell.row * n_cols + cell.col if cell.rowspan == cell.colspan == 1 and cell.col < n_cols else -1
        for cell in cells
    ]
    if places != list(range(len(cells))):
        return None
    texts = [cell.text for cell in cells]
    return [texts[start : start + n_cols] for start in range(0, len(texts), n_cols or 1)]


def pipe_table(rows: Rows, header_rows: int) -> str:
    r"""A pipe table; several header rows are joined column by column, none makes an empty header.

    Pipes in cells are escaped (``\|``), line breaks become ``<br>``.

    Args:
        rows: At least one text a row, as many in each; spans repeat theirs.
        header_rows: How many of them are headers.
    """
    if not rows or not rows[0]:
        return ""
    n_cols = len(rows[0])
    if header_rows == 1:
        head = rows[0]
    else:
        head = [" / ".join(distinct(row[col] for row in rows[:header_rows])) for col in range(n_cols)]
    body = [f"| {' | '.join(row)} |" for row in (head, ["---"] * n_cols, *rows[header_rows:])]
    whole = "\n".join(body)
    if whole.count("|") == len(body) * (n_cols + 1) and whole.count("\n") == len(body) - 1:
        # Nothing in any cell is to be escaped.
        return whole
    body[2:] = map(_pipe_row, rows[header_rows:])
    return "\n".join([_pipe_row(head), *body[1:]])


def plain_lines(rows: Rows) -> list[str]:
    """One plain line a row: its cells joined by " | ", empty cells and empty rows left out."""
    lines = [line for row in rows if (line := " | ".join(filter(None, row)))]
    whole = "\n".join(lines)
    if not (
        _NOT_PLAIN.search(whole)
        or "  " in whole
        or "\n " in whole
        or " \n" in whole
        or whole.startswith(" ")
        or whole.endswith(" ")
        or whole.count("\n") >= max(1, len(lines))
    ):
        # Nothing in any cell is to be changed.
        return lines
    return [line for row in rows if (line := " | ".join(filter(None, map(plain_line, row))))]


def plain_line(markdown: str) -> str:
    """A cell as plain text on one line."""
    return " ".join(markdown_to_text(markdown).split()) if _CHANGED.search(markdown) else markdown


def distinct(texts: Iterable[str]) -> list[str]:
    """Without empty texts and without one that repeats its predecessor (a span over header rows)."""
    kept: list[str] = []
    for text in texts:
        if text and (not kept or kept[-1] != text):
            kept.append(text)
    return kept


def _pipe_row(cells: Sequence[str]) -> str:
    row = " | ".join(cells)
    if "\n" in row or row.count("|") >= len(cells):
        row = " | ".join(map(_pipe_cell, cells))
    return f"| {row} |"


def _pipe_cell(text: str) -> str:
    if "|" in text:
        text = _BACKSLASHES_AND_PIPE.sub(_escaped_pipe, text)
    return text.replace("\n", "<br>")


def _escaped_pipe(match: re.Match[str]) -> str:
    """One form that all Markdown readers take for a pipe in a cell, whatever stands before it."""
    backslashes = match[1]
    if len(backslashes) % 2:
        return match[0]
    return f"{backslashes}&#124;" if backslashes else "\\|"
