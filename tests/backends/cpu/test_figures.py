from __future__ import annotations

from collections.abc import Callable

from nemoparse_loaders.backends.cpu.figures import find_figures, is_chart, without_forms
from nemoparse_loaders.backends.cpu.geometry import Rect
from nemoparse_loaders.backends.cpu.lines import build_lines
from nemoparse_loaders.backends.cpu.parts import Block, Region, Word

WordsOf = Callable[..., list[Word]]
PAGE = Rect(0, 0, 600, 800)


def full(box: Rect) -> float:
    return 0.3


def find(
    words: list[Word],
    *,
    images: list[Rect] | None = None,
    rulings: list[Rect] | None = None,
    regions: list[Region] | None = None,
    tables: list[Block] | None = None,
    drawn: Callable[[Rect], float] = full,
) -> list[Block]:
    lines = build_lines(words)
    return find_figures(words, lines, images or [], rulings or [], regions or [], tables or [], PAGE, drawn)


def test_raster_images_and_regions_of_one_figure_are_one() -> None:
    region = Region("figure", Rect(95, 95, 310, 305), 0.9)
    (figure,) = find([], images=[Rect(100, 100, 300, 300)], regions=[region])
    assert figure.type == "Picture"
    assert figure.box == Rect(95, 95, 310, 305)


def test_ornaments_and_grounds_are_no_figures(words_of: WordsOf) -> None:
    words = [word for row in range(3) for word in words_of("words on a coloured ground", 50, 100 + 20 * row)]
    assert find(words, images=[Rect(10, 10, 20, 20), PAGE]) == []


def test_text_in_a_box_is_no_figure(words_of: WordsOf) -> None:
    region = Region("figure", Rect(40, 90, 300, 200), 0.9)
    words = words_of("a note in a frame", 50, 100)
    assert find(words, regions=[region], drawn=lambda box: 0.001) == []
    assert len(find(words, regions=[region])) == 1


def test_running_text_is_no_figure(words_of: WordsOf) -> None:
    words = [
        word
        for row in range(6)
        for word in words_of(
            "a line of running text that fills its whole column here", 50, 100 + 12 * row, order=20 * row
        )
    ]
    assert find(words, regions=[Region("figure", Rect(45, 95, 340, 175), 0.9)]) == []


def test_tables_are_not_figures() -> None:
    table = Block(Rect(100, 100, 300, 300), type="Table")
    assert find([], regions=[Region("figure", Rect(95, 95, 310, 305), 0.9)], tables=[table]) == []


def test_a_drawing_of_lines_is_a_figure_with_its_labels() -> None:
    level = [Rect(100, 100 + 20 * row, 300, 100 + 20 * row) for row in range(5)]
    upright = [Rect(100 + 50 * col, 100, 100 + 50 * col, 180) for col in range(5)]
    label = Word("A1", Rect(304, 120, 311, 130), 10)
    (figure,) = find([label], rulings=level + upright)
    assert figure.box == Rect(100, 100, 311, 180)


def test_the_box_grows_to_the_frame() -> None:
    frame = [Rect(90, 90, 320, 90), Rect(90, 310, 320, 310), Rect(90, 90, 90, 310), Rect(320, 90, 320, 310)]
    (figure,) = find([], rulings=frame, regions=[Region("figure", Rect(95, 95, 318, 305), 0.9)])
    assert figure.box == Rect(90, 90, 320, 310)


def test_a_page_of_words_is_a_form_and_no_figure(words_of: WordsOf) -> None:
    words = [word for row in range(30) for word in words_of("name of the field", 50, 60 + 20 * row)]
    whole, small = (
        Region("figure", Rect(20, 40, 580, 700), 0.9),
        Region("figure", Rect(20, 40, 580, 100), 0.9),
    )
    text = Region("text", Rect(20, 40, 580, 700), 0.9)
    assert without_forms([whole, small, text], words, PAGE) == [small, text]


def test_numbers_along_an_axis_make_a_chart() -> None:
    ticks = [
        Word(str(10 * n), Rect(100 - 5 * len(str(10 * n)), 100 + 20 * n, 100, 110 + 20 * n), 8)
        for n in range(6)
    ]
    assert is_chart(ticks)
    assert not is_chart([Word("a", Rect(0, 0, 5, 5), 8)] * 9)
    scattered = [Word(str(n), Rect(17 * n, 31 * n % 97, 17 * n + 5, 31 * n % 97 + 8), 8) for n in range(6)]
    assert not is_chart(scattered)
