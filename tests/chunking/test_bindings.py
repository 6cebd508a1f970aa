"""What belongs to tables, figures, formulas, and footnotes to their marks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nemoparse_loaders import Chunk, LayoutChunker
from nemoparse_loaders.chunking.footnote_marks import mark_finder
from nemoparse_loaders.chunking.steps import Steps
from nemoparse_loaders.document import Element, ParsedDocument, Table

MakeDocument = Callable[..., ParsedDocument]
MakeTable = Callable[..., Table]


def words(text: str) -> int:
    return len(text.split())


def prose(count: int, name: str = "word") -> str:
    return " ".join(f"{name}{i}" + ("." if i % 5 == 4 else "") for i in range(count))


@pytest.fixture
def table(make_table: MakeTable) -> Element:
    grid = make_table([["Year", "Iron"], ["2021", "23"], ["2022", "31ᵃ".replace("ᵃ", "^a")]])
    return Element(
        id="", type="Table", table=grid, markdown=grid.to_markdown(), text="Year Iron 2021 23 31^a"
    )


def chunks_of(document: ParsedDocument, max_tokens: int = 100, steps: Steps | None = None) -> list[Chunk]:
    return LayoutChunker(max_tokens=max_tokens, tokenizer=words, steps=steps or Steps()).chunk(document)


@pytest.mark.parametrize(
    "line",
    [
        "The iron in the oil was as follows:",
        "(in millions of euros)",
        "In thousands, except per share amounts",
        "Amounts in millions",
        "(Dollars in millions, except per share amounts)",
        "All figures in thousands of US dollars.",
        "Dollars in millions and shares in thousands",
        "Expressed in U.S. dollars",
        "Angaben in Tausend Euro",
        "(en milliers d'euros)",
        "Units: mg/l",
        "$ in millions",
    ],
)
def test_lead_ins_and_units_go_with_the_table(make_document: MakeDocument, table: Element, line: str) -> None:
    document = make_document([("Text", "Iron rose."), ("Text", line), table, ("Text", "It rose fast.")])

    text, found = chunks_of(document)

    assert text.text == "Iron rose.\n\nIt rose fast."
    assert found.embed_text.startswith(f"{line}\nYear Iron")
    assert found.text.startswith(f"{line}\n\n| Year")
    assert found.metadata["element_ids"] == "p1e2,p1e3"
    assert line in chunks_of(document, steps=Steps(bindings=False))[0].text


@pytest.mark.parametrize(
    "line",
    [
        "Iron rose in millions of years.",
        "In the oil there was iron.",
        "It rose.",
        "In 2023 revenue grew to 45 million euros.",
        "All patients received 20 units",
        "All turbines lost many units.",
        "In millions of homes, people use oil.",
        "In several cities hundreds of people",
        "Data from hundreds of turbines.",
        "Values of millions were common.",
        "In dollars and cents it was a loss.",
        "Table values are means",
        "Table 3 shows the iron in the oil.",
        "Figure it out",
        "Schedule a demo",
    ],
)
def test_other_text_stays_in_the_flow(make_document: MakeDocument, table: Element, line: str) -> None:
    text, found = chunks_of(make_document([("Text", line), table]))

    assert text.text == line
    assert line not in found.embed_text


def test_lead_in_caption_and_units_stand_in_their_order(make_document: MakeDocument, table: Element) -> None:
    document = make_document(
        [("Text", "We found:"), ("Caption", "Table 1. Iron."), ("Text", "(in millions)"), table]
    )

    (chunk,) = chunks_of(document)

    assert chunk.embed_text.startswith("We found: Table 1. Iron. (in millions)\nYear Iron")
    assert chunk.metadata["caption"] == "Table 1. Iron."


def test_a_long_lead_in_stays_and_its_last_sentence_is_repeated(
    make_document: MakeDocument, table: Element
) -> None:
    long = f"{prose(30)} The iron was as follows:"

    text, found = chunks_of(make_document([("Text", long), table]))

    assert text.text == long
    assert found.embed_text.startswith("The iron was as follows:\nYear Iron")
    assert found.metadata["element_ids"] == "p1e2"


def test_every_piece_of_a_table_has_its_lead_in(make_document: MakeDocument, make_table: MakeTable) -> None:
    grid = make_table([["Year", "Iron"], *([str(year), "20"] for year in range(60))])
    document = make_document([("Text", "We found:"), Element(id="", type="Table", table=grid)])

    chunks = chunks_of(document, max_tokens=40)

    assert len(chunks) > 2
    assert all(chunk.embed_text.startswith("We found:\nYear Iron\n") for chunk in chunks)


def test_a_lead_in_at_the_foot_of_a_page_goes_with_the_table_on_the_next(
    make_document: MakeDocument, table: Element
) -> None:
    (chunk,) = chunks_of(make_document([("Text", "We found:")], [table]))

    assert chunk.metadata["pages"] == "1,2"


@pytest.mark.parametrize(
    "label", ["TABLE II. Iron", "Tab. 3a Iron", "Tabelle A.1", "table 3: iron", "Exhibit B"]
)
def test_labels_of_tables(make_document: MakeDocument, table: Element, label: str) -> None:
    _, found = chunks_of(make_document([("Text", "It rose."), ("Text", label), table]))

    assert found.metadata["caption"] == label


@pytest.mark.parametrize(
    "line",
    ["Table values are means", "Table 3 shows iron", "Table in colour", "Exhibition of oil", "Tab leaves"],
)
def test_prose_behind_a_table_is_no_caption(make_document: MakeDocument, table: Element, line: str) -> None:
    found, text = chunks_of(make_document([table, ("Text", line)]))

    assert found.metadata["caption"] == ""
    assert text.text == line


@pytest.mark.parametrize(
    "line", ["Figure it out", "Chart in colour", "Figure 2 shows a gearbox", "Fig leaves"]
)
def test_prose_behind_a_picture_is_no_caption(make_document: MakeDocument, line: str) -> None:
    found, text = chunks_of(make_document([("Picture", "A gearbox"), ("Text", line)]))

    assert found.metadata["caption"] == ""
    assert text.text == line


def test_a_label_without_a_class_is_the_caption(make_document: MakeDocument, table: Element) -> None:
    picture = Element(id="", type="Picture", text="A gearbox", markdown="A gearbox")
    document = make_document([("Text", "Table 4: Iron"), table, picture, ("Text", "Figure 2. The gearbox")])

    iron, gearbox = chunks_of(document)

    assert iron.metadata["caption"] == "Table 4: Iron"
    assert iron.embed_text == "Table 4: Iron\nYear Iron\n2021 23\n2022 31^a"
    assert gearbox.metadata["caption"] == "Figure 2. The gearbox"
    assert gearbox.embed_text == "Figure 2. The gearbox\nA gearbox"


def test_a_heading_and_a_lead_in_alone_go_with_the_table(make_document: MakeDocument, table: Element) -> None:
    (chunk,) = chunks_of(make_document([("Section-header", "1 Iron"), ("Text", "We found:"), table]))

    assert chunk.text.startswith("## 1 Iron\n\nWe found:\n\n| Year")
    assert chunk.embed_text.startswith("1 Iron\nWe found:\nYear")


def test_sources_and_notes_go_with_the_table(make_document: MakeDocument, table: Element) -> None:
    document = make_document(
        [
            table,
            ("Text", "Source: own data."),
            ("Footnote", "a Estimated."),
            ("Text", "More text."),
        ]
    )

    found, text = chunks_of(document)

    assert found.embed_text.endswith("2022 31^a\nSource: own data.\na Estimated.")
    assert found.text.endswith("|\n\nSource: own data.\n\na Estimated.")
    assert text.text == "More text."


def test_notes_that_do_not_fit_have_a_chunk_under_the_caption(
    make_document: MakeDocument, make_table: MakeTable
) -> None:
    grid = make_table([["Year", "Iron"], *([str(year), "20"] for year in range(60))])
    document = make_document(
        [
            ("Caption", "Table 1. Iron."),
            Element(id="", type="Table", table=grid),
            ("Text", "Source: own data."),
        ]
    )

    chunks = chunks_of(document, max_tokens=40)

    assert chunks[-1].embed_text == "Table 1. Iron.\nSource: own data."
    assert chunks[-1].metadata["caption"] == "Table 1. Iron."
    assert sum("Source" in chunk.text for chunk in chunks) == 1


def test_a_footnote_far_away_goes_to_the_table_with_its_mark(
    make_document: MakeDocument, table: Element
) -> None:
    document = make_document([table, ("Text", "More text."), ("Footnote", "^a Estimated.")])

    found, text = chunks_of(document)

    assert found.text.endswith("^a Estimated.")
    assert text.text == "More text."


def test_a_footnote_goes_with_the_paragraph_that_has_its_mark(make_document: MakeDocument) -> None:
    document = make_document(
        [
            ("Text", f"{prose(12, 'a')} Wear¹ rose."),
            ("Text", prose(12, "b")),
            ("Footnote", "¹ Of the planets."),
        ],
    )

    chunks = chunks_of(document, max_tokens=20)

    assert chunks[0].text.endswith("Wear¹ rose.\n\n¹ Of the planets.")
    assert chunks_of(document, 20, Steps(bindings=False))[0].text.endswith("Wear¹ rose.")


def test_a_footnote_stands_under_the_heading_of_its_mark(make_document: MakeDocument) -> None:
    document = make_document(
        [
            ("Section-header", "1 Wear"),
            ("Text", f"{prose(9, 'a')} Wear¹ rose."),
            ("Text", prose(9, "b")),
            ("Section-header", "2 Oil"),
            ("Text", prose(9, "c")),
            ("Footnote", "¹ Of the planets."),
        ],
    )

    chunks = chunks_of(document, max_tokens=20)

    assert {chunk.metadata["section_path"] for chunk in chunks} == {"1 Wear", "2 Oil"}
    (note,) = [chunk for chunk in chunks if "Of the planets." in chunk.text]
    assert note.metadata["section_path"] == "1 Wear"
    assert note.embed_text.startswith("1 Wear")


@pytest.mark.parametrize(
    ("footnote", "text", "carried"),
    [
        ("¹ Of oil.", "wear¹ rose", True),
        ("¹ Of oil.", "wear¹² rose", False),
        ("1 Of oil.", "wear1 rose", True),
        ("¹ Of oil.", "wear1 rose", False),
        ("1 Of oil.", "In 2021 wear rose by 1 %", False),
        ("1. Of oil.", "it rose.1 Then", True),
        ("[3] Of oil.", "wear [3] rose", True),
        ("* Of oil.", "wear* rose", True),
        ("* Of oil.", "wear** rose", False),
        ("† Of oil.", "wear† rose", True),
        ("a Of oil.", "31^a", True),
        ("a Of oil.", "a wear", False),
    ],
)
def test_marks_of_footnotes(footnote: str, text: str, carried: bool) -> None:
    has_mark = mark_finder(footnote)

    assert has_mark is not None
    assert has_mark(text) is carried


@pytest.mark.parametrize("footnote", ["Of oil.", "1", "", "About this report"])
def test_footnotes_without_a_mark(footnote: str) -> None:
    assert mark_finder(footnote) is None


@pytest.mark.parametrize("before", ["The wear is given by", "It follows:"])
def test_a_formula_stays_with_the_words_around_it(make_document: MakeDocument, before: str) -> None:
    document = make_document(
        [
            ("Text", prose(15, "a")),
            ("Text", before),
            ("Formula", "h = k p"),
            ("Text", "where p is the pressure."),
            ("Text", prose(15, "b")),
        ]
    )

    chunks = chunks_of(document, max_tokens=20)

    assert [chunk.text for chunk in chunks[1:2]] == [
        f"{before}\n\n$$\nh = k p\n$$\n\nwhere p is the pressure."
    ]


def test_a_formula_after_a_full_stop_stands_by_itself(make_document: MakeDocument) -> None:
    document = make_document([("Text", prose(15, "A")), ("Formula", "h = k p"), ("Text", prose(15, "B"))])

    assert chunks_of(document, max_tokens=20)[0].text == f"{prose(15, 'A')}\n\n$$\nh = k p\n$$"
