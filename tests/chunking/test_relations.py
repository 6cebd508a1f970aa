"""Ids, parents and neighbours of chunks: what holds for every document, and what the parents hold."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nemoparse_loaders import METADATA_KEYS, Chunk, LayoutChunker, OptionError, ParsedDocument
from nemoparse_loaders.chunking.metadata import json_size
from nemoparse_loaders.chunking.parents import Parents
from nemoparse_loaders.document import BBox, Element

from .conftest import MakeDocument, MakeTable
from .test_invariants import documents


def chain(chunks: list[Chunk]) -> None:
    ids = [chunk.id for chunk in chunks]
    assert [chunk.previous_id for chunk in chunks] == ["", *ids[:-1]][: len(ids)]
    assert [chunk.next_id for chunk in chunks] == [*ids[1:], ""][: len(ids)]


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(documents(), st.sampled_from([None, "section", "page"]), st.integers(24, 80))
def test_relations_of_any_document(document: ParsedDocument, parents: str | None, max_tokens: int) -> None:
    chunker = LayoutChunker(max_tokens, parents=parents)  # type: ignore[arg-type]
    tree = chunker.chunk_tree(document)
    above, chunks = tree.parents, tree.chunks

    assert chunker.chunk(document) == chunks
    chain(chunks)
    everyone = [*above, *chunks]
    by_id = {chunk.id: chunk for chunk in everyone}
    assert len(by_id) == len(everyone)
    plain = LayoutChunker(max_tokens).chunk(document)
    assert [chunk.id for chunk in chunks] == [chunk.id for chunk in plain]
    for chunk in everyone:
        assert chunk.metadata["parent_id"] == chunk.parent_id
        assert {key: type(value) for key, value in chunk.metadata.items()} == dict(METADATA_KEYS)
        assert json_size(chunk.metadata) < 1024
        assert chunker.count(chunk.embed_text) <= max_tokens
        assert chunk.text.strip()
        assert chunk.embed_text.strip()
        assert Chunk.from_json(chunk.to_json()) == chunk
    if parents is None:
        assert not above
        assert not any(chunk.parent_id for chunk in chunks)
        return
    assert {chunk.level for chunk in above} <= {parents}
    assert {chunk.id for chunk in above} <= {chunk.parent_id for chunk in everyone}
    for chunk in chunks:
        assert by_id[chunk.parent_id] in above
    for parent in above:
        held = {span.element_id for span in parent.spans}
        for child in everyone:
            if child.parent_id != parent.id:
                continue
            # A page holds only that part of a chunk which stands on it.
            own = {
                span.element_id
                for span in child.spans
                if parents == "section" or span.page == page_of(parent)
            }
            assert own <= held
            assert everyone.index(parent) < everyone.index(child)


def page_of(chunk: Chunk) -> int:
    return chunk.spans[0].page


def report(make_document: MakeDocument) -> ParsedDocument:
    return make_document(
        [
            ("Title", "Harbours"),
            ("Text", "Words before the first heading. " * 6),
            ("Section-header", "1 Ships"),
            ("Text", "Ships are large. " * 12),
            ("Section-header", "1.1 Tugs"),
            ("Text", "Tugs are small. " * 12),
        ],
        [("Section-header", "1.2 Ferries"), ("Text", "Ferries are white. " * 12)],
        [("Section-header", "2 Cargo"), ("Text", "Cargo is heavy. " * 12)],
    )


def test_a_section_holds_the_sections_in_it(make_document: MakeDocument) -> None:
    document = report(make_document)
    parents, chunks = LayoutChunker(48, parents="section").chunk_tree(document)

    names = [parent.metadata["section_path"] for parent in parents]
    assert names == ["", "1 Ships", "1 Ships > 1.1 Tugs", "1 Ships > 1.2 Ferries", "2 Cargo"]
    front, ships, tugs, ferries, cargo = parents
    assert (tugs.parent_id, ferries.parent_id) == (ships.id, ships.id)
    assert {front.parent_id, ships.parent_id, cargo.parent_id} == {""}
    assert (tugs.next_id, ferries.previous_id) == (ferries.id, tugs.id)
    assert (front.next_id, ships.next_id) == (ships.id, cargo.id)
    for words in ("Ships are large.", "Tugs are small.", "Ferries are white."):
        assert words in ships.text
    assert "Cargo" not in ships.text
    assert ships.text in document.to_markdown()
    assert "Words before" in front.text
    assert "Ships" not in front.text
    for parent in parents:
        own = [chunk for chunk in chunks if chunk.parent_id == parent.id]
        assert own
        assert {chunk.metadata["section_path"] for chunk in own} == {parent.metadata["section_path"]}


def test_a_page_holds_what_is_on_it(make_document: MakeDocument) -> None:
    document = report(make_document)
    parents, chunks = LayoutChunker(48, parents="page").chunk_tree(document)

    assert [parent.text for parent in parents] == [page.to_markdown() for page in document.pages]
    assert [parent.metadata["page_number"] for parent in parents] == [1, 2, 3]
    numbers = {parent.id: parent.metadata["page_number"] for parent in parents}
    for chunk in chunks:
        assert numbers[chunk.parent_id] == chunk.metadata["page_number"]
    assert [parent.next_id for parent in parents] == [parents[1].id, parents[2].id, ""]


def test_equal_texts_have_ids_of_their_own(make_document: MakeDocument) -> None:
    document = make_document(
        [("Section-header", "A"), ("Text", "Equal. " * 20)],
        [("Section-header", "A"), ("Text", "Equal. " * 20)],
    )
    chunks = LayoutChunker(64).chunk(document)
    other = LayoutChunker(64).chunk(document.model_copy(update={"doc_id": "another"}))

    assert chunks[0].text == chunks[1].text
    assert len({chunk.id for chunk in [*chunks, *other]}) == 4


def test_spans_say_where_a_chunk_comes_from(make_document: MakeDocument) -> None:
    sentence = "Ships are large and heavy. "
    document = make_document([("Section-header", "Ships"), ("Text", sentence * 30)])
    chunks = LayoutChunker(64, overlap_sentences=0).chunk(document)

    assert len(chunks) > 2
    first, second, *_ = chunks
    heading, opening = first.spans
    assert (heading.element_id, heading.page, heading.start, heading.end) == ("p1e1", 1, 0, len("Ships"))
    assert not heading.estimated
    assert opening.estimated
    markdown = document.pages[0].elements[1].markdown
    end = 0
    for chunk in chunks:
        span = chunk.spans[-1]
        assert span.element_id == "p1e2"
        assert span.start == end
        assert span.end is not None
        assert markdown[span.start : span.end].strip() in chunk.text
        assert span.bbox is not None
        end = span.end
    assert end == len(markdown.rstrip())
    # Slices from top to bottom, each a share of the element's height.
    box = document.pages[0].elements[1].bbox
    assert box is not None
    boxes = [chunk.spans[-1].bbox for chunk in chunks]
    assert [a.y1 for a in boxes[:-1] if a] == pytest.approx([b.y0 for b in boxes[1:] if b])
    assert sum(slice_.height for slice_ in boxes if slice_) == pytest.approx(box.height)
    assert second.metadata["bbox_precision"] == "estimated"


def test_other_parents_are_refused() -> None:
    with pytest.raises(OptionError, match="parents must be"):
        LayoutChunker(parents="chapter")  # type: ignore[arg-type]


def test_a_page_on_which_no_chunk_begins_is_no_parent(make_document: MakeDocument) -> None:
    pages = ["The mill runs with a gearbox that is driven by the wind and by", "a motor which is heavy."]
    document = make_document(*[[("Text", words)] for words in pages], [("Picture", "A page of its own.")])

    parents, chunks = LayoutChunker(parents="page").chunk_tree(document)

    assert [parent.metadata["pages"] for parent in parents] == ["1", "3"]
    assert [chunk.metadata["pages"] for chunk in chunks] == ["1,2", "3"]
    assert [chunk.parent_id for chunk in chunks] == [parent.id for parent in parents]


@pytest.mark.parametrize("parents", ["page", "section"])
def test_words_that_are_in_a_grid_only_have_a_parent(
    make_document: MakeDocument, make_table: MakeTable, parents: Parents
) -> None:
    table = make_table([["Port", "Depth"], ["North", "12"]])
    document = make_document([Element(id="", type="Table", table=table)])

    tree = LayoutChunker(64, parents=parents).chunk_tree(document)

    assert [chunk.parent_id for chunk in tree.chunks] == [parent.id for parent in tree.parents]
    assert "| North | 12 |" in tree.parents[0].text
    assert "North 12" in " ".join(tree.parents[0].embed_text.split())


def test_pages_of_one_number_are_two_pages(make_document: MakeDocument, make_table: MakeTable) -> None:
    table = make_table([["Port", "Depth"], ["North", "12"]])
    element = Element(id="p1e2", type="Table", markdown=table.to_markdown(), table=table)
    first = make_document([("Text", "Of the first."), ("Caption", "Table 1. A caption without its table")])
    second = make_document([("Text", "Of the second."), element])
    merged = first.model_copy(update={"pages": first.pages + second.pages})

    tree = LayoutChunker(parents="page").chunk_tree(merged)

    by_id = {parent.id: parent for parent in tree.parents}
    assert len(by_id) == 2
    for words in ("Of the first.", "North"):
        (chunk,) = (chunk for chunk in tree.chunks if words in chunk.text)
        assert words in by_id[chunk.parent_id].text
    assert not any(chunk.metadata["caption"] for chunk in tree.chunks)


@pytest.mark.parametrize("words", ["short words of a page " * 4000, "x" * 9000, "Ein Wort. " + "y" * 9000])
def test_a_parent_is_counted_a_few_times_only(make_document: MakeDocument, words: str) -> None:
    counted: list[int] = []

    def count(text: str) -> int:
        counted.append(len(text))
        return len(text) // 4 + 1

    document = make_document([("Text", words)])
    leaves = LayoutChunker(64, count).chunk(document)
    without = sum(counted)
    counted.clear()
    tree = LayoutChunker(64, count, parents="page").chunk_tree(document)

    assert tree.chunks[0].embed_text == leaves[0].embed_text
    assert 180 < len(tree.parents[0].embed_text) <= 256 or words.startswith("Ein")
    # A dozen texts of about the length of the budget, 256 characters.
    assert sum(counted) - without < 20 * 256


@pytest.mark.parametrize("max_tokens", [24, 60])
def test_an_edited_typo_keeps_the_ids_of_all_pieces(
    make_document: MakeDocument, make_table: MakeTable, max_tokens: int
) -> None:
    def edited(old: str, new: str) -> list[str]:
        def words(name: str) -> str:
            return " ".join(f"{name}{number:03}" for number in range(150)).replace(old, new)

        rows = [["Port", "Depth"], *([words(f"row{row}x"), "12"] for row in range(2)), ["North", "12"]]
        table = make_table(rows)
        grid = Element(
            id="", type="Table", table=table, markdown=f"{words('above')}\n\n{table.to_markdown()}"
        )
        document = make_document([("Text", words("text")), grid, ("Picture", words("picture"))])
        chunks = LayoutChunker(max_tokens, lambda text: len(text.split())).chunk(document)
        return [chunk.id for chunk in chunks]

    before = edited("", "")

    assert len(before) > 10
    assert len(set(before)) == len(before)
    assert edited("010", "1") == before


@pytest.mark.parametrize("box", [BBox(-3, -3, 9, 9), BBox(0.9, 0.9, 0.1, 0.1), BBox(5, 5, 1e9, 1e9)])
@pytest.mark.parametrize("words", ["Few words.", "Many words of a text that is cut. " * 20])
def test_boxes_of_any_layout_are_within_the_page(
    make_document: MakeDocument, make_table: MakeTable, box: BBox, words: str
) -> None:
    table = make_table([["Port", "Depth"], *([f"North {row}", "12"] for row in range(40))])
    elements = [
        Element(id="", type="Text", markdown=words, text=words, bbox=box),
        Element(id="", type="Table", markdown=table.to_markdown(), table=table, bbox=box),
        Element(id="", type="Picture", markdown=words, text=words, bbox=box),
    ]

    # One that stands beside all of them, in no chunk.
    elements.append(Element(id="", type="Picture", bbox=box))
    tree = LayoutChunker(48, parents="section").chunk_tree(make_document(elements))

    for chunk in [*tree.parents, *tree.chunks]:
        edges = [edge for _, *edges in json.loads(str(chunk.metadata["bboxes"])) for edge in edges]
        edges += [edge for span in chunk.spans if span.bbox is not None for edge in span.bbox]
        assert edges
        assert all(0 <= edge <= 1 for edge in edges)
        assert all(span.bbox is None or span.bbox.width >= 0 <= span.bbox.height for span in chunk.spans)
