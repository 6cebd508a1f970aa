from __future__ import annotations

from collections.abc import Callable

from nemoparse_loaders.backends.cpu.aligned_grid import WordCell, WordGrid
from nemoparse_loaders.backends.cpu.geometry import Rect
from nemoparse_loaders.backends.cpu.parts import Word
from nemoparse_loaders.backends.cpu.ruling_grid import Grid, GridCell
from nemoparse_loaders.backends.cpu.table_repair import split_stacked, without_slivers

WordsOf = Callable[..., list[Word]]


def grid(xs: list[float], ys: list[float]) -> Grid:
    cells = [
        GridCell(row, col, 1, 1, Rect(xs[col], ys[row], xs[col + 1], ys[row + 1]))
        for row in range(len(ys) - 1)
        for col in range(len(xs) - 1)
    ]
    return Grid(tuple(cells), len(ys) - 1, len(xs) - 1, Rect(xs[0], ys[0], xs[-1], ys[-1]))


def test_thin_columns_and_rows_without_words_go(words_of: WordsOf) -> None:
    found = without_slivers(grid([0, 60, 65, 70, 130], [0, 20, 23, 43]), words_of("word", 10, 5))
    assert (found.n_rows, found.n_cols, len(found.cells)) == (2, 2, 4)
    assert sorted({(cell.row, cell.col) for cell in found.cells}) == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_a_thin_column_with_words_stays() -> None:
    word = Word("1", Rect(61, 5, 64, 15), 8)
    assert without_slivers(grid([0, 60, 66, 130], [0, 20, 40]), [word]).n_cols == 3


def test_cells_over_a_thin_column_shrink() -> None:
    cells = (
        GridCell(0, 0, 1, 3, Rect(0, 0, 130, 20)),
        GridCell(1, 0, 1, 1, Rect(0, 20, 60, 40)),
        GridCell(1, 1, 1, 1, Rect(60, 20, 65, 40)),
        GridCell(1, 2, 1, 1, Rect(65, 20, 130, 40)),
    )
    found = without_slivers(Grid(cells, 2, 3, Rect(0, 0, 130, 40)), [])
    assert [(cell.row, cell.col, cell.colspan) for cell in found.cells] == [(0, 0, 2), (1, 0, 1), (1, 1, 1)]


def stacked(words_of: WordsOf, x: float, *lines: str) -> tuple[Word, ...]:
    return tuple(word for row, line in enumerate(lines) for word in words_of(line, x, 100 + 12 * row))


def test_rows_stacked_in_one_band_are_parted(words_of: WordsOf) -> None:
    band = WordGrid(
        (
            WordCell(0, 0, 1, 1, stacked(words_of, 0, "6")),
            WordCell(0, 1, 1, 1, stacked(words_of, 50, "OTSL", "HTML")),
            WordCell(0, 2, 1, 1, stacked(words_of, 100, "0.965", "0.969")),
            WordCell(0, 3, 1, 1, stacked(words_of, 150, "2.73", "5.39")),
        ),
        1,
        4,
    )
    found = split_stacked(band)
    assert found.n_rows == 2
    assert [(cell.row, cell.col, cell.rowspan, cell.words[0].text) for cell in found.cells] == [
        (0, 0, 2, "6"),
        (0, 1, 1, "OTSL"),
        (1, 1, 1, "HTML"),
        (0, 2, 1, "0.965"),
        (1, 2, 1, "0.969"),
        (0, 3, 1, "2.73"),
        (1, 3, 1, "5.39"),
    ]


def test_cells_that_merely_wrap_stay_whole(words_of: WordsOf) -> None:
    band = WordGrid(
        (
            WordCell(0, 0, 1, 1, stacked(words_of, 0, "Running", "hours")),
            WordCell(0, 1, 1, 1, stacked(words_of, 80, "Oil temp.", "(°C)")),
            WordCell(0, 2, 1, 1, stacked(words_of, 160, "Iron", "(mg/kg)")),
        ),
        1,
        3,
    )
    assert split_stacked(band) == band
