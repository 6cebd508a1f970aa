"""What becomes chunks: furniture, pictures, footnotes and tables of contents; small chunks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nemoparse_loaders import (
    Element,
    Issue,
    LayoutChunker,
    OptionError,
    ParsedDocument,
    Split,
    split_document,
)

from .conftest import MakeDocument
from .test_invariants import documents

WORDS = {
    "furniture": ["Harbour news", "running foot"],
    "pictures": ["words in a picture"],
    "footnotes": ["measured at noon"],
    "toc": ["1 Ships .... 4"],
}


@pytest.fixture
def document(make_document: MakeDocument) -> ParsedDocument:
    page = [
        ("Page-header", "Harbour news"),
        ("TOC", "1 Ships .... 4"),
        ("Section-header", "1 Ships"),
        ("Text", "Ships are large."),
        ("Picture", "words in a picture"),
        ("Caption", "Figure 1. A ship."),
        ("Chart", "12 ships"),
        ("Footnote", "measured at noon"),
        ("Page-footer", "running foot"),
    ]
    return make_document(page, page, page)


def said(document: ParsedDocument, **options: Any) -> str:
    return " ".join(chunk.text + chunk.embed_text for chunk in LayoutChunker(64, **options).chunk(document))


@pytest.mark.parametrize("option", WORDS)
def test_each_kind_is_kept_or_dropped(document: ParsedDocument, option: str) -> None:
    kept, dropped = said(document, **{option: "keep"}), said(document, **{option: "drop"})

    for words in WORDS[option]:
        assert words in kept
        assert words not in dropped
    for words in ("1 Ships", "Ships are large.", "Figure 1. A ship.", "12 ships"):
        assert words in dropped


def test_the_defaults_drop_furniture_only(document: ParsedDocument) -> None:
    text = said(document)

    for option, words in WORDS.items():
        assert all((word in text) == (option != "furniture") for word in words)


@pytest.mark.parametrize("option", WORDS)
def test_other_wishes_are_refused(option: str) -> None:
    with pytest.raises(OptionError, match=f'{option} must be "keep" or "drop"'):
        LayoutChunker(**{option: "apart"})  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["apart", None])
def test_other_wishes_for_doubtful_elements_are_refused(value: Any) -> None:
    with pytest.raises(OptionError, match='doubtful must be "keep" or "drop"'):
        LayoutChunker(doubtful=value)


@pytest.mark.parametrize("value", [-0.1, 1.1, "high", None, float("nan")])
def test_a_confidence_is_a_share(value: Any) -> None:
    with pytest.raises(OptionError, match="min_confidence must be a number from 0 to 1"):
        LayoutChunker(min_confidence=value)


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ({}, "sure doubted low unknown"),
        ({"doubtful": "drop"}, "sure low unknown"),
        ({"min_confidence": 0.5}, "sure doubted unknown"),
        ({"doubtful": "drop", "min_confidence": 0.5}, "sure unknown"),
    ],
)
@pytest.mark.parametrize("split", ["chunk", "page", "element", "document"])
def test_what_is_not_sure_enough_is_left_out(
    make_document: MakeDocument, options: dict[str, Any], left: str, split: Split
) -> None:
    def element(word: str, confidence: float | None, *codes: str) -> Element:
        issues = tuple(Issue(code=code, message="...", severity="warning") for code in codes)
        return Element(id="", type="Text", markdown=word, text=word, confidence=confidence, issues=issues)

    document = make_document(
        [
            element("sure", 0.9, "malformed"),
            element("doubted", 0.9, "unsupported_text"),
            element("low", 0.2),
            element("unknown", None),
        ]
    )
    pieces = split_document(document, split, chunker=LayoutChunker(**options))
    assert " ".join(" ".join(piece.text for piece in pieces).split()) == left


def test_small_chunks_go_with_a_neighbour(make_document: MakeDocument) -> None:
    document = make_document(
        [
            ("Section-header", "1 Ships"),
            ("Text", "Ships are large. " * 9),
            ("Text", "Tugs are small. " * 3),
            ("Section-header", "2 Cargo"),
            ("Text", "Grain is heavy. " * 4),
        ]
    )
    apart = LayoutChunker(72).chunk(document)
    merged = LayoutChunker(72, min_tokens=30).chunk(document)

    assert [chunk.metadata["section_path"] for chunk in apart] == ["1 Ships", "1 Ships", "2 Cargo"]
    assert [chunk.metadata["section_path"] for chunk in merged] == ["1 Ships", ""]
    assert "Tugs are small." in merged[1].text
    assert "Grain is heavy." in merged[1].text


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(documents(), st.integers(24, 80), st.data())
def test_merging_keeps_the_budget_and_the_elements(
    document: ParsedDocument, max_tokens: int, data: st.DataObject
) -> None:
    min_tokens = data.draw(st.integers(0, max_tokens // 2))
    chunker = LayoutChunker(max_tokens, min_tokens=min_tokens)
    chunks = chunker.chunk(document)

    plain = LayoutChunker(max_tokens).chunk(document)
    assert len(chunks) <= len(plain)
    assert {span.element_id for chunk in chunks for span in chunk.spans} == {
        span.element_id for chunk in plain for span in chunk.spans
    }
    assert all(chunker.count(chunk.embed_text) <= max_tokens for chunk in chunks)


def test_a_least_size_of_more_than_half_the_budget_is_refused() -> None:
    with pytest.raises(OptionError, match="min_tokens must be 0 to 32"):
        LayoutChunker(64, min_tokens=33)


def test_small_chunks_do_not_leave_their_parent(make_document: MakeDocument) -> None:
    def words(text: str) -> int:
        return len(text.split())

    document = make_document(
        [
            ("Section-header", "1 Alpha"),
            ("Section-header", "1.1 Beta"),
            ("Text", "Long. " * 24),
            ("Section-header", "1.2 Gamma"),
            ("Text", "Short."),
            ("Section-header", "2 Delta"),
            ("Section-header", "2.1 Epsilon"),
            ("Text", "Other. " * 12),
            ("Section-header", "2.2 Zeta"),
            ("Text", "Third. " * 24),
        ]
    )

    chunks = LayoutChunker(30, words, min_tokens=10).chunk(document)

    assert [chunk.metadata["section_path"] for chunk in chunks] == [
        "1 Alpha > 1.1 Beta",
        "1 Alpha > 1.2 Gamma",
        "2 Delta > 2.1 Epsilon",
        "2 Delta > 2.2 Zeta",
    ]
