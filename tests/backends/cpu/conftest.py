"""Words and lines to read, models that see what a test wants, and pages drawn for a test."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from nemoparse_loaders.backends.cpu.geometry import Rect
from nemoparse_loaders.backends.cpu.models import FoundRegion, FoundText, Models
from nemoparse_loaders.backends.cpu.parts import Word
from nemoparse_loaders.rendering import PageRenderer, RenderSettings
from nemoparse_loaders.rendering.page_image import PageGeometry, PageImage
from nemoparse_loaders.sources import load_source

PageSize = tuple[float, float]


@dataclass
class SeeingModels:
    """Models that answer as they are told, and count what they are asked."""

    found_regions: list[FoundRegion] = field(default_factory=list)
    found_text: list[list[FoundText]] = field(default_factory=list)
    flipped: bool = False
    text_calls: int = 0

    def regions(self, picture: object) -> list[FoundRegion]:
        return self.found_regions

    def text(self, picture: object) -> list[FoundText]:
        self.text_calls += 1
        answers = self.found_text
        return answers[min(self.text_calls, len(answers)) - 1] if answers else []

    def upside_down(self, crops: Sequence[object]) -> int:
        return len(crops) if self.flipped else 0


@pytest.fixture
def seeing() -> type[SeeingModels]:
    return SeeingModels


@pytest.fixture(scope="session")
def models() -> Models:
    """The real models, loaded once."""
    return Models.load()


@pytest.fixture(scope="session")
def words_of() -> Callable[..., list[Word]]:
    """A function that sets words: a text at (x, y of its top), with half an em a letter."""
    return _set_words


def _set_words(
    text: str, x: float, y: float, *, size: float = 10.0, order: int = 0, gap: float = 0.3, **style: object
) -> list[Word]:
    words = []
    for index, part in enumerate(text.split()):
        width = 0.5 * size * len(part)
        box = Rect(x, y, x + width, y + size)
        words.append(Word(part, box, size, order=order + index, **style))  # type: ignore[arg-type]
        x += width + gap * size
    return words


@pytest.fixture(scope="session")
def draw_page() -> Callable[..., PageImage]:
    """A function that draws a PDF page and renders it with its text layer."""
    return _draw_page


def _draw_page(
    paint: Callable[[Canvas], None], size: PageSize = (595.0, 842.0), number: int = 1
) -> PageImage:
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=size, invariant=1)
    for _ in range(number - 1):
        canvas.showPage()
    paint(canvas)
    canvas.showPage()
    canvas.save()
    with PageRenderer(load_source(stream.getvalue())) as renderer:
        return renderer.render(number, RenderSettings(text_layer=True))


@pytest.fixture(scope="session")
def as_page() -> Callable[..., PageImage]:
    """A function that makes a page without a text layer from a picture."""
    return _as_page


def _as_page(picture: Image.Image, points_per_pixel: float = 0.5) -> PageImage:
    stream = io.BytesIO()
    picture.convert("RGB").save(stream, "PNG")
    width, height = picture.size
    geometry = PageGeometry(1, "1", width * points_per_pixel, height * points_per_pixel)
    return PageImage(stream.getvalue(), "image/png", width, height, geometry)
