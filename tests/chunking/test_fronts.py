"""What stands in front of the pieces of tables and figures: headings, captions, header rows."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nemoparse_loaders import LayoutChunker
from nemoparse_loaders.document import Element, ParsedDocument, Table

MakeDocument = Callable[..., ParsedDocument]
MakeTable = Callable[..., Table]


def numbered(name: str, count: int) -> str:
    return " ".join(f"{name}{number}" for number in range(count))


def counter(extra: int) -> Callable[[str], int]:
    """Words, and the tokens of an instruction in front of each text."""
    return lambda text: extra + len(text.split())


@pytest.mark.parametrize("extra", [0, 15, 50, 100])
@pytest.mark.parametrize("head_words", [1, 6, 13, 40])
@pytest.mark.parametrize("row_words", [1, 30, 200])
def test_no_piece_of_a_table_is_over_the_budget(
    make_document: MakeDocument, make_table: MakeTable, extra: int, head_words: int, row_words: int
) -> None:
    rows = [
        [numbered(f"head{col}x", head_words) for col in range(3)],
        [numbered("cell", row_words), "", "x"],
        ["a", "b", "c"],
    ]
    table = make_table(rows)
    element = Element(id="", type="Table", table=table, markdown=table.to_markdown())
    caption = ("Caption", f"Table 1. {numbered('caption', 39)}")
    document = make_document([("Section-header", f"# {numbered('path', 19)}"), caption, element])
    chunker = LayoutChunker(128, counter(extra))

    chunks = chunker.chunk(document)

    assert max(chunker.count(chunk.embed_text) for chunk in chunks) <= 128
    said = " ".join(chunk.text for chunk in chunks).split()
    assert {*numbered("cell", row_words).split(), "a", "b", "c"} <= set(said)


@pytest.mark.parametrize("kind", ["Picture", "Chart", "Table"])
@pytest.mark.parametrize("caption_words", [10, 40, 60])
@pytest.mark.parametrize("sentence_words", [1, 8, 300])
def test_the_first_piece_of_what_is_cut_holds_the_caption_whole(
    make_document: MakeDocument, kind: str, caption_words: int, sentence_words: int
) -> None:
    words = " ".join(
        f"{numbered(f'Label{number}x', sentence_words)}." for number in range(900 // sentence_words)
    )
    name = "Table" if kind == "Table" else "Figure"
    caption = f"{name} 7. Layout of the harbour. {numbered('caption', caption_words)}"
    chunker = LayoutChunker(200, counter(0), overlap_sentences=0)

    chunks = chunker.chunk(
        make_document([("Section-header", "# Plans"), (kind, words), ("Caption", caption)])
    )

    assert len(chunks) > 4
    assert caption in chunks[0].embed_text
    assert all(chunker.count(chunk.embed_text) <= 200 for chunk in chunks)
    # The room that the caption leaves is used, as far as sentences let it be.
    if sentence_words < 100:
        assert all(chunker.count(chunk.embed_text) > 150 for chunk in chunks[:-1])
    labels = [word for chunk in chunks for word in chunk.embed_text.split() if word.startswith("Label")]
    assert labels == words.split()


def test_a_caption_that_leaves_no_room_is_said_in_brief(make_document: MakeDocument) -> None:
    caption = f"Figure 1. Plan. {numbered('caption', 4)}"
    document = make_document([("Picture", "x" * 200), ("Caption", caption)])

    chunks = LayoutChunker(32, lambda text: len(text)).chunk(document)

    assert max(len(chunk.embed_text) for chunk in chunks) <= 32
    assert sum(chunk.embed_text.count("x") for chunk in chunks) >= 200


@pytest.mark.parametrize("kind", ["Table", "Picture", "Chart"])
@pytest.mark.parametrize("with_grid", [True, False])
def test_headings_over_nothing_but_a_float_are_embedded_where_there_is_room(
    make_document: MakeDocument, make_table: MakeTable, kind: str, with_grid: bool
) -> None:
    table = make_table([["Port", "Depth"], ["North", "12"]]) if with_grid else None
    element = Element(id="", type=kind, table=table, markdown="| Port | Depth |\n|-|-|\n| North | 12 |")
    headings = [f"{number} {numbered(f'Heading{number}x', 11)}" for number in ("4", "4.2", "4.2.1")]
    document = make_document([*(("Section-header", heading) for heading in headings), element])
    chunker = LayoutChunker(60, counter(0))

    (chunk,) = chunker.chunk(document)
    assert all(heading in chunk.embed_text for heading in headings)
    assert "North" in chunk.embed_text

    # In less room it is the nearest headings.
    (chunk,) = LayoutChunker(40, counter(0)).chunk(document)
    assert headings[0] not in chunk.embed_text
    assert headings[1] in chunk.embed_text
    assert headings[2] in chunk.embed_text
    assert chunker.count(chunk.embed_text) <= 40


def test_a_table_that_is_cut_says_its_headings_where_a_piece_has_room(
    make_document: MakeDocument, make_table: MakeTable
) -> None:
    table = make_table([["Port", "Depth"], *([f"North{row}", "12"] for row in range(28))])
    headings = [f"{number} {numbered(f'Heading{number}x', 12)}" for number in ("4", "4.2")]
    element = Element(id="", type="Table", table=table, markdown=table.to_markdown())
    chunker = LayoutChunker(60, counter(0))

    chunks = chunker.chunk(make_document([*(("Section-header", heading) for heading in headings), element]))

    assert len(chunks) == 2
    assert all(any(heading in chunk.embed_text for chunk in chunks) for heading in headings)
    assert all(chunker.count(chunk.embed_text) <= 60 for chunk in chunks)


@pytest.mark.parametrize("kind", ["Table", "Picture"])
def test_a_heading_that_another_one_follows_is_embedded_with_the_float_below_both(
    make_document: MakeDocument, kind: str
) -> None:
    headings = [("Section-header", "1 Quays"), ("Section-header", "2 Depths")]

    (chunk,) = LayoutChunker(64).chunk(make_document([*headings, (kind, "North 12")]))

    assert chunk.embed_text.split("\n") == ["1 Quays", "2 Depths", "North 12"]
