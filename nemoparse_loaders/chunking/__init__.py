"""A parsed document to retrieval-ready chunks."""

from __future__ import annotations

from .chunk import Chunk, ChunkSpan, MetadataValue
from .layout_chunker import ChunkTree, Embed, LayoutChunker
from .metadata import EMBED_KEYS, LLM_KEYS, METADATA_KEYS
from .parents import Parents
from .selection import Treatment
from .split import Split, split_document
from .steps import Steps

__all__ = [
    "EMBED_KEYS",
    "LLM_KEYS",
    "METADATA_KEYS",
    "Chunk",
    "ChunkSpan",
    "ChunkTree",
    "Embed",
    "LayoutChunker",
    "MetadataValue",
    "Parents",
    "Split",
    "Steps",
    "Treatment",
    "split_document",
]
