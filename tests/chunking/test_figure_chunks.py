from __future__ import annotations

from nemoparse_loaders import METADATA_KEYS, LayoutChunker, Steps, figure_chunks

from .conftest import MakeDocument


def test_each_picture_and_chart_is_one_piece(make_document: MakeDocument) -> None:
    document = make_document(
        [
            ("Section-header", "1 Ships"),
            ("Picture", ""),
            ("Caption", "Figure 1. A ship."),
            ("Text", "Ships are large."),
            ("Chart", "ships 12"),
        ],
        [("Picture", "")],
    )
    ship, chart, nameless = figure_chunks(document)

    assert [span.element_id for chunk in (ship, chart, nameless) for span in chunk.spans] == [
        "p1e2",
        "p1e5",
        "p2e1",
    ]
    assert "Figure 1. A ship." in ship.text
    assert ship.embed_text.startswith("1 Ships")
    assert "ships 12" in chart.text
    assert nameless.text == "Figure on page 2"
    assert {chunk.metadata["chunk_type"] for chunk in (ship, nameless)} == {"figure"}
    assert chart.metadata["chunk_type"] == "chart"
    assert all(set(chunk.metadata) == set(METADATA_KEYS) for chunk in (ship, chart, nameless))
    assert len({chunk.id for chunk in (ship, chart, nameless)}) == 3


def test_dropped_pictures_are_no_pieces(make_document: MakeDocument) -> None:
    document = make_document([("Picture", ""), ("Chart", "ships 12")])
    [chart] = figure_chunks(document, LayoutChunker(pictures="drop"))

    assert chart.metadata["chunk_type"] == "chart"


def test_what_is_embedded_keeps_to_the_budget(make_document: MakeDocument) -> None:
    caption = "Figure 1. The ship. " + "It is of iron. " * 60
    document = make_document(
        [("Section-header", "1 Ships"), ("Picture", ""), ("Caption", caption)],
        [("Chart", "knots 12 " * 200), ("Picture", "")],
    )
    chunker = LayoutChunker(48)
    pieces = figure_chunks(document, chunker)

    for piece in pieces:
        assert piece.metadata["n_tokens"] == chunker.count(piece.embed_text)
        assert chunker.count(piece.embed_text) <= 48
    # The caption is in no figure's chunk but running text; the figure says how it begins.
    assert "Figure 1. The ship." in pieces[0].embed_text
    assert pieces[0].text.count("It is of iron.") < 5
    assert pieces[1].text.count("knots") == 200


def test_those_beside_other_pieces_are_new_and_numbered_behind_them(make_document: MakeDocument) -> None:
    document = make_document([("Text", "Ships."), ("Picture", "12 knots"), ("Picture", ""), ("Chart", "")])
    chunks = LayoutChunker().chunk(document)
    lone = figure_chunks(document, beside=chunks)

    assert [span.element_id for piece in lone for span in piece.spans] == ["p1e3", "p1e4"]
    indexes = [piece.metadata["chunk_index"] for piece in (*chunks, *lone)]
    assert indexes == list(range(len(indexes)))


def test_captions_that_are_running_text_by_choice_are_not_said_again(make_document: MakeDocument) -> None:
    document = make_document([("Picture", ""), ("Caption", "Figure 1. A ship.")])
    [piece] = figure_chunks(document, LayoutChunker(steps=Steps(captions=False)))

    assert piece.embed_text == "Figure on page 1"
