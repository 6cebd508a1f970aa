from __future__ import annotations

from nemoparse_loaders import METADATA_KEYS, LayoutChunker, figure_chunks

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
