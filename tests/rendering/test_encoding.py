from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from PIL import Image, ImageChops, ImageStat

from nemoparse_loaders.rendering import PageGeometry, PageImage, RenderSettings
from nemoparse_loaders.rendering.encoding import encode_page
from nemoparse_loaders.rendering.pages import DrawnPage
from nemoparse_loaders.rendering.png import Scanlines

Decoded = Callable[[PageImage], Image.Image]


@pytest.fixture(scope="module")
def noisy() -> Image.Image:
    """A picture that PNG cannot pack and JPEG can, with coloured edges."""
    grain = Image.frombytes("RGB", (60, 80), random.Random(1).randbytes(60 * 80 * 3))
    return grain.resize((600, 800), Image.Resampling.BICUBIC)


def encode(image: Image.Image, limit: int | None) -> PageImage:
    rows = image.tobytes("raw", "RGB", 3 * image.width + 1, 1)
    page = DrawnPage(Scanlines.from_rgb(*image.size, rows), PageGeometry(3, "iii", 300, 400), False)
    return encode_page(page, RenderSettings(max_image_bytes=limit))


def test_png_unless_it_is_too_large(noisy: Image.Image, decoded: Decoded) -> None:
    page = encode(noisy, None)
    assert page.media_type == "image/png"
    assert page.issues == ()
    assert ImageChops.difference(decoded(page), noisy).getbbox() is None
    assert encode(noisy, len(page.data)).data == page.data


def test_jpeg_at_its_best_then_worse_then_smaller(noisy: Image.Image, decoded: Decoded) -> None:
    png = len(encode(noisy, None).data)
    first = encode(noisy, png - 1)
    assert first.media_type == "image/jpeg"
    assert (first.width, first.height) == noisy.size
    difference = ImageStat.Stat(ImageChops.difference(decoded(first), noisy))
    assert max(difference.mean) < 3  # 4:2:0 would smear the colours
    worse = encode(noisy, len(first.data) - 1)
    assert (worse.width, worse.height) == noisy.size
    assert len(worse.data) < len(first.data)
    smaller = encode(noisy, 12_000)
    assert smaller.width < noisy.width
    assert smaller.width / smaller.height == pytest.approx(0.75, abs=0.02)
    for page, limit in [(first, png - 1), (worse, len(first.data) - 1), (smaller, 12_000)]:
        decoded(page)
        assert len(page.data) <= limit
        assert [(issue.code, issue.page) for issue in page.issues] == [("image_reduced", 3)]
        assert f"{page.width} x {page.height}" in page.issues[0].message


def test_a_limit_that_nothing_meets_gives_the_smallest(noisy: Image.Image, decoded: Decoded) -> None:
    page = encode(noisy, 1)
    assert min(decoded(page).size) == 16
