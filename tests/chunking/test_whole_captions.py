"""A caption that is shown with its table is embedded with it as well, whole, by one of the pieces."""

from __future__ import annotations

from nemoparse_loaders import LayoutChunker
from nemoparse_loaders.document import Element
from tests.chunking.conftest import MakeDocument, MakeTable
from tests.chunking.violations import violations

CAPTION = "Table 6.5: Five firm concentration ratios for food retailing"


def table_of(make_table: MakeTable, rows: list[list[str]], header_rows: int = 1) -> Element:
    table = make_table(rows, header_rows)
    markdown = table.to_markdown()
    return Element(id="", type="Table", table=table, markdown=markdown, text="\n".join(table.to_lines()))


def test_a_caption_that_leaves_the_first_row_no_room_goes_with_the_header(
    make_document: MakeDocument, make_table: MakeTable
) -> None:
    rows = [["country", "current level", "change in recent years", "source"]]
    rows += [
        [name, "79 percent", "+14 points from 1990 to 1996, a slow but steady rise since then", "Regal 1997"]
        for name in ("Austria", "Belgium", "Denmark")
    ]
    document = make_document([("Caption", CAPTION), table_of(make_table, rows)])
    chunker = LayoutChunker(max_tokens=64, overlap_sentences=0)
    first, second, *_ = chunker.chunk(document)

    assert CAPTION in first.embed_text
    assert "Austria" not in first.embed_text
    assert (first.metadata["row_start"], first.metadata["row_end"]) == (0, 1)
    assert "Five firm" in second.embed_text
    assert (
        "Austria 79 percent +14 points from 1990 to 1996, a slow but steady rise since then Regal 1997"
        in second.embed_text
    )
    assert violations(document, chunker) == []


def test_without_a_header_it_goes_with_a_part_of_the_first_row(
    make_document: MakeDocument, make_table: MakeTable
) -> None:
    row = [
        "a gearbox of three stages with planets",
        "oil with sand in it from the bearings",
        "wear of the shafts, 1997 and of the bearings in the second stage, a third of all",
    ]
    document = make_document([("Caption", CAPTION), table_of(make_table, [row] * 3, header_rows=0)])
    chunker = LayoutChunker(max_tokens=64, overlap_sentences=0)
    first, *_ = chunker.chunk(document)

    assert CAPTION in first.embed_text
    assert "a gearbox of three stages" in first.embed_text
    assert violations(document, chunker) == []


def test_a_caption_that_leaves_room_stays_with_the_rows(
    make_document: MakeDocument, make_table: MakeTable
) -> None:
    rows = [["country", "level"], *([name, "79"] for name in ("Austria", "Belgium", "Denmark") * 6)]
    document = make_document([("Caption", CAPTION), table_of(make_table, rows)])
    first = LayoutChunker(max_tokens=64).chunk(document)[0]

    assert CAPTION in first.embed_text
    assert "Austria 79" in first.embed_text
