"""Chunk: one retrieval-ready piece of a document."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

MetadataValue = str | int | float | bool


class Chunk(BaseModel):
    """One piece of a document, ready for an index.

    Attributes:
        id: UUID, the same for the same document and place over runs.
        text: For the reader, as Markdown.
        embed_text: For the embedder: heading path and caption in front, no table marks.
        metadata: Flat scalars; every chunk has the same keys with the same types (see `METADATA_KEYS`).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    text: str
    embed_text: str
    metadata: dict[str, MetadataValue]
