"""Paragraphs and lists over columns and pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from nemoparse_loaders import LayoutChunker
from nemoparse_loaders.chunking import drafts
from nemoparse_loaders.chunking.body import Placed
from nemoparse_loaders.chunking.joins import words_of_body
from nemoparse_loaders.chunking.steps import Steps
from nemoparse_loaders.document import BBox, Element, ParsedDocument, Table

MakeDocument = Callable[..., ParsedDocument]
MakeTable = Callable[..., Table]

LEFT, RIGHT = BBox(0.1, 0.1, 0.45, 0.9), BBox(0.55, 0.1, 0.9, 0.9)
OPEN, REST = "The casing of the gearbox holds", "one hundred litres of oil."


def text(words: str, box: BBox | None = None, name: str = "Text", **marks: bool) -> Element:
    return Element(id="", type=name, markdown=words, text=words, bbox=box, **marks)


def chunk_texts(document: ParsedDocument, steps: Steps | None = None) -> list[str]:
    return [chunk.text for chunk in LayoutChunker(steps=steps or Steps()).chunk(document)]


def test_a_paragraph_goes_on_on_the_next_page(make_document: MakeDocument) -> None:
    document = make_document([("Text", OPEN), ("Page-footer", "1")], [("Page-header", "2"), ("Text", REST)])

    (chunk,) = LayoutChunker().chunk(document)

    assert chunk.text == chunk.embed_text == f"{OPEN} {REST}"
    assert chunk.metadata["element_ids"] == "p1e1,p2e2"
    assert chunk.metadata["pages"] == "1,2"
    assert chunk_texts(document, Steps(joins=False)) == [f"{OPEN}\n\n{REST}"]


@pytest.mark.parametrize("name", ["Page-header", "Page-footer"])
def test_a_head_that_was_kept_parts_no_paragraph(make_document: MakeDocument, name: str) -> None:
    document = make_document([("Text", OPEN)], [(name, "Termination"), ("Text", REST)])

    assert chunk_texts(document) == [f"{OPEN} {REST}\n\nTermination"]


@pytest.mark.parametrize(("divided", "times"), [(0, 0), (1, 1), (40, 1)])
def test_the_words_of_a_document_are_gathered_once(
    make_document: MakeDocument, monkeypatch: pytest.MonkeyPatch, divided: int, times: int
) -> None:
    gathered: list[int] = []

    def counted(body: Sequence[Placed]) -> frozenset[str]:
        gathered.append(len(body))
        return words_of_body(body)

    monkeypatch.setattr(drafts, "words_of_body", counted)
    pages: list[list[Element]] = []
    for _ in range(divided):
        pages += [[text("The casing of each gear-")], [text("box holds oil of one gearbox.")]]

    chunks = chunk_texts(make_document(*pages, [text("The gearbox.")]))

    assert len(gathered) == times
    assert " ".join(chunks).count("gear- box") == divided


def test_a_paragraph_goes_on_in_the_next_column(make_document: MakeDocument) -> None:
    assert chunk_texts(make_document([text(OPEN, LEFT), text(REST, RIGHT)])) == [f"{OPEN} {REST}"]


def test_footnotes_and_tables_are_passed_over(make_document: MakeDocument, make_table: MakeTable) -> None:
    table = make_table([["a", "b"], ["1", "2"]])
    document = make_document(
        [("Text", OPEN), ("Footnote", "Of steel.")],
        [
            ("Caption", "Table 1. Oil."),
            Element(id="", type="Table", table=table, markdown=table.to_markdown()),
            ("Text", REST),
        ],
    )

    assert chunk_texts(document)[0] == f"{OPEN} {REST}\n\nOf steel."


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("Text", "The casing holds oil."), ("Text", "one hundred litres.")),
        (("Text", "It holds:"), ("Text", "one hundred litres.")),
        (("Text", OPEN), ("Text", "One hundred litres.")),
        (("Text", OPEN), ("Text", "a) one hundred litres")),
        (("Text", OPEN), ("List-item", "one hundred litres")),
        (("Section-header", OPEN), ("Text", REST)),
        (("Formula", "a = b"), ("Text", REST)),
    ],
)
def test_other_texts_stay_apart(
    make_document: MakeDocument, first: tuple[str, str], second: tuple[str, str]
) -> None:
    assert "\n\n" in chunk_texts(make_document([first], [second]))[0]


def test_a_heading_or_a_missing_page_ends_a_paragraph(make_document: MakeDocument) -> None:
    headed = make_document([("Text", OPEN)], [("Section-header", "Oil"), ("Text", REST)])
    pages = make_document([("Text", OPEN)], [], [("Text", REST)])

    assert all("\n\n" in found[0] for found in (chunk_texts(headed), chunk_texts(pages)))


def test_below_each_other_in_a_column_they_stay_apart(make_document: MakeDocument) -> None:
    assert chunk_texts(make_document([("Text", OPEN), ("Text", REST)])) == [f"{OPEN}\n\n{REST}"]


def test_marks_of_the_parser_join_what_punctuation_does_not(make_document: MakeDocument) -> None:
    first, second = text("See Fig.", continues_after=True), text("3 of the report.", continues_before=True)

    assert chunk_texts(make_document([first], [second])) == ["See Fig. 3 of the report."]


def test_one_mark_alone_has_to_agree_with_the_words(make_document: MakeDocument) -> None:
    marked = text("They took off from Soekarno", continues_after=True)

    (joined,) = chunk_texts(make_document([marked], [("Text", "Hatta Airport.")]))
    (apart,) = chunk_texts(make_document([marked], [("Text", "47699")]))

    assert joined == "They took off from Soekarno Hatta Airport."
    assert "\n\n" in apart


@pytest.mark.parametrize(
    ("elsewhere", "embedded"),
    [
        ("A gearbox.", "It has a gearbox of steel."),
        ("A gear-box.", "It has a gear-box of steel."),
        ("A machine.", "It has a gear- box of steel."),
    ],
)
def test_a_divided_word_is_mended_if_the_document_has_it(
    make_document: MakeDocument, elsewhere: str, embedded: str
) -> None:
    document = make_document([("Text", elsewhere), ("Text", "It has a gear-")], [("Text", "box of steel.")])

    (chunk,) = LayoutChunker().chunk(document)

    assert chunk.text.endswith("It has a gear- box of steel.")
    assert chunk.embed_text.endswith(embedded)


def test_pieces_of_a_joined_paragraph_know_their_parts(make_document: MakeDocument) -> None:
    first = "One two three four. Five six seven eight. Nine ten eleven gear-"
    second = "box thirteen fourteen. Fifteen sixteen seventeen eighteen gearbox."
    document = make_document([("Text", f"  {first} ")], [("Text", second)])

    chunks = LayoutChunker(
        max_tokens=16, tokenizer=lambda text: 2 * len(text.split()), overlap_sentences=0
    ).chunk(document)

    assert "Nine ten eleven gearbox thirteen" in chunks[1].embed_text
    assert " ".join(chunk.text for chunk in chunks) == f"{first} {second}"
    for chunk in chunks:
        printed = [
            document.pages[span.page - 1].elements[0].markdown[span.start : span.end] for span in chunk.spans
        ]
        assert " ".join(" ".join(printed).split()) == chunk.text
    assert [[span.page for span in chunk.spans] for chunk in chunks] == [[1], [1, 2], [2]]


def test_a_list_goes_on_behind_a_footnote(make_document: MakeDocument) -> None:
    document = make_document(
        [("List-item", "1. Oil"), ("List-item", "2. Water"), ("Footnote", "Of the sea.")],
        [("List-item", "3. Air"), ("List-item", "4. Fire")],
    )

    assert chunk_texts(document) == ["1. Oil\n2. Water\n3. Air\n4. Fire\n\nOf the sea."]


def test_another_list_does_not_go_on(make_document: MakeDocument) -> None:
    document = make_document(
        [("List-item", "1. Oil"), ("Footnote", "Of the sea.")], [("List-item", "1. Air")]
    )

    assert chunk_texts(document) == ["1. Oil\n\nOf the sea.\n\n1. Air"]
