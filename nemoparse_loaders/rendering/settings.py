"""RenderSettings: how large and in which form pages are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import OptionError

MIN_SIDE = 16
"""Shortest side of a picture in pixels. Vision servers fail on slivers, some for good."""


@dataclass(frozen=True, slots=True)
class RenderSettings:
    """How pages are drawn. Hashable: it is part of a page's identity in a cache.

    Attributes:
        max_image_size: Largest (width, height) in pixels.
        dpi: Resolution of PDF pages, capped by ``max_image_size``; None draws as large as that allows.
        text_layer: Whether to read the PDF's text layer as well.
        evidence: Whether to take down the words that the file stores, as a witness (`PageEvidence`).
        max_image_bytes: Largest encoded picture; above it JPEG is used, then lower quality, then fewer
            pixels. None is no limit.

    Raises:
        OptionError: A value cannot work.
    """

    max_image_size: tuple[int, int] = (1664, 2048)
    dpi: float | None = None
    text_layer: bool = False
    evidence: bool = False
    max_image_bytes: int | None = None

    def __post_init__(self) -> None:
        if min(self.max_image_size) < MIN_SIDE:
            raise OptionError(f"max_image_size must be at least {MIN_SIDE} pixels either way")
        if self.dpi is not None and not 0 < self.dpi < float("inf"):
            raise OptionError("dpi must be a number above 0")
        if self.max_image_bytes is not None and self.max_image_bytes < 1:
            raise OptionError("max_image_bytes must be above 0")
