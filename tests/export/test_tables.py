"""Tables in every form: HTML, Markdown, CSV, records, DataFrame, lines."""

from __future__ import annotations

import csv
import io
import sys
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemoparse_loaders.document import Table, TableCell
from nemoparse_loaders.errors import MissingDependencyError
from nemoparse_loaders.export.tables import SPAN_NOTE, column_names


def cell(row: int, col: int, text: str, rowspan: int = 1, colspan: int = 1, head: bool = False) -> TableCell:
    return TableCell(row=row, col=col, text=text, rowspan=rowspan, colspan=colspan, is_header=head)


TWO_LEVELS = Table(
    cells=(
        cell(0, 0, "Group", 2, 1, True),
        cell(0, 1, "**Before**", 1, 2, True),
        cell(1, 1, "mean", head=True),
        cell(1, 2, "SD", head=True),
        cell(2, 0, "a|b", 2, 1),
        cell(2, 1, "<LOQ"),
        cell(2, 2, "$5\nfoo_bar"),
        cell(3, 1, "m<sup>2</sup>"),
        cell(3, 2, '"q", r'),
    ),
    n_rows=4,
    n_cols=3,
    header_rows=2,
)
PLAIN = Table(cells=(cell(0, 0, "1"), cell(0, 1, "2")), n_rows=1, n_cols=2)


def test_html() -> None:
    assert TWO_LEVELS.to_html() == (
        "<table>\n<thead>\n"
        '<tr><th rowspan="2">Group</th><th colspan="2"><strong>Before</strong></th></tr>\n'
        "<tr><th>mean</th><th>SD</th></tr>\n</thead>\n<tbody>\n"
        '<tr><td rowspan="2">a|b</td><td>&lt;LOQ</td><td>$5<br>foo_bar</td></tr>\n'
        "<tr><td>m<sup>2</sup></td><td>&quot;q&quot;, r</td></tr>\n</tbody>\n</table>"
    )


def test_markdown() -> None:
    assert TWO_LEVELS.to_markdown() == (
        "| Group | **Before** / mean | **Before** / SD |\n"
        "| --- | --- | --- |\n"
        "| a\\|b | <LOQ | $5<br>foo_bar |\n"
        '| a\\|b | m<sup>2</sup> | "q", r |\n'
        "\n"
        "<!-- cells over several rows or columns are repeated -->"
    )


@pytest.mark.parametrize(
    ("spanning", "says_so"),
    [
        (cell(0, 0, "over two columns", 1, 2, True), True),
        (cell(0, 0, "over the header", 2, 1, True), False),
        (cell(0, 0, "into the body", 3, 1, True), True),
        (cell(2, 0, "over two rows", 2, 1), True),
        (cell(2, 0, "", 2, 2), False),
        (cell(2, 0, "one place"), False),
    ],
)
def test_markdown_says_when_it_repeats_a_text(spanning: TableCell, says_so: bool) -> None:
    table = Table(cells=(spanning,), n_rows=4, n_cols=2, header_rows=2)

    markdown = table.to_markdown()

    assert markdown.endswith("\n\n" + SPAN_NOTE) == says_so
    assert says_so == (bool(spanning.text) and markdown.count(spanning.text) > 1)


def test_markdown_without_a_header() -> None:
    assert PLAIN.to_markdown() == "|  |  |\n| --- | --- |\n| 1 | 2 |"


def test_csv() -> None:
    rows = list(csv.reader(io.StringIO(TWO_LEVELS.to_csv())))

    assert rows == [
        ["Group", "Before", "Before"],
        ["Group", "mean", "SD"],
        ["a|b", "<LOQ", "$5\nfoo_bar"],
        ["a|b", "m²", '"q", r'],
    ]


def test_records() -> None:
    assert TWO_LEVELS.to_records() == [
        {"Group": "a|b", "Before / mean": "<LOQ", "Before / SD": "$5\nfoo_bar"},
        {"Group": "a|b", "Before / mean": "m²", "Before / SD": '"q", r'},
    ]


def test_dataframe() -> None:
    frame = TWO_LEVELS.to_dataframe()

    assert list(frame.columns) == ["Group", "Before / mean", "Before / SD"]
    assert frame.shape == (2, 3)
    assert frame["Before / mean"].tolist() == ["<LOQ", "m²"]


def test_a_dataframe_without_pandas_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)

    with pytest.raises(MissingDependencyError, match=r"nemoparse-loaders\[pandas\]"):
        PLAIN.to_dataframe()


def test_lines() -> None:
    assert TWO_LEVELS.to_lines() == [
        "Group | Before",
        "Group | mean | SD",
        "a|b | <LOQ | $5 foo_bar",
        'a|b | m² | "q", r',
    ]


def test_column_names_are_unique_and_never_empty() -> None:
    table = Table(
        cells=(cell(0, 0, "x", head=True), cell(0, 2, "x", head=True), cell(0, 3, "x (2)", head=True)),
        n_rows=2,
        n_cols=4,
        header_rows=1,
    )

    assert column_names(table) == ["x", "column 2", "x (2)", "x (2) (2)"]


def test_an_empty_table() -> None:
    table = Table()

    assert table.to_markdown() == ""
    assert table.to_html() == "<table>\n</table>"
    assert table.to_csv() == ""
    assert table.to_records() == []
    assert table.to_latex() == "\\begin{tabular}{c}\n\\end{tabular}"


class _Shape(HTMLParser):
    """Counts what a browser would see."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.words.append(data)


@given(st.lists(st.text(alphabet="a<>&\"'/scriptb*_|\\ ", max_size=20), min_size=1, max_size=4))
@settings(max_examples=100)
def test_html_is_always_escaped(texts: list[str]) -> None:
    table = Table(
        cells=tuple(cell(0, col, text) for col, text in enumerate(texts)), n_rows=1, n_cols=len(texts)
    )

    shape = _Shape()
    shape.feed(table.to_html())
    shape.close()

    assert set(shape.tags) <= {"table", "tbody", "tr", "td", "strong", "em", "br"}
    assert shape.tags.count("td") == len(texts)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a|b", r"a\|b"),
        (r"a\|b", r"a\|b"),
        (r"C:\\|b", r"C:\\&#124;b"),
        (r"\(|x|\)", r"\(\|x\|\)"),
    ],
)
def test_a_pipe_in_a_cell_never_ends_it(text: str, written: str) -> None:
    table = Table(cells=(cell(0, 0, text),), n_rows=1, n_cols=1)

    assert table.to_markdown().split("\n")[-1] == f"| {written} |"


def test_many_backslashes_take_linear_time() -> None:
    text = "\\" * 200_000 + "a|"

    assert Table(cells=(cell(0, 0, text),), n_rows=1, n_cols=1).to_markdown().endswith("a\\| |")


def test_a_span_from_the_header_into_the_body_keeps_its_rows_together() -> None:
    table = Table(
        cells=(cell(0, 0, "a", 2, 1, True), cell(0, 1, "b", head=True), cell(1, 1, "c")),
        n_rows=2,
        n_cols=2,
        header_rows=1,
    )

    html = table.to_html()

    assert html == '<table>\n<tr><th rowspan="2">a</th><th>b</th></tr>\n<tr><td>c</td></tr>\n</table>'


@given(st.lists(st.text(alphabet="a|\\\n<br> ", max_size=8), min_size=2, max_size=4), st.integers(1, 3))
def test_markdown_columns_never_shift(texts: list[str], n_rows: int) -> None:
    table = Table(
        cells=tuple(cell(row, col, text) for row in range(n_rows) for col, text in enumerate(texts)),
        n_rows=n_rows,
        n_cols=len(texts),
        header_rows=1,
    )

    for line in table.to_markdown().split("\n"):
        unescaped = line.replace("\\|", "")
        assert unescaped.count("|") == len(texts) + 1


def test_a_long_table_is_linear() -> None:
    n_rows = 10_000
    table = Table(
        cells=tuple(cell(row, col, f"{row}.{col}") for row in range(n_rows) for col in range(3)),
        n_rows=n_rows,
        n_cols=3,
        header_rows=1,
    )

    assert len(table.to_markdown().split("\n")) == n_rows + 1
    assert table.to_html().count("<tr>") == n_rows
    assert len(table.to_records()) == n_rows - 1
    assert table.to_latex().count("\\\\") == n_rows
