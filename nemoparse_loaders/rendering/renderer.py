"""PageRenderer: the pages of a source as pictures that can be sent."""

from __future__ import annotations

from dataclasses import replace
from types import TracebackType
from typing import NoReturn

from ..document import BBox, Issue
from ..errors import PageRenderError
from ..sources import Source
from .bands import bands_that_fit, box_for_bands, cut_page
from .encoding import encode_page
from .page_image import PageBand, PageGeometry, PageImage, PageRegion
from .pages import Pages
from .settings import RenderSettings


class PageRenderer:
    """Opens a source on entering ``with`` and closes it on leaving.

    May be used from several threads: PDFium works under one lock a process, encoding runs beside it. It does
    not go to other processes; send the `Source`, which pickles, and open it there.

    Args:
        source: What to draw.
        password: For an encrypted PDF.

    Raises (on entering):
        SourceError: One of its subclasses, which names the file and says what is wrong.
    """

    def __init__(self, source: Source, password: str | None = None) -> None:
        self._source = source
        self._password = password
        self._pages: Pages | None = None

    def __enter__(self) -> PageRenderer:
        if self._pages is not None:
            raise RuntimeError("the PageRenderer is open already")
        self._pages = _open_pages(self._source, self._password)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the source; more than once is fine."""
        pages, self._pages = self._pages, None
        if pages is not None:
            pages.close()

    def __del__(self) -> None:
        self.close()  # under the lock, which the wrapper's own finalizer would not take

    def __getstate__(self) -> NoReturn:
        raise TypeError("a PageRenderer holds an open file; send its Source and open it there")

    @property
    def page_count(self) -> int:
        """Pages of the file, also those that cannot be drawn."""
        return self._opened().page_count

    @property
    def title(self) -> str:
        """The title that the file gives itself, or empty."""
        return self._opened().title

    @property
    def issues(self) -> tuple[Issue, ...]:
        """What is to know about the file as a whole: attachments, XFA, frames left out."""
        return self._opened().issues

    def geometry(self, page_number: int) -> PageGeometry:
        """Measure a page without drawing it.

        Args:
            page_number: From 1.

        Raises:
            PageRenderError: There is no such page, or it cannot be loaded.
        """
        return self._checked(page_number).geometry(page_number)

    def render(self, page_number: int, settings: RenderSettings | None = None) -> PageImage:
        """Draw a page.

        Args:
            page_number: From 1.
            settings: How; None for the defaults.

        Raises:
            PageRenderError: There is no such page, or it cannot be drawn.
        """
        settings = settings or RenderSettings()
        return encode_page(self._checked(page_number).draw(page_number, settings), settings)

    def render_bands(self, page_number: int, settings: RenderSettings, count: int) -> tuple[PageBand, ...]:
        """Draw a page as bands from top to bottom, cut along its white space, as equal as that allows.

        A long page is drawn larger than it would be as a whole: each band alone keeps to the size. What is to
        know about the page stands on the page's own picture and is not said again.

        Args:
            page_number: From 1.
            settings: How; text layer and evidence are not read.
            count: Bands wanted; fewer come where they would be less than `bands.MIN_BAND` pixels high.

        Raises:
            PageRenderError: There is no such page, or it cannot be drawn.
        """
        pages = self._checked(page_number)
        plain = replace(settings, text_layer=False, evidence=False)
        large = replace(plain, max_image_size=box_for_bands(settings.max_image_size, count))
        page = pages.draw(page_number, large)
        if bands_that_fit(page.lines.height, count) < count:
            page = pages.draw(page_number, plain)  # so that the fewer bands fit in as well
        return tuple(
            PageBand(encode_page(part, settings), top, bottom) for part, top, bottom in cut_page(page, count)
        )

    def render_region(self, page_number: int, settings: RenderSettings, box: BBox) -> PageRegion:
        """Draw a part of a page larger than it is on the page's own picture.

        It has a margin (`region.MARGIN`) and is as large as ``max_image_size`` allows, but at most
        `region.MOST_TIMES_LARGER` times as large as on the page and of `region.MOST_DPI`, and never larger
        than an image's own pixels. Only that part is drawn. What is to know about the page stands on the
        page's own picture and is not said again.

        Args:
            page_number: From 1.
            settings: How the page is drawn; text layer and evidence are not read.
            box: What to show, 0..1 of the displayed page.

        Raises:
            PageRenderError: There is no such page, or it cannot be drawn.
        """
        part, shown = self._checked(page_number).draw_region(page_number, settings, BBox.clamped(*box))
        return PageRegion(encode_page(part, settings), shown)

    def _checked(self, page_number: int) -> Pages:
        pages = self._opened()
        if not 1 <= page_number <= pages.page_count:
            raise PageRenderError(
                self._source.file_name, page_number, f"there is no such page; the file has {pages.page_count}"
            )
        return pages

    def _opened(self) -> Pages:
        if self._pages is None:
            raise RuntimeError(
                "the PageRenderer is not open; use it as: with PageRenderer(source) as renderer"
            )
        return self._pages


def _open_pages(source: Source, password: str | None) -> Pages:
    # Imported here: PDFium and Pillow are loaded only for the sources that need them.
    if source.media_type == "application/pdf":
        from .pdf_pages import PdfPages

        return PdfPages(source, password)
    from .image_pages import ImagePages

    return ImagePages(source)
