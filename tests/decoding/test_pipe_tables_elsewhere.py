"""Pipe tables in blocks of other classes: read where they are certain, left alone where they are not."""

from __future__ import annotations

import pytest

from nemoparse_loaders.decoding import decode_page, encode_page
from nemoparse_loaders.document import Element

TABLE = "| a | b |\n|---|---|\n| 1 | 2 |"


def decode(body: str, name: str = "Text") -> list[Element]:
    return list(decode_page(f"<x_0.1><y_0.1>{body}<x_0.9><y_0.9><class_{name}>").elements)


@pytest.mark.parametrize("name", ["Text", "Caption", "Picture", "List-item", "Floating-text", "Infographic"])
@pytest.mark.parametrize(
    ("before", "after"), [("", ""), ("Words.\n", ""), ("", "\nWords."), ("A\n\n", "\n\nB")]
)
def test_a_certain_table_is_read_and_the_words_stay(name: str, before: str, after: str) -> None:
    (element,) = decode(before + TABLE + after, name)

    assert element.table is not None
    assert element.table.grid() == [["a", "b"], ["1", "2"]]
    assert element.table.header_rows == 1
    assert element.text.split() == [*before.split(), "a", "|", "b", "1", "|", "2", *after.split()]
    assert not element.issues


def test_two_tables_are_two_elements() -> None:
    first, second = decode(f"{TABLE}\nand\n{TABLE.replace('a', 'c')}")

    assert first.table is not None
    assert second.table is not None
    assert (first.table.grid()[0], second.table.grid()[0]) == (["a", "b"], ["c", "b"])


@pytest.mark.parametrize(
    "body",
    [
        "a | b\nc | d",
        "|x| is the absolute value\n|y| too",
        "| a | b |\n| 1 | 2 |",
        "a | b\n---",
        "| a |\n|---|\n| 1 |",
        "| a | b |\n|---|\n| 1 | 2 |",
        "Words\n|---|---|",
    ],
)
def test_what_is_not_certain_stays_text(body: str) -> None:
    (element,) = decode(body)

    assert element.table is None
    assert element.markdown == body


@pytest.mark.parametrize("name", ["Code", "Formula"])
def test_code_and_formulas_hold_no_tables(name: str) -> None:
    (element,) = decode(TABLE, name)

    assert element.table is None
    assert element.text == TABLE


def test_printing_and_reading_again_changes_nothing() -> None:
    elements = decode(f"Words\n{TABLE}\nmore")

    assert list(decode_page(encode_page(elements)).elements) == elements
