from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemoparse_loaders.backends.cpu.bar_charts import find_bars, read_bar_chart
from nemoparse_loaders.backends.cpu.geometry import Rect
from nemoparse_loaders.backends.cpu.parts import Word

BLUE, ORANGE, WHITE = (60, 100, 160), (220, 150, 60), (255, 255, 255)
BASE = 300.0


def sides(box: Rect) -> list[Rect]:
    return [
        Rect(box.x0, box.y0, box.x1, box.y0),
        Rect(box.x0, box.y0, box.x0, box.y1),
        Rect(box.x1, box.y0, box.x1, box.y1),
    ]


def label(text: str, x: float, y: float, order: int) -> Word:
    width = 4.0 * len(text)
    return Word(text, Rect(x - width / 2, y, x + width / 2, y + 8), 8.0, order=3 * order)


def axes() -> list[Rect]:
    grid = [Rect(90, y, 500, y) for y in (100.0, 150.0, 200.0, 250.0, BASE)]
    return [*grid, Rect(90, 100, 90, BASE)]


def ticks() -> list[Word]:
    return [label(str(10 * n), 80, BASE - 50 * n - 4, 100 + n) for n in range(5)]


def colours(bars: Sequence[tuple[Rect, tuple[int, int, int]]]) -> Callable[[Rect], tuple[int, int, int]]:
    def colour_at(box: Rect) -> tuple[int, int, int]:
        return next((colour for bar, colour in bars if bar.holds(*box.middle)), WHITE)

    return colour_at


def test_bars_with_numbers_and_a_legend() -> None:
    heights = {("N1", 0): 34, ("N1", 1): 12, ("N2", 0): 30, ("N2", 1): 20, ("N3", 0): 10, ("N3", 1): 25}
    drawn, words, lines = [], [label("Depth", 100, 80, 0)], axes()
    for (group, number), height in heights.items():
        x = 110 + 100 * int(group[1]) - 100 + 30 * number
        box = Rect(x, BASE - 5 * height, x + 30, BASE)
        drawn.append((box, (BLUE, ORANGE)[number]))
        lines += sides(box)
        words.append(label(str(height), x + 15, box.y0 - 10, 10 + len(words)))
    words += [label(f"N{n}", 40 + 100 * n, BASE + 5, 50 + n) for n in (1, 2, 3)]
    for number, name in enumerate(("Planet", "High")):
        swatch = Rect(150 + 100 * number, 330, 160 + 100 * number, 340)
        drawn.append((swatch, (BLUE, ORANGE)[number]))
        lines += [*sides(swatch), Rect(swatch.x0, 340, swatch.x1, 340)]
        words.append(label(name, 175 + 100 * number, 331, 60 + number))
    chart = read_bar_chart([*words, *ticks()], lines, colours(drawn))
    assert chart is not None
    assert chart.title == "Depth"
    # The bars of 30, 20 and 10 end on lines of the grid.
    assert chart.tables[0].grid() == [
        ["", "Planet", "High"], ["N1", "34", "12"], ["N2", "30", "20"], ["N3", "10", "25"],
    ]  # fmt: skip


def test_bars_without_numbers_are_measured_on_the_axis() -> None:
    boxes = [
        Rect(110 + 60 * n, BASE - 5 * height, 140 + 60 * n, BASE) for n, height in enumerate((22, 7, 38))
    ]
    words = [label(name, 125 + 60 * n, BASE + 5, n) for n, name in enumerate("ABC")]
    lines = [*axes(), *(side for box in boxes for side in sides(box))]
    chart = read_bar_chart([*words, *ticks()], lines, colours([(box, BLUE) for box in boxes]))
    assert chart is not None
    assert chart.tables[0].grid() == [["", "Value"], ["A", "22"], ["B", "7"], ["C", "38"]]
    assert read_bar_chart(words, lines, colours([])) is None
    assert read_bar_chart(ticks(), lines, colours([])) is None


def test_other_drawings_are_no_bars() -> None:
    assert find_bars(axes()) == []
    assert find_bars([]) == []
    assert read_bar_chart(ticks(), axes(), colours([])) is None


@given(st.lists(st.integers(2, 190), min_size=3, max_size=12))
@settings(max_examples=50, deadline=None)
def test_any_bars_that_stand_apart_are_found(heights: list[int]) -> None:
    boxes = [Rect(110 + 25.0 * n, BASE - height, 125 + 25.0 * n, BASE) for n, height in enumerate(heights)]
    found = find_bars([Rect(90, BASE, 500, BASE), *(side for box in boxes for side in sides(box))])
    assert found == [pytest.approx(box) for box in boxes]
