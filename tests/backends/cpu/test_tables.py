from __future__ import annotations

from collections.abc import Callable, Sequence

from nemoparse_loaders.backends.cpu.geometry import Rect
from nemoparse_loaders.backends.cpu.parts import Block, Region, Word
from nemoparse_loaders.backends.cpu.tables import cell_text, find_tables

WordsOf = Callable[..., list[Word]]


def white(box: Rect) -> int:
    return 255


def box_lines(xs: Sequence[float], ys: Sequence[float]) -> list[Rect]:
    return [Rect(xs[0], y, xs[-1], y) for y in ys] + [Rect(x, ys[0], x, ys[-1]) for x in xs]


def fill(words_of: WordsOf, rows: list[list[str]], xs: Sequence[float], ys: Sequence[float]) -> list[Word]:
    words: list[Word] = []
    for row, line in enumerate(rows):
        for col, text in enumerate(line):
            words += words_of(text, xs[col] + 4, ys[row] + 4, size=8, order=len(words))
    return words


XS, YS = (50, 120, 190, 260), (100, 118, 136, 154)
ROWS = [["Row", "Mean", "Peak"], ["N1", "61.2", "118.4"], ["N2", "63.8", "131.7"]]


def grids(blocks: list[Block]) -> list[list[list[str | None]]]:
    return [block.table.grid() for block in blocks if block.table is not None]


def test_a_ruled_table_needs_no_model(words_of: WordsOf) -> None:
    (block,) = find_tables(fill(words_of, ROWS, XS, YS), box_lines(XS, YS), [], white)
    assert block.type == "Table"
    assert block.box == Rect(50, 100, 260, 154)
    assert grids([block]) == [ROWS]


def test_an_unruled_table_is_read_where_the_model_sees_it(words_of: WordsOf) -> None:
    words = fill(words_of, ROWS, XS, YS)
    assert find_tables(words, [], [], white) == []
    region = Region("table", Rect(48, 98, 262, 150), 0.9)
    assert grids(find_tables(words, [], [region], white)) == [ROWS]


def test_three_long_rules_are_a_table_too(words_of: WordsOf) -> None:
    rules = [Rect(50, y, 260, y) for y in (98, 117, 156)]
    (block,) = find_tables(fill(words_of, ROWS, XS, YS), rules, [], white)
    assert grids([block]) == [ROWS]
    assert block.table is not None
    assert block.table.header_rows == 1


def test_the_region_grows_to_its_rules(words_of: WordsOf) -> None:
    rules = [Rect(50, y, 260, y) for y in (98, 117, 156)]
    region = Region("table", Rect(52, 118, 258, 140), 0.9)
    assert grids(find_tables(fill(words_of, ROWS, XS, YS), rules, [region], white)) == [ROWS]


def test_the_lines_of_a_chart_are_no_table(words_of: WordsOf) -> None:
    words = fill(words_of, ROWS, XS, YS)
    figure = Region("figure", Rect(40, 90, 270, 160), 0.9)
    assert find_tables(words, box_lines(XS, YS), [figure], white) == []
    # Without a model, words that the lines run through tell it.
    across = [word for row in range(4) for word in words_of("labels", 110 + 3 * row, 102 + 14 * row, size=8)]
    assert find_tables(across, box_lines(XS, YS), [], white) == []


def test_an_empty_grid_is_no_table(words_of: WordsOf) -> None:
    assert find_tables([], box_lines(XS, YS), [], white) == []
    assert find_tables(words_of("lonely", 54, 104, size=8), box_lines(XS, YS), [], white) == []


def test_text_in_a_frame_is_no_table(words_of: WordsOf) -> None:
    lines = box_lines((50, 260), (100, 154))
    assert find_tables(words_of("a note in a frame", 60, 110), lines, [], white) == []


def test_bold_rows_are_headings(words_of: WordsOf) -> None:
    head = words_of("Row", 54, 104, size=8, bold=True) + words_of("Mean", 124, 104, size=8, bold=True)
    second = words_of("no.", 54, 122, size=8, bold=True) + words_of("kNm", 124, 122, size=8, bold=True)
    body = words_of("N1", 54, 140, size=8) + words_of("61.2", 124, 140, size=8)
    (block,) = find_tables(head + second + body, box_lines((50, 120, 190), YS), [], white)
    assert block.table is not None
    assert block.table.header_rows == 2
    assert [cell.is_header for cell in block.table.cells] == [True, True, True, True, False, False]


def test_shaded_rows_are_headings(words_of: WordsOf) -> None:
    def ground(box: Rect) -> int:
        return 230 if box.y0 < 130 else 255

    (block,) = find_tables(fill(words_of, ROWS, XS, YS), box_lines(XS, YS), [], ground)
    assert block.table is not None
    assert block.table.header_rows == 2


def test_what_a_heading_spans_is_heading(words_of: WordsOf) -> None:
    lines = [line for line in box_lines(XS, YS) if line != Rect(190, 100, 190, 154)]
    lines.append(Rect(190, 118, 190, 154))
    words = words_of("Row", 54, 104, size=8) + words_of("Spring tides", 130, 104, size=8)
    words += words_of("Mean", 124, 122, size=8) + words_of("Peak", 194, 122, size=8)
    words += (
        words_of("N1", 54, 140, size=8)
        + words_of("61.2", 124, 140, size=8)
        + words_of("118.4", 194, 140, size=8)
    )
    (block,) = find_tables(words, lines, [], white)
    assert block.table is not None
    assert block.table.header_rows == 2
    assert [(c.row, c.col, c.colspan) for c in block.table.cells if c.colspan > 1] == [(0, 1, 2)]


def test_a_ruled_heading_over_an_unruled_body(words_of: WordsOf) -> None:
    rows = [
        ["Name", "Posted", "Amount"],
        *([f"Payee{row}", f"{row}/2019", f"{row}.50"] for row in range(1, 8)),
    ]
    ys = [100, 118, *(130 + 14 * row for row in range(8))]
    sides = [Rect(50, 240, 260, 240), Rect(50, 118, 50, 240), Rect(260, 118, 260, 240)]
    lines = [*box_lines(XS, (100, 118)), *sides]
    assert grids(find_tables(fill(words_of, rows, XS, ys), lines, [], white)) == [rows]


def test_tables_never_overlap(words_of: WordsOf) -> None:
    regions = [Region("table", Rect(48, 98, 262, 156), 0.9), Region("table", Rect(40, 90, 270, 160), 0.8)]
    assert len(find_tables(fill(words_of, ROWS, XS, YS), box_lines(XS, YS), regions, white)) == 1


def test_leaders_in_cells_are_dropped(words_of: WordsOf) -> None:
    assert cell_text(words_of("AFM revisions .......", 10, 10)) == "AFM revisions"
    assert cell_text(words_of("a . . . . .", 10, 10)) == "a"
    assert cell_text(words_of("and so on ...", 10, 10)) == "and so on ..."
