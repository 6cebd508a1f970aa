"""Which of two readings of a page is the better one."""

from __future__ import annotations

import pytest

from nemoparse_loaders.decoding import decode_page
from nemoparse_loaders.document import ParsedPage
from nemoparse_loaders.pipeline.judgement import is_better, needs_recovery, useful_text


def page(*texts: str, reason: str = "stop") -> ParsedPage:
    blocks = (
        f"<x_0.1><y_{0.1 + 0.05 * row:.2f}>{text}<x_0.9><y_{0.14 + 0.05 * row:.2f}><class_Text>"
        for row, text in enumerate(texts)
    )
    return decode_page("\n\n".join(blocks), reason)


WHOLE = page("some words")
CUT = page("some words and many more of them", reason="length")
SHORT_CUT = page("some", reason="length")
LOOP = page("some " * 2_000, reason="length")
EMPTY = page()


def test_white_space_and_what_is_said_again_do_not_count() -> None:
    assert useful_text(page("some words", "some words", "and\nothers")) == 18
    assert useful_text(EMPTY) == 0


def test_a_loop_counts_with_its_words_once() -> None:
    beside = page("a sentence that stands before it: " + "again " * 2_000)
    assert any(issue.code == "loop" for issue in beside.elements[0].issues)
    assert useful_text(beside) == len("a sentence that stands before it: again".replace(" ", ""))


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (WHOLE, SHORT_CUT),
        (WHOLE, LOOP),
        (WHOLE, EMPTY),
        (page("s"), LOOP),
        (CUT, SHORT_CUT),
        (CUT, LOOP),
        (SHORT_CUT, EMPTY),
        (page("some words more"), WHOLE),
    ],
)
def test_the_better_one(new: ParsedPage, old: ParsedPage) -> None:
    assert is_better(new, old)
    assert not is_better(old, new)


@pytest.mark.parametrize("reading", [WHOLE, CUT, LOOP, EMPTY])
def test_none_is_better_than_itself(reading: ParsedPage) -> None:
    assert not is_better(reading, reading)


def test_a_long_cut_reply_and_a_short_whole_one_are_not_ranked() -> None:
    short = page("some")
    assert needs_recovery(short) is None
    assert not is_better(short, CUT)
    assert not is_better(CUT, short)
