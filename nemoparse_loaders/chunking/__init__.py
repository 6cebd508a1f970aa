"""A parsed document to retrieval-ready chunks."""

from __future__ import annotations

from .chunk import Chunk, MetadataValue
from .layout_chunker import LayoutChunker
from .metadata import EMBED_KEYS, LLM_KEYS, METADATA_KEYS
from .split import Split, split_document

__all__ = [
    "EMBED_KEYS",
    "LLM_KEYS",
    "METADATA_KEYS",
    "Chunk",
    "LayoutChunker",
    "MetadataValue",
    "Split",
    "split_document",
]
