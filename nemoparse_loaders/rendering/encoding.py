"""Drawn pixels to an encoded picture, within a limit of bytes where there is one."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from ..document import Issue
from .page_image import PageImage
from .pages import DrawnPage
from .png import Scanlines, encode_png
from .settings import MIN_SIDE, RenderSettings

if TYPE_CHECKING:
    from PIL.Image import Image

# Each is tried at full size before pixels are given up; below 60 letters grow halos.
_QUALITIES = (95, 85, 75, 60)
_SMALLER = 0.8


def encode_page(page: DrawnPage, settings: RenderSettings) -> PageImage:
    """Encode as PNG; above ``max_image_bytes`` as JPEG, of lower quality or size as far as needed."""
    lines = page.lines
    data = encode_png(lines)
    media_type, width, height, issues = "image/png", lines.width, lines.height, page.issues
    limit = settings.max_image_bytes
    if limit is not None and len(data) > limit:
        png_bytes = len(data)
        data, quality, (width, height) = _reduced(lines, limit)
        media_type = "image/jpeg"
        issue = Issue(
            code="image_reduced",
            message=f"As PNG the picture has {png_bytes:,} bytes, above the limit of {limit:,}: sent as JPEG "
            f"of quality {quality} and {width} x {height} pixels ({len(data):,} bytes)",
            page=page.geometry.number,
        )
        issues = (*issues, issue)
    return PageImage(
        data=data,
        media_type=media_type,
        width=width,
        height=height,
        geometry=page.geometry,
        is_blank=page.is_blank,
        text_layer=page.text_layer,
        evidence=page.evidence,
        issues=issues,
    )


def _reduced(lines: Scanlines, limit: int) -> tuple[bytes, int, tuple[int, int]]:
    """The best JPEG within the limit, or the smallest there is where nothing fits."""
    from PIL import Image

    image = Image.frombytes(
        "RGB", (lines.width, lines.height), bytes(memoryview(lines.buffer)[1:]), "raw", "RGB", lines.stride, 1
    )
    for quality in _QUALITIES:
        data = _jpeg(image, quality)
        if len(data) <= limit:
            return data, quality, image.size
    while min(image.size) > MIN_SIDE:
        smaller = (max(MIN_SIDE, int(image.width * _SMALLER)), max(MIN_SIDE, int(image.height * _SMALLER)))
        image = image.resize(smaller, Image.Resampling.LANCZOS)
        data = _jpeg(image, _QUALITIES[-1])
        if len(data) <= limit:
            break
    return data, _QUALITIES[-1], image.size


def _jpeg(image: Image, quality: int) -> bytes:
    # Never subsample the colours: it costs coloured text 18 dB.
    out = io.BytesIO()
    image.save(out, "JPEG", quality=quality, subsampling="4:4:4")
    return out.getvalue()
