"""A page of a source to a picture. What draws in child processes is in `rendering.pool`."""

from __future__ import annotations

from .page_image import PageBand, PageGeometry, PageImage, PageRegion, TextLayer, TextWord
from .renderer import PageRenderer
from .settings import RenderSettings

# Without the pool: a child process that draws imports this package, and needs no event loop.
__all__ = [
    "PageBand",
    "PageGeometry",
    "PageImage",
    "PageRegion",
    "PageRenderer",
    "RenderSettings",
    "TextLayer",
    "TextWord",
]
