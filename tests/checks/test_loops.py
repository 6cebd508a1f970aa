"""Endless repetition: what is a run, what is left out of it, and what is left alone."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nemoparse_loaders.checks import is_token_stutter, repeated_blocks, shorten_loops
from nemoparse_loaders.document import BBox

UNITS = ["0", ". ", "ab", "again and again ", "\n", "|", "& ", "**a ", "word " * 20]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("before", ["", "Words before. " + "abc" * 30])
def test_a_very_long_run_is_shortened(unit: str, before: str) -> None:
    body = before + unit * (20_000 // len(unit)) + "The end."

    text, loops, left_out = shorten_loops(body)

    assert loops
    assert text.startswith(before)
    assert text.endswith("The end.")
    assert len(text) + left_out == len(body)
    assert len(text) < 3_000


@pytest.mark.parametrize("unit", UNITS)
def test_a_run_that_is_not_so_long_is_only_found(unit: str) -> None:
    body = unit * (3_500 // len(unit))

    assert shorten_loops(body) == (body, True, 0)


@pytest.mark.parametrize("rows", [30, 150])
@pytest.mark.parametrize("row", [" & \\\\\n", "0.00 & 0.00 \\\\\n", "| a | b |\n", "<tr><td>0</td></tr>"])
def test_equal_rows_are_legal(rows: int, row: str) -> None:
    assert shorten_loops(row * rows) == (row * rows, False, 0)


@given(
    st.text(max_size=40),
    st.text("ab &\\\n", min_size=1, max_size=30),
    st.integers(0, 12_000),
    st.text(max_size=40),
)
@example("", "a", 4_096, "")
@example("", "\\\\\n", 12_000, "x")
def test_what_is_left_out_is_repetition_and_shortening_again_changes_nothing(
    before: str, unit: str, size: int, after: str
) -> None:
    body = before + unit * (size // len(unit)) + after

    text, loops, left_out = shorten_loops(body)

    assert len(text) + left_out == len(body)
    assert shorten_loops(text).text == text
    if left_out:
        assert loops
        head = next((i for i in range(len(text)) if text[i] != body[i]), len(text))
        assert body.endswith(text[head:])


@given(st.text(max_size=3_000))
def test_a_text_without_a_run_stays(text: str) -> None:
    found = shorten_loops(text)

    assert found.text == text or found.left_out


def test_blocks_that_repeat_at_nearly_the_same_place() -> None:
    box = BBox(0.1, 0.2, 0.9, 0.3)
    shifted = [BBox(0.1, 0.2 + n / 1000, 0.9, 0.3 + n / 1000) for n in range(6)]
    elsewhere = [BBox(0.1, n / 10, 0.9, n / 10 + 0.05) for n in range(6)]

    assert repeats([("Text", "a", box) for box in shifted]) == {1, 2, 3, 4, 5}
    assert repeats([("Text", "ab"[n % 2], b) for n, b in enumerate(shifted)]) == {2, 3, 4, 5}
    assert repeats([("Text", "a", box) for box in elsewhere]) == set()
    assert repeats([("Text", "a", box), ("Text", "a", box), ("Text", "b", box)]) == set()
    assert repeats([("Text" if n % 2 else "Title", "a", box) for n in range(4)]) == set()
    assert repeats([("Picture", "", box)] * 6) == set()
    assert repeats([("Text", "a", None)] * 4) == {1, 2, 3}
    assert repeats([]) == set()


def repeats(blocks: list[tuple[str, str, BBox | None]]) -> set[int]:
    return repeated_blocks(
        [name for name, _, _ in blocks], [body for _, body, _ in blocks], [box for _, _, box in blocks]
    )


def test_broken_tokens() -> None:
    assert not is_token_stutter(3)
    assert is_token_stutter(100)
