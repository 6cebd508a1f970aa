from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders.chunking.rows import Rows, chunk_markdown
from nemoparse_loaders.document import Table, TableCell


@st.composite
def spanned_tables(draw: st.DrawFn) -> Table:
    """A header row, then rows of cells that may span several rows."""
    n_cols, n_body = draw(st.integers(1, 4)), draw(st.integers(1, 8))
    cells = [TableCell(row=0, col=col, text=f"h{col}", is_header=True) for col in range(n_cols)]
    for col in range(n_cols):
        row = 1
        while row <= n_body:
            rowspan = draw(st.integers(1, min(3, n_body - row + 1)))
            cells.append(TableCell(row=row, col=col, rowspan=rowspan, text=f"r{row}c{col}"))
            row += rowspan
    cells.sort(key=lambda cell: (cell.row, cell.col))
    return Table(cells=tuple(cells), n_rows=n_body + 1, n_cols=n_cols, header_rows=1)


@given(spanned_tables())
def test_groups_are_the_body_rows_and_cut_no_span(table: Table) -> None:
    groups = Rows(table).groups()

    assert [row for start, end in groups for row in range(start, end)] == list(range(1, table.n_rows))
    for cell in table.cells:
        assert cell.row == 0 or any(
            start <= cell.row and cell.row + cell.rowspan <= end for start, end in groups
        )


@given(spanned_tables(), st.data())
def test_a_part_shows_its_rows_as_the_whole_does(table: Table, data: st.DataObject) -> None:
    start = data.draw(st.integers(1, table.n_rows - 1))
    end = data.draw(st.integers(start + 1, table.n_rows))
    grid = table.grid(expand_spans=True)

    assert Rows(table).part(start, end).grid(expand_spans=True) == [grid[0], *grid[start:end]]


@given(spanned_tables())
def test_every_row_is_said_with_its_labels(table: Table) -> None:
    grid = table.grid(expand_spans=True)

    assert Rows(table).words == [" ".join(text or "" for text in row) for row in grid]


def test_wide_cells_are_said_once_and_marks_are_left_out() -> None:
    table = Table(
        cells=(
            TableCell(row=0, col=0, colspan=2, text="**Spring** tides", is_header=True),
            TableCell(row=1, col=0, text=r"m<sup>2</sup>\nrow".replace("\\n", "\n")),
            TableCell(row=1, col=1, text="5"),
        ),
        n_rows=2,
        n_cols=2,
        header_rows=1,
    )

    assert Rows(table).words == ["Spring tides", "m² row 5"]


def sectioned(*rows: list[str]) -> Rows:
    cells = tuple(
        TableCell(row=row, col=col, text=text)
        for row, texts in enumerate(rows)
        for col, text in enumerate(texts)
    )
    return Rows(Table(cells=cells, n_rows=len(rows), n_cols=len(rows[0]), header_rows=1))


def test_a_row_with_nothing_but_a_name_heads_the_rows_below_it() -> None:
    rows = sectioned(
        ["Part", "2021", "2022"],
        ["Total", "9", "9"],
        ["Gears", "", ""],
        ["Planet", "1", "2"],
        ["Sun", "3", "4"],
        ["Shafts", "", ""],
        ["Main", "5", "6"],
    )

    assert rows.sections == [None, None, 2, 2, 2, 5, 5]
    assert rows.part(4, 5, 2).grid() == [["Part", "2021", "2022"], ["Gears", "", ""], ["Sun", "3", "4"]]


def test_a_table_that_is_mostly_empty_has_no_sections() -> None:
    rows = sectioned(["Part", "2021"], ["Gears", ""], ["Shafts", ""], ["Oil", ""], ["Main", "5"])

    assert set(rows.sections) == {None}


def test_a_name_at_the_end_or_in_another_column_heads_nothing() -> None:
    rows = sectioned(
        ["Part", "2021"], ["Main", "5"], ["", "Gears"], ["Sun", "3"], ["Planet", "4"], ["End", ""]
    )

    assert set(rows.sections) == {None}


@given(spanned_tables())
def test_a_table_in_a_chunk_is_its_markdown_with_a_short_rule_and_no_note(table: Table) -> None:
    header, rule, *rows = chunk_markdown(table).split("\n")
    printed = table.to_markdown().split("\n")

    assert [header, *rows] == [printed[0], *printed[2 : 2 + len(rows)]]
    assert len(rows) == table.n_rows - 1
    assert rule == "|" + "-|" * table.n_cols


def test_a_table_without_cells_is_nothing_in_a_chunk() -> None:
    assert chunk_markdown(Table(cells=(), n_rows=0, n_cols=0, header_rows=0)) == ""
