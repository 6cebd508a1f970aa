"""Parts of a table: some rows under the header, or some columns of a row."""

from __future__ import annotations

from collections.abc import Sequence

from ..document import Table, TableCell
from ..export.plain import markdown_to_text
from .blocks import embedded_form


def row_groups(table: Table) -> list[tuple[int, int]]:
    """Body rows that a row span ties together, as (start, end) rows of the table, in order."""
    reach = list(range(1, table.n_rows + 1))
    for cell in table.cells:
        if cell.row >= table.header_rows:
            reach[cell.row] = max(reach[cell.row], min(cell.row + cell.rowspan, table.n_rows))
    groups: list[tuple[int, int]] = []
    start = end = table.header_rows
    for row in range(table.header_rows, table.n_rows):
        if row >= end:
            if end > start:
                groups.append((start, end))
            start = row
        end = max(end, reach[row])
    if end > start:
        groups.append((start, end))
    return groups


def row_words(table: Table) -> list[str]:
    """Each row for the embedder: its cells joined by spaces.

    A cell over several columns is said once. One over several body rows is said in each of them, so that no
    row stands without its label; in the header it is said once.
    """
    rows: list[list[tuple[int, str]]] = [[] for _ in range(table.n_rows)]
    for cell in table.cells:
        words = cell_words(cell.text)
        last = cell.row + 1 if cell.row < table.header_rows else min(cell.row + cell.rowspan, table.n_rows)
        for row in range(cell.row, last):
            rows[row].append((cell.col, words))
    return [" ".join(words for _, words in sorted(row) if words) for row in rows]


def cell_words(text: str) -> str:
    """One cell for the embedder, as one line."""
    return " ".join(embedded_form(markdown_to_text(text), "text").split())


def with_rows(table: Table, start: int, end: int) -> Table:
    """The table with its header and the body rows from ``start`` to ``end``.

    A cell that reaches into these rows from above is repeated at their top.

    Args:
        table: The whole.
        start: First row, counted in the whole table; at least ``table.header_rows``.
        end: Row behind the last.
    """
    kept = table.header_rows
    cells = [
        cell.model_copy(update={"rowspan": min(cell.rowspan, kept - cell.row)})
        for cell in table.cells
        if cell.row < kept
    ]
    for cell in table.cells:
        first, last = max(cell.row, start), min(cell.row + cell.rowspan, end)
        if cell.row >= kept and first < last:
            cells.append(cell.model_copy(update={"row": first - start + kept, "rowspan": last - first}))
    cells.sort(key=lambda cell: (cell.row, cell.col))
    return Table(cells=tuple(cells), n_rows=kept + end - start, n_cols=table.n_cols, header_rows=kept)


def cells_of_row(table: Table, row: int) -> list[TableCell]:
    """The cells that stand in a row or reach into it, from left to right."""
    found = [cell for cell in table.cells if cell.row <= row < cell.row + cell.rowspan]
    return sorted(found, key=lambda cell: cell.col)


def headings_of(table: Table, cells: Sequence[TableCell]) -> list[str]:
    """For each cell of a row the words of the header cells above it."""
    return [
        " ".join(
            words
            for above in table.cells
            if above.row < table.header_rows
            and above.col < cell.col + cell.colspan
            and cell.col < above.col + above.colspan
            and (words := cell_words(above.text))
        )
        for cell in cells
    ]


def says_header(table: Table, row: int) -> bool:
    """Whether every heading stands over a cell of the row that has words."""
    cells = cells_of_row(table, row)
    heads = headings_of(table, cells)
    return all(cell_words(cell.text) or not head for cell, head in zip(cells, heads, strict=True))


def one_row(heads: Sequence[str], texts: Sequence[str]) -> Table:
    """A table of one row, under a header row if any column has a heading."""
    header = [TableCell(row=0, col=col, text=text, is_header=True) for col, text in enumerate(heads)]
    kept = 1 if any(heads) else 0
    body = [TableCell(row=kept, col=col, text=text) for col, text in enumerate(texts)]
    return Table(
        cells=tuple([*header, *body] if kept else body),
        n_rows=kept + 1,
        n_cols=len(texts),
        header_rows=kept,
    )
