from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders.chunking.clean import shortened, storable, without_dollars, words_of_formula


def test_nul_and_lone_surrogates_go() -> None:
    assert storable("a\0b\ud800c") == "ab\ufffdc"


def test_a_pair_of_surrogates_becomes_its_character() -> None:
    assert storable("\ud83d\ude00") == "😀"


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Z", "Cc", "Cs"])))
def test_what_is_storable_can_be_encoded(text: str) -> None:
    clean = storable(text)

    assert "\0" not in clean
    clean.encode("utf-8")


@pytest.mark.parametrize(
    ("latex", "words"),
    [
        (r"h_s = k \frac{p_m v_s}{H} t", "h s = k frac p m v s H t"),
        (r"\alpha + \beta \leq \mathrm{max}", "alpha + beta leq max"),
        (r"\left( x^{2} \right)", "( x 2 )"),
        (r"a & b \\ c", "a b c"),
        (r"100\,\% of \text{all}", "100 % of all"),
        (r"\hat{y} = \sqrt{x}", "hat y = sqrt x"),
        (r"\operatorname { r a d } (\mathbf{v}_1)", "rad ( mathbf v 1)"),
        (r"\mathbf{0 . 6 4 9} \boldsymbol{\theta} \mathbf{Total}", "0.649 boldsymbol theta Total"),
    ],
)
def test_formulas_are_said_without_their_structure(latex: str, words: str) -> None:
    assert words_of_formula(latex) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (r"$\mathbf{0 . 6 4 9}$", "0.649"),
        ("$0 . 6 4 9$ or $12.5$", "0.649 or 12.5"),
        (r"$ \text{API GRAV} $", "API GRAV"),
        ("an $n$-gram, $x = 5$ and $$y^{2}$$", "an n-gram, x = 5 and y 2"),
    ],
)
def test_dollar_signs_around_formulas_go(text: str, words: str) -> None:
    assert " ".join(without_dollars(text).split()) == words


@pytest.mark.parametrize(
    "text",
    [
        "$5 and $6, or US$ 7 to $8.",
        "from $5-$6",
        "Total $ 1,200 $ 1,300 $",
        "($ in millions) and $1,000 (in $)",
        "| $ | 5 | $ | 6 |",
        "HOME is $HOME",
    ],
)
def test_amounts_of_money_keep_their_dollar_signs(text: str) -> None:
    assert without_dollars(text) == text


@given(st.text("$ab1 .^\\{}_\n"))
def test_taking_dollar_signs_off_loses_no_letter(text: str) -> None:
    assert [char for char in without_dollars(text) if char.isalnum()] == [
        char for char in text if char.isalnum()
    ]


@given(st.text(min_size=1, max_size=200), st.integers(1, 60), st.sampled_from(["start", "end"]))
def test_shortened_text_keeps_to_its_length(text: str, length: int, keep: str) -> None:
    short = shortened(text, length, keep=keep)

    assert len(short) <= length
    if len(text) <= length:
        assert short == text
    else:
        assert "…" in short


def test_shortened_text_is_cut_between_words() -> None:
    assert shortened("the gearboxes of turbines", 16) == "the gearboxes…"
    assert shortened("the gearboxes of turbines", 16, keep="end") == "…of turbines"


def test_a_backslash_at_the_cut_of_a_formula_is_no_word() -> None:
    assert words_of_formula("\\frac{1}{Q} \\") == words_of_formula("\\frac{1}{Q} \\ ") == "frac 1 Q"
    assert words_of_formula("a \\\\ b") == "a b"
