"""LlamaIndex node parser: layout-aware chunks, on NVIDIA Nemotron Parse."""

from __future__ import annotations

from .base import NemotronParseNodeParser
from .nodes import NemotronParseImageNode, NemotronParseNode

__all__ = ["NemotronParseImageNode", "NemotronParseNode", "NemotronParseNodeParser"]
