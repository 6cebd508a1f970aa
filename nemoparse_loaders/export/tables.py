"""A `Table` as HTML, Markdown, CSV, LaTeX, records, a DataFrame and plain lines.

All share one rule for headers: the table's ``header_rows``. Where several rows are headers, forms that know
only one join them column by column ("Before / mean").
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from ..document import Table
from ..errors import MissingDependencyError
from .html_text import inline_html
from .latex import table_to_latex
from .plain import markdown_to_text

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "column_names",
    "plain_grid",
    "table_to_csv",
    "table_to_dataframe",
    "table_to_html",
    "table_to_latex",
    "table_to_lines",
    "table_to_markdown",
    "table_to_records",
]


def table_to_html(table: Table) -> str:
    """HTML with ``rowspan``/``colspan`` and ``thead``; all text escaped."""
    rows: list[list[str]] = [[] for _ in range(table.n_rows)]
    for cell, missing in _laid_out(table):
        row, _, rowspan, colspan, text = cell
        tag = "th" if row < table.header_rows else "td"
        spans = (f' rowspan="{rowspan}"' if rowspan > 1 else "") + (
            f' colspan="{colspan}"' if colspan > 1 else ""
        )
        rows[row].append(f"<{tag}{spans}>{'' if missing else inline_html(text)}</{tag}>")
    lines = ["<table>"]
    for part, start, end in (
        ("thead", 0, min(table.header_rows, table.n_rows)),
        ("tbody", table.header_rows, table.n_rows),
    ):
        if start < end:
            lines.append(f"<{part}>")
            lines.extend(f"<tr>{''.join(rows[row])}</tr>" for row in range(start, end))
            lines.append(f"</{part}>")
    lines.append("</table>")
    return "\n".join(lines)


def table_to_markdown(table: Table) -> str:
    r"""A pipe table; spans are expanded so that columns never shift.

    Pipes in cells are escaped (``\|``), line breaks become ``<br>``. A table without header rows gets an
    empty header, because Markdown knows no table without one.
    """
    if not table.n_rows or not table.n_cols:
        return ""
    grid = table.grid(expand_spans=True)
    head = [" / ".join(_distinct(texts)) for texts in _header_columns(table, grid)]
    lines = [_pipe_row(head), "|" + " --- |" * table.n_cols]
    lines.extend(_pipe_row([cell or "" for cell in row]) for row in grid[table.header_rows :])
    return "\n".join(lines)


def table_to_csv(table: Table) -> str:
    """CSV (RFC 4180), spans expanded, cells as plain text."""
    buffer = io.StringIO()
    csv.writer(buffer).writerows(plain_grid(table))
    return buffer.getvalue()


def table_to_records(table: Table) -> list[dict[str, str]]:
    """One dictionary a body row, cells as plain text; keys are `column_names`."""
    names = column_names(table)
    return [dict(zip(names, row, strict=True)) for row in plain_grid(table)[table.header_rows :]]


def table_to_dataframe(table: Table) -> pd.DataFrame:
    """A pandas DataFrame of strings, spans expanded.

    Raises:
        MissingDependencyError: pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingDependencyError(
            "a DataFrame needs pandas: pip install 'nemoparse-loaders[pandas]'"
        ) from error
    rows = plain_grid(table)[table.header_rows :]
    frame: pd.DataFrame = pd.DataFrame(rows, columns=column_names(table), dtype=str)
    return frame


def table_to_lines(table: Table) -> list[str]:
    """One plain line a row: cells joined by " | ", empty cells left out.

    A cell over several rows is said in each of them, so that a row reads on its own; one over several
    columns is said once.
    """
    rows: list[list[tuple[int, str]]] = [[] for _ in range(table.n_rows)]
    for cell in table.cells:
        if cell.text:
            text = " ".join(markdown_to_text(cell.text).split())
            for row in range(cell.row, min(cell.row + cell.rowspan, table.n_rows)):
                rows[row].append((cell.col, text))
    return [" | ".join(text for _, text in sorted(row)) for row in rows if row]


def plain_grid(table: Table) -> list[list[str]]:
    """The cells as plain text, spans expanded."""
    return [[markdown_to_text(cell or "") for cell in row] for row in table.grid(expand_spans=True)]


def column_names(table: Table) -> list[str]:
    """One name a column: the header texts, joined over header rows and made unique.

    A column without a header text is named by its number ("column 3").
    """
    names: list[str] = []
    taken: set[str] = set()
    for number, texts in enumerate(_header_columns(table, plain_grid(table)), start=1):
        base = " / ".join(" ".join(text.split()) for text in _distinct(texts)) or f"column {number}"
        name, count = base, 1
        while name in taken:
            count += 1
            name = f"{base} ({count})"
        taken.add(name)
        names.append(name)
    return names


def _laid_out(table: Table) -> list[tuple[tuple[int, int, int, int, str], bool]]:
    """The cells in row-major order, with an empty one wherever the table leaves a position out."""
    grid: list[list[bool]] = [[False] * table.n_cols for _ in range(table.n_rows)]
    placed: list[tuple[tuple[int, int, int, int, str], bool]] = []
    for cell in table.cells:
        rowspan = min(cell.rowspan, table.n_rows - cell.row)
        colspan = min(cell.colspan, table.n_cols - cell.col)
        placed.append(((cell.row, cell.col, rowspan, colspan, cell.text), False))
        for row in range(cell.row, cell.row + rowspan):
            grid[row][cell.col : cell.col + colspan] = [True] * colspan
    placed.extend(
        ((row, col, 1, 1, ""), True)
        for row, taken in enumerate(grid)
        for col, is_taken in enumerate(taken)
        if not is_taken
    )
    placed.sort(key=lambda item: item[0][:2])
    return placed


def _header_columns(table: Table, grid: list[list[str]] | list[list[str | None]]) -> list[list[str]]:
    return [[row[col] or "" for row in grid[: table.header_rows]] for col in range(table.n_cols)]


def _distinct(texts: list[str]) -> list[str]:
    """Without empty texts and without one that repeats its predecessor (a span over header rows)."""
    kept: list[str] = []
    for text in texts:
        if text and (not kept or kept[-1] != text):
            kept.append(text)
    return kept


def _pipe_row(cells: list[str]) -> str:
    return "|" + "".join(f" {_pipe_cell(cell)} |" if cell else "  |" for cell in cells)


def _pipe_cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", "<br>")
