from __future__ import annotations

import time
import timeit
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders.chunking.sentences import line_spans, sentence_spans
from nemoparse_loaders.chunking.splitting import split_to_fit

TEXT = st.text(
    st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"], include_characters="\n. "), max_size=400
)


def sentences(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in sentence_spans(text)]


def test_sentences_end_at_stops_and_lines() -> None:
    assert sentences("It ran. Did it stop? No!\nA line without a stop\nThe end.") == [
        "It ran.",
        "Did it stop?",
        "No!",
        "A line without a stop",
        "The end.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "See Fig. 3 for the ratio of 2.6 in N3.",
        "Lindqvist et al. Described it.",
        "The work of J. F. Archard is old.",
        "It was slow, e.g. Monday.",
        "It stopped (approx. once a day) and turned.",
    ],
)
def test_abbreviations_do_not_end_a_sentence(text: str) -> None:
    assert sentences(text) == [text]


def test_sentences_of_chinese_need_no_space() -> None:
    assert sentences("齿轮磨损。轴承完好。") == ["齿轮磨损。", "轴承完好。"]


@given(TEXT)
def test_sentences_together_are_the_text(text: str) -> None:
    assert "".join(text[start:end] for start, end in sentence_spans(text)) == text


@given(TEXT, st.integers(1, 40), st.integers(0, 3))
def test_pieces_fit_and_together_are_the_text(text: str, limit: int, overlap: int) -> None:
    pieces = split_to_fit(text, lambda piece: len(piece) <= limit, overlap)

    assert "".join(text[piece.start : piece.end] for piece in pieces) == text
    for piece in pieces:
        assert piece.overlap_start <= piece.start < piece.end
        assert piece.end - piece.overlap_start <= limit


@given(TEXT, st.integers(0, 2))
def test_what_never_fits_is_cut_into_characters(text: str, overlap: int) -> None:
    pieces = split_to_fit(text, lambda piece: False, overlap)

    assert [text[piece.start : piece.end] for piece in pieces] == list(text)


def test_the_last_sentence_is_repeated() -> None:
    text = "One is here. Two is here. Three is here. Four is here. Five is here."
    pieces = split_to_fit(text, lambda piece: len(piece) <= 45, 1)

    assert [text[piece.overlap_start : piece.end].strip() for piece in pieces] == [
        "One is here. Two is here. Three is here.",
        "Three is here. Four is here. Five is here.",
    ]


def test_a_long_sentence_is_not_repeated() -> None:
    text = "This one sentence is so very long that it takes it all. And more."
    pieces = split_to_fit(text, lambda piece: len(piece) <= 60, 1)

    assert [piece.overlap_start == piece.start for piece in pieces] == [True, True]


def test_words_are_cut_only_where_they_are_too_long_by_themselves() -> None:
    text = "short " + "x" * 25 + " words here"
    pieces = split_to_fit(text, lambda piece: len(piece) <= 10)

    assert [text[piece.start : piece.end].strip() for piece in pieces] == [
        "short",
        "x" * 10,
        "x" * 10,
        "x" * 5,
        "words here",
    ]


def test_the_number_of_questions_grows_with_the_text_only() -> None:
    asked = 0

    def fits(piece: str) -> bool:
        nonlocal asked
        asked += 1
        return len(piece) <= 100

    split_to_fit("x" * 200_000, fits)

    assert asked < 40_000


@pytest.mark.parametrize("piece", [".", "!)", ".)", " ", "\t ", "\n", ". ", "a.", "。", "e.g.", "*_", "…x"])
@pytest.mark.parametrize("spans", [sentence_spans, line_spans])
def test_no_text_takes_quadratic_time(spans: Callable[[str], object], piece: str) -> None:
    def seconds(size: int) -> float:
        text = "a" + piece * (size // len(piece)) + "a"
        return min(timeit.repeat(lambda: spans(text), number=1, repeat=3, timer=time.process_time))

    assert seconds(32_000) < 10 * max(seconds(8_000), 0.005)
