"""What a PDF page's text objects say about their characters: size, direction, font, whether they show."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from .page_image import PageGeometry

_SUBSET_PREFIX = re.compile(r"^[A-Z]{6}\+")
# The names of the Computer Modern faces say weight and slope in their own way: cmbx10, cmti10, cmtt10.
_BOLD_NAME = re.compile(r"bold|black|heavy|demi|[-,]b(?:i|d)?$|^(?:cm|sf|lm)[a-z]*bx|^cmb\d", re.IGNORECASE)
_ITALIC_NAME = re.compile(r"ital|obli|[-,]b?i$|slanted|^(?:cm|sf)(?:ti|sl|mi|bxti|bxsl)\d", re.IGNORECASE)
_MONO_NAME = re.compile(
    r"courier|mono|consol|menlo|typewriter|^(?:cm|sf|lm)[a-z]*tt|inconsolata", re.IGNORECASE
)
_FIXED_PITCH, _ITALIC_FLAG, _FORCE_BOLD = 1 << 0, 1 << 6, 1 << 18
_BOLD_WEIGHT = 600
_INVISIBLE = 3


class Style(NamedTuple):
    """What one text object says about its characters; ``size`` in points on the displayed page."""

    size: float
    font: str = ""
    bold: bool = False
    italic: bool = False
    mono: bool = False
    angle: float = 0.0
    visible: bool = True


NO_STYLE = Style(0.0)


def plain_function(function: Any, result: Any, *further: Any) -> Callable[..., Any]:
    """One of PDFium's functions of a text page and an index that takes addresses as plain integers.

    Args:
        function: As pypdfium2 has it.
        result: The type of its result.
        *further: Types of further arguments.
    """
    address = ctypes.cast(function, ctypes.c_void_p).value
    return ctypes.CFUNCTYPE(result, ctypes.c_void_p, ctypes.c_int, *further)(address or 0)


def address_of(handle: Any) -> int:
    """The address of an object of PDFium."""
    return ctypes.cast(handle, ctypes.c_void_p).value or 0


class StyleReader:
    """Finds the style of a character: asked once a text object, and the font once a font.

    Args:
        pdfium_c: pypdfium2's raw functions.
        text_page: An open text page.
        geometry: The page's place.
        fonts: Whether to read names, weights and slopes.
    """

    def __init__(self, pdfium_c: Any, text_page: Any, geometry: PageGeometry, *, fonts: bool) -> None:
        self._c = pdfium_c
        self._text_page = text_page
        self._rotation = geometry.rotation
        self._unit = geometry.user_unit
        self._with_fonts = fonts
        self._styles: dict[int, Style] = {}
        self._fonts: dict[int, tuple[str, bool, bool, bool]] = {}
        # Pointers as plain integers: comparing ctypes pointers costs more than the call.
        self._object_of = plain_function(pdfium_c.FPDFText_GetTextObject, ctypes.c_void_p)
        self._handle = address_of(text_page)

    def text_object(self, index: int) -> int | None:
        """The address of the text object that a character belongs to; None for one that PDFium made up."""
        found: int | None = self._object_of(self._handle, index)
        return found

    def style(self, index: int, key: int | None) -> Style:
        """The style of a character.

        Args:
            index: Its index.
            key: Its `text_object`.
        """
        if key is None:
            return NO_STYLE
        style = self._styles.get(key)
        if style is None:
            style = self._styles[key] = self._read(index)
        return style

    def _read(self, index: int) -> Style:
        c = self._c
        matrix = c.FS_MATRIX()
        a, b, c_, d = 1.0, 0.0, 0.0, 1.0
        if c.FPDFText_GetMatrix(self._text_page, index, ctypes.byref(matrix)):
            a, b, c_, d = matrix.a, matrix.b, matrix.c, matrix.d
        size = c.FPDFText_GetFontSize(self._text_page, index) * math.hypot(c_, d) * self._unit
        angle = (self._rotation - math.degrees(math.atan2(b, a))) % 360.0
        text_object = c.FPDFText_GetTextObject(self._text_page, index)
        visible = c.FPDFTextObj_GetTextRenderMode(text_object) != _INVISIBLE
        size = abs(size) if math.isfinite(size) else 0.0
        angle = round(angle, 1) % 360.0
        if not self._with_fonts:
            return Style(size, angle=angle, visible=visible)
        name, bold, italic, mono = self._font(c.FPDFTextObj_GetFont(text_object))
        slanted = abs(a * c_ + b * d) > 0.1 * (a * a + b * b)
        return Style(size, name, bold, italic or slanted, mono, angle, visible)

    def _font(self, font: Any) -> tuple[str, bool, bool, bool]:
        key = ctypes.cast(font, ctypes.c_void_p).value if font else None
        if key is None:
            return "", False, False, False
        known = self._fonts.get(key)
        if known is not None:
            return known
        c = self._c
        buffer = ctypes.create_string_buffer(256)
        length = c.FPDFFont_GetBaseFontName(font, buffer, len(buffer))
        name = buffer.value.decode("utf-8", "replace") if 0 < length <= len(buffer) else ""
        name = _SUBSET_PREFIX.sub("", name)
        flags = max(c.FPDFFont_GetFlags(font), 0)
        slope = ctypes.c_int()
        tilted = bool(c.FPDFFont_GetItalicAngle(font, ctypes.byref(slope))) and slope.value != 0
        found = (
            name,
            bool(flags & _FORCE_BOLD)
            or c.FPDFFont_GetWeight(font) >= _BOLD_WEIGHT
            or bool(_BOLD_NAME.search(name)),
            bool(flags & _ITALIC_FLAG) or tilted or bool(_ITALIC_NAME.search(name)),
            bool(flags & _FIXED_PITCH) or bool(_MONO_NAME.search(name)),
        )
        self._fonts[key] = found
        return found
