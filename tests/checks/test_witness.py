"""When a file's words bear no witness, though they look like words, and when they do, though they do not."""

from __future__ import annotations

import codecs
from collections.abc import Callable

import pytest

from nemoparse_loaders.checks import verified
from nemoparse_loaders.document import ParsedPage

from .pages_with_words import box_of, codes, element, evidence, page, words_at

LINES = (
    "The committee met in March and approved the whole\n"
    "budget of the year. It will be read again by all the\n"
    "members when they meet at the end of the season."
)
TEXT = LINES.replace("\n", " ")
OTHER = (
    "Nobody had been asked whether rivers that flood in\n"
    "spring should stay without any dams, so that farmers\n"
    "and fishermen went on to quarrel for many years more."
)


def read(stored: str, text: str = TEXT, *, usable: bool = True) -> ParsedPage:
    box = box_of(stored.count("\n") + 1)
    return verified(page(element(text, box)), evidence(words_at(stored), usable=usable))


def each(change: Callable[[str], str]) -> str:
    return "".join(change(char) if char.isalpha() else char for char in LINES)


@pytest.mark.parametrize(
    "stored",
    [
        codecs.encode(LINES, "rot13"),
        each(lambda char: chr(ord(char) + 1)),
        each(lambda char: chr(ord(char) + 0x80)),
        each(lambda char: chr(0x430 + ord(char.lower()) - 97)),
        each(lambda char: chr(0x4E00 + ord(char))),
        each(lambda char: chr(0xE000 + ord(char))),
    ],
    ids=["rot13", "one further", "mojibake", "cyrillic", "ideographs", "private"],
)
def test_letters_that_stand_for_others_are_no_witness(stored: str) -> None:
    found = read(stored)
    assert codes(found) == ["unverified"]
    assert found.confidence is None
    assert found.elements[0].confidence is None
    assert not found.needs_review


def test_right_numbers_do_not_make_other_letters_a_witness() -> None:
    numbers = " 10,200 20,300 30,400 40,500 50,600 60,700 70,800 80,900\n"
    found = read(codecs.encode(LINES, "rot13").replace("\n", numbers), LINES.replace("\n", numbers))
    assert codes(found) == ["unverified"]


def test_a_page_that_was_made_up_is_still_found() -> None:
    found = read(OTHER)
    assert {"unsupported_text", "low_agreement"} == set(codes(found))
    assert found.confidence is not None
    assert found.confidence < 0.01
    assert found.needs_review


def test_numbers_that_were_made_up_are_no_other_letters() -> None:
    counted = " ".join(str(number) for number in range(100, 130))
    found = read(counted, " ".join(str(number) for number in range(200, 230)))
    assert "unsupported_text" in codes(found)
    assert found.needs_review


@pytest.mark.parametrize("text", ["Introduciton", "Introduciton ot teh hwole fo it nad mroe"])
def test_words_with_swapped_letters_are_no_other_letters(text: str) -> None:
    right = {"Introduciton": "Introduction"}.get(text, "Introduction to the whole of it and more")
    assert "unsupported_text" in codes(read(right, text))


def test_words_stored_from_their_ends_bear_witness_turned_round() -> None:
    stored = "\n".join(line[::-1] for line in LINES.split("\n"))
    assert codes(read(stored)) == []
    assert read(stored).confidence is not None
    assert "unsupported_text" in codes(read(stored, TEXT.replace("budget", "gadget")))


def test_a_font_alone_that_stores_other_letters_leaves_the_rest_compared() -> None:
    title = "Results of the whole year"
    stored = evidence(words_at(codecs.encode(title, "rot13")), words_at(LINES, top=0.3))
    elements = element(title, kind="Title"), element(TEXT, box_of(3, top=0.3), number=2)
    found = verified(page(*elements), stored)
    assert [issue.code for issue in found.elements[0].issues] == ["unverified"]
    assert found.elements[0].confidence is None
    assert found.elements[1].issues == ()
    assert found.confidence == found.elements[1].confidence
    assert found.confidence is not None
    assert not found.needs_review
    assert verified(found, stored) == found


def test_what_is_made_up_is_found_beside_a_font_that_stores_other_letters() -> None:
    stored = evidence(words_at(codecs.encode(LINES, "rot13")), words_at("A short last line", top=0.3))
    invented = element("Another end of it all", box_of(1, top=0.3), number=2)
    found = verified(page(element(TEXT, box_of(3)), invented), stored)
    assert [issue.code for issue in found.issues] == ["unverified"]
    assert found.elements[0].issues == ()
    assert "unsupported_text" in codes(found)
    assert found.confidence is None
    assert found.needs_review


def test_odd_words_that_agree_with_the_page_bear_witness() -> None:
    stored = "QX-77K BZF-12 KLM-9 PQV-88\nGATTACA CCGGTTAA deadbeef"
    text = stored.replace("\n", " ")
    assert codes(read(stored, text, usable=False)) == []
    assert read(stored, text, usable=False).confidence is not None
    assert "unsupported_text" in codes(read(stored, text.replace("77", "17"), usable=False))
    assert codes(read("Xkz qqw vvb", text, usable=False)) == ["unverified"]
