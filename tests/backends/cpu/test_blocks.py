from __future__ import annotations

from collections.abc import Callable

import pytest

from nemoparse_loaders.backends.cpu.blocks import LIST_MARKER, build_blocks, region_of
from nemoparse_loaders.backends.cpu.geometry import Rect
from nemoparse_loaders.backends.cpu.lines import build_lines
from nemoparse_loaders.backends.cpu.parts import Block, Region, Word

WordsOf = Callable[..., list[Word]]


def set_lines(words_of: WordsOf, *lines: tuple[str, float, float], **style: object) -> list[Word]:
    words: list[Word] = []
    for text, x, y in lines:
        words += words_of(text, x, y, order=len(words), **style)
    return words


def blocks_of(words: list[Word], *regions: Region) -> list[str]:
    found = build_blocks(build_lines(words), regions)
    return [block.text for block in sorted(found, key=lambda block: (block.box.y0, block.box.x0))]


FULL = "words of a line that is full"


def test_lines_below_each_other_are_a_paragraph(words_of: WordsOf) -> None:
    words = set_lines(words_of, (FULL, 50, 100), (FULL, 50, 112), ("its end.", 50, 124))
    assert blocks_of(words) == [f"{FULL} {FULL} its end."]


def test_air_parts_paragraphs(words_of: WordsOf) -> None:
    words = set_lines(words_of, (FULL, 50, 100), (FULL, 50, 112), (FULL, 50, 132), (FULL, 50, 144))
    assert blocks_of(words) == [f"{FULL} {FULL}"] * 2


def test_first_line_indents_part_paragraphs(words_of: WordsOf) -> None:
    rows = [(50, 100), (50, 112), (65, 124), (50, 136), (50, 148), (65, 160), (50, 172)]
    words = set_lines(words_of, *((FULL, x, y) for x, y in rows))
    assert [text.count("full") for text in blocks_of(words)] == [2, 3, 2]


def test_hanging_indents_part_entries(words_of: WordsOf) -> None:
    rows = [(50, 100), (65, 112), (50, 124), (65, 136), (65, 148), (50, 160), (65, 172)]
    words = set_lines(words_of, *((FULL, x, y) for x, y in rows))
    assert [text.count("full") for text in blocks_of(words)] == [2, 3, 2]


def test_each_list_item_is_a_block(words_of: WordsOf) -> None:
    rows = [("• first item that goes", 50), ("on here", 60), ("• second item", 50), ("• third", 50)]
    words = set_lines(words_of, *((text, x, 100 + 12 * row) for row, (text, x) in enumerate(rows)))
    assert blocks_of(words) == ["• first item that goes on here", "• second item", "• third"]


def test_a_number_at_the_start_of_a_line_may_go_on_with_a_sentence(words_of: WordsOf) -> None:
    words = set_lines(
        words_of, ("as we have seen already in Table", 50, 100), ("2. The rest is plain text", 50, 112)
    )
    assert len(blocks_of(words)) == 1


def test_sizes_part_blocks(words_of: WordsOf) -> None:
    words = set_lines(words_of, ("A heading", 50, 100), size=14)
    words += words_of(FULL, 50, 117, order=10) + words_of(FULL, 50, 129, order=20)
    assert blocks_of(words) == ["A heading", f"{FULL} {FULL}"]


def test_a_bold_line_stands_apart_from_plain_text(words_of: WordsOf) -> None:
    words = words_of("A heading", 50, 100, bold=True) + words_of(FULL, 50, 112, order=10)
    assert blocks_of(words) == ["A heading", FULL]


def test_two_numbered_headings_are_two_blocks(words_of: WordsOf) -> None:
    words = set_lines(words_of, ("3.1 Measurements", 50, 100), ("3.2 Wear model", 50, 114), bold=True)
    assert blocks_of(words) == ["3.1 Measurements", "3.2 Wear model"]


def test_columns_are_blocks_of_their_own(words_of: WordsOf) -> None:
    words = set_lines(words_of, (FULL, 50, 100), (FULL, 50, 112), (FULL, 300, 100), (FULL, 300, 112))
    assert blocks_of(words) == [f"{FULL} {FULL}"] * 2


def test_regions_of_other_classes_part_blocks(words_of: WordsOf) -> None:
    words = set_lines(words_of, (FULL, 50, 100), (FULL, 50, 112))
    title = Region("title", Rect(45, 98, 250, 111), 0.9)
    text = Region("text", Rect(45, 111, 250, 124), 0.9)
    assert blocks_of(words, title, text) == [FULL, FULL]


def test_typewriter_lines_stand_apart(words_of: WordsOf) -> None:
    words = words_of("we could put", 50, 100) + words_of("x <- 1", 50, 112, order=10, mono=True)
    assert blocks_of(words) == ["we could put", "x <- 1"]


def test_text_beside_an_initial_is_not_indented(words_of: WordsOf) -> None:
    words = [Word("O", Rect(50, 98, 75, 134), 32.0, order=0)]
    words += words_of("ver the past three decades", 77, 100, order=1)
    words += words_of("pressure from many sides", 77, 112, order=10) + words_of(
        "has grown", 77, 124, order=20
    )
    words += words_of("and it is still growing today", 50, 136, order=30)
    (text,) = blocks_of(words)
    assert text.startswith("Over the past")


def test_right_to_left_paragraphs_end_on_the_left() -> None:
    def line(y: float, start: float, order: int) -> list[Word]:
        boxes = [(300 - 40 * index, order + index) for index in range(4) if 300 - 40 * index > start]
        return [Word("שלומ", Rect(x - 38, y, x, y + 10), 10.0, order=number) for x, number in boxes]

    words = line(100, 100, 0) + line(112, 100, 10) + line(124, 200, 20)
    assert len(build_blocks(build_lines(words))) == 1


def test_the_surer_region_wins() -> None:
    box = Rect(50, 100, 150, 110)
    regions = [Region("text", Rect(0, 0, 600, 800), 0.6), Region("title", Rect(48, 99, 152, 111), 0.9)]
    found = region_of(box, regions)
    assert found is not None
    assert found.kind == "title"
    assert region_of(box, [Region("title", Rect(48, 99, 152, 111), 0.4)]) is None


@pytest.mark.parametrize("text", ["• a", "- a", "1. a", "2) a", "(3) a", "a) b", "(iv) a", "[4] a"])
def test_list_markers(text: str) -> None:
    assert LIST_MARKER.match(text)


@pytest.mark.parametrize(
    "text", ["-5 degrees", "(real) or complex", "1.5 m", "A tidal turbine", "e.g. this", "2024 was"]
)
def test_no_list_markers(text: str) -> None:
    assert not LIST_MARKER.match(text)


def test_a_block_knows_its_common_size(words_of: WordsOf) -> None:
    block = Block(
        Rect(0, 0, 1, 1), build_lines(words_of("some text", 0, 0) + words_of("a", 300, 0, size=30, order=9))
    )
    assert block.size == 10
    assert Block(Rect(0, 0, 1, 1)).size == 0
