from __future__ import annotations

from collections.abc import Callable

import pytest

from nemoparse_loaders.backends.cpu.geometry import Frame, Rect
from nemoparse_loaders.backends.cpu.lines import build_lines
from nemoparse_loaders.backends.cpu.parts import Block, RegionKind, Word
from nemoparse_loaders.backends.cpu.roles import Page, assign_roles, body_size, mark_bibliography

WordsOf = Callable[..., list[Word]]


class Sheet:
    """A page to put blocks on."""

    def __init__(self, words_of: WordsOf, *, number: int = 2) -> None:
        self.words_of = words_of
        self.blocks: list[Block] = []
        self.page = Page(Frame(600, 800), number, 10.0, (), (), from_ocr=False)

    def put(
        self,
        text: str,
        y: float,
        *,
        x: float = 50,
        region: RegionKind | None = None,
        lines: int = 1,
        **style: object,
    ) -> Block:
        size = float(style.get("size", 10.0))  # type: ignore[arg-type]
        rows = [
            line
            for row in range(lines)
            for line in build_lines(self.words_of(text, x, y + 1.2 * size * row, **style))
        ]
        box = rows[0].box
        for row in rows[1:]:
            box = box.union(row.box)
        block = Block(box, rows, region=region)
        self.blocks.append(block)
        return block

    def judge(self, **page: object) -> None:
        values = {slot: getattr(self.page, slot) for slot in self.page.__slots__}
        assign_roles(self.blocks, Page(**{**values, **page}))


@pytest.fixture
def sheet(words_of: WordsOf) -> Sheet:
    return Sheet(words_of)


BODY = "some running text of the page"


def test_heading_levels_come_from_numbers_names_and_sizes(sheet: Sheet) -> None:
    headings = [
        sheet.put("3 Methods", 100, size=13, bold=True),
        sheet.put("3.1 Measurements", 130, size=11, bold=True),
        sheet.put("3.1.1 Oil sampling", 160, bold=True),
        sheet.put("A.2 Details", 190, size=11, bold=True),
        sheet.put("References", 220, size=12, bold=True),
        sheet.put("Limits of it", 250, size=11, bold=True),
        sheet.put("Largest of all", 280, size=20, bold=True),
    ]
    sheet.put(BODY, 310)
    sheet.judge()
    assert [block.type for block in headings] == ["Section-header"] * 7
    assert [block.level for block in headings] == [1, 2, 3, 2, 1, 2, 1]


def test_the_largest_heading_of_the_first_page_is_its_title(sheet: Sheet) -> None:
    title = sheet.put("Gearbox Wear", 80, size=19, bold=True)
    section = sheet.put("1 Introduction", 130, size=13, bold=True)
    sheet.judge(number=1)
    assert (title.type, section.type) == ("Title", "Section-header")
    title.type = section.type = "Text"
    sheet.judge(number=2)
    assert title.type == "Section-header"


def test_sentences_are_no_headings(sheet: Sheet) -> None:
    bold_end = sheet.put("This is important.", 100, bold=True)
    long = sheet.put(" ".join(["word"] * 25), 130, bold=True)
    plain = sheet.put("plain words", 160)
    sheet.judge()
    assert [block.type for block in (bold_end, long, plain)] == ["Text"] * 3


def test_what_the_model_calls_a_title_is_a_heading(sheet: Sheet) -> None:
    plain = sheet.put("plain words", 160, region="title")
    sheet.judge()
    assert plain.type == "Section-header"


def test_capitals_in_another_font_are_a_heading(sheet: Sheet) -> None:
    heading = sheet.put("THE CONTEXT", 100, font="Other")
    text = sheet.put("THE SAME FONT", 160, font="Body")
    sheet.judge(font="Body")
    assert (heading.type, text.type) == ("Section-header", "Text")


def test_furniture_stands_at_the_edge(sheet: Sheet) -> None:
    header = sheet.put("Notes on Machinery", 30, region="header")
    beside = sheet.put("2024", 30, x=500)
    number = sheet.put("102", 760)
    inside = sheet.put("Notes on Machinery", 300, region="header")
    sheet.put(BODY, 400)
    sheet.judge()
    assert [block.type for block in (header, beside, number, inside)] == [
        "Page-header", "Page-header", "Page-footer", "Text",
    ]  # fmt: skip


def test_a_number_below_everything_is_the_page_number(sheet: Sheet) -> None:
    sheet.put(BODY, 300)
    number = sheet.put("7", 690)
    table = Block(Rect(50, 400, 500, 500), type="Table")
    sheet.blocks.append(table)
    sheet.judge()
    assert (number.type, table.type) == ("Page-footer", "Table")


def test_a_single_number_on_a_page_of_its_own_stays(sheet: Sheet) -> None:
    number = sheet.put("7", 400)
    sheet.judge()
    assert number.type == "Text"


def test_captions_name_their_float(sheet: Sheet) -> None:
    with_stop = sheet.put("Table 1. Torque on the shaft", 100)
    near = sheet.put("Figure 2 The array", 212)
    mention = sheet.put("Table 2 holds all readings and more", 400)
    seen = sheet.put("The array from above", 225, region="figure_caption")
    sheet.judge(floats=(Rect(50, 120, 400, 208),))
    assert [block.type for block in (with_stop, near, mention, seen)] == [
        "Caption",
        "Caption",
        "Text",
        "Caption",
    ]


def test_footnotes_are_small_low_and_marked(sheet: Sheet) -> None:
    sheet.put(BODY, 300)
    marked = sheet.put("The crew call it the rattle", 700, x=60, size=8)
    marked.lines[0] = build_lines([Word("a", Rect(55, 698, 58, 704), 5.5, order=-1), *marked.lines[0].words])[
        0
    ]
    ruled = sheet.put("1 Below a rule", 740, size=8)
    high = sheet.put("1 Small text above", 100, size=8)
    sheet.judge(rules=(Rect(50, 735, 150, 735),))
    assert [block.type for block in (marked, ruled, high)] == ["Footnote", "Footnote", "Text"]


def test_lists_code_contents_and_formulas(sheet: Sheet) -> None:
    item = sheet.put("• a planet stage", 100)
    code = sheet.put("def release ( now ) :", 130, lines=2, mono=True)
    contents = sheet.put("1 Introduction . . . . . . . . 7", 160)
    formula = sheet.put("a + b = c", 190)
    sheet.judge()
    assert [block.type for block in (item, code, contents, formula)] == [
        "List-item",
        "Code",
        "TOC",
        "Formula",
    ]
    item.type = code.type = contents.type = formula.type = "Text"
    sheet.judge(mono=0.9)
    # A page set in a typewriter face throughout is no listing.
    assert code.type == "Text"


def test_few_dots_are_leaders_on_a_page_of_contents(sheet: Sheet) -> None:
    line = sheet.put("2 Simple manipulations . . 8", 160, bold=True)
    sheet.judge(contents=True)
    assert line.type == "TOC"


def test_entries_follow_the_heading_that_announces_them(sheet: Sheet) -> None:
    references = sheet.put("References", 100, size=13, bold=True)
    entries = [sheet.put("Okafor D (2019) What a lift costs", 130), sheet.put("• Marsh E (2015) Eddies", 150)]
    after = sheet.put("Appendix", 180, size=13, bold=True)
    text = sheet.put(BODY, 210)
    sheet.judge()
    mark_bibliography([references, *entries, after, text])
    assert [block.type for block in entries] == ["Bibliography", "Bibliography"]
    assert text.type == "Text"


def test_sizes_of_scans_say_less(sheet: Sheet) -> None:
    larger = sheet.put("a line that seems larger", 100, size=12)
    sheet.judge(from_ocr=True)
    assert larger.type == "Text"


def test_the_body_size_is_that_of_most_letters(words_of: WordsOf) -> None:
    lines = build_lines(words_of(BODY, 50, 100) + words_of("Head", 50, 60, size=20, order=90))
    assert body_size(lines) == 10
    assert body_size([]) == 10
