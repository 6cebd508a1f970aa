"""Which of two readings of a table is the better one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from nemoparse_loaders.decoding import decode_page
from nemoparse_loaders.document import Element
from nemoparse_loaders.pipeline.region_words import element_words, words_of
from nemoparse_loaders.pipeline.table_choice import choose, disagreement, says_the_same
from nemoparse_loaders.pipeline.table_reading import Reading, reading_of
from nemoparse_loaders.pipeline.table_witness import Witness

from .region_pages import tabular

ROWS = ("Port & Calls & Tonnes", "Bergen & 310 & 42", "Oslo & 355 & 57")


def element(body: str, kind: str = "Table") -> Element:
    return decode_page(f"<x_0.1><y_0.1>{body}<x_0.9><y_0.9><class_{kind}>").elements[0]


def table(*rows: str, closed: bool = True, cut: bool = False) -> Reading:
    return reading_of([element(tabular(*rows, closed=closed))], cut=cut)


def page_says(*words: str) -> Witness:
    """A witness that has these words, and no room for more."""

    def share(text: str) -> float | None:
        found = words_of(text)
        return sum(word in words for word in found) / len(found) if found else None

    return Witness(share, words, has_room=False)


def takes(old: Reading, new: Reading, *, beside: Sequence[str] = (), witness: Witness | None = None) -> bool:
    choice = choose(old, new, beside=beside, witness=witness)
    assert bool(choice.reason) is choice.takes_new
    return choice.takes_new


RIGHT = table(*ROWS)


def test_a_tie_keeps_the_page() -> None:
    assert not takes(RIGHT, RIGHT)
    assert says_the_same(RIGHT, table(*ROWS))


def test_whole_beats_cut() -> None:
    cut = table(*ROWS[:2], "Osl", closed=False)

    assert takes(cut, RIGHT)
    assert not takes(RIGHT, cut)
    assert takes(table(*ROWS, cut=True), RIGHT)


def test_whole_and_cut_beat_looping() -> None:
    looping = table(*ROWS[:2], *["Oslo & 355 & 57"] * 1_200, closed=False)

    assert looping.damage == 2
    assert takes(looping, RIGHT)
    assert takes(looping, table(*ROWS, "Troms", closed=False))
    assert not takes(RIGHT, looping)
    assert not takes(table(*ROWS[:2], closed=False), looping)


def test_a_reading_that_loses_a_word_is_not_taken_though_it_is_whole() -> None:
    cut = table(*ROWS, "Tromso & 128 & 19", "Bod", closed=False)

    assert not takes(cut, RIGHT)
    assert takes(cut, table(*ROWS, "Tromso & 128 & 19", "Bodo & 7 & 1"))


def test_a_number_that_comes_less_often_is_lost() -> None:
    zeros = table("Port & A & B", "Bergen & 0 & 0", "Oslo & 0 & 0")

    assert not takes(zeros, table("Port & A & B & C", "Bergen & 0 & 0 & x", "Oslo & & 0 & y"))


def test_a_word_that_nothing_bears_out_is_no_loss() -> None:
    wrong = table(*ROWS[:2], "Oslo & 3S5 & 57")
    witness = page_says("port", "calls", "tonnes", "bergen", "oslo", "310", "42", "355", "57")

    assert not takes(wrong, RIGHT)
    assert takes(wrong, RIGHT, witness=witness)
    assert not takes(RIGHT, wrong, witness=witness)
    # A witness that cannot tell changes nothing.
    assert not takes(wrong, RIGHT, witness=Witness(lambda text: None))


def test_rows_that_the_witness_does_not_know_do_not_win() -> None:
    invented = table(*ROWS, "Atlantis & 999 & 111")
    witness = page_says("port", "calls", "tonnes", "bergen", "oslo", "310", "42", "355", "57")

    assert takes(RIGHT, invented)
    assert not takes(RIGHT, invented, witness=witness)
    assert takes(invented, RIGHT, witness=witness)


def test_a_table_read_as_text_has_lost_its_columns() -> None:
    text = reading_of([element("Port Calls Tonnes Bergen 310 42 Oslo 355 57 Tromso 128 19", "Text")])

    assert not takes(RIGHT, text)
    assert takes(text, table(*ROWS, "Tromso & 128 & 19"))


def test_more_words_win_but_not_those_that_stand_beside() -> None:
    with_caption = table("Calls and tonnes by port & &", *ROWS)
    caption = "Table 1: Calls and tonnes by port"

    assert takes(RIGHT, table(*ROWS, "Tromso & 128 & 19"))
    assert not takes(RIGHT, with_caption, beside=[caption])
    # The other way round the caption is not lost: it stands by itself.
    shorter = table(*ROWS, "Tromso & 128 & 19")
    assert takes(with_caption, shorter, beside=[caption])
    assert not takes(with_caption, shorter)


def test_more_filled_cells_win_where_the_words_are_the_same() -> None:
    merged = table("Port Calls & Tonnes", "Bergen 310 & 42", "Oslo 355 & 57")

    assert takes(merged, RIGHT)
    assert not takes(RIGHT, merged)


def test_a_cell_torn_in_two_is_no_gain() -> None:
    rows = ("Port & Calls", "New York & 310", "Oslo & 355", "Bergen & 42")
    torn = table("Port & & Calls", "New & York & 310", "Oslo & & 355", "Bergen & & 42")

    assert not takes(table(*rows), torn)


def test_even_rows_win_where_the_cells_are_as_many() -> None:
    shifted = table("a & b & c", "1 & 2 & 3", "4 & & 5", "6 & 7 8 & 9 10 & 11")
    even = table("a & b & c", "1 & 2 & 3", "4 & 5 & 6", "7 8 & 9 10 & 11")

    assert shifted.evenness < even.evenness == 1.0
    assert takes(shifted, even)
    assert not takes(even, shifted)


def test_pieces_are_one_reading() -> None:
    pieces = reading_of([element(tabular(*ROWS[:2])), element(tabular(ROWS[2]))])

    assert not takes(RIGHT, pieces)
    assert not takes(pieces, RIGHT)
    assert takes(reading_of([pieces.elements[0]]), RIGHT)


def test_a_chart_with_more_data_is_taken() -> None:
    chart = '<chart type="bar">\ntitle: Calls\n| Year | Calls |\n| --- | --- |\n| 2024 | 310 |'
    less, more = (reading_of([element(body, "Chart")]) for body in (chart, f"{chart}\n| 2025 | 355 |"))

    assert takes(less, more)
    assert not takes(more, less)


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (("Port & Calls & Tonnes", "Bergen & 310 & 42", "Oslo & 365 & 57"), "on the page 355, by itself 365"),
        (ROWS[:2], "on the page 355, 57, by itself none of them"),
        (("Harbour & Calls & Tonnes", "Bergen & 310 & 42", "Oslo & 355 & 57"), ""),
        (
            ("Port & Calls & Tonnes", "Bergen & 310 & 42", "Oslo & -355 & 57"),
            "on the page 355, by itself -355",
        ),
        (
            ("Port & Calls & Tonnes", "Bergen & **310** & 42.", "Oslo & \u2007355 & 57"),
            "",
        ),
        (
            ("Port & 1 & 2 & 3 & 4 & 5", "Bergen & 310 & 42", "Oslo & 355 & 57"),
            "on the page none of them, by itself 1, 2, 3 and 2 more",
        ),
    ],
)
def test_numbers_that_differ_are_named(other: tuple[str, ...], says: str) -> None:
    assert disagreement(RIGHT, table(*other)) == says
    assert disagreement(RIGHT, table(*other, cut=True)) == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("**Bold** _word_, (12) 1,234 1,23 -5 \u22125", ["bold", "word", "-12", "1234", "1,23", "-5", "-5"]),
        ("m<sup>2</sup> and m\u00b2", ["m2", "and", "m2"]),
        ("Alpha ....... 12 --- \u2713", ["alpha", "12", "\u2713"]),
        ("a<br>b \\(x^2\\) 5\\%", ["a", "b", "x^2", "5", "%"]),
        ("ﬁnal STRASSE", ["final", "strasse"]),
        ("", []),
    ],
)
def test_words_are_compared_without_how_they_look(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_a_cell_over_several_rows_is_counted_once() -> None:
    body = "\\begin{tabular}{ll}\n\\multirow{2}{*}{2024} & 1 \\\\\n & 2 \\\\\n\\end{tabular}"

    assert element_words(element(body)) == {"2024": 1, "1": 1, "2": 1}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("$5,100", "$ 5,100"),
        ("-$5,100", "$-5,100"),
        ("-$5,100", "($5,100)"),
        ("US$5,100", "US$ 5,100"),
        ("€5,100", "€ 5100"),
        ("5,100€", "5,100 €"),
        ("EUR5,100", "EUR 5,100"),
        ("12%", "12 %"),
        ("20°C", "20 °C"),
        ("45kg", "45 kg"),
        ("(5,100)", "-5,100"),
        ("(5,100)", "( 5,100 )"),
        ("$(5,100)", "($ 5,100)"),
        ("(5.1%)", "-5.1 %"),
        ("5%-10%", "5%-10 %"),
    ],
)
def test_one_number_in_two_prints_is_no_disagreement(one: str, other: str) -> None:
    assert words_of(one) == words_of(other)
    mine, theirs = table(*ROWS, f"Tromso & {one} & 1"), table(*ROWS, f"Tromso & {other} & 1")
    assert disagreement(mine, theirs) == ""
    assert not takes(mine, theirs)


@pytest.mark.parametrize(
    ("one", "other"), [("(5,100)", "5,100"), ("$(5,100)", "$5,100"), ("-$5", "$5"), ("12%", "13%")]
)
def test_another_sign_is_another_number(one: str, other: str) -> None:
    mine, theirs = table(*ROWS, f"Tromso & {one} & 1"), table(*ROWS, f"Tromso & {other} & 1")
    assert disagreement(mine, theirs)


def test_parentheses_of_a_call_or_around_words_are_no_sign() -> None:
    assert words_of("f(5) and (5 of them) in H2(1)") == ["f(5", "and", "5", "of", "them", "in", "h2(1"]
    assert words_of("line 12g of 3d") == ["line", "12g", "of", "3d"]
