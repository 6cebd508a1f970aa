"""A parsed document to retrieval-ready chunks."""

from __future__ import annotations

from .chunk import Chunk, ChunkSpan, MetadataValue
from .layout_chunker import ChunkTree, LayoutChunker
from .metadata import EMBED_KEYS, LLM_KEYS, METADATA_KEYS
from .split import Split, split_document
from .steps import Steps

__all__ = [
    "EMBED_KEYS",
    "LLM_KEYS",
    "METADATA_KEYS",
    "Chunk",
    "ChunkSpan",
    "ChunkTree",
    "LayoutChunker",
    "MetadataValue",
    "Split",
    "Steps",
    "split_document",
]
