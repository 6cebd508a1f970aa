"""A page of a source to a picture."""

from __future__ import annotations

from .page_image import PageGeometry, PageImage, TextLayer, TextWord
from .renderer import PageRenderer
from .settings import RenderSettings

__all__ = ["PageGeometry", "PageImage", "PageRenderer", "RenderSettings", "TextLayer", "TextWord"]
