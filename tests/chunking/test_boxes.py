from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import SupportsIndex

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nemoparse_loaders import LayoutChunker, ParsedDocument
from nemoparse_loaders.chunking.blocks import ChunkType, Span, characters_of, source_text
from nemoparse_loaders.chunking.body import Placed
from nemoparse_loaders.chunking.box_grid import BoxGrid
from nemoparse_loaders.chunking.boxes import BoxesOfPages, boxes_json, column_boxes, page_boxes
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


def simple_column_boxes(spans: list[Span]) -> list[tuple[int, BBox]]:
    """The rule of `column_boxes`, with a look at each element for each span."""
    inside = {id(span.element) for span in spans}
    runs: list[tuple[int, BBox]] = []
    last: BBox | None = None
    for span in spans:
        box = span.bbox
        assert box is not None
        joined = runs[-1][1].union(box) if last else box
        is_below = last and min(box.x1, last.x1) > max(box.x0, last.x0) and box.y0 >= last.y0
        covered = [
            element
            for element in span.page.elements
            if id(element) not in inside
            and element.bbox is not None
            and joined.overlap(element.bbox) > 0.1 * min(joined.area, element.bbox.area)
        ]
        if is_below and not covered:
            runs[-1] = (1, joined)
        else:
            runs.append((1, box))
        last = box
    return runs


@st.composite
def small_boxes(draw: st.DrawFn) -> BBox:
    x, y = draw(st.integers(0, 11)), draw(st.integers(0, 30))
    return BBox(x / 12, y / 32, (x + draw(st.integers(0, 3))) / 14, (y + draw(st.integers(0, 2))) / 32)


@given(st.lists(st.tuples(small_boxes() | st.just(BBox(0, 0, 1, 1)), st.booleans()), max_size=30))
def test_what_stands_in_the_way_is_found_by_its_place(found: list[tuple[BBox, bool]]) -> None:
    boxes = sorted(BBox.clamped(*box) for box, _ in found)
    page = page_of(*boxes)
    spans = spans_of(page, *(index for index, (_, is_inside) in enumerate(found) if is_inside))

    assert column_boxes(spans) == simple_column_boxes(spans)


def lines(count: int) -> list[BBox]:
    return [BBox(0.1, 0.9 * n / count, 0.9, 0.9 * (n + 0.9) / count) for n in range(count)]


def words(count: int) -> list[BBox]:
    """In columns of 50, read down."""
    columns = count // 50
    return [
        BBox(col / columns, row / 50, (col + 0.8) / columns, (row + 0.8) / 50)
        for col in range(columns)
        for row in range(50)
    ]


@pytest.mark.parametrize("layout", [lines, words])
@pytest.mark.parametrize("size", [1, 40, 4000])
def test_a_page_full_of_boxes_is_no_square_of_work(
    monkeypatch: pytest.MonkeyPatch, layout: Callable[[int], list[BBox]], size: int
) -> None:
    looked_at = 0
    touching = BoxGrid.touching

    def counted(grid: BoxGrid, area: BBox) -> Iterator[tuple[int, BBox]]:
        nonlocal looked_at
        for found in touching(grid, area):
            looked_at += 1
            yield found

    monkeypatch.setattr(BoxGrid, "touching", counted)
    page = page_of(*layout(4000))
    pages = BoxesOfPages()
    for start in range(0, 4000, size):
        column_boxes(spans_of(page, *range(start, start + size)), pages)

    assert looked_at < 4000 * 40


@pytest.mark.parametrize("around", ["", " ", "\n\n", " \u2003\n"])
@pytest.mark.parametrize("kind", ["text", "code"])
def test_the_place_of_a_piece_is_found_without_reading_the_text(around: str, kind: ChunkType) -> None:
    looked_at = 0

    class Text(str):
        """A text that says how often one of its characters is looked at, and cannot be searched."""

        __slots__ = ()

        def __getitem__(self, key: SupportsIndex | slice) -> str:
            nonlocal looked_at
            looked_at += 1
            return super().__getitem__(key)

        def index(self, *_: object) -> int:
            raise AssertionError("searched")

        strip = find = index  # type: ignore[assignment]

    printed = around + "The casing holds oil. " * 1000 + "It is warm." + around
    element = Element(id="p1e1", type="Text").model_copy(update={"markdown": Text(printed)})
    placed = Placed(element, ParsedPage(number=1, elements=(element,)), 0)
    left = len(printed) - len(printed.lstrip("\n" if kind == "code" else None))

    span = characters_of(placed, kind, 100, 120)

    assert (span.start, span.end) == (left + 100, left + 120)
    assert looked_at <= 2 * len(around) + 2
    assert source_text(element, kind)[100:120] == printed[left + 100 : left + 120]


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
