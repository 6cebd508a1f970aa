"""Any input to a Source that knows what it is."""

from __future__ import annotations

from .detection import SUPPORTED_TYPES
from .page_range import parse_page_range
from .source import FileStamp, Source, load_source

__all__ = ["SUPPORTED_TYPES", "FileStamp", "Source", "load_source", "parse_page_range"]
