from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from nemoparse_loaders.backends.cpu.geometry import Rect
from nemoparse_loaders.backends.cpu.ruling_grid import grid_of, ruled_grids, touching


@dataclass(frozen=True)
class Drawn:
    """A table to draw: its grid lines, and its cells as (row, col, rowspan, colspan)."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    cells: tuple[tuple[int, int, int, int], ...]

    def lines(self, *, frame: bool = True) -> list[Rect]:
        """The sides of all cells, as a printer draws them; without the outer frame where wanted."""
        sides: set[Rect] = set()
        for row, col, rowspan, colspan in self.cells:
            left, right = self.xs[col], self.xs[col + colspan]
            top, bottom = self.ys[row], self.ys[row + rowspan]
            sides |= {Rect(left, top, right, top), Rect(left, bottom, right, bottom)}
            sides |= {Rect(left, top, left, bottom), Rect(right, top, right, bottom)}
        if not frame:
            sides = {s for s in sides if not (s.width == 0 and s.x0 in (self.xs[0], self.xs[-1]))}
        return sorted(sides)


@st.composite
def drawings(draw: st.DrawFn) -> Drawn:
    n_rows, n_cols = draw(st.integers(2, 6)), draw(st.integers(2, 6))
    xs, ys = [50.0], [100.0]
    for _ in range(n_cols):
        xs.append(xs[-1] + draw(st.floats(12, 80)))
    for _ in range(n_rows):
        ys.append(ys[-1] + draw(st.floats(10, 40)))
    taken: set[tuple[int, int]] = set()
    cells = []
    for row in range(n_rows):
        for col in range(n_cols):
            if (row, col) in taken:
                continue
            rowspan = draw(st.integers(1, min(3, n_rows - row)))
            colspan = draw(st.integers(1, min(3, n_cols - col)))
            while any((row, c) in taken for c in range(col, col + colspan)):
                colspan -= 1
            taken |= {(r, c) for r in range(row, row + rowspan) for c in range(col, col + colspan)}
            cells.append((row, col, rowspan, colspan))
    # A row or column in which no cell begins cannot be seen.
    if {cell[0] for cell in cells} != set(range(n_rows)) or {cell[1] for cell in cells} != set(range(n_cols)):
        cells = [(row, col, 1, 1) for row in range(n_rows) for col in range(n_cols)]
    return Drawn(tuple(xs), tuple(ys), tuple(cells))


def as_found(lines: list[Rect]) -> list[tuple[int, int, int, int]] | None:
    grid = grid_of(lines)
    return None if grid is None else [(c.row, c.col, c.rowspan, c.colspan) for c in grid.cells]


@given(drawings())
@settings(max_examples=150, deadline=None)
def test_the_grid_that_was_drawn_comes_back(drawn: Drawn) -> None:
    if len(drawn.cells) < 2:
        assert grid_of(drawn.lines()) is None
    else:
        assert as_found(drawn.lines()) == list(drawn.cells)


@given(drawings(), st.integers(0, 2**32), st.floats(0, 0.9))
@settings(max_examples=80, deadline=None)
def test_shaky_lines_give_the_same_grid(drawn: Drawn, seed: int, shake: float) -> None:
    def moved(value: float, salt: int) -> float:
        return value + shake * (((seed + salt * 2654435761) % 1000) / 500 - 1)

    lines = []
    for salt, line in enumerate(drawn.lines()):
        if line.width > 0:
            y = moved(line.y0, salt)
            lines.append(Rect(moved(line.x0, salt + 1), y, moved(line.x1, salt + 2), y))
        else:
            x = moved(line.x0, salt)
            lines.append(Rect(x, moved(line.y0, salt + 1), x, moved(line.y1, salt + 2)))
    if len(drawn.cells) > 1:
        assert as_found(lines) == list(drawn.cells)


def test_lines_that_reach_beyond_open_the_outer_columns() -> None:
    table = Drawn((0, 60, 120, 180), (0, 20, 40), tuple((r, c, 1, 1) for r in range(2) for c in range(3)))
    assert as_found(table.lines(frame=False)) == list(table.cells)


def test_two_tables_are_two_grids() -> None:
    cells = tuple((r, c, 1, 1) for r in range(2) for c in range(2))
    first, second = Drawn((0, 50, 100), (0, 20, 40), cells), Drawn((0, 50, 100), (100, 120, 140), cells)
    grids = ruled_grids(second.lines() + first.lines())
    assert [grid.box.y0 for grid in grids] == [0, 100]
    assert len(touching(first.lines() + second.lines())) == 2


def test_double_lines_are_one_grid_line() -> None:
    table = Drawn((0, 50, 100), (0, 20, 40), tuple((r, c, 1, 1) for r in range(2) for c in range(2)))
    upright = [line for line in table.lines() if line.width == 0]
    doubled = [Rect(line.x0 + 1.5, line.y0, line.x1 + 1.5, line.y1) for line in upright]
    assert as_found(table.lines() + doubled) == list(table.cells)


def test_a_frame_and_a_single_rule_are_no_grids() -> None:
    frame = Drawn((0, 100), (0, 50), ((0, 0, 1, 1),)).lines()
    assert ruled_grids([*frame, Rect(0, 90, 100, 90)]) == []


def test_thousands_of_lines_stay_bounded() -> None:
    level = [Rect(0, y / 4, 500, y / 4) for y in range(2_000)]
    upright = [Rect(x / 4, 0, x / 4, 500) for x in range(2_000)]
    for grid in ruled_grids(level + upright):
        assert len(grid.cells) <= 6_000
