from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import pytest

from nemoparse_loaders import METADATA_KEYS, LayoutChunker, OptionError, Split, split_document
from nemoparse_loaders.document import Issue, ParsedDocument, ParsedPage

MakeDocument = Callable[..., ParsedDocument]
SPLITS: tuple[Split, ...] = get_args(Split)

UNREADABLE = ParsedPage(
    number=2,
    status="failed",
    issues=(Issue(code="failed", message="the server took too long", severity="error", page=2),),
)
BLANK = ParsedPage(number=3, status="blank")


@pytest.fixture
def holed(make_document: MakeDocument) -> ParsedDocument:
    """Four pages: the second could not be read, the third is blank."""
    document = make_document(
        [("Section-header", "1 Site"), ("Text", "One."), ("Page-footer", "1")],
        [],
        [],
        [("Text", "Four."), ("Picture", "")],
    )
    first, _, _, last = document.pages
    return document.model_copy(update={"pages": (first, UNREADABLE, BLANK, last)})


def texts(document: ParsedDocument, split: Split, *, include_failed: bool = False) -> list[str]:
    return [chunk.text for chunk in split_document(document, split, include_failed=include_failed)]


def test_pieces_of_every_size(holed: ParsedDocument) -> None:
    assert texts(holed, "document") == [holed.to_markdown()]
    assert texts(holed, "page") == [page.to_markdown() for page in (holed.pages[0], holed.pages[3])]
    assert texts(holed, "element") == ["## 1 Site", "One.", "Four."]
    assert texts(holed, "chunk") == ["## 1 Site\n\nOne.\n\nFour."]


def test_chunks_are_those_of_the_chunker(sample_paper: ParsedDocument) -> None:
    chunker = LayoutChunker(max_tokens=200)

    assert split_document(sample_paper, "chunk", chunker=chunker) == chunker.chunk(sample_paper)
    assert split_document(sample_paper) == LayoutChunker().chunk(sample_paper)


def test_unreadable_and_blank_pages_can_have_placeholders(holed: ParsedDocument) -> None:
    unreadable = "[page 2 could not be read: the server took too long]"
    blank = "[page 3 is blank]"

    assert texts(holed, "page", include_failed=True)[1:3] == [unreadable, blank]
    assert texts(holed, "element", include_failed=True) == ["## 1 Site", "One.", unreadable, blank, "Four."]
    assert texts(holed, "chunk", include_failed=True)[1:] == [unreadable, blank]
    (whole,) = texts(holed, "document", include_failed=True)
    assert whole.index("One.") < whole.index(unreadable) < whole.index(blank) < whole.index("Four.")


def test_placeholders_say_that_something_is_missing(holed: ParsedDocument) -> None:
    pages = split_document(holed, "page", include_failed=True)

    assert [chunk.metadata["is_partial"] for chunk in pages] == [False, True, False, False]
    assert [chunk.metadata["page_number"] for chunk in pages] == [1, 2, 3, 4]


@pytest.mark.parametrize("split", SPLITS)
def test_a_document_without_any_text(split: Split, make_document: MakeDocument) -> None:
    document = make_document([]).model_copy(update={"pages": (UNREADABLE,)})

    assert split_document(document, split) == []
    (chunk,) = split_document(document, split, include_failed=True)
    assert "could not be read" in chunk.text
    assert chunk.embed_text


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("include_failed", [False, True])
def test_all_pieces_have_the_same_keys_and_types(
    holed: ParsedDocument, sample_paper: ParsedDocument, split: Split, include_failed: bool
) -> None:
    for document in (holed, sample_paper):
        for index, chunk in enumerate(split_document(document, split, include_failed=include_failed)):
            assert {key: type(value) for key, value in chunk.metadata.items()} == dict(METADATA_KEYS)
            assert chunk.metadata["chunk_index"] == index
            assert chunk.text.strip()
            assert chunk.embed_text.strip()


def test_ids_of_different_splits_differ(holed: ParsedDocument) -> None:
    ids = [chunk.id for split in SPLITS for chunk in split_document(holed, split)]

    assert len(set(ids)) == len(ids)


def test_elements_and_pages_know_their_headings(sample_paper: ParsedDocument) -> None:
    elements = split_document(sample_paper, "element")
    item = next(chunk for chunk in elements if chunk.text.startswith("• a planet stage"))
    page = split_document(sample_paper, "page")[3]

    assert item.metadata["section_path"] == "2 Site and Machines > 2.2 Drive train > 2.2.1 Gearbox"
    assert item.metadata["chunk_type"] == "list"
    assert (page.metadata["section_path"], page.metadata["page_label"]) == ("4 Results > 4.2 Loads", "104")


def test_tables_among_elements_have_caption_and_rows(sample_paper: ParsedDocument) -> None:
    table = next(
        chunk for chunk in split_document(sample_paper, "element") if chunk.metadata["chunk_type"] == "table"
    )

    assert str(table.metadata["caption"]).startswith("Table 1.")
    assert (table.metadata["row_start"], table.metadata["row_end"]) == (0, 9)


def test_an_unknown_split_is_refused(holed: ParsedDocument) -> None:
    with pytest.raises(OptionError, match="document, page, element, chunk"):
        split_document(holed, "paragraph")  # type: ignore[arg-type]


def test_placeholders_keep_to_the_budget(holed: ParsedDocument) -> None:
    issue = Issue(code="failed", message="internal error in worker " * 20, severity="error", page=2)
    pages = (holed.pages[0], UNREADABLE.model_copy(update={"issues": (issue,)}), *holed.pages[2:])
    chunks = split_document(
        holed.model_copy(update={"pages": pages}),
        chunker=LayoutChunker(32),
        include_failed=True,
    )

    [placeholder] = [chunk for chunk in chunks if "could not be read" in chunk.text]
    assert placeholder.text.count("internal error") == 20
    assert placeholder.embed_text.startswith("[page 2 could not be read: internal error")
    assert all(int(chunk.metadata["n_tokens"]) <= 32 for chunk in chunks)


@pytest.mark.parametrize("split", ["document", "page", "element"])
def test_other_pieces_hold_the_elements_that_the_chunker_chooses(
    make_document: MakeDocument, split: Split
) -> None:
    document = make_document(
        [("Page-header", "Form 7"), ("Text", "Ships are large."), ("Footnote", "1 See p. 3.")],
        [("Page-header", "Form 7"), ("Picture", "12 knots"), ("Text", "Boats are small.")],
    )

    def said(**options: Any) -> str:
        pieces = split_document(document, split, chunker=LayoutChunker(**options))
        assert all(piece.text and piece.embed_text for piece in pieces)
        return "\n".join(f"{piece.text}\n{piece.embed_text}" for piece in pieces)

    assert "Form 7" not in said()
    assert "Form 7" in said(furniture="keep")
    assert "See p. 3." in said()
    assert "See p. 3." not in said(footnotes="drop")
    assert "12 knots" in said()
    assert "12 knots" not in said(pictures="drop")
