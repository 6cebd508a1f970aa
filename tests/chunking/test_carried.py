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
