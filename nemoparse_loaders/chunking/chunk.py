"""Chunk: one retrieval-ready piece of a document, and where it comes from."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from ..document import BBox

MetadataValue = str | int | float | bool

# What a piece is: a chunk of a `LayoutChunker`, one of its parents, or a piece of `split_document`.
ChunkLevel: TypeAlias = Literal["chunk", "element", "section", "page", "document"]

CHUNK_SCHEMA = "1"


class ChunkSpan(BaseModel):
    """One place that a chunk comes from.

    Attributes:
        element_id: "p3e7"; empty for a page that has no elements.
        page: From 1.
        bbox: 0..1 of the displayed page, origin top left; None where it is not known.
        start: First character of the part in the element's Markdown (its text where that is empty); None
            where the part is not counted in characters, as for rows of a table.
        end: Behind the last character.
        row_start: First row of the part in the element's own grid, repeated header rows at its top not
            counted; None where it is not counted in rows.
        row_end: Behind the last row.
        estimated: The box is a share of the element's box.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    element_id: str
    page: int
    bbox: BBox | None = None
    start: int | None = None
    end: int | None = None
    row_start: int | None = None
    row_end: int | None = None
    estimated: bool = False


class Chunk(BaseModel):
    """One piece of a document, ready for an index.

    Attributes:
        id: UUID, the same for the same document and place over runs.
        text: For the reader, as Markdown.
        embed_text: For the embedder: heading path and caption in front, no table marks.
        metadata: Flat scalars; every chunk has the same keys with the same types (see `METADATA_KEYS`).
        level: "chunk", or "section" and "page" for parents; "element", "page" and "document" for the pieces
            of `split_document`.
        spans: Where it comes from, in reading order.
        parent_id: Id of the section or page that it belongs to; empty where there is none.
        previous_id: Id of the piece before it under the same parent, for chunks in the whole document; empty
            for the first.
        next_id: Id of the one behind it; empty for the last.
        schema_version: Version of this form.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    text: str
    embed_text: str
    metadata: dict[str, MetadataValue]
    level: ChunkLevel = "chunk"
    spans: tuple[ChunkSpan, ...] = ()
    parent_id: str = ""
    previous_id: str = ""
    next_id: str = ""
    schema_version: str = CHUNK_SCHEMA

    def to_json(self, *, indent: int | None = None) -> str:
        """JSON that `from_json` reads back to an equal chunk."""
        return self.model_dump_json(indent=indent)

    @classmethod
    def from_json(cls, data: str | bytes) -> Chunk:
        """Read what `to_json` wrote.

        Raises:
            pydantic.ValidationError: The text is no such chunk.
        """
        return cls.model_validate_json(data)
