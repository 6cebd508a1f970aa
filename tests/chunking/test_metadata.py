from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from nemoparse_loaders import EMBED_KEYS, LLM_KEYS, METADATA_KEYS, Issue, LayoutChunker, split_document
from nemoparse_loaders.chunking.metadata import json_size
from nemoparse_loaders.document import BBox, Element, ElementType, ParsedDocument

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
    assert [chunk.metadata["needs_review"] for chunk in chunks] == [False, True]


@pytest.mark.parametrize(
    ("issue", "in_doubt"),
    [
        (Issue(code="unsupported_text", message="...", severity="warning"), True),
        (Issue(code="table_disagreement", message="...", severity="warning"), True),
        (Issue(code="low_agreement", message="...", severity="info"), False),
        (Issue(code="malformed", message="...", severity="warning"), False),
    ],
)
def test_a_chunk_is_as_sure_as_its_least_sure_element(
    make_document: MakeDocument, issue: Issue, in_doubt: bool
) -> None:
    def sure(confidence: float | None, *issues: Issue) -> Element:
        return Element(
            id="",
            type="Text",
            markdown="Some words.",
            text="Some words.",
            confidence=confidence,
            issues=issues,
        )

    document = make_document([sure(0.9), sure(0.4, issue), sure(None)])
    (chunk,) = LayoutChunker().chunk(document)
    assert (chunk.metadata["confidence"], chunk.metadata["needs_review"]) == (0.4, in_doubt)
    (page,) = split_document(document, "page")
    assert (page.metadata["confidence"], page.metadata["needs_review"]) == (0.4, in_doubt)


def test_text_that_a_page_lacks_marks_all_that_is_on_it(make_document: MakeDocument) -> None:
    document = make_document([("Text", "One.")], [("Text", "Two.")])
    lacking = Issue(code="missing_text", message="...", severity="warning", page=2)
    page = document.pages[1].model_copy(update={"issues": (lacking,), "needs_review": True})
    document = document.model_copy(update={"pages": (document.pages[0], page)})

    for split in ("page", "element"):
        pieces = split_document(document, split)
        assert [piece.metadata["needs_review"] for piece in pieces] == [False, True]
    (whole,) = split_document(document, "document")
    (chunk,) = split_document(document, "chunk")
    assert whole.metadata["needs_review"] is chunk.metadata["needs_review"] is True


def test_an_element_that_came_without_its_text_marks_all_that_is_on_its_page(
    make_document: MakeDocument,
) -> None:
    doubt = Issue(code="low_agreement", message="...", severity="warning")
    empty = Element(id="", type="Text", issues=(doubt,))
    document = make_document([("Text", "One.")], [("Text", "Two."), empty])
    pieces = split_document(document, "page")
    assert [piece.metadata["needs_review"] for piece in pieces] == [False, True]


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


@pytest.mark.parametrize("letter", ["a", "关", "😀", '"'])
@pytest.mark.parametrize("pages", [1, 40])
def test_no_script_and_no_length_of_any_value_breaks_1_kb(
    make_document: MakeDocument, letter: str, pages: int
) -> None:
    many = (letter * 7 + " ") * 60
    specs = [("Section-header", f"# {many}"), ("Picture", many), ("Caption", f"Figure 1. {many}")]
    odd = [(f"{letter * 30}{number}", "Words.") for number in range(30)]
    known = [(kind.value, "Words.") for kind in ElementType]
    document = make_document(
        *[[*specs, *odd, *known]] * pages,
        title=many,
        source="s" * 80,
        file_name="f" * 20,
        content_hash="a" * 64,
    )
    labelled = [
        page.model_copy(update={"label": many, "number": 1000 + page.number}) for page in document.pages
    ]
    document = document.model_copy(update={"pages": tuple(labelled)})

    chunks = LayoutChunker(parents="section", pictures="keep").chunk(document)

    assert max(json_size(chunk.metadata) for chunk in chunks) < 1024
    assert all(len(str(chunk.metadata["page_label"])) <= 40 for chunk in chunks)
    assert any(str(chunk.metadata["classes"]).endswith(",…") for chunk in chunks)


def test_a_long_title_costs_no_place(make_document: MakeDocument) -> None:
    specs = [("Section-header", "# The methods of the year and how they were applied")]
    specs += [("Text", f"Text {number} of the page.") for number in range(12)]
    places = []
    for title in ("Wear", "Annual report of the harbour authority " * 30):
        (chunk,) = LayoutChunker().chunk(make_document(specs, specs[1:], title=title))
        places.append([chunk.metadata[key] for key in ("section_path", "bboxes", "caption")])
        assert json_size(chunk.metadata) < 1024

    assert places[0] == places[1]


def test_names_of_the_source_that_are_too_long_cost_little_else(make_document: MakeDocument) -> None:
    caption = "Figure 1. " + "What the gearbox looks like after a year at sea. " * 5
    pages = [
        [("Section-header", "# " + "Wear of gears " * 10), ("Picture", "Words"), ("Caption", caption)]
    ] * 2
    shown = []
    for name in ("n" * 90, "n" * 900):
        document = make_document(*pages, source=name, title="Wear " * 50)
        chunk = next(chunk for chunk in LayoutChunker().chunk(document) if chunk.metadata["caption"])
        shown.append(chunk.metadata)

    assert json_size(shown[0]) < 1024 < json_size(shown[1]) < 1900
    assert shown[1]["source"] == "n" * 900
    assert len(str(shown[1]["section_path"])) > 80
    assert len(str(shown[1]["caption"])) > 80
    assert shown[1]["bboxes"] == shown[0]["bboxes"]


def test_nul_and_surrogates_are_in_no_value(make_document: MakeDocument) -> None:
    document = make_document([("Text", "a\0b")], title="Scan\0", file_name="x\0.pdf")

    (chunk,) = LayoutChunker().chunk(document)

    assert "\0" not in chunk.model_dump_json()
    assert chunk.text == chunk.embed_text == "ab"
    assert chunk.metadata["file_name"] == "x.pdf"
