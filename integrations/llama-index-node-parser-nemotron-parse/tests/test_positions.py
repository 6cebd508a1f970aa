from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from llama_index.node_parser.nemotron_parse.positions import locate


def test_pieces_that_stand_there_once() -> None:
    assert locate("one two three", ["one", "two three"]) == [(0, 3), (4, 13)]


def test_equal_pieces_stand_in_order() -> None:
    assert locate("a x a", ["a", "x", "a"]) == [(0, 1), (2, 3), (4, 5)]


def test_what_is_not_there_or_is_not_certain_is_left_open() -> None:
    assert locate("a b a", ["a", "c", ""]) == [None, None, None]


def test_a_piece_in_the_middle_of_a_word_is_no_place() -> None:
    assert locate("concat cat", ["cat"]) == [(7, 10)]


def test_long_pieces_that_begin_alike() -> None:
    head = "| Site | Wear of the gears in the first year |\n"
    pieces = [f"{head}| {name} | 3 |" for name in ("Lund", "Hoy", "Unst")]
    text = "\n\n".join(pieces)
    places = locate(text, pieces)
    assert [text[place[0] : place[1]] for place in places if place] == pieces


words = st.text("ab \n|", min_size=1, max_size=6)


@given(st.lists(words, max_size=8), st.lists(words, max_size=4))
def test_a_place_holds_its_piece(pieces: list[str], others: list[str]) -> None:
    text = "".join(pieces)
    wanted = [*pieces, *others]
    places = locate(text, wanted)
    assert len(places) == len(wanted)
    for piece, place in zip(wanted, places, strict=True):
        if place is not None:
            assert text[place[0] : place[1]] == piece
