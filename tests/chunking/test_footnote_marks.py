"""Footnotes are bound to the blocks that hold their marks, plain digits included, or not at all."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders import LayoutChunker
from nemoparse_loaders.chunking import footnote_marks
from nemoparse_loaders.chunking.blocks import block_of
from nemoparse_loaders.chunking.body import body_of
from nemoparse_loaders.chunking.footnote_marks import (
    _distinct_form,
    _distinct_marks,
    _mark_of,
    footnote_carriers,
    mark_finder,
)
from nemoparse_loaders.document import Element, ParsedDocument, ParsedPage

from .conftest import MakeDocument, MakeTable
from .invariants import assert_sound

Spec = tuple[str, str]

CALM = "The planets of the gearbox wear and the rest of it rusts."


def document_of(*pages: Sequence[Spec]) -> ParsedDocument:
    return ParsedDocument(
        doc_id="d",
        pages=tuple(
            ParsedPage(
                number=number,
                elements=tuple(
                    Element(id=f"p{number}e{index}", type=name, markdown=text, text=text)
                    for index, (name, text) in enumerate(specs, start=1)
                ),
            )
            for number, specs in enumerate(pages, start=1)
        ),
    )


def carriers(*pages: Sequence[Spec]) -> dict[str, str]:
    """Id of each footnote that is bound -> id of what holds its mark."""
    blocks = [block_of(placed, ()) for placed in body_of(document_of(*pages))]
    names = [block.sources[0].element.id for block in blocks]
    return {names[note]: names[carrier] for note, carrier in footnote_carriers(blocks).items()}


def test_a_plain_number_behind_a_word_is_a_mark() -> None:
    page = [
        ("Text", CALM),
        ("Text", "The planets of this gearbox wear.1 It is seen in Figure 1 and in Table 1."),
        ("Text", CALM),
        ("Footnote", "1 Of the first row."),
    ]

    assert carriers(page) == {"p1e4": "p1e2"}


def test_a_note_with_two_possible_marks_is_not_bound() -> None:
    page = [
        ("Text", "The planets of this gearbox are worn.1 They need oil."),
        ("Text", "The wheels of this turbine rust.1 They need oil."),
        ("Footnote", "1 Of the first row."),
    ]

    assert carriers(page) == {}


def test_notes_of_a_page_count_up_in_the_order_of_their_marks() -> None:
    page = [
        ("Text", "The planets of this gearbox are worn.1 They need oil."),
        ("Text", "The wheels of this turbine rust.2 They need oil."),
        ("Text", "The blades of this windmill break.1 They need oil."),
        ("Footnote", "1 Of the first row."),
        ("Footnote", "2 Of the second row."),
    ]

    # The second note has one mark only, so the first one's stands before that.
    assert carriers(page) == {"p1e4": "p1e1", "p1e5": "p1e2"}


def test_notes_whose_marks_stand_in_the_wrong_order_are_not_bound() -> None:
    page = [
        ("Text", "The wheels of this turbine rust.2 They need oil."),
        ("Text", "The planets of this gearbox are worn.1 They need oil."),
        ("Footnote", "1 Of the first row."),
        ("Footnote", "2 Of the second row."),
    ]

    assert carriers(page) == {}


def test_a_raised_mark_goes_before_plain_numbers() -> None:
    page = [
        ("Text", "The planets of this gearbox¹ are worn and need oil."),
        ("Text", "The wheels of this turbine rust.1 They need oil."),
        ("Footnote", "1 Of the first row."),
    ]

    assert carriers(page) == {"p1e3": "p1e1"}


def test_words_with_several_numbers_are_numbered_themselves() -> None:
    page = [
        ("Text", "It is in gearbox1, but not in gearbox2. The gearbox wears."),
        ("Footnote", "1 Of the first row."),
    ]

    assert carriers(page) == {}


def test_a_name_that_ends_in_a_digit_is_no_mark_unless_the_word_stands_elsewhere() -> None:
    names = [("Text", "They are packed with bzip2. Then they are sent."), ("Footnote", "2 See below.")]
    words = [("Text", f"{CALM} All of them wear2. Then they rust."), ("Footnote", "2 See below.")]

    assert carriers(names) == {}
    assert carriers(words) == {"p1e2": "p1e1"}


def test_lists_of_contents_and_of_literature_hold_no_marks() -> None:
    line = "The first chapter of this book is about gearboxes.1 And the others"

    for name, text in [("TOC", line), ("Bibliography", line), ("Text", f"[12] {line}"), ("Title", line)]:
        assert carriers([(name, text), ("Footnote", "1 Of the first row.")]) == {}


def test_a_note_may_have_its_mark_on_the_page_before() -> None:
    marked = ("Text", "They looked at the planets of this gearbox.{} They need oil.")
    first = [
        ("Text", marked[1].format(1)),
        ("Text", marked[1].replace("gearbox", "turbine").format(2)),
        ("Footnote", "1 Of the first row."),
    ]

    assert carriers(first, [("Text", CALM), ("Footnote", "2 Of the second row.")]) == {
        "p1e3": "p1e1",
        "p2e2": "p1e2",
    }
    # Notes that count anew, or from elsewhere, do not go back.
    assert carriers(first, [("Text", CALM), ("Footnote", "3 Of the third row.")]) == {"p1e3": "p1e1"}


def test_a_citation_in_brackets_is_a_mark_of_notes_in_brackets_only() -> None:
    text = ("Text", "The planets of this gearbox [3] are worn and need oil.")

    assert carriers([text, ("Footnote", "[3] Of the third row.")]) == {"p1e2": "p1e1"}
    assert carriers([text, ("Footnote", "3 Of the third row.")]) == {}


def test_a_note_under_a_table_goes_to_the_text_that_has_its_mark(
    make_document: MakeDocument, make_table: MakeTable
) -> None:
    grid = make_table([["Part", "Unit"], ["P1", "23"]])
    document = make_document(
        [
            ("Text", "The planets of this gearbox are worn.1 They need oil."),
            Element(id="", type="Table", table=grid, markdown=grid.to_markdown(), text="Part Unit P1 23"),
            ("Footnote", "1 Of the first row."),
        ]
    )

    text, table = LayoutChunker(max_tokens=64).chunk(document)

    assert text.text.endswith("need oil.\n\n1 Of the first row.")
    assert "first row" not in table.text


NOUNS = ("gearbox", "planet", "wheel", "turbine", "blade", "rotor", "casing", "shaft", "mill", "oil")


@given(
    st.lists(
        st.tuples(
            st.sampled_from(NOUNS),
            st.sampled_from(["{}. They are", ".{} They are", "{}, they are", ",{} They are"]),
        ),
        min_size=1,
        max_size=6,
        unique_by=lambda item: item[0],
    ),
    st.integers(1, 40),
)
def test_notes_that_count_up_find_their_marks(marks: list[tuple[str, str]], first: int) -> None:
    """Each mark stands in a paragraph of its own between others that have none."""
    page: list[Spec] = []
    wanted = {}
    for number, (noun, form) in enumerate(marks, start=first):
        page.append(("Text", CALM))
        page.append(("Text", f"{CALM} So they know a {noun}{form.format(number)} worn. {noun} {CALM}"))
        wanted[f"p1e{2 * len(marks) + number - first + 1}"] = f"p1e{len(page)}"
    page += [("Footnote", f"{number} Of a row.") for number in range(first, first + len(marks))]

    assert carriers(page) == wanted


PIECE = st.sampled_from(
    ["gearbox", "wear", "Rust", "in", "are", "1", "2", "2 .", "wear1", "oil.2 The", "³", "(3)"]
)
TEXT = st.lists(PIECE, max_size=12).map(" ".join)
NOTE = st.tuples(
    st.just("Footnote"), st.sampled_from(["1 Sand.", "2. Oil.", "³ Rust.", "3) Dust.", "* Salt.", "Air."])
)
MARKS = {"1": "1¹", "2": "2²", "3": "3³", "³": "³"}
PAGE = st.lists(NOTE | st.tuples(st.sampled_from(["Text", "List-item", "Title"]), TEXT), max_size=6)


@given(st.lists(PAGE, min_size=1, max_size=3))
def test_marks_stand_before_their_notes_and_at_most_a_page_away(pages: list[list[Spec]]) -> None:
    for note, carrier in carriers(*pages).items():
        (page, index), (other, before) = (tuple(map(int, name[1:].split("e"))) for name in (note, carrier))
        assert (other, before) < (page, index)
        assert page - other <= 1
        (kind, words), (held, text) = pages[page - 1][index - 1], pages[other - 1][before - 1]
        assert kind == "Footnote" != held
        assert set(text) & set(MARKS[words[0]])
    assert_sound(document_of(*pages), LayoutChunker(max_tokens=32))


def test_the_sure_mark_of_a_short_sentence_goes_before_any_number() -> None:
    page = [
        ("Text", "It cost USD 2 a barrel when the gearbox rusted."),
        ("Text", "Wear was measured at noon.2"),
        ("Footnote", "2 By hand."),
    ]

    assert carriers(page) == {"p1e3": "p1e2"}
    assert carriers([page[0], page[2]]) == {}


@pytest.mark.parametrize(
    ("note", "words", "has_it"),
    [
        ("2 See annex", "CO2 SO2 NO2", False),
        ("2 See annex", "H2O 2 22", False),
        ("2 See annex", "conv1 conv2 conv3", False),
        ("2 See annex", "Iron2 Copper", True),
        ("2 See annex", "Iron (net)2 23", True),
        ("2 See annex", "Iron² 23", True),
        ("2 See annex", "Iron^2 23", True),
        ("2 See annex", "Annex A.2 23", False),
        ("2 Siehe Anhang", "Größe2 23", True),
        ("* See annex", "Iron* 23", True),
        ("* See annex", "Iron** 23", False),
        ("a See annex", "23a 31", True),
    ],
)
def test_which_tables_carry_the_mark_of_a_note(note: str, words: str, has_it: bool) -> None:
    has_mark = mark_finder(note)

    assert has_mark is not None
    assert has_mark(words) == has_it


SIGNS = st.text(st.sampled_from("ab 12¹²*†^()[].,"), max_size=14)
DISTINCT_NOTES = ["1 A.", "12 A.", "¹ A.", "[2] A.", "(1) A.", "* A.", "*† A.", "a A.", "^b A."]


@given(st.lists(st.lists(SIGNS, max_size=4), min_size=1, max_size=3), st.sampled_from(DISTINCT_NOTES))
def test_marks_of_all_forms_are_found_in_one_reading(pages: list[list[str]], note: str) -> None:
    """As a search for each note, from the note back to the beginning of its page, finds them."""
    specs = [[*(("Title", f"x{text}") for text in texts), ("Footnote", note)] for texts in pages]
    match = _mark_of(note)
    assert match is not None
    pattern = re.compile(_distinct_form(match))
    wanted = {}
    for page, own in enumerate(specs, start=1):
        for index in range(len(own) - 1, 0, -1):
            # As it is embedded.
            (placed,) = body_of(document_of([own[index - 1]]))
            if pattern.search(block_of(placed, ()).embed):
                wanted[f"p{page}e{len(own)}"] = f"p{page}e{index}"
                break

    assert carriers(*specs) == wanted


@pytest.mark.parametrize("mark", ["{}", "[{}]"])
def test_many_notes_on_one_page_are_found_by_reading_it_once(
    monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    read: list[str] = []

    def counted(text: str) -> dict[str, int]:
        read.append(text)
        return _distinct_marks(text)

    monkeypatch.setattr(footnote_marks, "_distinct_marks", counted)
    count = 500
    page = [
        *(("Text", f"The wheels of turbine {chr(97 + n % 26)} rust^{n}") for n in range(1, count + 1)),
        *(("Footnote", f"{mark.format(n)} Of a row.") for n in range(1, count + 1)),
    ]

    assert carriers(page) == {f"p1e{count + n}": f"p1e{n}" for n in range(1, count + 1)}
    assert len(read) == count
