"""Captions that speak for several floats."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders import Chunk, LayoutChunker
from nemoparse_loaders.chunking.body import body_of
from nemoparse_loaders.chunking.captions import bind_captions
from nemoparse_loaders.chunking.shared_captions import share_captions
from nemoparse_loaders.document import BBox, Element, ParsedDocument, ParsedPage

from .conftest import MakeTable
from .invariants import assert_sound

Box = tuple[float, float, float, float]
Spec = tuple[str, str, "Box | None"]

LEFT, RIGHT = (0.1, 0.2, 0.45, 0.4), (0.5, 0.2, 0.85, 0.4)
BELOW = (0.1, 0.42, 0.85, 0.44)


def document_of(*specs: Spec | Element) -> ParsedDocument:
    elements = []
    for index, spec in enumerate(specs, start=1):
        if isinstance(spec, Element):
            elements.append(spec.model_copy(update={"id": f"p1e{index}"}))
            continue
        name, text, box = spec
        bbox = BBox(*box) if box else None
        elements.append(Element(id=f"p1e{index}", type=name, markdown=text, text=text, bbox=bbox))
    return ParsedDocument(doc_id="d", pages=(ParsedPage(number=1, elements=tuple(elements)),))


def lent(*specs: Spec | Element) -> dict[int, list[int]]:
    body = body_of(document_of(*specs))
    found = share_captions(body, bind_captions(body))
    return {position: [caption.position for caption in captions] for position, captions in found.items()}


def chunks_of(*specs: Spec | Element, max_tokens: int = 200) -> list[Chunk]:
    return assert_sound(document_of(*specs), LayoutChunker(max_tokens=max_tokens))


def test_a_caption_under_two_pictures_side_by_side_is_for_both() -> None:
    assert lent(
        ("Picture", "one", LEFT), ("Picture", "two", RIGHT), ("Caption", "Figure 3. Two gears", BELOW)
    ) == {0: [2]}


def test_a_short_caption_in_the_middle_is_for_both() -> None:
    middle = (0.4, 0.42, 0.55, 0.44)

    assert lent(
        ("Picture", "one", LEFT), ("Chart", "two", RIGHT), ("Caption", "Figure 3. Gears", middle)
    ) == {0: [2]}


def test_a_caption_above_tables_below_each_other_is_for_both() -> None:
    assert lent(
        ("Caption", "Table 2. Loads", (0.1, 0.1, 0.3, 0.12)),
        ("Table", "a", (0.1, 0.14, 0.9, 0.3)),
        ("Table", "b", (0.1, 0.32, 0.9, 0.5)),
    ) == {2: [0]}


def test_names_of_parts_are_no_captions_of_their_own() -> None:
    assert lent(
        ("Picture", "one", LEFT),
        ("Caption", "(a) Planet", (0.1, 0.4, 0.45, 0.41)),
        ("Picture", "two", RIGHT),
        ("Caption", "(b) Sun", (0.5, 0.4, 0.85, 0.41)),
        ("Caption", "Figure 3. Two gears", BELOW),
    ) in ({0: [4]}, {2: [4]})


def test_both_lines_of_a_caption_are_for_both_tables() -> None:
    specs: list[Spec] = [
        ("Caption", "Table 2. Loads", (0.1, 0.1, 0.9, 0.12)),
        ("Caption", "All values in kNm.", (0.1, 0.12, 0.9, 0.14)),
        ("Table", "a", (0.1, 0.15, 0.9, 0.3)),
        ("Table", "b", (0.1, 0.32, 0.9, 0.5)),
    ]

    assert lent(*specs) == {2: [0], 3: [1]}
    captions = {chunk.metadata["caption"] for chunk in chunks_of(*specs)}
    assert captions == {"Table 2. Loads All values in kNm."}


def test_without_boxes_floats_that_follow_each_other_share_it() -> None:
    assert lent(("Caption", "Table 2. Loads", None), ("Table", "a", None), ("Table", "b", None)) == {2: [0]}


@pytest.mark.parametrize(
    "specs",
    [
        # Each has its own.
        [
            ("Picture", "one", LEFT),
            ("Caption", "Figure 1. One", (0.1, 0.41, 0.45, 0.43)),
            ("Picture", "two", RIGHT),
            ("Caption", "Figure 2. Two", (0.5, 0.41, 0.85, 0.43)),
        ],
        # It stands in the column of one.
        [
            ("Picture", "one", LEFT),
            ("Caption", "Figure 1. One", (0.1, 0.41, 0.45, 0.43)),
            ("Picture", "two", RIGHT),
        ],
        # It stands between them.
        [
            ("Picture", "one", (0.1, 0.1, 0.9, 0.3)),
            ("Caption", "Figure 1. One", (0.1, 0.31, 0.9, 0.33)),
            ("Picture", "two", (0.1, 0.34, 0.9, 0.5)),
        ],
        [("Picture", "one", None), ("Caption", "Figure 1. One", None), ("Picture", "two", None)],
        # Text stands between them.
        [
            ("Caption", "Table 2. Loads", (0.1, 0.1, 0.9, 0.12)),
            ("Table", "a", (0.1, 0.14, 0.9, 0.3)),
            ("Text", "Other loads:", (0.1, 0.3, 0.9, 0.32)),
            ("Table", "b", (0.1, 0.33, 0.9, 0.5)),
        ],
        # They are far apart.
        [
            ("Caption", "Table 2. Loads", (0.1, 0.1, 0.9, 0.12)),
            ("Table", "a", (0.1, 0.14, 0.9, 0.3)),
            ("Table", "b", (0.1, 0.6, 0.9, 0.8)),
        ],
        # They are of two kinds.
        [
            ("Caption", "Table 2. Loads", (0.1, 0.1, 0.9, 0.12)),
            ("Table", "a", (0.1, 0.14, 0.9, 0.3)),
            ("Picture", "b", (0.1, 0.32, 0.9, 0.5)),
        ],
        # It has no number.
        [("Picture", "one", LEFT), ("Picture", "two", RIGHT), ("Caption", "Two gears", BELOW)],
        # The other has a caption without a number.
        [
            ("Caption", "Table 2. Loads", (0.1, 0.1, 0.9, 0.12)),
            ("Table", "a", (0.1, 0.14, 0.9, 0.3)),
            ("Table", "b", (0.1, 0.32, 0.9, 0.5)),
            ("Caption", "Loads in the year before", (0.1, 0.51, 0.9, 0.53)),
        ],
    ],
)
def test_other_captions_are_for_one_float(specs: list[Spec]) -> None:
    assert lent(*specs) == {}


def test_floats_of_two_pages_share_nothing() -> None:
    first = document_of(("Caption", "Table 2. Loads", None), ("Table", "a", None)).pages[0]
    second = ParsedPage(number=2, elements=(Element(id="p2e1", type="Table", text="b", markdown="b"),))
    body = body_of(ParsedDocument(doc_id="d", pages=(first, second)))

    assert share_captions(body, bind_captions(body)) == {}


def test_both_chunks_have_the_caption_and_one_of_them_its_element() -> None:
    one, two = chunks_of(
        ("Picture", "A planet", LEFT),
        ("Picture", "A sun", RIGHT),
        ("Caption", "Figure 3. Two gears", BELOW),
        max_tokens=60,
    )

    assert [chunk.embed_text for chunk in (one, two)] == [
        "Figure 3. Two gears\nA planet",
        "Figure 3. Two gears\nA sun",
    ]
    assert {chunk.metadata["caption"] for chunk in (one, two)} == {"Figure 3. Two gears"}
    assert all(chunk.text.count("Figure 3. Two gears") == 1 for chunk in (one, two))
    assert [chunk.metadata["element_ids"] for chunk in (one, two)] == ["p1e1", "p1e2,p1e3"]


def test_a_part_has_its_name_and_the_caption() -> None:
    chunks = chunks_of(
        ("Picture", "A planet", LEFT),
        ("Caption", "(a) Planet", (0.1, 0.4, 0.45, 0.41)),
        ("Picture", "A sun", RIGHT),
        ("Caption", "(b) Sun", (0.5, 0.4, 0.85, 0.41)),
        ("Caption", "Figure 3. Two gears", BELOW),
    )

    for name, chunk in zip(("(a) Planet", "(b) Sun"), chunks, strict=True):
        for text in (chunk.text, chunk.embed_text, str(chunk.metadata["caption"])):
            assert text.count("Figure 3. Two gears") == text.count(name) == 1


def test_every_piece_of_a_table_has_the_caption_that_it_borrows(make_table: MakeTable) -> None:
    first = make_table([["Year", "Iron"], ["2001", "20"]])
    second = make_table([["Year", "Water"], *([str(year), "20"] for year in range(2000, 2060))])
    chunks = chunks_of(
        ("Caption", "Table 2. Oil", None),
        Element(id="", type="Table", table=first, markdown=first.to_markdown(), text="x"),
        Element(id="", type="Table", table=second, markdown=second.to_markdown(), text="x"),
        max_tokens=80,
    )

    assert len(chunks) > 3
    assert all(chunk.embed_text.startswith("Table 2. Oil\nYear") for chunk in chunks)
    assert all(chunk.text.startswith("Table 2. Oil\n\n| Year") for chunk in chunks)
    assert sum("p1e1" in str(chunk.metadata["element_ids"]).split(",") for chunk in chunks) == 1


def test_a_picture_without_words_is_no_chunk_of_the_caption_alone() -> None:
    (chunk,) = chunks_of(
        ("Picture", "", LEFT), ("Picture", "", RIGHT), ("Caption", "Figure 3. Two gears", BELOW)
    )

    assert chunk.embed_text == "Figure 3. Two gears"


def test_a_caption_that_is_too_long_for_a_chunk_is_lent_in_brief() -> None:
    caption = "Figure 3. Two gears of the turbine. " + "They are worn by the sand. " * 12
    chunks = chunks_of(
        ("Picture", "A planet", LEFT), ("Picture", "A sun", RIGHT), ("Caption", caption, BELOW), max_tokens=64
    )

    figures = [chunk for chunk in chunks if chunk.metadata["chunk_type"] == "figure"]
    assert len(figures) == 2
    assert all(chunk.embed_text.startswith("Figure 3. Two gears") for chunk in figures)


EDGE = st.integers(0, 10).map(lambda tenth: tenth / 10)
KINDS = st.sampled_from(["Picture", "Chart", "Table", "Caption", "Caption", "Text"])
TEXTS = st.sampled_from(
    ["Table 1. Loads of oil", "Figure 2. Gears", "(a) Sun", "(b) Planet", "Other words", ""]
)


@given(
    st.lists(
        st.tuples(
            KINDS, TEXTS, st.none() | st.tuples(EDGE, EDGE, EDGE, EDGE).map(lambda box: BBox.clamped(*box))
        ),
        max_size=8,
    ),
    st.sampled_from([24, 60, 200]),
)
def test_whatever_is_lent_stands_in_one_chunk_and_is_said_in_all(specs: list[Spec], max_tokens: int) -> None:
    chunks = chunks_of(*specs, max_tokens=max_tokens)

    body = body_of(document_of(*specs))
    captions = bind_captions(body)
    for position, borrowed in share_captions(body, captions).items():
        assert body[position].element.type != "Caption"
        owners = [owner for owner, own in captions.items() if borrowed[0] in own]
        assert owners
        assert position not in owners
        kinds = {body[place].element.type == "Table" for place in (position, *owners)}
        assert len(kinds) == 1
        words = borrowed[0].element.text
        own_id = body[position].element.id
        for chunk in chunks:
            if max_tokens == 200 and own_id in str(chunk.metadata["element_ids"]).split(","):
                assert words in chunk.embed_text
                assert words in chunk.text
                assert words in str(chunk.metadata["caption"])
