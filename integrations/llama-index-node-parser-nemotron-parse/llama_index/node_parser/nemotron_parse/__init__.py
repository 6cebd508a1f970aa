"""LlamaIndex node parser: layout-aware chunks, on NVIDIA Nemotron Parse."""

from __future__ import annotations

from .base import NemotronParseNodeParser

__all__ = ["NemotronParseNodeParser"]
