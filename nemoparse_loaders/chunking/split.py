"""A parsed document in pieces of any size: the whole, its pages, its elements, or chunks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias, get_args

from ..document import Element, ParsedDocument, ParsedPage
from ..errors import OptionError
from .blocks import Draft, Span, TableRows, embedded_words, kind_of, reader_text, whole_span
from .body import body_of
from .budget import Budget
from .captions import bind_captions
from .chunk import Chunk
from .finish import finish
from .floats import caption_words
from .layout_chunker import ChunkTree, LayoutChunker, budget_of, leaves_of, tree_of
from .outline import outline
from .pages import markdown_of, page_drafts
from .selection import DEFAULT_SELECTION, Selection

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
        chunker: Makes the chunks, and for all pieces says which elements count, what is embedded, and how
            many tokens that is; only chunks keep to its budget.
        include_failed: Give blank and unreadable pages a piece with a marked text ("[page 3 could not be
            read: ...]"). Without it they have none, for embedders refuse empty text.

    Returns:
        In reading order. None of them is empty; a document without text has no pieces.

    Raises:
        OptionError: There is no such split.
    """
    chunker = chunker or LayoutChunker()
    if split == "chunk":
        return chunk_tree_of(document, chunker, include_failed=include_failed).chunks
    if split == "document":
        return finish(document, _document_draft(document, chunker, include_failed), split, chunker.count)
    if split == "element":
        drafts = list(_element_drafts(document, chunker))
    elif split == "page":
        plain = chunker.embed == "words"
        drafts = list(page_drafts(document, chunker.steps, chunker.selection, plain=plain))
    else:
        raise OptionError(f"split must be one of {', '.join(get_args(Split))}, not {split!r}")
    if include_failed:
        drafts = _with_placeholders(document, drafts)
    return finish(document, drafts, split, chunker.count)


def chunk_tree_of(document: ParsedDocument, chunker: LayoutChunker, *, include_failed: bool) -> ChunkTree:
    """As `LayoutChunker.chunk_tree`, on demand with a chunk for each blank or unreadable page."""
    budget = budget_of(chunker)
    leaves = leaves_of(chunker, document, budget)
    if include_failed:
        leaves = _with_placeholders(document, leaves, budget)
    return tree_of(chunker, document, leaves, budget)


def document_text(
    document: ParsedDocument, *, include_failed: bool = False, selection: Selection = DEFAULT_SELECTION
) -> str:
    """The text of the document as one piece: its own Markdown, or that of the elements which are chosen."""
    placeholders = [page_placeholder(page) for page in document.pages] if include_failed else []
    if selection == DEFAULT_SELECTION:
        if not any(placeholders):
            return document.to_markdown()
        texts = [page.to_markdown() for page in document.pages]
    else:
        on_page: dict[int, list[Element]] = {}
        for placed in body_of(document, selection=selection):
            on_page.setdefault(id(placed.page), []).append(placed.element)
        texts = [markdown_of(on_page.get(id(page), [])) for page in document.pages]
    if placeholders:
        texts = [placeholder or text for placeholder, text in zip(placeholders, texts, strict=True)]
    return "\n\n".join(filter(None, texts))


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


def _document_draft(
    document: ParsedDocument, chunker: LayoutChunker, include_failed: bool
) -> Iterator[Draft]:
    body = body_of(document, chunker.steps, chunker.selection)
    text = document_text(document, include_failed=include_failed, selection=chunker.selection)
    words = list(filter(None, (embedded_words(placed.element) for placed in body)))
    if include_failed:
        words += filter(None, map(page_placeholder, document.pages))
    if not words:
        return
    spans = [whole_span(placed) for placed in body]
    with_elements = {span.page.number for span in spans}
    spans += [Span(page, None, None) for page in document.pages if page.number not in with_elements]
    embed_text = "\n".join(words) if chunker.embed == "words" else text.strip()
    yield Draft("text", text, embed_text, tuple(spans), (), 0)


def _element_drafts(document: ParsedDocument, chunker: LayoutChunker) -> Iterator[Draft]:
    body = body_of(document, chunker.steps, chunker.selection)
    paths = outline(body, chunker.steps)
    captions = bind_captions(body) if chunker.steps.captions else {}
    for placed in body:
        words = embedded_words(placed.element, plain=chunker.embed == "words")
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


def _with_placeholders(
    document: ParsedDocument, drafts: list[Draft], budget: Budget | None = None
) -> list[Draft]:
    """Placeholders at the places of their pages, what is embedded of them within the budget."""
    missing = [
        Draft(
            kind="text",
            text=text,
            embed_text=budget.cut(text) if budget else text,
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
