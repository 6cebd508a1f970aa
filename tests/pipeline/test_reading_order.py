"""The place of a missed region in the reading order."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemoparse_loaders.document import BBox, Element
from nemoparse_loaders.pipeline.reading_order import place_in_order

from ..decoding.strategies import boxes


def element(name: str, kind: str, box: BBox | None) -> Element:
    return Element(id=name, type=kind, bbox=box, text=name)


def text(name: str, x0: float, y0: float, x1: float, y1: float) -> Element:
    return element(name, "Text", BBox(x0, y0, x1, y1))


# A title, two columns, a table over both, two columns again.
COLUMNS = [
    element("header", "Page-header", BBox(0.1, 0.01, 0.9, 0.03)),
    element("title", "Title", BBox(0.1, 0.05, 0.9, 0.10)),
    text("left 1", 0.1, 0.12, 0.48, 0.20),
    text("left 2", 0.1, 0.21, 0.48, 0.30),
    text("left 3", 0.1, 0.31, 0.48, 0.45),
    text("right 1", 0.52, 0.12, 0.9, 0.22),
    text("right 2", 0.52, 0.23, 0.9, 0.33),
    text("right 3", 0.52, 0.34, 0.9, 0.44),
    element("table", "Table", BBox(0.1, 0.47, 0.9, 0.60)),
    text("left 4", 0.1, 0.62, 0.48, 0.75),
    text("left 5", 0.1, 0.76, 0.48, 0.90),
    text("right 4", 0.52, 0.62, 0.9, 0.70),
    text("right 5", 0.52, 0.71, 0.9, 0.90),
    element("footer", "Page-footer", BBox(0.45, 0.95, 0.55, 0.97)),
]


@pytest.mark.parametrize("missed", range(len(COLUMNS)), ids=[element.id for element in COLUMNS])
def test_any_element_of_a_page_finds_its_place_again(missed: int) -> None:
    lost = COLUMNS[missed]
    assert lost.bbox is not None
    rest = [*COLUMNS[:missed], *COLUMNS[missed + 1 :]]

    assert place_in_order(lost.bbox, lost.type, rest) == missed


@pytest.mark.parametrize("first", range(2, 12))
def test_two_that_follow_each_other_find_their_places_again(first: int) -> None:
    lost = COLUMNS[first : first + 2]
    rest = [*COLUMNS[:first], *COLUMNS[first + 2 :]]

    for found in lost:
        assert found.bbox is not None
        rest.insert(place_in_order(found.bbox, found.type, rest), found)

    assert rest == COLUMNS


@pytest.mark.parametrize(("side", "place"), [("left", 2), ("right", 5)])
def test_a_column_that_is_missed_as_a_whole(side: str, place: int) -> None:
    column = BBox(0.1, 0.12, 0.48, 0.45) if side == "left" else BBox(0.52, 0.12, 0.9, 0.44)
    rest = [item for item in COLUMNS if item.id not in {f"{side} {number}" for number in (1, 2, 3)}]

    assert place_in_order(column, "Text", rest) == place


# As generation 1.1 prints a page: all but the running text at the end.
FLOATS_LAST = [
    text("first", 0.1, 0.1, 0.9, 0.2),
    text("second", 0.1, 0.5, 0.9, 0.6),
    text("third", 0.1, 0.61, 0.9, 0.7),
    element("figure", "Picture", BBox(0.1, 0.21, 0.9, 0.4)),
    element("caption", "Caption", BBox(0.1, 0.41, 0.9, 0.45)),
]


@pytest.mark.parametrize("missed", range(len(FLOATS_LAST)), ids=[element.id for element in FLOATS_LAST])
def test_where_floats_stand_behind_the_text_they_and_it_keep_apart(missed: int) -> None:
    lost = FLOATS_LAST[missed]
    assert lost.bbox is not None
    rest = [*FLOATS_LAST[:missed], *FLOATS_LAST[missed + 1 :]]

    assert place_in_order(lost.bbox, lost.type, rest) == missed


def test_a_short_line_in_a_column_stays_in_it() -> None:
    rest = [item for item in COLUMNS if item.id != "left 2"]

    assert place_in_order(BBox(0.1, 0.22, 0.2, 0.235), "Section-header", rest) == 3


def test_a_table_over_both_columns_follows_the_longer_one_as_well() -> None:
    rest = [
        text("left", 0.1, 0.1, 0.48, 0.50),
        text("right", 0.52, 0.1, 0.9, 0.40),
    ]

    assert place_in_order(BBox(0.1, 0.55, 0.9, 0.7), "Table", rest) == 2


def test_without_boxes_it_stands_last_but_before_the_footer() -> None:
    rest = [element("a", "Text", None), element("foot", "Page-footer", None)]

    assert place_in_order(BBox(0.1, 0.1, 0.2, 0.2), "Text", rest) == 1
    assert place_in_order(BBox(0.1, 0.1, 0.2, 0.2), "Page-footer", rest) == 2
    assert place_in_order(BBox(0.1, 0.1, 0.2, 0.2), "Page-header", rest) == 0
    assert place_in_order(BBox(0.1, 0.1, 0.2, 0.2), "Text", []) == 0


@given(
    order=st.lists(
        st.tuples(st.sampled_from(["Text", "Table", "Page-footer", "Page-header"]), boxes()), max_size=8
    ),
    kind=st.sampled_from(["Text", "Table", "Page-footer"]),
    box=boxes(),
)
@settings(max_examples=200)
def test_every_box_has_a_place(order: list[tuple[str, BBox]], kind: str, box: BBox) -> None:
    elements = [element(str(number), name, found) for number, (name, found) in enumerate(order)]

    assert 0 <= place_in_order(box, kind, elements) <= len(elements)


@given(heights=st.lists(st.integers(1, 5), min_size=1, max_size=20), missed=st.integers(0, 19))
def test_in_one_column_the_order_is_that_of_the_page(heights: list[int], missed: int) -> None:
    total = sum(heights) + len(heights)
    elements, y = [], 0
    for height in heights:
        elements.append(text(str(y), 0.1, y / total, 0.9, (y + height) / total))
        y += height + 1
    lost = elements.pop(missed % len(elements))
    assert lost.bbox is not None

    assert place_in_order(lost.bbox, "Text", elements) == missed % len(heights)
