"""A `Table` as HTML, Markdown, CSV, LaTeX, records, a DataFrame and plain lines.

All share one rule for headers: the table's ``header_rows``. Where several rows are headers, forms that know
only one join them column by column ("Before / mean").
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..document import Element, Table, TableCell
from ..errors import MissingDependencyError
from .html_text import inline_html
from .latex import table_to_latex
from .plain import markdown_to_text
from .table_rows import Rows, distinct, pipe_table, plain_line, plain_lines, rows_without_spans

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "SPAN_NOTE",
    "column_names",
    "plain_grid",
    "table_to_csv",
    "table_to_dataframe",
    "table_to_html",
    "table_to_latex",
    "table_to_lines",
    "table_to_markdown",
    "table_to_records",
    "words_around_table",
]

SPAN_NOTE = "<!-- cells over several rows or columns are repeated -->"
"""The line below a Markdown table in which a text stands more than once because of a span."""


def table_to_html(table: Table) -> str:
    """HTML with ``rowspan``/``colspan`` and ``thead``; all text escaped.

    In HTML a span ends with its part of the table. So a table with a cell that reaches from the header into
    the body has no ``thead``: its rows stand directly in the table, those of the header with ``th``. (Only
    where a header row has no words of its own does ``thead`` stay, because nothing else would mark that row.)
    """
    rows: list[list[str]] = [[] for _ in range(table.n_rows)]
    for cell, missing in _laid_out(table):
        row, _, rowspan, colspan, text = cell
        tag = "th" if row < table.header_rows else "td"
        spans = (f' rowspan="{rowspan}"' if rowspan > 1 else "") + (
            f' colspan="{colspan}"' if colspan > 1 else ""
        )
        rows[row].append(f"<{tag}{spans}>{'' if missing else inline_html(text)}</{tag}>")
    header_rows = min(table.header_rows, table.n_rows)
    parts = [("thead", 0, header_rows), ("tbody", header_rows, table.n_rows)]
    crosses = any(cell.row < header_rows < cell.row + cell.rowspan for cell in table.cells)
    if (
        crosses
        and len({cell.row for cell in table.cells if cell.row < header_rows and cell.text}) == header_rows
    ):
        parts = [("", 0, table.n_rows)]
    lines = ["<table>"]
    for part, start, end in parts:
        if start < end:
            lines.extend([f"<{part}>"] if part else [])
            lines.extend(f"<tr>{''.join(rows[row])}</tr>" for row in range(start, end))
            lines.extend([f"</{part}>"] if part else [])
    lines.append("</table>")
    return "\n".join(lines)


def table_to_markdown(table: Table) -> str:
    r"""A pipe table; spans are expanded so that columns never shift.

    Pipes in cells are escaped (``\|``), line breaks become ``<br>``. A table without header rows gets an
    empty header, because Markdown knows no table without one. Where a text is repeated, `SPAN_NOTE` stands
    below the table, behind an empty line, so that the repetition is not taken for data.
    """
    rows = rows_without_spans(table)
    if rows is not None:
        return pipe_table(rows, table.header_rows)
    markdown = pipe_table(_spread(table, (cell.text for cell in table.cells)), table.header_rows)
    if markdown and any(_is_repeated(cell, table.header_rows) for cell in table.cells):
        markdown += f"\n\n{SPAN_NOTE}"
    return markdown


def table_to_csv(table: Table) -> str:
    """CSV (RFC 4180), spans expanded, cells as plain text."""
    buffer = io.StringIO()
    csv.writer(buffer).writerows(plain_grid(table))
    return buffer.getvalue()


def table_to_records(table: Table) -> list[dict[str, str]]:
    """One dictionary a body row, cells as plain text; keys are `column_names`."""
    grid = plain_grid(table)
    names = _names(table, grid)
    return [dict(zip(names, row, strict=True)) for row in grid[table.header_rows :]]


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
    grid = plain_grid(table)
    frame: pd.DataFrame = pd.DataFrame(grid[table.header_rows :], columns=_names(table, grid), dtype=str)
    return frame


def table_to_lines(table: Table) -> list[str]:
    """One plain line a row: cells joined by " | ", empty cells left out.

    A cell over several rows is said in each of them, so that a row reads on its own; one over several
    columns is said once.
    """
    plain = rows_without_spans(table)
    if plain is not None:
        return plain_lines(plain)
    rows: list[list[tuple[int, str]]] = [[] for _ in range(table.n_rows)]
    for cell in table.cells:
        text = plain_line(cell.text)
        if text:
            for row in range(cell.row, min(cell.row + cell.rowspan, table.n_rows)):
                rows[row].append((cell.col, text))
    return [" | ".join(text for _, text in sorted(row)) for row in rows if row]


def words_around_table(element: Element, table: Table) -> tuple[str, str]:
    """The Markdown before and behind the table in an element's block; empty where there is none."""
    grid = table_to_markdown(table)
    if not grid:
        return element.markdown.strip(), ""
    before, found, after = element.markdown.partition(grid)
    return (before.strip(), after.strip()) if found else ("", "")


def plain_grid(table: Table) -> list[list[str]]:
    """The cells as plain text, spans expanded."""
    return _spread(table, (markdown_to_text(cell.text) for cell in table.cells))


def _spread(table: Table, texts: Iterable[str]) -> list[list[str]]:
    """Rows with the text of each cell in every place that it covers."""
    rows = [[""] * table.n_cols for _ in range(table.n_rows)]
    for cell, text in zip(table.cells, texts, strict=True):
        if cell.rowspan == cell.colspan == 1 and cell.row < table.n_rows and cell.col < table.n_cols:
            rows[cell.row][cell.col] = text
            continue
        end = min(cell.col + cell.colspan, table.n_cols)
        for row in range(cell.row, min(cell.row + cell.rowspan, table.n_rows)):
            rows[row][cell.col : end] = [text] * (end - cell.col)
    return rows


def column_names(table: Table) -> list[str]:
    """One name a column: the header texts, joined over header rows and made unique.

    A column without a header text is named by its number ("column 3").
    """
    return _names(table, plain_grid(table))


def _names(table: Table, grid: list[list[str]]) -> list[str]:
    names: list[str] = []
    taken: set[str] = set()
    counts: dict[str, int] = {}
    for number, texts in enumerate(_header_columns(table, grid), start=1):
        lines = [" ".join(text.split()) for text in texts]
        name = base = " / ".join(distinct(lines)) or f"column {number}"
        while name in taken:
            counts[base] = counts.get(base, 1) + 1
            name = f"{base} ({counts[base]})"
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


def _header_columns(table: Table, grid: Rows) -> list[list[str]]:
    return [[row[col] for row in grid[: table.header_rows]] for col in range(table.n_cols)]


def _is_repeated(cell: TableCell, header_rows: int) -> bool:
    """Whether the cell's text stands in the expanded table more than once."""
    if not cell.text:
        return False
    # Header rows are joined, and a text that goes on from the row above is said once.
    rows = cell.rowspan if cell.row >= header_rows else 1 + max(0, cell.row + cell.rowspan - header_rows)
    return cell.colspan > 1 or rows > 1
