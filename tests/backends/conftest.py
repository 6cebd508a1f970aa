"""What the tests of the server backends share: a page to send."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from PIL import Image, ImageDraw

from nemoparse_loaders.rendering.page_image import PageGeometry, PageImage


@pytest.fixture
def page() -> PageImage:
    return _draw_page(320, 200, "PNG")


@pytest.fixture
def make_page() -> Callable[..., PageImage]:
    """A function that draws a page: width, height, "PNG" or "JPEG"."""
    return _draw_page


def _draw_page(width: int = 320, height: int = 200, kind: str = "PNG") -> PageImage:
    picture = Image.new("RGB", (width, height), "white")
    ImageDraw.Draw(picture).rectangle((20, 20, width // 2, height // 2), outline="black", width=3)
    stream = io.BytesIO()
    picture.save(stream, kind)
    return PageImage(
        data=stream.getvalue(),
        media_type=f"image/{kind.lower()}",
        width=width,
        height=height,
        geometry=PageGeometry(1, "1", width * 0.75, height * 0.75),
    )


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test depends on the proxies and keys of the machine it runs on."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name in ("NVIDIA_API_KEY", "NEMOTRON_PARSE_API_KEY", "NEMOTRON_PARSE_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
