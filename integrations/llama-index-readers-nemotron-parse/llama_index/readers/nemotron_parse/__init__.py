"""LlamaIndex reader for PDFs and images, on NVIDIA Nemotron Parse."""

from __future__ import annotations

from .base import NemotronParseReader
from .document import NemotronParseDocument

__all__ = ["NemotronParseDocument", "NemotronParseReader"]
