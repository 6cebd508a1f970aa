"""One piece for each picture and chart of a document, also for those without words."""

from __future__ import annotations

from collections.abc import Sequence

from ..document import ElementType, ParsedDocument
from .blocks import Draft, embedded_words, kind_of, reader_text, whole_span
from .body import body_of
from .budget import Budget
from .captions import bind_captions
from .chunk import Chunk
from .clean import storable
from .finish import finish
from .floats import Float, caption_words
from .layout_chunker import LayoutChunker, budget_of
from .outline import outline

_FIGURES = frozenset({ElementType.PICTURE.value, ElementType.CHART.value})


def figure_chunks(
    document: ParsedDocument, chunker: LayoutChunker | None = None, *, beside: Sequence[Chunk] = ()
) -> list[Chunk]:
    """A piece for each picture and chart: its words and its caption, or where it stands.

    Args:
        document: What was parsed.
        chunker: What is embedded keeps to its budget; the text is whole. Where it drops pictures there are
            none of them.
        beside: Pieces of the same document: figures that are among them are left out, and the others are
            numbered behind them.

    Returns:
        In reading order, with the usual metadata keys. What has neither words nor a caption says
        "Figure on page 3" or "Chart on page 3", for embedders refuse empty text. Of a caption that is too
        long to stand before its figure, and so is running text of its own, only the beginning is said.
    """
    chunker = chunker or LayoutChunker()
    budget = budget_of(chunker)
    body = body_of(document, chunker.steps, chunker.selection)
    paths = outline(body, chunker.steps)
    captions = bind_captions(body) if chunker.steps.captions else {}
    known = {
        span.element_id
        for chunk in beside
        if chunk.metadata["chunk_type"] in ("figure", "chart")
        for span in chunk.spans
    }
    drafts = [
        _draft(
            Float(placed, paths[placed.position], caption_words(captions.get(placed.position, ()))), budget
        )
        for placed in body
        if placed.element.type in _FIGURES and storable(placed.element.id) not in known
    ]
    chunks = finish(document, drafts, "element", budget.count)
    return [_numbered(chunk, index) for index, chunk in enumerate(chunks, start=len(beside))]


def _draft(figure: Float, budget: Budget) -> Draft:
    element, page = figure.placed.element, figure.placed.page
    caption = figure.caption if budget.holds_caption(figure.caption) else figure.brief(budget)
    words = embedded_words(element, plain=budget.plain)
    name = "Chart" if element.type == ElementType.CHART.value else "Figure"
    unnamed = "" if words or caption else f"{name} on page {page.number}"
    prefix = budget.prefix(figure.path, caption)
    said = words or unnamed
    embed_text = budget.seam.join(part for part in (prefix, said) if part)
    return Draft(
        kind=kind_of(element),
        text="\n\n".join(filter(None, (reader_text(element) if words else "", caption, unnamed))),
        embed_text=budget.cut(embed_text),
        spans=(whole_span(figure.placed),),
        path=figure.path,
        position=figure.position,
        caption=figure.caption,
    )


def _numbered(chunk: Chunk, index: int) -> Chunk:
    return chunk.model_copy(update={"metadata": {**chunk.metadata, "chunk_index": index}})
