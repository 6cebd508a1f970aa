"""What every kind of source is to the renderer: numbered pages that can be measured and drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..document import BBox, Issue
from .page_image import PageEvidence, PageGeometry, TextLayer
from .png import Scanlines
from .settings import RenderSettings


@dataclass(frozen=True, slots=True)
class DrawnPage:
    """A page's pixels, not encoded yet.

    Attributes:
        lines: The pixels.
        geometry: The page that they show.
        is_blank: Every pixel has the same colour.
        text_layer: Where it was asked for and there is one.
        evidence: Likewise.
        issues: What had to be changed to draw it.
    """

    lines: Scanlines
    geometry: PageGeometry
    is_blank: bool
    text_layer: TextLayer | None = None
    evidence: PageEvidence | None = None
    issues: tuple[Issue, ...] = ()


class Pages(Protocol):
    """An open source. Numbers count from 1 and are checked by the caller."""

    @property
    def page_count(self) -> int:
        """Pages, also those that cannot be loaded."""
        ...

    @property
    def title(self) -> str:
        """The title that the file gives itself, or empty."""
        ...

    @property
    def issues(self) -> tuple[Issue, ...]:
        """About the file as a whole."""
        ...

    def geometry(self, number: int) -> PageGeometry:
        """Measure a page without drawing it."""
        ...

    def draw(self, number: int, settings: RenderSettings) -> DrawnPage:
        """Draw a page."""
        ...

    def draw_region(self, number: int, settings: RenderSettings, box: BBox) -> tuple[DrawnPage, BBox]:
        """Draw a part of a page, see `PageRenderer.render_region`; and which part that is."""
        ...

    def close(self) -> None:
        """Give everything back; more than once is fine."""
        ...
