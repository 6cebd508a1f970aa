"""A page of a source to a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .page_image import PageBand, PageGeometry, PageImage, TextLayer, TextWord
from .renderer import PageRenderer
from .settings import RenderSettings

if TYPE_CHECKING:
    from .pool import OpenedSource, RenderPool

__all__ = [
    "OpenedSource",
    "PageBand",
    "PageGeometry",
    "PageImage",
    "PageRenderer",
    "RenderPool",
    "RenderSettings",
    "TextLayer",
    "TextWord",
]


def __getattr__(name: str) -> object:
    # A child process that draws imports this package and needs no event loop.
    if name in ("OpenedSource", "RenderPool"):
        from . import pool

        return getattr(pool, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
