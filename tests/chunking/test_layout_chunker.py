from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest

from nemoparse_loaders import LayoutChunker, OptionError
from nemoparse_loaders.chunking.steps import Steps
from nemoparse_loaders.document import Chart, Element, ParsedDocument, Table

MakeDocument = Callable[..., ParsedDocument]
MakeTable = Callable[..., Table]


def words(text: str) -> int:
    return len(text.split())


def prose(count: int, name: str = "word") -> str:
    """Sentences of five words."""
    words = [f"{name}{i}" for i in range(count)]
    return " ".join(
        (word.capitalize() if i % 5 == 0 else word) + ("." if i % 5 == 4 else "")
        for i, word in enumerate(words)
    )


def test_a_section_that_fits_is_one_chunk_with_its_heading(make_document: MakeDocument) -> None:
    document = make_document([("Section-header", "1 Site"), ("Text", "A strait."), ("Text", "Two rows.")])

    (chunk,) = LayoutChunker().chunk(document)

    assert chunk.text == "## 1 Site\n\nA strait.\n\nTwo rows."
    assert chunk.embed_text == "1 Site\nA strait.\nTwo rows."
    assert chunk.metadata["section_path"] == "1 Site"
    assert chunk.metadata["element_ids"] == "p1e1,p1e2,p1e3"
    assert chunk.metadata["chunk_type"] == "text"


def test_a_long_section_is_packed_under_its_path(make_document: MakeDocument) -> None:
    document = make_document(
        [
            ("Section-header", "2 Site"),
            ("Section-header", "2.1 Array"),
            *(("Text", prose(10, f"a{i}")) for i in range(4)),
            ("Section-header", "2.2 Train"),
            ("Text", prose(20, "b")),
        ]
    )

    chunks = LayoutChunker(max_tokens=30, tokenizer=words).chunk(document)

    assert [chunk.metadata["section_path"] for chunk in chunks] == [
        "2 Site > 2.1 Array",
        "2 Site > 2.1 Array",
        "2 Site > 2.2 Train",
    ]
    assert chunks[0].text.startswith("## 2 Site\n\n### 2.1 Array\n\nA00 ")
    assert chunks[1].embed_text.startswith("2 Site > 2.1 Array\nA20 ")
    assert chunks[2].embed_text.startswith("2 Site\n2.2 Train\nB0 ")


def test_small_sections_beside_each_other_are_merged_under_what_they_share(
    make_document: MakeDocument,
) -> None:
    document = make_document(
        [
            ("Section-header", "2 Site"),
            ("Text", prose(25, "a")),
            ("Section-header", "2.1 Array"),
            ("Text", prose(5, "b")),
            ("Section-header", "2.2 Train"),
            ("Text", prose(5, "c")),
        ]
    )

    chunks = LayoutChunker(max_tokens=30, tokenizer=words).chunk(document)

    assert [chunk.metadata["element_ids"] for chunk in chunks] == ["p1e1,p1e2", "p1e3,p1e4,p1e5,p1e6"]
    assert chunks[1].metadata["section_path"] == "2 Site"
    assert chunks[1].embed_text.startswith("2 Site\n2.1 Array\nB0")


def test_parts_of_a_long_subsection_are_not_merged_with_the_next(make_document: MakeDocument) -> None:
    document = make_document(
        [
            ("Section-header", "4 Results"),
            ("Section-header", "4.3 Wear"),
            ("Section-header", "4.3.1 Planets"),
            ("Text", prose(25, "a")),
            ("Section-header", "4.3.2 Shaft"),
            ("Text", prose(10, "b")),
            ("Section-header", "4.4 Energy"),
            ("Text", prose(10, "c")),
        ]
    )

    chunks = LayoutChunker(max_tokens=36, tokenizer=words).chunk(document)

    assert [chunk.metadata["section_path"] for chunk in chunks] == [
        "4 Results > 4.3 Wear > 4.3.1 Planets",
        "4 Results > 4.3 Wear > 4.3.2 Shaft",
        "4 Results > 4.4 Energy",
    ]


def test_a_heading_and_a_lead_in_stay_with_what_follows(make_document: MakeDocument) -> None:
    document = make_document(
        [
            ("Section-header", "1 Site"),
            ("Text", prose(15, "a")),
            ("Text", "It consists of:"),
            ("List-item", "- one two three four five"),
            ("List-item", "- six seven"),
        ]
    )

    chunks = LayoutChunker(max_tokens=21, tokenizer=words).chunk(document)

    assert chunks[1].text == "It consists of:\n\n- one two three four five\n- six seven"


def test_a_heading_stays_with_the_first_piece_of_a_long_paragraph(make_document: MakeDocument) -> None:
    document = make_document([("Section-header", "1 Site"), ("Text", prose(100)), ("Text", "And more.")])

    chunks = LayoutChunker(max_tokens=30, tokenizer=words).chunk(document)

    assert chunks[0].text.startswith("## 1 Site\n\nWord0 ")
    assert all(chunk.embed_text.startswith("1 Site\n") for chunk in chunks)
    assert all(chunk.metadata["bbox_precision"] == "estimated" for chunk in chunks[:-1])


def test_pieces_of_long_text_repeat_the_last_sentence(make_document: MakeDocument) -> None:
    document = make_document([("Text", prose(60))])

    with_overlap = LayoutChunker(max_tokens=22, tokenizer=words).chunk(document)
    without = LayoutChunker(max_tokens=22, tokenizer=words, overlap_sentences=0).chunk(document)

    assert with_overlap[1].text.startswith("Word15 word16 word17 word18 word19. Word20 ")
    assert [chunk.text for chunk in without] == [
        " ".join(prose(60).split()[start : start + 20]) for start in (0, 20, 40)
    ]


def test_page_headers_and_footers_are_left_out(make_document: MakeDocument) -> None:
    pages = [[("Page-header", "Journal"), ("Text", "Body."), ("Page-footer", str(n))] for n in (7, 8)]

    (chunk,) = LayoutChunker().chunk(make_document(*pages))

    assert chunk.text == "Body.\n\nBody."


def test_a_table_is_a_chunk_with_its_caption(make_document: MakeDocument, make_table: MakeTable) -> None:
    table = make_table([["Turbine", "Iron"], ["N1", "60"], ["S1", "38"]])
    document = make_document(
        [
            ("Section-header", "4 Results"),
            ("Text", "Iron rose."),
            ("Caption", "Table 2. Iron in the oil."),
            Element(id="", type="Table", table=table, markdown=table.to_markdown()),
            ("Text", "It rose fast."),
        ]
    )

    text, found = LayoutChunker().chunk(document)

    assert text.text == "## 4 Results\n\nIron rose.\n\nIt rose fast."
    assert found.text == ("Table 2. Iron in the oil.\n\n| Turbine | Iron |\n|-|-|\n| N1 | 60 |\n| S1 | 38 |")
    assert found.embed_text == "4 Results\nTable 2. Iron in the oil.\nTurbine Iron\nN1 60\nS1 38"
    assert found.metadata["chunk_type"] == "table"
    assert found.metadata["caption"] == "Table 2. Iron in the oil."
    assert found.metadata["element_ids"] == "p1e3,p1e4"
    assert (found.metadata["table_id"], found.metadata["table_part"], found.metadata["table_parts"]) == (
        "p1e4",
        1,
        1,
    )
    assert (found.metadata["row_start"], found.metadata["row_end"]) == (0, 3)


def test_a_long_table_is_cut_between_rows_under_its_header(
    make_document: MakeDocument, make_table: MakeTable
) -> None:
    table = make_table([["Turbine", "Iron"], *([f"N{i}", str(20 + i)] for i in range(30))])
    document = make_document(
        [
            ("Caption", "Table 2. Iron."),
            Element(id="", type="Table", table=table, markdown=table.to_markdown()),
        ]
    )

    chunks = LayoutChunker(max_tokens=25, tokenizer=words).chunk(document)

    assert len(chunks) == 3
    for number, chunk in enumerate(chunks, start=1):
        assert chunk.text.startswith("Table 2. Iron.\n\n| Turbine | Iron |\n|-|-|\n")
        assert chunk.embed_text.startswith("Table 2. Iron.\nTurbine Iron\n")
        assert (chunk.metadata["table_part"], chunk.metadata["table_parts"]) == (number, 3)
        assert chunk.metadata["bbox_precision"] == "estimated"
    assert [(chunk.metadata["row_start"], chunk.metadata["row_end"]) for chunk in chunks] == [
        (0, 11),
        (11, 21),
        (21, 31),
    ]


def test_a_long_paragraph_that_leads_in_leaves_room_for_what_follows(make_document: MakeDocument) -> None:
    document = make_document([("Text", prose(36)[:-1] + ":"), ("Text", prose(100, "next"))])

    chunks = LayoutChunker(max_tokens=40, tokenizer=words, overlap_sentences=0).chunk(document)

    assert [len(chunk.text.split()) for chunk in chunks] == [36, 40, 40, 20]


@pytest.mark.parametrize(
    ("more", "first"),
    [
        ("Monthly.", "Table 2. Iron in the oil of old turbines. Monthly."),
        # Too long to stand with the table: it is running text as well.
        (prose(10), "Table 2. Iron in the oil of old turbines."),
    ],
)
def test_later_pieces_of_a_table_say_the_first_sentence_of_its_caption(
    make_document: MakeDocument, make_table: MakeTable, more: str, first: str
) -> None:
    table = make_table([["Turbine", "Iron"], *([f"N{i}", str(20 + i)] for i in range(30))])
    document = make_document(
        [
            ("Caption", f"Table 2. Iron in the oil of old turbines. {more}"),
            Element(id="", type="Table", table=table, markdown=table.to_markdown()),
        ]
    )

    chunks = LayoutChunker(max_tokens=40, tokenizer=words).chunk(document)

    pieces = [chunk for chunk in chunks if chunk.metadata["table_parts"]]
    assert len(pieces) > 1
    assert pieces[0].text.startswith(f"{first}\n\n|")
    for piece in pieces[1:]:
        assert piece.text.startswith("Table 2. Iron in the oil of old turbines.\n\n|")
        assert piece.embed_text.startswith("Table 2. Iron in the oil of old turbines.\nTurbine Iron\n")


def test_pieces_of_a_figure_say_the_first_sentence_of_its_caption(make_document: MakeDocument) -> None:
    document = make_document(
        [("Chart", prose(90)), ("Caption", "Figure 2. Iron in the oil of old turbines. Monthly.")]
    )

    first, *later = LayoutChunker(max_tokens=40, tokenizer=words).chunk(document)

    assert first.text.endswith("Figure 2. Iron in the oil of old turbines. Monthly.")
    assert later
    for piece in later:
        assert piece.text.startswith("Figure 2. Iron in the oil of old turbines.\n\n")
        assert piece.embed_text.startswith("Figure 2. Iron in the oil of old turbines.\n")


def test_rows_that_a_span_ties_together_stay_together(make_document: MakeDocument) -> None:
    document = make_document(
        [
            Element(
                id="",
                type="Table",
                table=Table.model_validate(
                    {
                        "cells": [
                            {"row": 0, "col": 0, "text": "Row"},
                            {"row": 0, "col": 1, "text": "Turbine"},
                            *({"row": r, "col": 0, "rowspan": 3, "text": f"R{r}"} for r in (1, 4, 7)),
                            *({"row": r, "col": 1, "text": f"T{r}"} for r in range(1, 10)),
                        ],
                        "n_rows": 10,
                        "n_cols": 2,
                        "header_rows": 1,
                    }
                ),
            )
        ]
    )

    chunks = LayoutChunker(max_tokens=16, tokenizer=words).chunk(document)

    assert [chunk.embed_text for chunk in chunks] == [
        "Row Turbine\nR1 T1\nR1 T2\nR1 T3\nR4 T4\nR4 T5\nR4 T6",
        "Row Turbine\nR7 T7\nR7 T8\nR7 T9",
    ]


def test_every_piece_of_a_table_names_its_section(make_document: MakeDocument, make_table: MakeTable) -> None:
    rows = [["Part", "2021", "2022"]]
    for section in ("Gears", "Shafts"):
        rows += [[section, "", ""], *([f"{section}{i}", str(i), str(i)] for i in range(8))]
    table = make_table(rows)
    document = make_document([Element(id="", type="Table", table=table)])

    chunks = LayoutChunker(max_tokens=20, tokenizer=words).chunk(document)

    for chunk in chunks:
        lines = chunk.embed_text.split("\n")
        assert lines[:2] in (["Part 2021 2022", "Gears"], ["Part 2021 2022", "Shafts"])
        assert len(lines) > 2
        assert lines[-1] not in ("Gears", "Shafts")
        named = [line for line in lines if line in ("Gears", "Shafts")]
        assert all(any(line.startswith(name) for name in named) for line in lines[1:])
        assert f"| {lines[1]} |  |  |" in chunk.text
    plain = LayoutChunker(max_tokens=20, tokenizer=words, steps=Steps(header_rows=False)).chunk(document)
    assert "Part" not in plain[-1].text
    assert len(plain) < len(chunks)


def test_a_long_row_is_cut_between_its_cells(make_document: MakeDocument, make_table: MakeTable) -> None:
    table = make_table([["Part", "Left", "Right"], ["Gear", prose(12, "l"), prose(12, "r")]])
    document = make_document([Element(id="", type="Table", table=table)])

    chunks = LayoutChunker(max_tokens=18, tokenizer=words).chunk(document)

    assert [chunk.embed_text for chunk in chunks] == [
        f"Part Left\nGear {prose(12, 'l')}",
        f"Right\nGear {prose(12, 'r')}",
    ]
    assert chunks[1].text.startswith("| Part | Right |\n|-|-|\n| Gear | R0 ")


def test_a_long_cell_is_cut_as_text(make_document: MakeDocument, make_table: MakeTable) -> None:
    table = make_table([["Part", "Remark"], ["Gear", prose(40)], ["Shaft", "none"]])
    document = make_document([Element(id="", type="Table", table=table)])

    chunks = LayoutChunker(max_tokens=18, tokenizer=words).chunk(document)

    pieces = [chunk.embed_text for chunk in chunks if "word" in chunk.embed_text.lower()]
    assert len(pieces) == 3
    assert all(piece.lower().startswith("remark\ngear word") for piece in pieces)
    found = [word for piece in pieces for word in piece.split() if "ord" in word]
    assert found == prose(40).split()


def test_words_beside_a_grid_are_kept(make_document: MakeDocument, make_table: MakeTable) -> None:
    table = make_table([["a", "b"], *([f"x{i}", f"y{i}"] for i in range(20))])
    markdown = f"Before it.\n\n{table.to_markdown()}\n\nSource: own data"
    document = make_document([Element(id="", type="Table", table=table, markdown=markdown)])

    (whole,) = LayoutChunker().chunk(document)
    pieces = LayoutChunker(max_tokens=20, tokenizer=words).chunk(document)

    assert whole.text == markdown.replace("| --- | --- |", "|-|-|")
    assert pieces[0].text == "Before it."
    assert pieces[-1].text == "Source: own data"


def test_a_table_without_a_grid_is_cut_as_text(make_document: MakeDocument) -> None:
    document = make_document([("Caption", "Table 1. Torn."), ("Table", prose(60))])

    chunks = LayoutChunker(max_tokens=30, tokenizer=words).chunk(document)

    assert all(chunk.embed_text.startswith("Table 1. Torn.\n") for chunk in chunks)
    assert {chunk.metadata["chunk_type"] for chunk in chunks} == {"table"}


def test_a_heading_with_nothing_but_a_table_goes_with_it(
    make_document: MakeDocument, make_table: MakeTable
) -> None:
    table = make_table([["a", "b"], ["1", "2"]])
    document = make_document(
        [
            ("Section-header", "1 Text"),
            ("Text", prose(30)),
            ("Section-header", "2 Data"),
            Element(id="", type="Table", table=table, markdown=table.to_markdown()),
        ]
    )

    chunks = LayoutChunker(max_tokens=32, tokenizer=words).chunk(document)

    assert chunks[-1].text.startswith("## 2 Data\n\n| a | b |")
    assert chunks[-1].metadata["element_ids"] == "p1e3,p1e4"


def test_a_heading_over_an_empty_table_or_picture_is_not_lost(make_document: MakeDocument) -> None:
    for kind in ("Table", "Picture", "Chart"):
        (chunk,) = LayoutChunker().chunk(make_document([("Title", "Words"), (kind, "")]))
        assert chunk.text == "# Words"


def test_pictures_come_with_caption_or_not_at_all(make_document: MakeDocument) -> None:
    document = make_document(
        [("Picture", ""), ("Text", "Words."), ("Picture", ""), ("Caption", "Figure 2. A turbine.")]
    )

    text, figure = LayoutChunker().chunk(document)

    assert text.text == "Words."
    assert figure.metadata["chunk_type"] == "figure"
    assert figure.embed_text == "Figure 2. A turbine."
    assert figure.metadata["element_ids"] == "p1e3,p1e4"


def test_charts_are_embedded_without_column_bars(make_document: MakeDocument) -> None:
    markdown = "**Sales**\n\n| Year | Sales |\n| --- | --- |\n| 2020 | 10 |"
    chart = Element(
        id="",
        type="Chart",
        markdown=markdown,
        text="Sales\nYear | Sales\n2020 | 10",
        chart=Chart(type="bar", title="Sales"),
    )
    document = make_document([chart, ("Caption", "Figure 1. Sales.")])

    (chunk,) = LayoutChunker().chunk(document)

    assert chunk.metadata["chunk_type"] == "chart"
    assert chunk.embed_text == "Figure 1. Sales.\nSales\nYear Sales\n2020 10"


def test_formulas_are_embedded_without_commands(make_document: MakeDocument) -> None:
    document = make_document(
        [("Text", "It reads"), ("Formula", r"h = k \frac{p}{H}"), ("Text", "where p is.")]
    )

    (chunk,) = LayoutChunker().chunk(document)

    assert chunk.text == "It reads\n\n$$\nh = k \\frac{p}{H}\n$$\n\nwhere p is."
    assert chunk.embed_text == "It reads\nh = k frac p H\nwhere p is."


def test_long_code_stays_fenced_in_every_piece(make_document: MakeDocument) -> None:
    code = "\n".join(f"    line_{i} = {i}" for i in range(30))
    document = make_document([("Code", code)])

    chunks = LayoutChunker(max_tokens=40, tokenizer=words).chunk(document)

    assert len(chunks) > 1
    assert all(chunk.text.startswith("```\n    line_") for chunk in chunks)
    assert {chunk.metadata["chunk_type"] for chunk in chunks} == {"code"}


def test_a_paragraph_that_was_taken_for_a_heading_is_text(make_document: MakeDocument) -> None:
    document = make_document([("Section-header", prose(60)), ("Text", "More.")])

    (chunk,) = LayoutChunker().chunk(document)

    assert chunk.metadata["section_path"] == ""


def test_a_long_path_is_shortened_from_the_left(make_document: MakeDocument) -> None:
    document = make_document(
        [
            ("Section-header", "1 " + prose(8, "outer")),
            ("Section-header", "1.1 Inner"),
            ("Text", prose(60)),
        ]
    )

    chunks = LayoutChunker(max_tokens=30, tokenizer=words).chunk(document)

    assert chunks[-1].embed_text.startswith("… > 1.1 Inner\n")
    assert str(chunks[-1].metadata["section_path"]).startswith("1 Outer0 ")


def test_equal_texts_have_different_ids(make_document: MakeDocument) -> None:
    document = make_document(
        [("Section-header", "1 A"), ("Text", "Same."), ("Section-header", "2 A"), ("Text", "Same.")] * 2
    )
    chunks = LayoutChunker(max_tokens=16, tokenizer=lambda text: 6 * words(text)).chunk(document)

    assert len({chunk.id for chunk in chunks}) == len(chunks) > 3


def test_ids_are_the_same_over_runs_and_differ_between_documents(make_document: MakeDocument) -> None:
    pages = [("Section-header", "1 A"), ("Text", prose(80))]
    first = [chunk.id for chunk in LayoutChunker(max_tokens=32).chunk(make_document(pages))]
    again = [chunk.id for chunk in LayoutChunker(max_tokens=32).chunk(make_document(pages))]
    other = [chunk.id for chunk in LayoutChunker(max_tokens=32).chunk(make_document(pages, doc_id="other"))]

    assert first == again
    assert not set(first) & set(other)


def test_an_empty_document_has_no_chunks(make_document: MakeDocument) -> None:
    assert LayoutChunker().chunk(make_document()) == []
    assert LayoutChunker().chunk(make_document([], [("Picture", "")])) == []


@pytest.mark.parametrize("options", [{"max_tokens": 15}, {"overlap_sentences": -1}])
def test_options_that_cannot_work_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=next(iter(options))):
        LayoutChunker(**options)


def test_a_tokenizer_that_counts_too_much_is_told(make_document: MakeDocument) -> None:
    with pytest.raises(OptionError, match="too small"):
        LayoutChunker(max_tokens=16, tokenizer=lambda text: 100).chunk(make_document([("Text", "a")]))


def test_a_chunker_pickles(make_document: MakeDocument) -> None:
    document = make_document([("Text", prose(80))])
    chunker = LayoutChunker(max_tokens=32, overlap_sentences=0)

    assert pickle.loads(pickle.dumps(chunker)).chunk(document) == chunker.chunk(document)
