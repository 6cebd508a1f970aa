from __future__ import annotations

import json

from nemoparse_loaders.chunking.blocks import Span
from nemoparse_loaders.chunking.boxes import boxes_json, column_boxes, page_boxes
from nemoparse_loaders.document import BBox, Element, ParsedPage

TOP_LEFT = BBox(0.1, 0.1, 0.45, 0.3)
MIDDLE_LEFT = BBox(0.1, 0.32, 0.3, 0.34)
LOW_LEFT = BBox(0.12, 0.36, 0.45, 0.9)
TOP_RIGHT = BBox(0.55, 0.1, 0.9, 0.4)


def page_of(*boxes: BBox | None, number: int = 1) -> ParsedPage:
    return ParsedPage(
        number=number,
        elements=tuple(
            Element(id=f"p{number}e{index}", type="Text", bbox=box) for index, box in enumerate(boxes, 1)
        ),
    )


def spans_of(page: ParsedPage, *indices: int) -> list[Span]:
    return [Span(page, page.elements[index], page.elements[index].bbox) for index in indices]


def test_a_run_down_a_column_is_one_box() -> None:
    page = page_of(TOP_LEFT, MIDDLE_LEFT, LOW_LEFT)

    assert column_boxes(spans_of(page, 0, 1, 2)) == [(1, BBox(0.1, 0.1, 0.45, 0.9))]


def test_another_column_and_another_page_begin_another_box() -> None:
    page, following = page_of(TOP_LEFT, LOW_LEFT, TOP_RIGHT), page_of(TOP_LEFT, number=2)
    spans = [*spans_of(page, 0, 1, 2), *spans_of(following, 0)]

    assert column_boxes(spans) == [
        (1, BBox(0.1, 0.1, 0.45, 0.9)),
        (1, TOP_RIGHT),
        (2, TOP_LEFT),
    ]


def test_no_box_covers_what_is_not_in_the_chunk() -> None:
    page = page_of(TOP_LEFT, MIDDLE_LEFT, LOW_LEFT)

    assert column_boxes(spans_of(page, 0, 2)) == [(1, TOP_LEFT), (1, LOW_LEFT)]


def test_elements_without_boxes_are_passed_over() -> None:
    page = page_of(TOP_LEFT, None)

    assert column_boxes(spans_of(page, 0, 1)) == [(1, TOP_LEFT)]
    assert column_boxes(spans_of(page, 1)) == []


def test_boxes_of_a_page_can_be_one() -> None:
    assert page_boxes([(1, TOP_LEFT), (2, TOP_LEFT), (1, TOP_RIGHT)]) == [
        (1, BBox(0.1, 0.1, 0.9, 0.4)),
        (2, TOP_LEFT),
    ]


def test_boxes_are_written_with_four_decimals() -> None:
    text = boxes_json([(3, BBox(0.123456, 0.2, 1 / 3, 1.0))])

    assert json.loads(text) == [[3, 0.1235, 0.2, 0.3333, 1.0]]
    assert " " not in text
