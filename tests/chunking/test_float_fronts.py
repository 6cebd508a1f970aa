"""What stands before a float pushes no words of its caption or heading out."""

from __future__ import annotations

from nemoparse_loaders import LayoutChunker

from .conftest import MakeDocument
from .violations import violations


def test_a_repeated_lead_in_leaves_room_for_the_whole_caption(make_document: MakeDocument) -> None:
    # The sentence is less than an eighth of the budget, the caption less than a third, both are more.
    lead = "The gearbox is drawn here in the way that most of its makers like best to see it:"
    caption = "Figure 3: " + "the stage with planets turns " * 8 + "around the sun gear"
    document = make_document([("Text", lead), ("Picture", "sun gear"), ("Caption", caption)])

    assert violations(document, LayoutChunker(max_tokens=256, overlap_sentences=0)) == []


def test_a_heading_that_goes_with_a_float_is_embedded_whole(make_document: MakeDocument) -> None:
    # The path alone is cut at a sixth of the budget.
    document = make_document(
        [
            ("Section-header", "4.15.1 Standard bipolar transistors of both kinds"),
            ("Picture", "Q B E npn pnp"),
        ]
    )

    assert violations(document, LayoutChunker(max_tokens=64, overlap_sentences=0)) == []
