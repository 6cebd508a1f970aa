"""LayoutChunker(embed="markdown"): what is embedded is Markdown that a model can read, within the budget."""

from __future__ import annotations

import pytest

from nemoparse_loaders import Element, LayoutChunker, OptionError, ParsedDocument, split_document

from .conftest import MakeDocument, MakeTable

ROWS = [["Site", "Wear"], ["Skerra", ""], ["Lund", "3 µm"], ["Hoy", "4 µm"], ["Unst", "9 µm"]]


@pytest.fixture
def document(make_document: MakeDocument, make_table: MakeTable) -> ParsedDocument:
    table = make_table(ROWS)
    wear = Element(id="", type="Table", markdown=table.to_markdown(), text="wear", table=table)
    return make_document(
        [
            ("Section-header", "# 2 Wear"),
            ("Text", "Wear is *measured* twice a year, by two crews."),
            ("List-item", "- oil"),
            ("List-item", "- play"),
            ("Section-header", "## 2.1 Sites"),
            ("Caption", "Table 1. Wear by site."),
            wear,
        ]
    )


@pytest.mark.parametrize("max_tokens", [24, 32, 64, 200])
@pytest.mark.parametrize("parents", ["section", "page"])
def test_the_budget_holds_for_it(document: ParsedDocument, max_tokens: int, parents: str) -> None:
    chunker = LayoutChunker(max_tokens, embed="markdown", parents=parents)  # type: ignore[arg-type]
    for chunk in [*chunker.chunk_tree(document).parents, *chunker.chunk(document)]:
        assert chunk.metadata["n_tokens"] == chunker.count(chunk.embed_text)
        assert chunker.count(chunk.embed_text) <= max_tokens


def test_blocks_stand_apart_and_keep_their_marks(document: ParsedDocument) -> None:
    text = LayoutChunker(embed="markdown").chunk(document)[0]

    assert "## 2 Wear\n\nWear is *measured* twice a year, by two crews.\n\n- oil\n- play" in text.embed_text


def test_pieces_of_a_table_are_tables_under_path_and_caption(document: ParsedDocument) -> None:
    pieces = [
        c
        for c in LayoutChunker(48, embed="markdown").chunk(document)
        if "Table" in str(c.metadata["classes"])
    ]

    assert len(pieces) > 1
    for piece in pieces:
        path, caption, _, head, rule, *rows = piece.embed_text.split("\n")
        assert path.endswith("2.1 Sites")
        assert caption == "Table 1. Wear by site."
        assert (head, rule) == ("| Site | Wear |", "|-|-|")
        # An empty cell keeps its column.
        assert all(row.count("|") == 3 for row in rows)


@pytest.mark.parametrize("split", ["document", "page", "element"])
def test_other_pieces_embed_their_markdown(document: ParsedDocument, split: str) -> None:
    chunker = LayoutChunker(embed="markdown")
    for piece in split_document(document, split, chunker=chunker):  # type: ignore[arg-type]
        assert piece.embed_text == piece.text.strip()
        assert piece.metadata["n_tokens"] == chunker.count(piece.embed_text)


def test_other_values_are_refused() -> None:
    with pytest.raises(OptionError, match="embed must be"):
        LayoutChunker(embed="html")  # type: ignore[arg-type]
