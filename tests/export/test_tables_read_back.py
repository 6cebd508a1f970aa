r"""HTML, LaTeX and Markdown of a table, read back by the readers of replies.

For HTML and LaTeX: every shape of table. LaTeX keeps each text as it is. HTML shows what Markdown means: a
backslash that escapes a character is not there to be read back, nor the difference between ``__x__`` and
``**x**``, so only texts without them are compared.
"""

from __future__ import annotations

import csv
import io

from hypothesis import given, settings
from hypothesis import strategies as st

from nemoparse_loaders.decoding.tables import find_tables
from nemoparse_loaders.decoding.tables.found import FoundTable
from nemoparse_loaders.document import Table, TableCell
from nemoparse_loaders.export.plain import markdown_to_text

# What means something to HTML, LaTeX, Markdown or CSV, without what HTML does not give back.
HARD_PIECES = [
    "a",
    "foo_bar_baz",
    "<LOQ",
    "a<b",
    "R&D",
    "&amp;",
    "&lt;td&gt;",
    "$5",
    "12%",
    "#1",
    "{x}",
    "~",
    "^",
    "**bold**",
    "_it_",
    "m<sup>2</sup>",
    "H<sub>2</sub>O",
    "<u>u</u>",
    "\\(x_1^2\\)",
    "\\(a<b\\)",
    "<script>",
    "</td>",
    "<tr",
    '"q"',
    "'",
    "a,b",
    "a|b",
    "5*3*2",
    "漢字",
    "é",
    "1.",
    "-",
    "x",
    "C:\\dir",
]


def texts() -> st.SearchStrategy[str]:
    pieces = st.lists(st.sampled_from([*HARD_PIECES, "\n"]), max_size=4)
    return pieces.map(
        lambda parts: "\n".join(" ".join(line.split()) for line in _lines(parts) if line.strip())
    )


def _lines(parts: list[str]) -> list[str]:
    return " ".join(parts).split("\n")


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Any spans that do not overlap; some places are left out, and the header ends anywhere."""
    n_rows = draw(st.integers(1, 6))
    n_cols = draw(st.integers(1, 5))
    header_rows = draw(st.integers(0, min(4, n_rows)))
    taken: set[tuple[int, int]] = set()
    cells = []
    for row in range(n_rows):
        for col in range(n_cols):
            if (row, col) in taken or draw(st.integers(0, 9)) == 0:
                continue
            colspan = draw(st.integers(1, n_cols - col))
            while any((row, col + step) in taken for step in range(colspan)):
                colspan -= 1
            rowspan = draw(st.integers(1, n_rows - row))
            taken |= {(row + down, col + right) for down in range(rowspan) for right in range(colspan)}
            head = row < header_rows
            cells.append(
                TableCell(
                    row=row, col=col, rowspan=rowspan, colspan=colspan, text=draw(texts()), is_header=head
                )
            )
    return Table(cells=tuple(cells), n_rows=n_rows, n_cols=n_cols, header_rows=header_rows)


def read(body: str) -> Table:
    (found,) = find_tables(body, expected=True)
    assert isinstance(found, FoundTable)
    assert not found.cut
    assert not found.damage
    return found.table


def shape(table: Table) -> list[tuple[int, int, int, int]]:
    """Where the spans are; a place without a cell is an empty cell to every reader."""
    return [
        (cell.row, cell.col, cell.rowspan, cell.colspan)
        for cell in table.cells
        if cell.rowspan > 1 or cell.colspan > 1
    ]


@given(tables())
@settings(max_examples=200)
def test_latex_is_read_back(table: Table) -> None:
    again = read(table.to_latex())

    assert (again.n_rows, again.n_cols, again.header_rows) == (table.n_rows, table.n_cols, table.header_rows)
    assert shape(again) == shape(table)
    assert again.grid() == table.grid()


@given(tables())
@settings(max_examples=200)
def test_html_is_read_back(table: Table) -> None:
    again = read(table.to_html())

    assert (again.n_rows, again.n_cols, again.header_rows) == (table.n_rows, table.n_cols, table.header_rows)
    assert shape(again) == shape(table)
    assert again.grid() == table.grid()


@given(tables())
@settings(max_examples=100)
def test_markdown_has_the_expanded_grid(table: Table) -> None:
    found, *note = find_tables(table.to_markdown(), expected=True)

    assert isinstance(found, FoundTable)
    assert found.table.n_cols == table.n_cols
    body = table.grid(expand_spans=True)[table.header_rows :]
    assert found.table.grid()[found.table.header_rows :] == body
    assert len(note) <= 1


@given(tables())
@settings(max_examples=50)
def test_csv_has_the_expanded_grid_as_plain_text(table: Table) -> None:
    rows = list(csv.reader(io.StringIO(table.to_csv(), newline="")))

    grid = table.grid(expand_spans=True)
    assert rows == [[markdown_to_text(text or "") for text in row] for row in grid]
