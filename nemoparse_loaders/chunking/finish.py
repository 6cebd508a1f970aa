"""Drafts to chunks: ids, metadata, relations, and text that every store takes."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..document import BBox, ParsedDocument
from .blocks import Draft, Span
from .boxes import BoxesOfPages
from .chunk import Chunk, ChunkLevel, ChunkSpan
from .clean import storable
from .furniture import printed_labels
from .metadata import build_metadata
from .tokens import TokenCounter

# UUIDv5 of "nemoparse-loaders/chunk" in the namespace of URLs; part of every chunk id, so it never changes.
_NAMESPACE = uuid.UUID("640a178f-aeaa-5dac-a422-41fb5cbe85a5")


def finish(
    document: ParsedDocument,
    drafts: Iterable[Draft],
    level: ChunkLevel,
    count: TokenCounter,
    parents: Sequence[str] | None = None,
) -> list[Chunk]:
    """The chunks of a document, in the order of the drafts.

    Args:
        document: Where they come from.
        drafts: In reading order.
        level: What the pieces are.
        count: Counts the tokens of what is embedded.
        parents: Id of each draft's parent, "" for none; left out where no draft has one.
    """
    drafts = [replace(draft, spans=tuple(map(_within_page, draft.spans))) for draft in drafts]
    parents = parents or [""] * len(drafts)
    ids = chunk_ids(document, drafts, level)
    before, behind = _neighbours(ids, parents if level == "section" else [""] * len(ids))
    labels = printed_labels(document)
    places = BoxesOfPages()
    chunks: list[Chunk] = []
    for index, (draft, chunk_id, parent_id) in enumerate(zip(drafts, ids, parents, strict=True)):
        embed_text = storable(draft.embed_text)
        chunks.append(
            Chunk(
                id=chunk_id,
                text=storable(draft.text),
                embed_text=embed_text,
                metadata=build_metadata(
                    document,
                    draft,
                    chunk_id=chunk_id,
                    parent_id=parent_id,
                    chunk_index=index,
                    n_tokens=count(embed_text),
                    labels=labels,
                    places=places,
                ),
                level=level,
                spans=tuple(map(_span, draft.spans)),
                parent_id=parent_id,
                previous_id=before[index],
                next_id=behind[index],
            )
        )
    return chunks


def chunk_ids(document: ParsedDocument, drafts: Sequence[Draft], level: ChunkLevel) -> list[str]:
    """An id for each draft.

    It is made from the document's id, the level and the places that the draft comes from, never from its
    text: equal texts at different places have different ids, and the same place has the same id in every run.
    The parts of an element are numbered, so that a letter more in one of them changes no id.
    """
    ids: list[str] = []
    seen: Counter[str] = Counter()
    parts: Counter[str] = Counter()
    for draft in drafts:
        place = ",".join(_place(span, parts) for span in draft.spans)
        ids.append(
            str(uuid.uuid5(_NAMESPACE, storable(f"{document.doc_id}\n{level}\n{place}\n{seen[place]}")))
        )
        seen[place] += 1
    return ids


def _neighbours(ids: Sequence[str], families: Sequence[str]) -> tuple[list[str], list[str]]:
    """For each id the one before and the one behind it in the same family; "" at the ends."""
    before, behind = [""] * len(ids), [""] * len(ids)
    last: dict[str, int] = {}
    for index, family in enumerate(families):
        if family in last:
            before[index] = ids[last[family]]
            behind[last[family]] = ids[index]
        last[family] = index
    return before, behind


def _place(span: Span, parts: Counter[str]) -> str:
    """The element, and which part of it; ``parts`` counts those before."""
    if span.element is None:
        return f"p{span.page.number}"
    if not span.estimated:
        return f"{span.element.id}[]"
    place = span.element.id if span.rows is None else f"{span.element.id}[rows {span.rows[0]}:{span.rows[1]}]"
    parts[place] += 1
    return f"{place}[{parts[place] - 1}]"


def _within_page(span: Span) -> Span:
    """Boxes of layouts that were written by hand may be anywhere."""
    box = None if span.bbox is None else BBox.clamped(*span.bbox)
    return span if box == span.bbox else replace(span, bbox=box)


def _span(span: Span) -> ChunkSpan:
    if span.element is None:
        return ChunkSpan(element_id="", page=span.page.number, bbox=span.bbox)
    start, end = span.start, span.end
    rows = span.rows
    if not span.estimated:
        start, end = 0, len(span.element.markdown or span.element.text)
        if span.element.table is not None:
            rows = (0, span.element.table.n_rows)
    return ChunkSpan(
        element_id=storable(span.element.id),
        page=span.page.number,
        bbox=span.bbox,
        start=start,
        end=end,
        row_start=rows and rows[0],
        row_end=rows and rows[1],
        estimated=span.estimated and span.bbox is not None,
    )
