"""One piece for each picture and chart of a document, also for those without words."""

from __future__ import annotations

from ..document import ElementType, ParsedDocument
from .blocks import Draft, embedded_words, kind_of, reader_text, whole_span
from .body import body_of
from .captions import bind_captions
from .chunk import Chunk
from .finish import finish
from .floats import caption_words
from .layout_chunker import LayoutChunker
from .outline import outline

_FIGURES = frozenset({ElementType.PICTURE.value, ElementType.CHART.value})


def figure_chunks(document: ParsedDocument, chunker: LayoutChunker | None = None) -> list[Chunk]:
    """A piece for each picture and chart: its words and its caption, or where it stands.

    Args:
        document: What was parsed.
        chunker: Counts the tokens; the pieces are not cut. Where it drops pictures there are none of them.

    Returns:
        In reading order, with the usual metadata keys. What has neither words nor a caption says
        "Figure on page 3" or "Chart on page 3", for embedders refuse empty text.
    """
    chunker = chunker or LayoutChunker()
    body = body_of(document, selection=chunker.selection)
    paths = outline(body)
    captions = bind_captions(body)
    drafts = []
    for placed in body:
        if placed.element.type not in _FIGURES:
            continue
        caption = caption_words(captions.get(placed.position, ()))
        words = embedded_words(placed.element)
        name = "Chart" if placed.element.type == ElementType.CHART.value else "Figure"
        unnamed = "" if words or caption else f"{name} on page {placed.page.number}"
        path = " > ".join(heading.text for heading in paths[placed.position])
        drafts.append(
            Draft(
                kind=kind_of(placed.element),
                text="\n\n".join(
                    filter(None, (reader_text(placed.element) if words else "", caption, unnamed))
                ),
                embed_text="\n".join(filter(None, (path, caption, words, unnamed))),
                spans=(whole_span(placed),),
                path=paths[placed.position],
                position=placed.position,
                caption=caption,
            )
        )
    return finish(document, drafts, "element", chunker.count)
