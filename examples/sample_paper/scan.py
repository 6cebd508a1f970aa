"""A scan of some pages of a PDF: grey, a little crooked, a little dirty; the same for every run."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pypdfium2
from PIL import Image, ImageChops, ImageFilter

DPI = 200
_SKEWS = (0.6, -0.4)  # degrees
_GREY_LEVELS = 16


def write_scan(pdf: Path, page_numbers: Sequence[int], target: Path) -> None:
    """Write one TIFF with a frame for each of the 1-based page numbers."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        frames = [
            _scanned(document[number - 1].render(scale=DPI / 72, grayscale=True).to_pil(), index)
            for index, number in enumerate(page_numbers)
        ]
    finally:
        document.close()
    frames[0].save(
        target,
        save_all=True,
        append_images=frames[1:],
        compression="tiff_adobe_deflate",
        dpi=(DPI, DPI),
    )


def _scanned(page: Image.Image, seed: int) -> Image.Image:
    skew = _SKEWS[seed % len(_SKEWS)]
    crooked = page.rotate(skew, resample=Image.Resampling.BICUBIC, fillcolor=255)
    soft = crooked.filter(ImageFilter.GaussianBlur(0.7))
    noise = random.Random(seed)
    # Grain shows on the ink only: paper that is quite white keeps the file small.
    grain = Image.frombytes("L", soft.size, noise.randbytes(soft.width * soft.height)).point(lambda v: v // 8)
    inked = ImageChops.lighter(ImageChops.add(soft, grain), soft)
    step = 256 // _GREY_LEVELS
    levels = inked.point(lambda v: min(255, (v // step) * 255 // (_GREY_LEVELS - 1)))
    for _ in range(60):
        x, y = noise.randrange(levels.width - 3), noise.randrange(levels.height - 3)
        levels.paste(noise.randrange(90, 200), (x, y, x + noise.randrange(1, 3), y + noise.randrange(1, 3)))
    return levels
