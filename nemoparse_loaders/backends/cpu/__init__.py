"""The embedded engine: digital pages from their text layer, scans through OCR, on the CPU and offline."""

from __future__ import annotations

from .backend import CpuBackend

__all__ = ["CpuBackend"]
