from __future__ import annotations

from collections.abc import Callable

import pytest

from nemoparse_loaders.backends.cpu.geometry import Rect
from nemoparse_loaders.backends.cpu.lines import build_lines
from nemoparse_loaders.backends.cpu.markup import markdown, plain_text
from nemoparse_loaders.backends.cpu.parts import Line, Word
from nemoparse_loaders.backends.cpu.printing import code_text
from nemoparse_loaders.export.plain import markdown_to_text

WordsOf = Callable[..., list[Word]]


def lines(words_of: WordsOf, *texts: str) -> list[Line]:
    return [Line(tuple(words_of(text, 50, 100 + 12 * row))) for row, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("texts", "joined"),
    [
        (("the gear-", "box turns"), "the gearbox turns"),
        (("the Skerra-", "Sound array"), "the Skerra-Sound array"),
        (("from 2021-", "2023 on"), "from 2021-2023 on"),
        (("a dash -", "like this"), "a dash - like this"),
        (("two", "lines"), "two lines"),
        (("漢字", "仮名"), "漢字仮名"),
        (("漢字", "and"), "漢字 and"),
    ],
)
def test_lines_are_joined(words_of: WordsOf, texts: tuple[str, ...], joined: str) -> None:
    assert plain_text(lines(words_of, *texts)) == joined
    assert markdown(lines(words_of, *texts)) == joined


def test_emphasis_reaches_over_lines_and_stops_with_it(words_of: WordsOf) -> None:
    first = [*words_of("plain", 50, 100), *words_of("strong and", 100, 100, bold=True)]
    second = [*words_of("still strong", 50, 112, bold=True), *words_of("done", 150, 112)]
    assert markdown([Line(tuple(first)), Line(tuple(second))]) == "plain **strong and still strong** done"
    assert markdown([Line(tuple(first))], styled=False) == "plain strong and"


def test_bold_and_italic_nest(words_of: WordsOf) -> None:
    assert (
        markdown([Line(tuple(words_of("both ways", 50, 100, bold=True, italic=True)))]) == "**_both ways_**"
    )


def test_small_marks_are_raised_or_lowered() -> None:
    def line(top: float) -> Line:
        return Line(
            (Word("E", Rect(50, 100, 56, 112), 10.0), Word("2", Rect(56.2, top, 59, top + 7), 6.0, order=1))
        )

    assert markdown([line(98)]) == "E<sup>2</sup>"
    assert markdown([line(106)]) == "E<sub>2</sub>"
    assert plain_text([line(98)]) == "E2"


def test_small_capitals_and_bullets_are_neither() -> None:
    capitals = (
        Word("S", Rect(50, 100, 57, 112), 10.0),
        Word("UMMARY", Rect(57.2, 103, 90, 111.3), 7.5, order=1),
    )
    assert markdown([Line(capitals)]) == "SUMMARY"
    bullet = (
        Word("•", Rect(50, 106, 53, 113), 5.0),
        Word("an item of a list", Rect(60, 100, 140, 112), 10.0, order=1),
    )
    assert markdown([Line(bullet)]) == "• an item of a list"


@pytest.mark.parametrize(
    "text", ["a*b*c", "<b>x</b>", "<class_Text>", "_x_ and __init__", r"C:\temp\*", "5 < 6", "a_b"]
)
def test_marks_of_markdown_in_the_text_are_escaped(words_of: WordsOf, text: str) -> None:
    assert markdown_to_text(markdown(lines(words_of, text))) == text


def test_code_keeps_its_indents() -> None:
    def row(text: str, column: int, y: float) -> Line:
        words = []
        for part in text.split():
            words.append(
                Word(part, Rect(50 + 6 * column, y, 50 + 6 * (column + len(part)), y + 10), 10, mono=True)
            )
            column += len(part) + 1
        return Line(tuple(words))

    assert (
        code_text([row("if waited < 90:", 0, 100), row("return False", 4, 112)])
        == "if waited < 90:\n    return False"
    )


def test_a_line_says_which_font_it_is_in(words_of: WordsOf) -> None:
    (line,) = build_lines(words_of("one font only", 50, 100, font="Times-Roman"))
    assert line.font == "Times-Roman"
    mixed = Line((*words_of("half", 50, 100, font="A"), *words_of("half", 80, 100, font="B")))
    assert mixed.font == ""
