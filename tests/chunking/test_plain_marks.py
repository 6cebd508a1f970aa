from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders.chunking.plain_marks import plain_marks


def marks_of(text: str) -> list[str]:
    return [mark.number for mark in plain_marks(text)]


@pytest.mark.parametrize(
    "text",
    [
        "The planets of the gearbox wear.3 Then the rest of it rusts.",
        "Wear was measured at noon.3",
        "Wear was measured.3",
        "The planets wear3. Then the rest of it rusts.",
        "The planets wear3, the rest of it rusts.",
        "The planets wear3 Then the rest of it rusts.",
        "They called it “a very slow wear”3",
        "The planets (of the gearbox)3 Then it rusts.",
        "Das Getriebe verschleißt.3 Öl kostet viel.",
        "L’usure était lente.3 « Après » elle ne l’est plus.",
    ],
)
def test_marks_right_behind_a_word(text: str) -> None:
    assert marks_of(text) == ["3"]


@pytest.mark.parametrize(
    "text",
    [
        "It cost USD 2 a barrel when the gearbox rusted.",
        "All of the required model assets 3 are downloaded when it starts.",
        "The planets of the gearbox wear. 3 Then the rest of it wears as well.",
        "So the planets of the gearbox wear. 3",
        "They are packed with bzip2 and then sent to us.",
        "As can be seen in Table 3 the planets of the gearbox wear.",
        "As can be seen in Table3. The planets of the gearbox wear.",
        "As can be seen in Fig.3 The planets of the gearbox wear.",
        "As others have shown in Vol.3 The planets of the gearbox wear.",
        "The gearbox of the turbine contains 3 planets that wear and rust.",
        "The wear became 3.5 times what it was in the year before.",
        "The wear became3.5 times what it was in the year before.",
        "The ratio of wear to rust was 3:1 when it was looked at.",
        "The planets wear (as others have seen in gearbox 3) and they rust.",
        "In 2021 the gearbox 33rd in the row of them all rusted.",
        "The wear was measured in the year2023. It rusted.",
        "What comes out of it is CO2. It makes the gearbox rust.",
        "The code my_wear3. It makes the gearbox rust.",
        "The file wear.py3. It makes the gearbox rust.",
        "Introduction 3",
    ],
)
def test_other_numbers(text: str) -> None:
    assert marks_of(text) == []


@given(st.text(st.sampled_from("abAB 123.,;()”\n_-"), max_size=80))
def test_marks_are_whole_numbers_behind_words_in_their_order(text: str) -> None:
    marks = list(plain_marks(text))

    assert [mark.offset for mark in marks] == sorted({mark.offset for mark in marks})
    for mark in marks:
        end = mark.offset + len(mark.number)
        assert text[mark.offset : end] == mark.number
        assert not text[end : end + 1].isalnum()
        before = text[: mark.offset].rstrip(".,;()”")
        assert before.endswith(mark.word)
        assert mark.is_tight == text[: mark.offset].endswith(mark.word)
