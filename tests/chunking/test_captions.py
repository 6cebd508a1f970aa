from __future__ import annotations

from nemoparse_loaders.chunking.body import body_of
from nemoparse_loaders.chunking.captions import bind_captions
from nemoparse_loaders.document import BBox, Element, ParsedDocument, ParsedPage


def bound(*elements: tuple[str, str, tuple[float, float, float, float] | None]) -> dict[int, list[int]]:
    page = ParsedPage(
        number=1,
        elements=tuple(
            Element(id=f"p1e{i}", type=name, markdown=text, text=text, bbox=BBox(*box) if box else None)
            for i, (name, text, box) in enumerate(elements, start=1)
        ),
    )
    body = body_of(ParsedDocument(doc_id="d", pages=(page,)))
    return {
        position: [placed.position for placed in captions]
        for position, captions in bind_captions(body).items()
    }


def test_captions_go_to_the_float_beside_them() -> None:
    assert bound(
        ("Caption", "Table 1. Loads", (0.1, 0.1, 0.9, 0.12)),
        ("Table", "", (0.1, 0.13, 0.9, 0.3)),
        ("Text", "words", (0.1, 0.32, 0.9, 0.5)),
        ("Picture", "", (0.1, 0.52, 0.9, 0.7)),
        ("Caption", "Figure 1. A turbine", (0.1, 0.71, 0.9, 0.73)),
    ) == {1: [0], 3: [4]}


def test_the_first_word_must_agree_with_the_class() -> None:
    assert bound(
        ("Table", "", (0.1, 0.1, 0.9, 0.3)),
        ("Caption", "Figure 1. A turbine", (0.1, 0.31, 0.9, 0.33)),
        ("Picture", "", (0.1, 0.34, 0.9, 0.6)),
    ) == {2: [1]}


def test_captions_at_the_end_of_the_page_find_their_floats_by_place() -> None:
    assert bound(
        ("Text", "words", (0.1, 0.1, 0.45, 0.9)),
        ("Table", "", (0.55, 0.15, 0.9, 0.3)),
        ("Picture", "", (0.55, 0.5, 0.9, 0.7)),
        ("Caption", "Figure 2. A chart", (0.55, 0.71, 0.9, 0.74)),
        ("Caption", "Table 2. Numbers", (0.55, 0.12, 0.9, 0.145)),
    ) == {1: [4], 2: [3]}


def test_captions_in_another_column_are_not_taken() -> None:
    assert (
        bound(
            ("Caption", "A loose line", (0.1, 0.5, 0.45, 0.52)),
            ("Text", "words", (0.1, 0.53, 0.45, 0.9)),
            ("Picture", "", (0.55, 0.5, 0.9, 0.7)),
        )
        == {}
    )


def test_two_floats_with_two_captions_each_have_one() -> None:
    assert bound(
        ("Picture", "", (0.1, 0.1, 0.9, 0.3)),
        ("Caption", "Figure 1. One", (0.1, 0.31, 0.9, 0.33)),
        ("Picture", "", (0.1, 0.34, 0.9, 0.6)),
        ("Caption", "Figure 2. Two", (0.1, 0.61, 0.9, 0.63)),
    ) == {0: [1], 2: [3]}


def test_a_second_line_goes_with_the_first() -> None:
    assert bound(
        ("Caption", "Table 1. Loads", (0.1, 0.1, 0.9, 0.12)),
        ("Caption", "All values in kNm.", (0.1, 0.12, 0.9, 0.14)),
        ("Table", "", (0.1, 0.15, 0.9, 0.3)),
    ) == {2: [0, 1]}


def test_without_boxes_the_reading_order_decides() -> None:
    assert bound(
        ("Caption", "Table 1. Loads", None),
        ("Table", "", None),
        ("Text", "words", None),
        ("Caption", "Not a caption of anything", None),
        ("Text", "words", None),
    ) == {1: [0]}
