"""Parts of a table: some rows under the header, or some columns of a row."""

from __future__ import annotations

from collections.abc import Sequence

from ..document import Table, TableCell
from ..export.plain import markdown_to_text
from ..export.tables import SPAN_NOTE
from .blocks import embedded_form
from .clean import storable


class Rows:
    """A table by its rows.

    Attributes:
        table: The whole table.
        cells: For each row the cells that stand in it or reach into it, from left to right.
        words: For each row what is embedded: its cells joined by spaces. A cell over several columns is said
            once. One over several body rows is said in each of them, so that no row stands without its label;
            in the header it is said once. Where the table is not to be ``plain``, each row is a line of its
            Markdown; all header rows together are the first one's.
        sections: For each row the row above it that says which section of the table it stands in, or None.
    """

    def __init__(self, table: Table, *, plain: bool = True) -> None:
        """Sort the cells of a table into its rows."""
        cells: list[list[TableCell]] = [[] for _ in range(table.n_rows)]
        words: list[list[tuple[int, str]]] = [[] for _ in range(table.n_rows)]
        for cell in table.cells:
            text = cell_words(cell.text)
            for row in range(cell.row, min(cell.row + cell.rowspan, table.n_rows)):
                cells[row].append(cell)
                if text and (row == cell.row or cell.row >= table.header_rows):
                    words[row].append((cell.col, text))
        self.table = table
        self.cells = [sorted(row, key=lambda cell: cell.col) for row in cells]
        said = [" ".join(text for _, text in sorted(row)) for row in words]
        self.words = said if plain else _markdown_rows(table, said)
        self.sections = self._sections()

    def is_section(self, row: int) -> bool:
        """Whether the row names a section: one cell with words, at the left, over an otherwise empty row."""
        return self.sections[row] == row

    def _sections(self) -> list[int | None]:
        """A row with one cell that has words, followed by rows with more, heads those."""
        table = self.table
        found: list[int | None] = [None] * table.n_rows
        body = range(table.header_rows, table.n_rows)
        filled = [[cell for cell in self.cells[row] if cell.text.strip()] for row in range(table.n_rows)]
        heads = [
            row
            for row in body
            if len(filled[row]) == 1
            and filled[row][0].col == 0
            and filled[row][0].rowspan == 1
            and row + 1 < table.n_rows
        ]
        # A table of one column, or one that is mostly empty, has no such rows.
        if table.n_cols < 2 or not heads or 2 * len(heads) > len(body):
            return found
        current: int | None = None
        head_rows = set(heads)
        for row in body:
            if row in head_rows and row - 1 in head_rows and current == row - 1:
                # Of two in a row the second one is a row like others, or a subsection.
                found[row] = current
                continue
            current = row if row in head_rows else current
            found[row] = current
        return found

    def groups(self) -> list[tuple[int, int]]:
        """Body rows that a row span ties together, as (start, end) rows of the table, in order."""
        groups: list[tuple[int, int]] = []
        start = end = self.table.header_rows
        for row in range(self.table.header_rows, self.table.n_rows):
            if row >= end:
                if end > start:
                    groups.append((start, end))
                start = row
            reach = max((cell.row + cell.rowspan for cell in self.cells[row]), default=0)
            end = max(end, row + 1, min(reach, self.table.n_rows))
        if end > start:
            groups.append((start, end))
        return groups

    def part(self, start: int, end: int, section: int | None = None) -> Table:
        """The table with its header and the body rows from ``start`` to ``end``, counted in the whole table.

        A cell that reaches into these rows from above is repeated at their top, and so is the row that names
        their section, where it is given.
        """
        header = self.table.header_rows
        cells = [
            cell.model_copy(update={"rowspan": min(cell.rowspan, header - row)})
            for row in range(header)
            for cell in self.cells[row]
            if cell.row == row
        ]
        first = header
        if section is not None:
            cells += [cell.model_copy(update={"row": first, "rowspan": 1}) for cell in self.cells[section]]
            first += 1
        for row in range(start, end):
            for cell in self.cells[row]:
                if row in (start, cell.row):
                    rowspan = min(cell.row + cell.rowspan, end) - row
                    cells.append(cell.model_copy(update={"row": row - start + first, "rowspan": rowspan}))
        return Table(
            cells=tuple(cells), n_rows=first + end - start, n_cols=self.table.n_cols, header_rows=header
        )

    def headings(self, row: int) -> list[str]:
        """For each cell of a row the words of the header cells above it."""
        above = [
            head for index in range(self.table.header_rows) for head in self.cells[index] if head.row == index
        ]
        return [
            " ".join(
                words
                for head in above
                if head.col < cell.col + cell.colspan
                and cell.col < head.col + head.colspan
                and (words := cell_words(head.text))
            )
            for cell in self.cells[row]
        ]

    def says_header(self, row: int) -> bool:
        """Whether every heading stands over a cell of the row that has words."""
        pairs = zip(self.cells[row], self.headings(row), strict=True)
        return all(cell_words(cell.text) or not head for cell, head in pairs)


def cell_words(text: str) -> str:
    """One cell for the embedder, as one line."""
    return " ".join(embedded_form(markdown_to_text(text), "text").split())


def chunk_markdown(table: Table) -> str:
    """The table's Markdown in few tokens: a short line under the header, no note on repeated cells."""
    header, *lines = table.to_markdown().removesuffix(f"\n\n{SPAN_NOTE}").split("\n")
    return "\n".join([header, f"|{'-|' * table.n_cols}", *lines[1:]] if lines else [header])


def _markdown_rows(table: Table, said: Sequence[str]) -> list[str]:
    """For each row its line of the table's Markdown, or nothing where it says nothing."""
    header = table.header_rows
    head, rule, *body = storable(chunk_markdown(table)).split("\n") if table.n_rows else ["", ""]
    lines = [""] * header + body
    if header and any(said[:header]):
        lines[0] = f"{head}\n{rule}"
    return [line if line and (row < header or said[row]) else "" for row, line in enumerate(lines)]


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
