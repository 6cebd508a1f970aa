"""Rows written at once read as their cells do one by one, and as a table's with spans do."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from nemoparse_loaders.document import Table, TableCell
from nemoparse_loaders.export.table_rows import pipe_table, plain_line, plain_lines, rows_without_spans

TEXTS = st.one_of(
    st.sampled_from(["", "a", "b c", "**b**", "_i_", "m<sup>2</sup>", "<5", "a|b", "\\|", "a\\_b", "x<br>y"]),
    st.text("a |\\\n\t\u00a0*_<", max_size=6),
)
ROWS = st.integers(1, 4).flatmap(
    lambda n_cols: st.lists(st.lists(TEXTS, min_size=n_cols, max_size=n_cols), min_size=1, max_size=4)
)


def table_of(rows: list[list[str]], header_rows: int, extra: tuple[TableCell, ...] = ()) -> Table:
    cells = [
        TableCell(row=row, col=col, text=text, is_header=row < header_rows)
        for row, texts in enumerate(rows)
        for col, text in enumerate(texts)
    ]
    return Table(
        cells=(*cells, *extra),
        n_rows=len(rows) + bool(extra),
        n_cols=len(rows[0]),
        header_rows=header_rows,
    )


@given(ROWS)
@example([[" "]])
@example([["a", " "], ["b", "c"]])
@example([["\n"], ["a"]])
@example([["a\nb"], [""]])
@settings(max_examples=300)
def test_a_line_says_what_its_cells_say(rows: list[list[str]]) -> None:
    lines = [" | ".join(text for text in map(plain_line, row) if text) for row in rows]

    assert plain_lines(rows) == [line for line in lines if line]


@given(ROWS, st.integers(0, 3))
@settings(max_examples=200)
def test_a_table_reads_the_same_with_a_span_below_it(rows: list[list[str]], header_rows: int) -> None:
    """An empty cell over two rows keeps the table from being written by rows."""
    header_rows = min(header_rows, len(rows))
    plain = table_of(rows, header_rows)
    n_cols = len(rows[0])
    spanned = table_of(rows, header_rows, (TableCell(row=len(rows), col=0, colspan=n_cols + 1),))

    assert rows_without_spans(plain) == rows
    assert rows_without_spans(spanned) is None
    assert spanned.to_lines() == plain.to_lines() == plain_lines(rows)
    assert plain.to_markdown() == pipe_table(rows, header_rows)
    assert spanned.to_markdown() == plain.to_markdown() + "\n|" + "  |" * n_cols
    assert spanned.to_csv().startswith(plain.to_csv())


def test_a_table_whose_cells_overlap_or_are_missing_is_not_written_by_rows() -> None:
    a, b = TableCell(row=0, col=0, text="a"), TableCell(row=0, col=1, text="b")

    assert rows_without_spans(Table(cells=(a, b), n_rows=1, n_cols=2)) == [["a", "b"]]
    assert rows_without_spans(Table()) == []
    for cells in ((a,), (b, a), (a, a), (a.model_copy(update={"colspan": 2}), b)):
        assert rows_without_spans(Table(cells=cells, n_rows=1, n_cols=2)) is None
    assert rows_without_spans(Table(cells=(a, b), n_rows=2, n_cols=1)) is None
