"""The vocabulary: JSON round trip, boxes and their frames, grids."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from nemoparse_loaders.document import (
    BBox,
    Chart,
    Element,
    Issue,
    ParsedDocument,
    ParsedPage,
    ParseReport,
    Table,
    TableCell,
    Usage,
)

UNIT = st.floats(0.0, 1.0)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
BOXES = st.builds(BBox.clamped, UNIT, UNIT, UNIT, UNIT)
ISSUES = st.builds(
    Issue,
    code=st.sampled_from(["truncated", "loop", "malformed", "empty"]),
    message=TEXT,
    severity=st.sampled_from(["info", "warning", "error"]),
    page=st.none() | st.integers(1, 9),
    element_id=st.none() | TEXT,
)
CELLS = st.builds(
    TableCell,
    row=st.integers(0, 3),
    col=st.integers(0, 3),
    rowspan=st.integers(1, 3),
    colspan=st.integers(1, 3),
    text=TEXT,
    is_header=st.booleans(),
)
TABLES = st.builds(
    Table,
    cells=st.lists(CELLS, max_size=4).map(tuple),
    n_rows=st.integers(4, 6),
    n_cols=st.integers(4, 6),
    header_rows=st.integers(0, 3),
)
CHARTS = st.builds(
    Chart,
    type=TEXT,
    title=TEXT,
    panels=st.lists(TEXT, max_size=2).map(tuple),
    tables=st.lists(TABLES, max_size=2).map(tuple),
)
ELEMENTS = st.builds(
    Element,
    id=TEXT,
    type=TEXT,
    bbox=st.none() | BOXES,
    markdown=TEXT,
    text=TEXT,
    raw=TEXT,
    table=st.none() | TABLES,
    chart=st.none() | CHARTS,
    continues_before=st.booleans(),
    continues_after=st.booleans(),
    issues=st.lists(ISSUES, max_size=2).map(tuple),
)
PAGES = st.builds(
    ParsedPage,
    number=st.integers(1, 10_000),
    label=TEXT,
    width_pt=st.floats(0, 14_400),
    height_pt=st.floats(0, 14_400),
    rotation=st.sampled_from([0, 90, 180, 270]),
    pdf_box=st.none() | st.tuples(*[st.floats(-1e4, 1e4)] * 4),
    user_unit=st.floats(0.1, 10),
    status=st.sampled_from(["ok", "partial", "failed", "blank"]),
    finish_reason=st.none() | st.sampled_from(["stop", "length"]),
    issues=st.lists(ISSUES, max_size=2).map(tuple),
    elements=st.lists(ELEMENTS, max_size=2).map(tuple),
    raw=TEXT,
    usage=st.builds(
        Usage, prompt_tokens=st.none() | st.integers(0), completion_tokens=st.none() | st.integers(0)
    ),
    attempts=st.integers(0, 5),
)
JSON_VALUES = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT | st.lists(TEXT, max_size=2)
DOCUMENTS = st.builds(
    ParsedDocument,
    doc_id=TEXT,
    source=TEXT,
    file_name=TEXT,
    content_hash=TEXT,
    total_pages=st.integers(0, 9),
    parser=TEXT,
    title=TEXT,
    pages=st.lists(PAGES, max_size=2).map(tuple),
    issues=st.lists(ISSUES, max_size=1).map(tuple),
    metadata=st.dictionaries(TEXT, JSON_VALUES, max_size=3),
    report=st.none() | st.builds(ParseReport, pages=st.integers(0, 9), seconds=st.floats(0, 1e6)),
)


@given(DOCUMENTS)
@settings(max_examples=60)
def test_a_document_survives_json(document: ParsedDocument) -> None:
    again = ParsedDocument.from_json(document.to_json())

    assert again == document
    assert all(type(element.bbox) in (BBox, type(None)) for element in again.elements)
    assert ParsedDocument.from_json(document.to_json(indent=2).encode()) == document


def test_json_that_is_no_document_is_refused() -> None:
    with pytest.raises(ValidationError):
        ParsedDocument.from_json('{"doc_id": "x", "unknown": 1}')


def test_values_are_frozen() -> None:
    element = Element(id="a", type="Text")

    with pytest.raises(ValidationError, match="frozen"):
        setattr(element, "text", "changed")  # noqa: B010 (a plain assignment is a type error, too)


@given(st.floats(), st.floats(), st.floats(), st.floats())
def test_any_four_numbers_make_a_box(x0: float, y0: float, x1: float, y1: float) -> None:
    box = BBox.clamped(x0, y0, x1, y1)

    assert 0.0 <= box.x0 <= box.x1 <= 1.0
    assert 0.0 <= box.y0 <= box.y1 <= 1.0


def test_clamping_keeps_good_boxes_and_repairs_others() -> None:
    assert BBox.clamped(0.1, 0.2, 0.3, 0.4) == (0.1, 0.2, 0.3, 0.4)
    assert BBox.clamped(0.9, 0.4, -0.1, 1.2) == (0.0, 0.4, 0.9, 1.0)
    assert BBox.clamped(math.nan, 0.5, math.inf, 0.5) == (0.0, 0.5, 1.0, 0.5)


@given(BOXES, BOXES)
def test_union_and_overlap(a: BBox, b: BBox) -> None:
    union = a.union(b)

    assert union.area + 1e-12 >= max(a.area, b.area)
    assert a.overlap(b) == b.overlap(a) <= min(a.area, b.area) + 1e-12
    assert a.overlap(a) == pytest.approx(a.area)


LETTER = ParsedPage(number=1, width_pt=612, height_pt=792, pdf_box=(0, 0, 612, 792))


def test_points() -> None:
    assert LETTER.to_points(BBox(0.5, 0.25, 1.0, 1.0)) == (306.0, 198.0, 612.0, 792.0)


@pytest.mark.parametrize(
    ("rotation", "expected"),
    [
        # A box in the upper left tenth of the page as displayed, on a page of 200x100 units at (10, 20).
        (0, (10, 110, 30, 120)),
        (90, (10, 20, 30, 30)),
        (180, (190, 20, 210, 30)),
        (270, (190, 110, 210, 120)),
    ],
)
def test_pdf_space(rotation: int, expected: tuple[float, float, float, float]) -> None:
    page = ParsedPage.model_validate(
        {"number": 1, "width_pt": 200, "height_pt": 100, "rotation": rotation, "pdf_box": (10, 20, 210, 120)}
    )

    assert page.to_pdf_space(BBox(0.0, 0.0, 0.1, 0.1)) == pytest.approx(expected)


@given(BOXES, st.sampled_from([0, 90, 180, 270]))
def test_pdf_space_keeps_area_and_order(box: BBox, rotation: int) -> None:
    page = ParsedPage.model_validate({"number": 1, "rotation": rotation, "pdf_box": (-5, 7, 95, 307)})

    left, bottom, right, top = page.to_pdf_space(box)

    assert -5 - 1e-9 <= left <= right <= 95 + 1e-9
    assert 7 - 1e-9 <= bottom <= top <= 307 + 1e-9
    assert (right - left) * (top - bottom) == pytest.approx(box.area * 100 * 300, abs=1e-6)


def test_the_whole_page_is_the_whole_box_whatever_the_rotation() -> None:
    for rotation in (0, 90, 180, 270):
        page = ParsedPage.model_validate({"number": 1, "rotation": rotation, "pdf_box": (1, 2, 3, 4)})
        assert page.to_pdf_space(BBox(0, 0, 1, 1)) == (1, 2, 3, 4)


def test_an_image_has_no_pdf_space() -> None:
    with pytest.raises(ValueError, match="page 4"):
        ParsedPage(number=4).to_pdf_space(BBox(0, 0, 1, 1))


def test_the_grid_of_a_table() -> None:
    table = Table(
        cells=(TableCell(row=0, col=0, rowspan=2, colspan=2, text="A"), TableCell(row=0, col=2, text="b")),
        n_rows=3,
        n_cols=3,
    )

    assert table.grid() == [["A", None, "b"], [None, None, ""], ["", "", ""]]
    assert table.grid(expand_spans=True) == [["A", "A", "b"], ["A", "A", ""], ["", "", ""]]


def test_what_a_document_gathers() -> None:
    table = Table(cells=(TableCell(row=0, col=0, text="x"),), n_rows=1, n_cols=1)
    pages = tuple(
        ParsedPage(number=number, elements=(Element(id=f"p{number}e1", type="Table", table=table),))
        for number in (1, 2)
    )
    document = ParsedDocument(doc_id="d", pages=pages)

    assert [element.id for element in document.elements] == ["p1e1", "p2e1"]
    assert document.tables == [table, table]
