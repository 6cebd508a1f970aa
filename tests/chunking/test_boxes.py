from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nemoparse_loaders import LayoutChunker, ParsedDocument
from nemoparse_loaders.chunking.blocks import Span
from nemoparse_loaders.chunking.boxes import boxes_json, column_boxes, page_boxes
from nemoparse_loaders.document import BBox, Element, ParsedPage

from .conftest import MakeDocument, MakeTable
from .test_invariants import documents

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


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(documents(), st.integers(24, 80))
def test_boxes_hold_all_parts_and_little_else(document: ParsedDocument, max_tokens: int) -> None:
    for chunk in LayoutChunker(max_tokens).chunk(document):
        boxes = [(page, BBox(*edges)) for page, *edges in json.loads(str(chunk.metadata["bboxes"]))]
        parts = [(span.page, span.bbox) for span in chunk.spans if span.bbox is not None]
        for number, part in parts:
            assert any(page == number and holds(box, part) for page, box in boxes)
        for page, box in boxes:
            inside = [part for number, part in parts if number == page and holds(box, part)]
            # Each edge is that of a part: a box is never wider than what stands in it.
            for edge in range(4):
                assert any(abs(part[edge] - box[edge]) < 1e-4 for part in inside)
        exact = not any(span.estimated for span in chunk.spans)
        assert chunk.metadata["bbox_precision"] == ("element" if exact else "estimated")


def holds(box: BBox, part: BBox) -> bool:
    return (
        box.x0 <= part.x0 + 1e-4
        and box.y0 <= part.y0 + 1e-4
        and box.x1 >= part.x1 - 1e-4
        and box.y1 >= part.y1 - 1e-4
    )


def test_pieces_of_a_table_have_the_height_of_their_rows(
    make_document: MakeDocument, make_table: MakeTable
) -> None:
    table = make_table([["Year", "Calls"], *([f"20{row:02}", str(310 + row)] for row in range(19))])
    element = Element(
        id="", type="Table", bbox=BBox(0.1, 0.0, 0.9, 1.0), table=table, markdown=table.to_markdown()
    )
    chunks = LayoutChunker(32).chunk(make_document([element]))

    assert len(chunks) > 2
    for chunk in chunks:
        [span] = chunk.spans
        assert span.bbox is not None
        assert span.row_start is not None
        assert span.row_end is not None
        assert (span.row_start, span.row_end) == (chunk.metadata["row_start"], chunk.metadata["row_end"])
        assert span.bbox.y0 == pytest.approx(span.row_start / 20)
        assert span.bbox.y1 == pytest.approx(span.row_end / 20)
        assert (span.bbox.x0, span.bbox.x1) == (0.1, 0.9)
        assert span.start is None
        assert span.estimated
    assert chunks[-1].spans[0].row_end == 20
