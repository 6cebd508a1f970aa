from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from nemoparse_loaders.backends.cpu.aligned_grid import WordGrid, aligned_grid, text_rows
from nemoparse_loaders.backends.cpu.geometry import Rect
from nemoparse_loaders.backends.cpu.parts import Word

WordsOf = Callable[..., list[Word]]


def set_table(
    words_of: WordsOf, rows: list[list[str]], xs: list[float], *, top: float = 100, step: float = 16
) -> list[Word]:
    words: list[Word] = []
    for index, row in enumerate(rows):
        for x, text in zip(xs, row, strict=True):
            words += words_of(text, x, top + step * index, order=len(words))
    return words


def rule(x0: float, x1: float, y: float) -> Rect:
    return Rect(x0, y, x1, y)


def as_rows(grid: WordGrid | None) -> list[list[str]]:
    assert grid is not None
    rows = [[""] * grid.n_cols for _ in range(grid.n_rows)]
    for cell in grid.cells:
        rows[cell.row][cell.col] = " ".join(word.text for row in text_rows(cell.words) for word in row)
    return rows


def spans(grid: WordGrid | None) -> list[tuple[int, int, int]]:
    assert grid is not None
    return [(cell.row, cell.col, cell.colspan) for cell in grid.cells if cell.colspan > 1]


TABLE = [
    ["Symbol", "Meaning", "Value"],
    ["h", "wear depth", "10"],
    ["H", "hardness of the flank", "7.1"],
    ["J", "inertia", "5,900"],
]


def test_columns_come_from_white_channels(words_of: WordsOf) -> None:
    assert as_rows(aligned_grid(set_table(words_of, TABLE, [50, 120, 300]))) == TABLE


def test_empty_cells_stay_empty(words_of: WordsOf) -> None:
    table = [*TABLE, ["K", "", "3"], ["", "only this", ""]]
    assert as_rows(aligned_grid(set_table(words_of, table, [50, 120, 300]))) == table


def test_dense_numbers_are_parted_where_many_rows_agree(words_of: WordsOf) -> None:
    table = [["State", "12", "34"], *([f"Name{row}", str(10 + row), str(70 + row)] for row in range(8))]
    # The gap between the numbers is five points, half an em.
    assert as_rows(aligned_grid(set_table(words_of, table, [50, 120, 135]))) == table


def test_a_heading_spans_the_columns_over_which_its_rule_reaches(words_of: WordsOf) -> None:
    body = [["Row", "Mean", "Peak", "Total"], ["N1", "61.2", "118.4", "3.1"], ["N2", "63.8", "131.7", "3.9"]]
    words = set_table(words_of, body, [50, 120, 190, 260], top=130)
    heading = words_of("Spring", 145, 108, order=100)
    rules = [rule(50, 290, 104), rule(120, 220, 121), rule(50, 290, 142), rule(50, 290, 176)]
    grid = aligned_grid(words + heading, rules)
    assert spans(grid) == [(0, 1, 2)]
    assert grid is not None
    assert grid.header_rows == 2


def test_a_phrase_over_a_channel_spans_it(words_of: WordsOf) -> None:
    words = set_table(words_of, TABLE, [50, 120, 300])
    words += words_of("a remark that reaches over everything in this table", 50, 180, order=100)
    assert spans(aligned_grid(words)) == [(4, 0, 3)]


def test_rules_say_where_rows_of_several_lines_end(words_of: WordsOf) -> None:
    rows = [
        ["Item", "Text"],
        ["one", "a text that goes"],
        ["", "on below"],
        ["two", "short"],
        ["three", "again two"],
        ["", "lines"],
    ]
    words = set_table(words_of, rows, [50, 120], step=12)
    rules = [rule(48, 210, y) for y in (98, 111, 135, 147, 172)]
    assert as_rows(aligned_grid(words, rules)) == [
        ["Item", "Text"],
        ["one", "a text that goes on below"],
        ["two", "short"],
        ["three", "again two lines"],
    ]


def test_numbers_between_sparse_rules_stay_rows(words_of: WordsOf) -> None:
    table = [["State", "Permit", "Gun"], *([f"Name{row}", str(row), str(2 * row)] for row in range(9))]
    words = set_table(words_of, table, [50, 120, 200])
    rules = [rule(48, 230, 114 + 48 * index) for index in range(4)]
    assert as_rows(aligned_grid(words, rules)) == table


def test_lines_closer_than_rows_belong_to_the_row_above(words_of: WordsOf) -> None:
    words = words_of("Item", 50, 100) + words_of("Text", 120, 100)
    for row, (name, first, second) in enumerate(
        [("one", "some words", "more"), ("two", "other words", "again")]
    ):
        words += words_of(name, 50, 125 + 40 * row) + words_of(first, 120, 125 + 40 * row)
        words += words_of(second, 120, 136 + 40 * row)
    assert as_rows(aligned_grid(words)) == [
        ["Item", "Text"], ["one", "some words more"], ["two", "other words again"],
    ]  # fmt: skip


def test_a_heading_of_several_lines_is_one_row(words_of: WordsOf) -> None:
    words = words_of("Cost on", 200, 100) + words_of("Action", 50, 106) + words_of("owners", 200, 112)
    words += set_table(words_of, [["verify", "$85"], ["revise", "$90"], ["train", "$70"]], [50, 200], top=130)
    grid = aligned_grid(words, [rule(50, 250, 96), rule(50, 250, 125), rule(50, 250, 175)])
    assert as_rows(grid)[0] == ["Action", "Cost on owners"]
    assert grid is not None
    assert grid.header_rows == 1


def test_upright_rules_part_columns_that_touch(words_of: WordsOf) -> None:
    table = [["ab", "cd"], ["ef", "gh"], ["ij", "kl"]]
    words = set_table(words_of, table, [50, 62])
    assert aligned_grid(words) is None
    assert as_rows(aligned_grid(words, [Rect(61, 95, 61, 150)])) == table


def test_running_text_is_no_table(words_of: WordsOf) -> None:
    words = [
        word
        for row, text in enumerate(
            ["some words of a text", "that goes on over lines", "and has no columns at all"]
        )
        for word in words_of(text, 50, 100 + 12 * row)
    ]
    assert aligned_grid(words) is None
    assert aligned_grid([]) is None


texts = st.text("abcdefghij", min_size=1, max_size=6)


@given(
    st.lists(st.floats(20, 60), min_size=2, max_size=6),
    st.integers(2, 12),
    st.data(),
)
@settings(max_examples=80, deadline=None)
def test_any_full_table_comes_back(gaps: list[float], n_rows: int, data: st.DataObject) -> None:
    xs = [50.0]
    for gap in gaps[:-1]:
        xs.append(xs[-1] + 32 + gap)
    table = [[data.draw(texts) for _ in xs] for _ in range(n_rows)]
    words = []
    for row, line in enumerate(table):
        for x, text in zip(xs, line, strict=True):
            words.append(Word(text, Rect(x, 100 + 15 * row, x + 5 * len(text), 110 + 15 * row), 10.0))
    assert as_rows(aligned_grid(words)) == table
