"""The pages of a PDF, drawn by PDFium straight into PNG rows."""

from __future__ import annotations

import atexit
import ctypes
import io
import math
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from ..document import BBox, Issue
from ..errors import PageRenderError
from ..sources import Source
from .page_image import PageEvidence, PageGeometry, TextLayer
from .pages import DrawnPage
from .pdfium import PDFIUM_LOCK, document_text, open_pdf
from .png import Scanlines
from .region import RegionPixels, place_region, region_scale, with_margin
from .scaling import PixelSize, fit_page
from .settings import RenderSettings
from .user_unit import mentions_user_unit, user_unit

_LOW_DPI = 50.0
_HIDDEN_MODES = (pdfium_c.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium_c.FPDF_TEXTRENDERMODE_CLIP)
_MOST_TEXTS = 10_000
Box = tuple[float, float, float, float]
_FLAGS = pdfium_c.FPDF_ANNOT | pdfium_c.FPDF_REVERSE_BYTE_ORDER  # RGB, not BGR


# Documents that their users never closed; closing them at exit keeps the wrapper from complaining.
_STILL_OPEN: weakref.WeakSet[PdfPages] = weakref.WeakSet()


class PdfPages:
    """An open PDF. Every method takes PDFium's lock; encoding happens outside of it."""

    def __init__(self, source: Source, password: str | None) -> None:
        self._file_name = source.file_name
        with PDFIUM_LOCK:
            self._open = open_pdf(source, password)
            self._document = self._open.document
            self.issues = self._open.issues
            self.page_count = self._open.page_count
            self.title = document_text(partial(pdfium_c.FPDF_GetMetaText, self._document, b"Title\x00"))
            self._has_user_units: bool | None = None
            _STILL_OPEN.add(self)

    def close(self) -> None:
        """Close the document."""
        with PDFIUM_LOCK:
            _STILL_OPEN.discard(self)
            self._document.close()

    def geometry(self, number: int) -> PageGeometry:
        """Measure a page.

        Raises:
            PageRenderError: It cannot be loaded.
        """
        with PDFIUM_LOCK, self._page(number) as page:
            return self._measure(page, number)

    def draw(self, number: int, settings: RenderSettings) -> DrawnPage:
        """Draw a page with its annotations and form fields.

        Raises:
            PageRenderError: It cannot be loaded, has no size, or there is no memory for it.
        """
        with PDFIUM_LOCK, self._page(number) as page:
            geometry = self._measure(page, number)
            width, height = self._visible_size(page, number)
            size = fit_page(width, height, settings.max_image_size, _max_scale(settings, geometry))
            lines = self._paint(page, number, RegionPixels.whole(size.width, size.height))
            issues = [issue for issue in self.issues if issue.code == "forms_failed"]
            issues += _scale_issues(size, geometry, settings)
            is_blank = lines.is_uniform()
            if is_blank:
                issues += _undrawn_text(page, size.scale)
            text_layer, evidence = _read_text(page, geometry, lines, settings)
        located = tuple(issue.model_copy(update={"page": number}) for issue in issues)
        return DrawnPage(lines, geometry, is_blank, text_layer, evidence, located)

    def draw_region(self, number: int, settings: RenderSettings, box: BBox) -> tuple[DrawnPage, BBox]:
        """Draw a part of a page with its annotations and form fields.

        Raises:
            PageRenderError: As `draw`.
        """
        with PDFIUM_LOCK, self._page(number) as page:
            geometry = self._measure(page, number)
            width, height = self._visible_size(page, number)
            own = fit_page(width, height, settings.max_image_size, _max_scale(settings, geometry)).scale
            most = region_scale(own, width, height, geometry.user_unit)
            pixels = place_region(
                with_margin(box, width, height), width, height, settings.max_image_size, most
            )
            lines = self._paint(page, number, pixels)
        return DrawnPage(lines, geometry, lines.is_uniform()), pixels.box

    @contextmanager
    def _page(self, number: int) -> Iterator[pdfium.PdfPage]:
        try:
            page = self._document[number - 1]
        except pdfium.PdfiumError as error:
            raise PageRenderError(
                self._file_name, number, "the page is listed in the file but cannot be loaded"
            ) from error
        try:
            yield page
        finally:
            page.close()

    def _measure(self, page: pdfium.PdfPage, number: int) -> PageGeometry:
        width, height = page.get_size()
        unit = user_unit(self._document, number - 1) if self._knows_user_units() else 1.0
        label = document_text(partial(pdfium_c.FPDF_GetPageLabel, self._document, number - 1))
        return PageGeometry(
            number=number,
            label=label or str(number),
            width_pt=width * unit,
            height_pt=height * unit,
            rotation=page.get_rotation(),
            pdf_box=page.get_bbox(),
            user_unit=unit,
        )

    def _knows_user_units(self) -> bool:
        if self._has_user_units is None:
            content = self._open.content
            with content.open("rb") if isinstance(content, Path) else io.BytesIO(content) as stream:
                self._has_user_units = mentions_user_unit(stream)
        return self._has_user_units

    def _visible_size(self, page: pdfium.PdfPage, number: int) -> tuple[float, float]:
        width, height = page.get_size()
        if width > 0 and height > 0 and math.isfinite(width * height):
            return width, height
        reason = f"its visible area is {width:g} x {height:g} points: nothing to draw"
        raise PageRenderError(self._file_name, number, reason)

    def _paint(self, page: pdfium.PdfPage, number: int, size: RegionPixels) -> Scanlines:
        no_room = f"there is no memory for {size.width} x {size.height} pixels"
        try:
            lines = Scanlines.white(size.width, size.height)
        except (MemoryError, OverflowError) as error:
            raise PageRenderError(self._file_name, number, no_room) from error
        # PDFium writes the pixels behind each row's filter byte, so the rows need no copy afterwards.
        pixels = (ctypes.c_ubyte * (len(lines.buffer) - 1)).from_buffer(lines.buffer, 1)
        bitmap = pdfium_c.FPDFBitmap_CreateEx(
            size.width, size.height, pdfium_c.FPDFBitmap_BGR, pixels, lines.stride
        )
        if not bitmap:
            raise PageRenderError(self._file_name, number, no_room)
        try:
            # The page may reach beyond the bitmap on all sides; what does is not drawn.
            place = (bitmap, page, -size.left, -size.top, size.page_width, size.page_height, 0, _FLAGS)
            pdfium_c.FPDF_RenderPageBitmap(*place)
            if page.formenv:
                pdfium_c.FPDF_FFLDraw(page.formenv, *place)
        finally:
            pdfium_c.FPDFBitmap_Destroy(bitmap)
            del pixels
        lines.clear_filter_bytes()
        return lines


def _read_text(
    page: pdfium.PdfPage, geometry: PageGeometry, lines: Scanlines, settings: RenderSettings
) -> tuple[TextLayer | None, PageEvidence | None]:
    if not (settings.text_layer or settings.evidence):
        return None, None
    from .text_layer import read_text

    return read_text(page, geometry, lines, layer=settings.text_layer, evidence=settings.evidence)


def _max_scale(settings: RenderSettings, geometry: PageGeometry) -> float | None:
    return None if settings.dpi is None else settings.dpi / 72.0 * geometry.user_unit


def _scale_issues(size: PixelSize, geometry: PageGeometry, settings: RenderSettings) -> list[Issue]:
    dpi = size.scale * 72.0 / geometry.user_unit
    if dpi >= min(_LOW_DPI, settings.dpi * 0.99 if settings.dpi else _LOW_DPI):
        return []
    message = (
        f"The page of {geometry.width_pt:.0f} x {geometry.height_pt:.0f} points is drawn at {dpi:.1f} dpi to "
        f"fit {settings.max_image_size[0]} x {settings.max_image_size[1]} pixels: small text may be lost"
    )
    return [Issue(code="scale_capped", message=message)]


def _undrawn_text(page: pdfium.PdfPage, scale: float) -> list[Issue]:
    """Why a page without a mark on it, at that scale, still has text; nothing where it has none."""
    textpage = page.get_textpage()
    try:
        count = sum(not char.isspace() for char in textpage.get_text_range())
    finally:
        textpage.close()
    if count == 0:
        return []
    held = f"The page comes out empty though its text layer holds {count} characters: "
    if _means_to_show_text(page, scale):
        cause = (
            "a font that is not embedded is missing on this machine (for Chinese, Japanese and Korean "
            "install fonts-noto-cjk)"
        )
        return [Issue(code="fonts_missing", message=held + cause)]
    return [Issue(code="hidden_text", message=held + "the file itself hides them")]


def _means_to_show_text(page: pdfium.PdfPage, scale: float) -> bool:
    """Whether any text is drawn on the page, large enough, in a visible mode and not in white."""
    texts = page.get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_TEXT])
    box = page.get_bbox()
    return any(_is_visible(text) and _leaves_a_mark(text, box, scale) for text in islice(texts, _MOST_TEXTS))


def _leaves_a_mark(text: pdfium.PdfObject, page_box: Box, scale: float) -> bool:
    """Whether a text touches the page, is a pixel high, and does not cover the page in one colour."""
    if text.level > 0:
        return True  # its box is in a space of its own
    try:
        left, bottom, right, top = text.get_bounds()
        matrix = text.get_matrix()
    except pdfium.PdfiumError:
        return True
    page_left, page_bottom, page_right, page_top = page_box
    touches = left < page_right and right > page_left and bottom <= page_top and top >= page_bottom
    covers = left <= page_left and right >= page_right and bottom <= page_bottom and top >= page_top
    # The box of a font that is missing has no height: only the size of its letters says how high they are.
    size = ctypes.c_float()
    pdfium_c.FPDFTextObj_GetFontSize(text, size)
    height = size.value * math.hypot(matrix.c, matrix.d)
    return touches and not covers and height * scale >= 1


def _is_visible(text: pdfium.PdfObject) -> bool:
    if pdfium_c.FPDFTextObj_GetTextRenderMode(text) in _HIDDEN_MODES:
        return False
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not pdfium_c.FPDFPageObj_GetFillColor(text, red, green, blue, alpha):
        return True
    return alpha.value > 0 and min(red.value, green.value, blue.value) < 250


@atexit.register
def _close_all() -> None:
    # A thread that is still drawing holds the lock; the process must not wait for it.
    if PDFIUM_LOCK.acquire(timeout=1.0):
        try:
            for pages in list(_STILL_OPEN):
                pages.close()
        finally:
            PDFIUM_LOCK.release()
