"""What headings look like, and the levels that follow from it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nemoparse_loaders.chunking.body import body_of
from nemoparse_loaders.chunking.line_heights import line_height
from nemoparse_loaders.chunking.outline import outline
from nemoparse_loaders.chunking.steps import ALL_STEPS, Steps
from nemoparse_loaders.document import BBox, Element, ParsedDocument, ParsedPage

Line = tuple[str, float]


def heading_box(text: str, size: float, top: float, left: float = 72.0) -> BBox:
    """The box of a line of letters of that size, in points on a letter page."""
    return BBox.clamped(
        left / 612, top / 792, (left + 0.5 * size * len(text)) / 612, (top + 1.2 * size) / 792
    )


def document(*lines: tuple[str, str, BBox | None]) -> ParsedDocument:
    elements = tuple(
        Element(id=f"p1e{index}", type=name, markdown=text, text=text, bbox=box)
        for index, (name, text, box) in enumerate(lines, start=1)
    )
    return ParsedDocument(doc_id="d", pages=(ParsedPage(number=1, elements=elements),))


def paths(doc: ParsedDocument, steps: Steps = ALL_STEPS) -> list[str]:
    body = body_of(doc)
    found = zip(body, outline(body, steps), strict=True)
    return [
        " > ".join(heading.text for heading in path)
        for placed, path in found
        if placed.element.type == "Section-header"
    ]


def headings(*lines: Line) -> ParsedDocument:
    return document(
        *(
            ("Section-header", text, heading_box(text, size, 40 * index))
            for index, (text, size) in enumerate(lines, start=1)
        )
    )


@example((0.0, 0.0, 2.225073858507203e-309, 1.0), "0")
@example((0.0, 0.0, 5e-324, 1.0), "0")
@given(st.tuples(*[st.floats(0, 1)] * 4), st.text(max_size=300))
def test_any_box_has_lines_of_some_height(corners: tuple[float, float, float, float], text: str) -> None:
    doc = document(("Title", text, BBox.clamped(*corners)))
    [height] = [line_height(placed.element, placed.page) for placed in body_of(doc)]
    assert 0 <= height <= 792


def test_larger_headings_stand_above_smaller_ones() -> None:
    doc = headings(("Site", 18), ("The array", 13), ("Drive train", 13.4), ("Methods", 17.5), ("Fit", 13))

    assert paths(doc) == [
        "Site",
        "Site > The array",
        "Site > Drive train",
        "Methods",
        "Methods > Fit",
    ]
    assert paths(doc, Steps(levels=False)) == ["Site", "The array", "Drive train", "Methods", "Fit"]


def test_a_heading_is_as_deep_as_numbered_ones_of_its_size() -> None:
    doc = headings(("1 Site", 18), ("1.1 The array", 13), ("Drive train", 13), ("Methods", 18), ("Small", 9))

    assert paths(doc) == [
        "1 Site",
        "1 Site > 1.1 The array",
        "1 Site > Drive train",
        "Methods",
        "Methods > Small",
    ]


def test_sizes_that_say_nothing_about_numbers_are_not_used() -> None:
    doc = headings(("1 Site", 12), ("1.1 The array", 12), ("Drive train", 12), ("2 Methods", 12))

    assert paths(doc)[2] == "1 Site > 1.1 The array > Drive train"


def test_capitals_stand_above_other_headings_of_their_size() -> None:
    doc = headings(("SITE", 12), ("The array", 12), ("Drive train", 12), ("METHODS", 12), ("Fit", 12))

    assert paths(doc) == ["SITE", "SITE > The array", "SITE > Drive train", "METHODS", "METHODS > Fit"]


def test_one_heading_in_capitals_is_no_evidence() -> None:
    assert paths(headings(("Site", 12), ("FAQS", 12), ("Methods", 12))) == ["Site", "FAQS", "Methods"]


def test_indented_headings_are_deeper() -> None:
    lines = []
    for index, (text, left) in enumerate([("Site", 72), ("Array", 108), ("Methods", 72), ("Fit", 108)]):
        top = 100.0 * index
        lines.append(("Section-header", text, heading_box(text, 12, top, left)))
        lines.append(("Text", "words", BBox(72 / 612, (top + 20) / 792, 0.9, (top + 60) / 792)))

    assert paths(document(*lines)) == ["Site", "Site > Array", "Methods", "Methods > Fit"]


def test_without_boxes_all_stand_side_by_side() -> None:
    doc = document(("Section-header", "Site", None), ("Section-header", "Methods", None))

    assert paths(doc) == ["Site", "Methods"]


@pytest.mark.parametrize("lines", [1, 2, 3])
def test_the_height_of_a_line_does_not_grow_with_their_number(lines: int) -> None:
    text = "The wear of the planets in the gearboxes of tidal turbines" * lines
    width, size = 0.5 * 14 * len(text) / lines, 14
    box = BBox(0.05, 0.1, 0.05 + width / 612, 0.1 + lines * 1.2 * size / 792)
    (placed,) = body_of(document(("Section-header", text, box)))

    assert line_height(placed.element, placed.page) == pytest.approx(1.2 * size, rel=0.02)
