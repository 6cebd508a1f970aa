"""A parsed document in pieces of any size: the whole, its pages, its elements, or chunks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias, get_args

from ..document import ParsedDocument, ParsedPage
from ..errors import OptionError
from .blocks import Draft, Span, TableRows, embedded_words, kind_of, reader_text, whole_span
from .body import body_of
from .captions import bind_captions
from .chunk import Chunk
from .finish import finish
from .floats import caption_words
from .layout_chunker import LayoutChunker, budget_of, leaves_of, tree_of
from .outline import outline
from .pages import page_drafts

Split: TypeAlias = Literal["document", "page", "element", "chunk"]


def split_document(
    document: ParsedDocument,
    split: Split = "chunk",
    *,
    chunker: LayoutChunker | None = None,
    include_failed: bool = False,
) -> list[Chunk]:
    """Pieces of a document, all with the same metadata keys.

    Args:
        document: What was parsed.
        split: "document" for one piece, "page", "element", or "chunk" for those of a `LayoutChunker`.
        chunker: Makes the chunks, and counts the tokens of the others; only chunks keep to its budget.
        include_failed: Give blank and unreadable pages a piece with a marked text ("[page 3 could not be
            read: ...]"). Without it they have none, for embedders refuse empty text.

    Returns:
        In reading order. None of them is empty; a document without text has no pieces.

    Raises:
        OptionError: There is no such split.
    """
    chunker = chunker or LayoutChunker()
    if split == "chunk":
        budget = budget_of(chunker)
        leaves = leaves_of(chunker, document, budget)
        if include_failed:
            leaves = _with_placeholders(document, leaves)
        return tree_of(chunker, document, leaves, budget).chunks
    if split == "element":
        drafts = list(_element_drafts(document))
    elif split == "page":
        drafts = list(page_drafts(document))
    elif split == "document":
        return finish(document, _document_draft(document, include_failed), split, chunker.count)
    else:
        raise OptionError(f"split must be one of {', '.join(get_args(Split))}, not {split!r}")
    if include_failed:
        drafts = _with_placeholders(document, drafts)
    return finish(document, drafts, split, chunker.count)


def page_placeholder(page: ParsedPage) -> str:
    """The text that stands for a page without content; empty if it has some."""
    if page.status == "blank":
        return f"[page {page.number} is blank]"
    if page.status in ("failed", "partial") and not _has_words(page):
        reason = next((issue.message for issue in page.issues if issue.severity == "error"), "")
        reason = reason or next((issue.message for issue in page.issues), "no reason is known")
        return f"[page {page.number} could not be read: {reason}]"
    return ""


def _has_words(page: ParsedPage) -> bool:
    return any(embedded_words(element) for element in page.elements)


def _document_draft(document: ParsedDocument, include_failed: bool) -> Iterator[Draft]:
    body = body_of(document)
    words = "\n".join(filter(None, (embedded_words(placed.element) for placed in body)))
    text = document.to_markdown()
    placeholders = [page_placeholder(page) for page in document.pages] if include_failed else []
    if any(placeholders):
        parts = zip(document.pages, placeholders, strict=True)
        text = "\n\n".join(filter(None, (placeholder or page.to_markdown() for page, placeholder in parts)))
        words = "\n".join(filter(None, [words, *placeholders]))
    if not words:
        return
    spans = [whole_span(placed) for placed in body]
    with_elements = {span.page.number for span in spans}
    spans += [Span(page, None, None) for page in document.pages if page.number not in with_elements]
    yield Draft("text", text, words, tuple(spans), (), 0)


def _element_drafts(document: ParsedDocument) -> Iterator[Draft]:
    body = body_of(document)
    paths = outline(body)
    captions = bind_captions(body)
    for placed in body:
        words = embedded_words(placed.element)
        if not words:
            continue
        kind = kind_of(placed.element)
        table = placed.element.table
        rows = TableRows(placed.element.id, 1, 1, 0, table.n_rows) if table else TableRows()
        yield Draft(
            kind=kind,
            text=reader_text(placed.element),
            embed_text=words,
            spans=(whole_span(placed),),
            path=paths[placed.position],
            position=placed.position,
            caption=caption_words(captions.get(placed.position, ())),
            rows=rows,
        )


def _with_placeholders(document: ParsedDocument, drafts: list[Draft]) -> list[Draft]:
    """Placeholders at the places of their pages."""
    missing = [
        Draft(
            kind="text",
            text=text,
            embed_text=text,
            spans=(Span(page, None, None),),
            path=(),
            position=0,
            is_placeholder=page.status != "blank",
        )
        for page in document.pages
        if (text := page_placeholder(page))
    ]
    order = {id(page): index for index, page in enumerate(document.pages)}
    result: list[Draft] = []
    for draft in drafts:
        first = order[id(draft.spans[0].page)]
        while missing and order[id(missing[0].spans[0].page)] < first:
            result.append(missing.pop(0))
        result.append(draft)
    return [*result, *missing]
