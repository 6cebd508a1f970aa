from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from nemoparse_loaders import EMBED_KEYS, LLM_KEYS, METADATA_KEYS, LayoutChunker
from nemoparse_loaders.chunking.metadata import json_size
from nemoparse_loaders.document import BBox, Element, ParsedDocument

MakeDocument = Callable[..., ParsedDocument]


def test_every_key_is_there_in_order_and_of_its_type(make_document: MakeDocument) -> None:
    (chunk,) = LayoutChunker().chunk(make_document([("Text", "Words.")]))

    assert list(chunk.metadata) == list(METADATA_KEYS)
    for key, kind in METADATA_KEYS.items():
        assert type(chunk.metadata[key]) is kind


def test_keys_are_names_that_every_store_takes() -> None:
    assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", key) for key in METADATA_KEYS)
    assert EMBED_KEYS < LLM_KEYS < METADATA_KEYS.keys()


def test_the_document_and_the_place_are_told(make_document: MakeDocument) -> None:
    document = make_document([], [("Text", "One."), ("Footnote", "Two.")], [("Text", "Three.")], title="Wear")

    (chunk,) = LayoutChunker().chunk(document)
    told = chunk.metadata

    assert told["source"] == "file:///documents/report.pdf"
    assert told["chunk_id"] == chunk.id
    assert told["chunk_index"] == 0
    assert told["title"] == "Wear"
    assert (told["page_number"], told["page_end"], told["pages"]) == (2, 3, "2,3")
    assert (told["page_label"], told["total_pages"]) == ("102", 3)
    assert told["classes"] == "Text,Footnote"
    assert [box[0] for box in json.loads(str(told["bboxes"]))] == [2, 3]
    assert told["bbox_precision"] == "element"
    assert told["n_tokens"] == LayoutChunker().count(chunk.embed_text)
    assert (told["confidence"], told["needs_review"], told["schema"]) == (-1.0, False, "1")
    assert (told["parent_id"], told["parser"]) == ("", "test")


def test_a_page_of_which_something_is_missing_marks_its_chunks(make_document: MakeDocument) -> None:
    document = make_document([("Text", "One.")], [("Text", "Two.")])
    cut = document.pages[1].model_copy(update={"status": "partial"})
    document = document.model_copy(update={"pages": (document.pages[0], cut)})

    chunks = LayoutChunker(max_tokens=16, tokenizer=lambda text: 9 * len(text.split())).chunk(document)

    assert [chunk.metadata["is_partial"] for chunk in chunks] == [False, True]


def test_boxes_are_merged_by_page_where_room_is_short(make_document: MakeDocument) -> None:
    def block(column: int, row: int) -> Element:
        x = 0.05 + 0.3 * column
        box = BBox(x, 0.1 + 0.1 * row, x + 0.25, 0.19 + 0.1 * row)
        return Element(id="", type="Text", bbox=box, markdown="w", text="w")

    zigzag = [block(column, row) for row in range(8) for column in (0, 1, 2)]

    (chunk,) = LayoutChunker().chunk(make_document(zigzag))

    assert json.loads(str(chunk.metadata["bboxes"])) == [[1, 0.05, 0.1, 0.9, 0.89]]
    assert chunk.metadata["element_ids"] == "p1e1-p1e24"
    assert json_size(chunk.metadata) < 1024


def test_path_and_caption_are_cut_where_room_is_short(make_document: MakeDocument) -> None:
    document = make_document(
        [
            ("Section-header", "1 " + "outer " * 30),
            ("Section-header", "1.1 " + "middle " * 25),
            ("Section-header", "1.1.1 " + "inner " * 20 + "end"),
            ("Caption", "Figure 1. " + "caption " * 60),
            ("Picture", "Words in it."),
        ]
    )

    chunk = next(
        chunk
        for chunk in LayoutChunker(max_tokens=1024).chunk(document)
        if chunk.metadata["chunk_type"] == "figure"
    )

    assert json_size(chunk.metadata) < 1024
    assert str(chunk.metadata["section_path"]).startswith("…")
    assert str(chunk.metadata["section_path"]).endswith("inner end")
    assert str(chunk.metadata["caption"]).startswith("Figure 1. caption")
    assert str(chunk.metadata["caption"]).endswith("…")
    assert chunk.embed_text.count("caption") == 60


@pytest.mark.parametrize("count", [1, 3, 400])
def test_any_number_of_elements_and_pages_keeps_to_1_kb(make_document: MakeDocument, count: int) -> None:
    pages = [[("Text", "a"), ("List-item", "b"), ("Page-footer", "c")] for _ in range(count)]

    for chunk in LayoutChunker(max_tokens=8192).chunk(make_document(*pages, title="T " * 400)):
        assert json_size(chunk.metadata) < 1024
        assert chunk.metadata["page_number"] == 1
        assert chunk.metadata["page_end"] == count


def test_nul_and_surrogates_are_in_no_value(make_document: MakeDocument) -> None:
    document = make_document([("Text", "a\0b")], title="Scan\0", file_name="x\0.pdf")

    (chunk,) = LayoutChunker().chunk(document)

    assert "\0" not in chunk.model_dump_json()
    assert chunk.text == chunk.embed_text == "ab"
    assert chunk.metadata["file_name"] == "x.pdf"
