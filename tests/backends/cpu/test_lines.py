from __future__ import annotations

from collections.abc import Callable

from nemoparse_loaders.backends.cpu.geometry import Rect
from nemoparse_loaders.backends.cpu.lines import build_lines
from nemoparse_loaders.backends.cpu.parts import Word

WordsOf = Callable[..., list[Word]]


def texts(words: list[Word]) -> list[str]:
    return [line.text for line in build_lines(words)]


def test_words_that_follow_each_other_are_one_line(words_of: WordsOf) -> None:
    assert texts(words_of("one line of words", 50, 100)) == ["one line of words"]


def test_columns_written_one_after_the_other_stay_apart(words_of: WordsOf) -> None:
    left = [
        word for row in range(5) for word in words_of("left words here", 50, 100 + 12 * row, order=10 * row)
    ]
    right = [
        word
        for row in range(5)
        for word in words_of("right side text", 140, 100 + 12 * row, order=100 + 10 * row)
    ]
    # The gutter is narrower than a gap that parts words by itself.
    assert max(word.box.x1 for word in left) > 120
    assert sorted(texts(left + right)) == ["left words here"] * 5 + ["right side text"] * 5


def test_columns_written_row_by_row_are_parted_by_their_channel(words_of: WordsOf) -> None:
    words: list[Word] = []
    for row in range(6):
        words += words_of("left words here", 50, 100 + 12 * row, order=len(words))
        words += words_of("right side text", 138, 100 + 12 * row, order=len(words))
    assert words[3].box.x0 - words[2].box.x1 < 2 * words[0].size
    assert sorted(texts(words)) == ["left words here"] * 6 + ["right side text"] * 6


def test_wide_spaces_of_justified_text_part_nothing(words_of: WordsOf) -> None:
    words: list[Word] = []
    for row in range(6):
        gap = 0.6 + 0.1 * (row % 4)
        words += words_of("these words are set wide", 50 + row, 100 + 12 * row, order=len(words), gap=gap)
    assert texts(words) == ["these words are set wide"] * 6


def test_a_mark_that_was_drawn_later_joins_its_line(words_of: WordsOf) -> None:
    words = words_of("energy is", 50, 100)
    end = words[-1].box.x1
    words += words_of("elsewhere on the page", 50, 300, order=5)
    words.append(Word("2", Rect(end + 0.5, 98, end + 4, 104), 6.0, order=50))
    assert texts(words) == ["energy is2", "elsewhere on the page"]


def test_a_list_marker_joins_its_text(words_of: WordsOf) -> None:
    words = words_of("1.", 50, 100) + words_of("the first item", 85, 100, order=1)
    assert texts(words) == ["1. the first item"]


def test_right_to_left_text_keeps_the_order_of_the_content() -> None:
    words = [
        Word("שלום", Rect(200, 100, 230, 110), 10, order=0),
        Word("עולם", Rect(165, 100, 195, 110), 10, order=1),
    ]
    assert texts(words) == ["שלום עולם"]


def test_lines_come_from_top_to_bottom(words_of: WordsOf) -> None:
    words = words_of("second line", 50, 120) + words_of("first line", 50, 100, order=10)
    assert texts(words) == ["first line", "second line"]


def test_a_large_initial_does_not_make_its_line_tall(words_of: WordsOf) -> None:
    words = [Word("O", Rect(50, 96, 75, 132), 32, order=0), *words_of("ver the past", 77, 98, order=1)]
    (line,) = build_lines(words)
    assert line.text == "Over the past"
    assert line.box.y1 == 108


def test_thousands_of_words_on_one_height_are_read_in_time(words_of: WordsOf) -> None:
    words = [Word("w", Rect(3 * i % 600, 100, 3 * i % 600 + 20, 110), 10, order=2 * i) for i in range(1_500)]
    assert sum(len(line.words) for line in build_lines(words)) == 1_500
