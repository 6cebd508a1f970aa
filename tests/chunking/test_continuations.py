from __future__ import annotations

from collections.abc import Callable

import pytest

from nemoparse_loaders import LayoutChunker
from nemoparse_loaders.chunking.body import body_of
from nemoparse_loaders.chunking.captions import bind_captions
from nemoparse_loaders.chunking.continuations import WholeTable, header_rows, join_tables
from nemoparse_loaders.chunking.steps import Steps
from nemoparse_loaders.document import BBox, Element, ParsedDocument, Table, TableCell

MakeTable = Callable[..., Table]
MakeDocument = Callable[..., ParsedDocument]


def tables_of(document: ParsedDocument) -> list[WholeTable]:
    body = body_of(document)
    return list(join_tables(body, bind_captions(body)).values())


@pytest.fixture
def element(make_table: MakeTable) -> Callable[..., Element]:
    def make(*rows: list[str], header: int = 1) -> Element:
        return Element(id="", type="Table", table=make_table(rows, header))

    return make


def test_a_table_goes_on_under_a_repeated_header(
    make_document: MakeDocument, element: Callable[..., Element]
) -> None:
    (whole,) = tables_of(
        make_document(
            [("Text", "Before."), element(["Year", "Iron"], ["2021", "23"]), ("Page-footer", "1")],
            [("Page-header", "Head"), element(["Year", "Iron"], ["2022", "31"], ["2023", "40"])],
            [element(["year", "iron "], ["2024", "44"]), ("Text", "After.")],
        )
    )

    assert whole.table.grid() == [
        ["Year", "Iron"],
        ["2021", "23"],
        ["2022", "31"],
        ["2023", "40"],
        ["2024", "44"],
    ]
    assert [(part.first_row, part.n_rows, part.skipped) for part in whole.parts] == [
        (0, 2, 0),
        (2, 2, 1),
        (4, 1, 1),
    ]


def test_footnotes_between_the_parts_do_not_end_it(
    make_document: MakeDocument, element: Callable[..., Element]
) -> None:
    found = tables_of(
        make_document(
            [element(["Year", "Iron"], ["2021", "23"]), ("Footnote", "a A note.")],
            [element(["Year", "Iron"], ["2022", "31"])],
        )
    )

    assert len(found) == 1


@pytest.mark.parametrize(
    ("between", "caption", "second"),
    [
        ([("Text", "A paragraph.")], [], [["Year", "Iron"], ["2022", "31"]]),
        ([], [("Caption", "Table 2. Another")], [["Year", "Iron"], ["2022", "31"]]),
        ([], [], [["Year", "Water"], ["2022", "31"]]),
        ([], [], [["Year", "Iron", "Water"], ["2022", "31", "5"]]),
    ],
)
def test_other_tables_stay_apart(
    make_document: MakeDocument,
    element: Callable[..., Element],
    between: list[tuple[str, str]],
    caption: list[tuple[str, str]],
    second: list[list[str]],
) -> None:
    found = tables_of(
        make_document([element(["Year", "Iron"], ["2021", "23"]), *between], [*caption, element(*second)])
    )

    assert [len(whole.parts) for whole in found] == [1, 1]


@pytest.mark.parametrize(
    ("caption", "goes_on"),
    [
        ("Table 1 (continued)", True),
        ("Table 1 (cont.): Iron in oil", True),
        ("Table 1, cont'd", True),
        ("Iron in oil—continued", True),
        ("Continued", True),
        ("Table 1 – continued from previous page", True),
        ("Tabelle 1 (Fortsetzung)", True),
        ("Fortsetzung von Seite 1", True),
        ("Tableau 1 (suite et fin)", True),
        ("Tabla 1 (continuación)", True),
        ("Table 2 (continued)", False),
        ("Contracts in force", False),
        ("Table 1: Content of copper", False),
        ("Contributions by region", False),
        ("Table 2. Continued operations", False),
        ("Continental shelf", False),
        ("Office suite", False),
        ("Table 1: Iron in oil", False),
    ],
)
def test_a_table_with_a_caption_goes_on_only_where_that_says_so(
    make_document: MakeDocument, element: Callable[..., Element], caption: str, goes_on: bool
) -> None:
    found = tables_of(
        make_document(
            [("Caption", "Table 1. Iron in oil"), element(["Year", "Iron"], ["2021", "23"])],
            [("Caption", caption), element(["Year", "Iron"], ["2022", "31"])],
        )
    )

    assert len(found) == (1 if goes_on else 2)


def test_a_caption_that_says_continued_does_not_end_it(
    make_document: MakeDocument, element: Callable[..., Element]
) -> None:
    found = tables_of(
        make_document(
            [("Caption", "Table 1. Iron"), element(["Year", "Iron"], ["2021", "23"])],
            [("Caption", "Table 1 (continued)"), element(["Year", "Iron"], ["2022", "31"])],
        )
    )

    assert len(found) == 1


def test_a_page_left_out_ends_it(make_document: MakeDocument, element: Callable[..., Element]) -> None:
    document = make_document(
        [element(["Year", "Iron"], ["2021", "23"])], [], [element(["Year", "Iron"], ["2022", "31"])]
    )
    document = document.model_copy(update={"pages": (document.pages[0], document.pages[2])})

    assert len(tables_of(document)) == 2


def test_a_header_reaches_as_far_down_as_its_cells() -> None:
    cells = (
        TableCell(row=0, col=0, rowspan=2, text="Row", is_header=True),
        TableCell(row=0, col=1, text="Tides", is_header=True),
        TableCell(row=1, col=1, text="Spring"),
        TableCell(row=2, col=0, text="N1"),
        TableCell(row=2, col=1, text="61"),
    )

    assert header_rows(Table(cells=cells, n_rows=3, n_cols=2, header_rows=1)) == 2


def test_a_table_of_nothing_but_header_has_none(make_table: MakeTable) -> None:
    assert header_rows(make_table([["a", "b"]], 1)) == 0


def test_a_part_without_header_goes_on(make_document: MakeDocument, element: Callable[..., Element]) -> None:
    (whole,) = tables_of(
        make_document(
            [element(["Year", "Iron"], ["2021", "23"])], [element(["2022", "31"], ["2023", "40"], header=0)]
        )
    )

    assert whole.table.grid() == [["Year", "Iron"], ["2021", "23"], ["2022", "31"], ["2023", "40"]]
    assert [(part.first_row, part.n_rows, part.skipped) for part in whole.parts] == [(0, 2, 0), (2, 2, 0)]


def test_a_first_row_of_numbers_is_no_header(
    make_document: MakeDocument, element: Callable[..., Element]
) -> None:
    (whole,) = tables_of(
        make_document([element(["Year", "Iron"], ["2021", "23"])], [element(["2022", "31"], ["2023", "40"])])
    )

    assert whole.table.n_rows == 4
    assert whole.table.header_rows == 1


def test_another_width_is_another_table(make_document: MakeDocument, element: Callable[..., Element]) -> None:
    first = element(["Year", "Iron"], ["2021", "23"])
    second = element(["2022", "31"], ["2023", "40"], header=0)
    narrow = second.model_copy(update={"bbox": BBox(0.1, 0.1, 0.5, 0.2)})

    assert len(tables_of(make_document([first], [narrow]))) == 2


def test_the_parser_knows_that_a_table_goes_on(
    make_document: MakeDocument, element: Callable[..., Element]
) -> None:
    first = element(["Name", "Part"], ["Ann", "gear"]).model_copy(update={"continues_after": True})

    (whole,) = tables_of(make_document([first], [element(["Bob", "shaft"], ["Cem", "oil"])]))

    assert whole.table.grid()[2:] == [["Bob", "shaft"], ["Cem", "oil"]]


def test_columns_without_words_do_not_count(
    make_document: MakeDocument, element: Callable[..., Element]
) -> None:
    (whole,) = tables_of(
        make_document(
            [element(["Year", "", "Iron"], ["2021", "", "23"])], [element(["Year", "Iron"], ["2022", "31"])]
        )
    )

    assert whole.table.grid() == [["Year", "", "Iron"], ["2021", "", "23"], ["2022", "", "31"]]


def test_with_joins_switched_off_every_table_is_whole(
    make_document: MakeDocument, element: Callable[..., Element]
) -> None:
    document = make_document(
        [element(["Year", "Iron"], ["2021", "23"])], [element(["Year", "Iron"], ["2022", "31"])]
    )
    body = body_of(document)

    assert len(join_tables(body, {}, Steps(joins=False))) == 2


def test_every_row_has_the_box_of_its_page(
    make_document: MakeDocument, element: Callable[..., Element]
) -> None:
    document = make_document(
        [element(["Year", "Iron"], *([f"20{i}", "23"] for i in range(10, 20)))],
        [element(["Year", "Iron"], *([f"20{i}", "23"] for i in range(20, 30)))],
    )

    chunks = LayoutChunker(max_tokens=16, tokenizer=lambda text: len(text.split())).chunk(document)

    for chunk in chunks:
        years = [int(word) for word in chunk.embed_text.split() if word.startswith("20")]
        assert {span.page for span in chunk.spans} == {1 if year < 2020 else 2 for year in years}
        rows = sum((span.row_end or 0) - (span.row_start or 0) for span in chunk.spans)
        assert rows == int(chunk.metadata["row_end"]) - int(chunk.metadata["row_start"])
