from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from nemoparse_loaders.backends.cpu.geometry import Rect
from nemoparse_loaders.backends.cpu.order import reading_order

LEFT, RIGHT, FULL = (50, 290), (310, 550), (50, 550)


def box(span: tuple[float, float], top: float, bottom: float) -> Rect:
    return Rect(span[0], top, span[1], bottom)


def assert_order(boxes: list[Rect]) -> None:
    """The boxes are given in the order in which they are to be read; shuffled, they come back so."""
    shuffled = sorted(range(len(boxes)), key=lambda index: (index * 7919) % 101)
    order = reading_order([boxes[index] for index in shuffled])
    assert [shuffled[index] for index in order] == list(range(len(boxes)))


def test_two_columns_under_a_title() -> None:
    assert_order(
        [
            box(FULL, 40, 60),
            box(LEFT, 80, 200),
            box(LEFT, 210, 400),
            box(LEFT, 410, 700),
            box(RIGHT, 80, 300),
            box(RIGHT, 310, 700),
        ]
    )


def test_a_narrow_title_over_the_gutter() -> None:
    assert_order([box((200, 400), 40, 60), box(LEFT, 80, 400), box(RIGHT, 80, 400)])


def test_a_wide_figure_parts_the_columns_into_bands() -> None:
    assert_order(
        [
            box(LEFT, 80, 200),
            box(LEFT, 210, 290),
            box(RIGHT, 80, 290),
            box(FULL, 300, 400),
            box((150, 450), 405, 420),
            box(LEFT, 430, 700),
            box(RIGHT, 430, 600),
            box(RIGHT, 610, 700),
        ]
    )


def test_three_columns() -> None:
    columns = [(50, 200), (220, 370), (390, 540)]
    assert_order([box(column, top, top + 90) for column in columns for top in (80, 180, 280)])


def test_other_columns_below_a_full_line() -> None:
    top = [box(LEFT, 50, 200), box(RIGHT, 50, 180)]
    below = [box((50, 150), 240, 400), box((170, 360), 240, 400), box((380, 550), 240, 400)]
    assert_order([*top, box(FULL, 210, 230), *below])


def test_a_ragged_column_beside_a_figure() -> None:
    assert_order([box(LEFT, 80, 100), box((50, 180), 110, 130), box(LEFT, 140, 300), box(RIGHT, 85, 290)])


def test_one_column_goes_from_top_to_bottom() -> None:
    assert_order([box((50, 550), 10 * row, 10 * row + 8) for row in range(30)])


def test_right_to_left_columns() -> None:
    assert reading_order([box(LEFT, 80, 400), box(RIGHT, 80, 400)], rtl=True) == [1, 0]


@given(
    st.lists(
        st.builds(lambda x, y, w, h: Rect(x, y, x + w, y + h), *(st.floats(0, 300) for _ in range(4))),
        max_size=40,
    ),
    st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_every_box_is_read_once(boxes: list[Rect], rtl: bool) -> None:
    assert sorted(reading_order(boxes, rtl=rtl)) == list(range(len(boxes)))


@given(st.lists(st.lists(st.floats(8, 60), min_size=1, max_size=5), min_size=2, max_size=4), st.booleans())
@settings(max_examples=60, deadline=None)
def test_columns_of_any_heights_are_read_one_by_one(columns: list[list[float]], titled: bool) -> None:
    boxes = [Rect(0, 0, 130 * len(columns) - 20, 20)] if titled else []
    for number, heights in enumerate(columns):
        y = 30.0
        for height in heights:
            boxes.append(Rect(130 * number, y, 130 * number + 110, y + height))
            y += height + 6
    assert_order(boxes)
