"""LangChain loader, blob parser and chunker, on NVIDIA Nemotron Parse."""

from __future__ import annotations

from .blob_parser import NemotronParseBlobParser
from .chunker import NemotronParseChunker
from .documents import NemotronParseDocument
from .loader import NemotronParseLoader

__all__ = [
    "NemotronParseBlobParser",
    "NemotronParseChunker",
    "NemotronParseDocument",
    "NemotronParseLoader",
]
