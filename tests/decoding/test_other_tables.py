"""HTML tables and pipe tables."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemoparse_loaders.decoding import decode_page
from nemoparse_loaders.decoding.tables import find_tables
from nemoparse_loaders.decoding.tables.found import FoundTable
from nemoparse_loaders.document import Table
from nemoparse_loaders.export.tables import plain_grid, table_to_html, table_to_markdown

from .strategies import tables


def read(body: str) -> Table:
    (part,) = find_tables(body, expected=True)
    assert isinstance(part, FoundTable)
    return part.table


@pytest.mark.parametrize(
    ("body", "expected", "header_rows"),
    [
        ("| a | b |\n| --- | ---: |\n| 1 | 2 |", [["a", "b"], ["1", "2"]], 1),
        ("a | b\n--- | ---\n1 | 2", [["a", "b"], ["1", "2"]], 1),
        ("|a|b|\n|1|2|", [["a", "b"], ["1", "2"]], 0),
        ("|  |  |\n| --- | --- |\n| 1 | 2 |", [["1", "2"]], 0),
        ("| a\\|b | c<br>d |\n|---|---|\n| 1 |", [["a|b", "c\nd"], ["1", ""]], 1),
        ("| a |\n|---|\n| 1 | 2 |", [["a", ""], ["1", "2"]], 1),
    ],
)
def test_pipe_tables(body: str, expected: list[list[str]], header_rows: int) -> None:
    table = read(body)

    assert table.grid() == expected
    assert table.header_rows == header_rows


def test_words_around_a_pipe_table() -> None:
    parts = find_tables("Before | not\n\n| a |\n|---|\n| 1 |\nafter", expected=True)

    assert parts[0] == "Before | not"
    assert isinstance(parts[1], FoundTable)
    assert parts[2] == "after"


def test_pipes_in_a_sentence_are_no_table() -> None:
    assert find_tables("P(A|B) and |x|", expected=True) == ["P(A|B) and |x|"]
    (element,) = decode_page("<x_0.1><y_0.1>| not | a table |<x_0.9><y_0.2><class_Text>").elements
    assert element.table is None


@pytest.mark.parametrize(
    ("body", "expected", "header_rows"),
    [
        (
            '<table><tr><th rowspan="2">A</th><th colspan=2>B</th></tr><tr><td>c</td><td>d</td></tr></table>',
            [["A", "B", None], [None, "c", "d"]],
            1,
        ),
        (
            "<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>c<br>d</td></tr></tbody></table>",
            [["A", "B"], ["c\nd", ""]],
            1,
        ),
        ("<tr><td>a<td>b<tr><td>1<td>2", [["a", "b"], ["1", "2"]], 1),
        ("<tr><td>a</td>stray<td>b</td></tr><tr><td>1</td></tr>", [["a stray", "b"], ["1", ""]], 1),
        (
            "<table><tr><td><LOQ &amp; a < b</td><td><b>x</b> <i>y</i></td></tr><tr><td>1</td></tr></table>",
            [["<LOQ & a < b", "**x** _y_"], ["1", ""]],
            1,
        ),
        ("<table><tr><td rowspan=999 colspan=99999999>a</td><td>b</td></tr><tr></tr></table>", None, None),
        (
            "<table><tr><td>o<table><tr><td>in</td></tr></table></td><td>b</td></tr></table>",
            [["o in", "b"]],
            0,
        ),
        ("<table><tr><td>cut</td><td>of", [["cut", "of"]], 0),
    ],
)
def test_html_tables(body: str, expected: list[list[str | None]] | None, header_rows: int | None) -> None:
    table = read(body)

    if expected is None:
        assert "".join(cell.text for cell in table.cells) == "ab"
    else:
        assert table.grid() == expected
        assert table.header_rows == header_rows


def test_words_around_an_html_table() -> None:
    parts = find_tables("Before<br>it\n<table><tr><td>a</td></tr></table> after", expected=False)

    assert parts[0] == "Before<br>it"
    assert isinstance(parts[1], FoundTable)
    assert parts[2] == "after"


@given(tables(lines=1))
@settings(max_examples=60)
def test_html_comes_back_with_the_same_shape_and_words(table: Table) -> None:
    again = read(table_to_html(table))

    assert [(c.row, c.col, c.rowspan, c.colspan, c.is_header) for c in again.cells] == [
        (c.row, c.col, c.rowspan, c.colspan, c.is_header) for c in table.cells
    ]
    assert again.header_rows == table.header_rows


@given(tables(spans=False, max_header=1))
@settings(max_examples=60)
def test_markdown_comes_back_with_the_same_words(table: Table) -> None:
    again = read(table_to_markdown(table))

    if any(cell.text for cell in table.cells if cell.is_header) or table.header_rows == 0:
        assert again.n_rows == table.n_rows
        assert again.header_rows == table.header_rows
        assert plain_grid(again) == plain_grid(table)


def test_a_row_without_cells_is_no_table() -> None:
    assert find_tables("a <tr> b", expected=False) == ["a", "b"]


HTML_PIECES = [
    *("<table>", "</table>", "<tr>", "</tr>", "<thead>", "<tbody>", "<p>", "<br>", "<b>", "</b>"),
    *("<td>a</td>", "<th>b</th>", "<TD> c \n d </TD>", "<td></td>", "<td rowspan=2>e</td>"),
    *("<td>", "</td>", "<th>", "words", " ", "&amp;", "<", "\u00a0"),
]


@given(st.lists(st.sampled_from(HTML_PIECES), max_size=16).map("".join))
@settings(max_examples=300)
def test_a_cell_of_words_alone_is_read_as_its_tags_and_words_one_by_one(body: str) -> None:
    """A cell is found whole only where its tags have no space in them."""
    spaced = re.sub(r"<(t[dh])>", r"<\1 >", body, flags=re.IGNORECASE)

    whole, one_by_one = (find_tables(f"<table>{text}", expected=True) for text in (body, spaced))

    assert [part if isinstance(part, str) else part.table for part in whole] == [
        part if isinstance(part, str) else part.table for part in one_by_one
    ]
