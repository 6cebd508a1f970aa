from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders.chunking.plain_marks import plain_marks


def judged(text: str) -> list[tuple[str, bool]]:
    return [(mark.number, mark.is_clear) for mark in plain_marks(text)]


@pytest.mark.parametrize(
    "text",
    [
        "All of the required model assets 3 are downloaded when it starts.",
        "We made it available to the public 3 in order to help them.",
        "It was found in repositories such as arXiv 3 , in offices and elsewhere.",
        "The new data set is called SynthTabNet 3 . In particular it is large.",
        "The planets of the gearbox wear. 3 Then the rest of it wears as well.",
        "They called it “a very slow wear” 3 and left it at that.",
        "So the planets of the gearbox wear. 3",
        "The planets of the gearbox wear3 and the rest of it rusts.",
        "The planets of the gearbox wear.3 Then the rest of it rusts.",
        "The planets of the gearbox wear,3 then the rest of it rusts.",
        "The planets (of the gearbox)3 wear and the rest of it rusts.",
        "The planets of the gearbox wear 3) and the rest of it rusts.",
    ],
)
def test_clear_marks(text: str) -> None:
    assert judged(text) == [("3", True)]


@pytest.mark.parametrize(
    "text",
    [
        "A report of the Ponemon Institute 3 revealed that it wears.",
        "When it was looked at by the Ponemon Institute 3",
        "As the planets of the gearbox wear, 3 which nobody knew, they rust.",
    ],
)
def test_possible_marks(text: str) -> None:
    assert judged(text) == [("3", False)]


@pytest.mark.parametrize(
    "text",
    [
        "As can be seen in Table 3 the planets of the gearbox wear.",
        "As can be seen in Figures 3 and 4 the planets of the gearbox wear.",
        "As is said in Section 3. The planets of the gearbox wear.",
        "As can be seen in Fig. 3 The planets of the gearbox wear.",
        "As others have shown in Vol. 3 The planets of the gearbox wear.",
        "On the morning of January 3 the planets of the gearbox rusted.",
        "The gearbox of the turbine contains 3 planets that wear and rust.",
        "The gearbox ran without oil for 3 days and it did not rust.",
        "They turned off at least 3 and waited until the others rusted.",
        "We measured 3 planets of the gearbox and all of them rusted.",
        "The wear rose by 3 % and the rest of the gearbox rusted.",
        "The wear became 3.5 times what it was in the year before.",
        "The wear became 3,500 times what it was in the year before.",
        "The ratio of wear to rust was 3:1 when it was looked at.",
        "The planets wear (as others have seen in gearbox 3) and they rust.",
        "In 2021 the gearbox 33rd in the row of them all rusted.",
        "The wear was measured in the year 2023 and it rusted.",
        "What comes out of it is CO2 and it makes the gearbox rust.",
        "The code my_wear3 makes the gearbox rust in a very short time.",
        "Introduction 3",
        "Wear and rust 3 are",
    ],
)
def test_other_numbers(text: str) -> None:
    assert judged(text) == []


@given(st.text(st.sampled_from("abAB 123.,;()”\n_-"), max_size=80))
def test_marks_are_whole_numbers_behind_words_in_their_order(text: str) -> None:
    marks = list(plain_marks(text))

    assert [mark.offset for mark in marks] == sorted({mark.offset for mark in marks})
    for mark in marks:
        end = mark.offset + len(mark.number)
        assert text[mark.offset : end] == mark.number
        assert not text[end : end + 1].isalnum()
        before = text[: mark.offset].rstrip(" \n.,;()”")
        assert before.endswith(mark.word)
        assert mark.is_tight == text[: mark.offset].endswith(mark.word)
