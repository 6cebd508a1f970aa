"""The layout that travels beside a framework's text: what it holds, and when it is used."""

from __future__ import annotations

from nemoparse_loaders import (
    BBox,
    Element,
    Issue,
    LayoutChunker,
    ParsedDocument,
    ParsedPage,
    ParseReport,
    Split,
    layout_hash,
    layout_to_json,
    split_document,
    split_text,
)


def make_document(**page: object) -> ParsedDocument:
    elements = (
        Element(
            id="p1e1", type="Section-header", bbox=BBox(0.1, 0.1, 0.5, 0.2), markdown="## Boats", text="Boats"
        ),
        Element(
            id="p1e2",
            type="Text",
            bbox=BBox(0.1, 0.3, 0.9, 0.4),
            markdown="They *float*.",
            text="They float.",
            raw="x",
        ),
    )
    return ParsedDocument(
        doc_id="d",
        source="file:///boats.pdf",
        pages=(ParsedPage(**{"number": 1, "label": "i", "raw": "r", "elements": elements, **page}),),
        metadata={"mine": 1},
        report=ParseReport(pages=1, seconds=3.0),
    )


def whole_text(document: ParsedDocument) -> str:
    [whole] = split_document(document, "document")
    return whole.text


def test_the_layout_holds_what_chunks_are_made_from_and_no_more() -> None:
    document = make_document(attempts=3)
    read = ParsedDocument.from_json(layout_to_json(document))
    chunker = LayoutChunker()
    assert chunker.chunk(read) == chunker.chunk(document)
    assert (read.report, read.metadata, read.pages[0].raw, read.pages[0].attempts) == (None, {}, "", 0)
    assert read.elements[1].raw == ""
    assert read.elements[1].bbox == BBox(0.1, 0.3, 0.9, 0.4)


def test_the_hash_knows_layouts_apart_and_runs_not() -> None:
    document = make_document()
    issue = Issue(code="failed", message="no answer (after 2 attempts)", page=1)
    assert layout_hash(make_document(attempts=3, raw="other")) == layout_hash(document)
    assert layout_hash(make_document(issues=(issue,))) == layout_hash(
        make_document(issues=(issue.model_copy(update={"message": "no answer (after 4 attempts)"}),))
    )
    moved = document.elements[1].model_copy(update={"bbox": BBox(0.1, 0.3, 0.9, 0.5)})
    others = [make_document(elements=(document.elements[0], moved)), make_document(label="ii")]
    assert len({layout_hash(document), *map(layout_hash, others)}) == 3


def test_a_layout_that_fits_is_followed() -> None:
    document = make_document()
    split = split_text(whole_text(document), layout_json=layout_to_json(document), doc_id="other")
    assert split.problem == ""
    assert split.chunks == LayoutChunker().chunk(document)
    assert split.whole["source"] == "file:///boats.pdf"


def test_the_chunker_given_is_used() -> None:
    document = make_document()
    text = whole_text(document) * 20
    assert len(split_text(text, doc_id="d", chunker=LayoutChunker(16)).chunks) > 1
    assert len(split_text(text, doc_id="d", chunker=LayoutChunker(2000)).chunks) == 1


def test_a_text_that_was_changed_is_not_chunked_by_its_old_layout() -> None:
    document = make_document()
    text = whole_text(document).replace("float", "sink")
    split = split_text(text, layout_json=layout_to_json(document), doc_id="d")
    assert "text changed" in split.problem
    assert split.whole == {}
    contents = " ".join(chunk.text + chunk.embed_text for chunk in split.chunks)
    assert "sink" in contents
    assert "float" not in contents


def test_no_layout_and_one_that_cannot_be_read() -> None:
    for layout_json, problem in (("", "carries no layout"), ("{", "cannot read"), ("[]", "cannot read")):
        split = split_text("# A\n\nb", layout_json=layout_json, doc_id="d")
        assert problem in split.problem
        assert split.chunks


def written(document: ParsedDocument, split: Split, index: int = 0) -> dict[str, object]:
    return {**split_document(document, split)[index].metadata, "team": "blue"}


def test_only_what_was_changed_of_the_document_is_inherited_where_the_layout_is_known() -> None:
    document = make_document().model_copy(update={"title": "A very long title " * 90})
    split = split_text(document.to_markdown(), layout_json=layout_to_json(document), doc_id="d")
    metadata = written(document, "document")
    assert str(metadata["title"]).endswith("…")

    assert split.inherited(metadata) == {"team": "blue"}
    changed = {**metadata, "title": "Mine", "n_tokens": 3, "chunk_id": "x", "page_number": 9, "bboxes": "[]"}
    assert split.inherited(changed) == {"team": "blue", "title": "Mine"}


def test_what_tells_of_a_chunk_is_never_inherited_without_a_layout() -> None:
    pages = [make_document(number=number).pages[0] for number in (1, 2)]
    document = make_document().model_copy(update={"pages": tuple(pages), "total_pages": 2})
    split = split_text("Boats float.", doc_id="d")
    of_document = {"source", "file_name", "doc_id", "content_hash", "title", "total_pages", "parser"}
    doubts = {"is_partial", "confidence", "needs_review"}

    assert set(split.inherited(written(document, "document"))) == of_document | doubts | {"team"}
    # All chunks of a page are on that page.
    place = {"page_number", "page_end", "pages", "page_label"}
    assert set(split.inherited(written(document, "page", 1))) == of_document | doubts | place | {"team"}
    # Other loaders know pages as well.
    foreign = {"source": "a.md", "page_label": "7", "page": 3}
    assert split.inherited(foreign) == foreign


def test_placeholders_of_the_text_are_chunks() -> None:
    failed = ParsedPage(number=2, status="failed", issues=(Issue(code="x", message="too slow", page=2),))
    document = make_document().model_copy(update={"pages": (*make_document().pages, failed)})
    layout = layout_to_json(document)

    for include_failed in (False, True):
        [whole] = split_document(document, "document", include_failed=include_failed)
        split = split_text(whole.text, layout_json=layout, doc_id="d")
        expected = split_document(document, "chunk", include_failed=include_failed)
        assert not split.problem
        assert split.chunks == expected
        assert any("too slow" in chunk.text for chunk in split.chunks) is include_failed


def test_lone_surrogates_do_not_stop_it() -> None:
    elements = (Element(id="p1e1", type="Text", markdown="Boats \ud800 float.", text="Boats \ud800 float."),)
    document = make_document(elements=elements)
    [whole] = split_document(document, "document")
    split = split_text(whole.text, layout_json=layout_to_json(document), doc_id="d")

    assert not split.problem
    assert split.chunks[0].text == "Boats \ufffd float."
    assert len(layout_hash(document)) == 32
