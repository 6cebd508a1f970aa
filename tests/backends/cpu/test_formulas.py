from __future__ import annotations

from collections.abc import Callable

from nemoparse_loaders.backends.cpu.formulas import equation_blocks, formula_block, is_formula, to_latex
from nemoparse_loaders.backends.cpu.geometry import Rect
from nemoparse_loaders.backends.cpu.parts import Region, Word

WordsOf = Callable[..., list[Word]]


def at(text: str, x: float, y: float, *, size: float = 10.0, width: float = 0) -> Word:
    return Word(text, Rect(x, y, x + (width or 0.5 * size * len(text)), y + size), size)


FRACTION = [at("h", 50, 100), at("=", 60, 100), at("p", 74, 92), at("H", 74, 108), at("t", 90, 100)]
BAR = Rect(72, 105, 84, 105)


def test_a_bar_with_words_on_both_sides_is_a_fraction() -> None:
    assert to_latex(FRACTION, [BAR]) == r"h = \frac{p}{H} t"


def test_fractions_nest() -> None:
    inner = [at("a", 74, 84), at("b", 74, 100), at("c", 74, 124)]
    assert to_latex(inner, [Rect(70, 118, 90, 118), Rect(72, 97, 84, 97)]) == r"\frac{\frac{a}{b}}{c}"


def test_small_words_are_scripts() -> None:
    words = [
        at("E", 50, 100),
        at("r", 56, 106, size=6),
        at("2", 56, 97, size=6),
        at("+", 64, 100),
        at("x", 72, 100),
    ]
    assert to_latex(words, []) == "E_{r}^{2} + x"


def test_signs_and_greek_letters_are_commands() -> None:
    assert to_latex([at("β", 50, 100), at("≤", 60, 100), at("∑", 70, 100), at("x%", 80, 100)], []) == (
        r"\beta \leq \sum x\%"
    )


def test_lines_of_a_formula_are_parted() -> None:
    assert to_latex([at("a", 50, 100), at("b", 50, 130)], []) == r"a \\ b"
    assert to_latex([], []) == ""


def test_an_equation_takes_its_number_along() -> None:
    number = at("(1)", 200, 100)
    region = Region("equation", Rect(48, 90, 98, 120), 0.9)
    (block,) = equation_blocks([*FRACTION, number], [BAR], [region])
    assert block.type == "Formula"
    assert block.body == r"h = \frac{p}{H} t \tag{1}"
    assert block.box.x1 == number.box.x1


def test_a_number_beyond_other_words_belongs_elsewhere() -> None:
    words = [*FRACTION, at("text", 150, 100), at("(1)", 200, 100)]
    (block,) = equation_blocks(words, [BAR], [Region("equation", Rect(48, 90, 98, 120), 0.9)])
    assert "tag" not in block.body


def test_a_sentence_is_no_formula_whatever_the_model_sees(words_of: WordsOf) -> None:
    words = words_of('Page 1, index 0 = "i"', 50, 100)
    assert not is_formula(words, seen=True)
    assert equation_blocks(words, [], [Region("equation", Rect(40, 90, 300, 120), 0.9)]) == []
    assert not is_formula(words_of("a plain sentence = this", 50, 100), seen=False)
    assert is_formula(words_of("a + b = c", 50, 100), seen=False)
    assert is_formula(words_of("x = y", 50, 100), seen=True)


def test_a_block_without_a_number() -> None:
    assert formula_block(FRACTION, [BAR]).body == r"h = \frac{p}{H} t"
