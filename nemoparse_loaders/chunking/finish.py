"""Drafts to chunks: ids, metadata, and text that every store takes."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable

from ..document import ParsedDocument
from .blocks import Draft
from .chunk import Chunk
from .clean import storable
from .metadata import build_metadata
from .tokens import TokenCounter

# UUIDv5 of "nemoparse-loaders/chunk" in the namespace of URLs; part of every chunk id, so it never changes.
_NAMESPACE = uuid.UUID("640a178f-aeaa-5dac-a422-41fb5cbe85a5")


def finish(document: ParsedDocument, drafts: Iterable[Draft], split: str, count: TokenCounter) -> list[Chunk]:
    """The chunks of a document, in the order of the drafts.

    An id is made from the document's id, the kind of split and the places that the chunk comes from, never
    from its text: equal texts at different places have different ids, and the same place has the same id in
    every run.
    """
    chunks: list[Chunk] = []
    seen: Counter[str] = Counter()
    for index, draft in enumerate(drafts):
        place = _place(draft)
        key = f"{document.doc_id}\n{split}\n{place}\n{seen[place]}"
        seen[place] += 1
        chunk_id = str(uuid.uuid5(_NAMESPACE, storable(key)))
        embed_text = storable(draft.embed_text)
        chunks.append(
            Chunk(
                id=chunk_id,
                text=storable(draft.text),
                embed_text=embed_text,
                metadata=build_metadata(
                    document, draft, chunk_id=chunk_id, chunk_index=index, n_tokens=count(embed_text)
                ),
            )
        )
    return chunks


def _place(draft: Draft) -> str:
    return ",".join(
        f"p{span.page.number}" if span.element is None else f"{span.element.id}[{span.part}]"
        for span in draft.spans
    )
