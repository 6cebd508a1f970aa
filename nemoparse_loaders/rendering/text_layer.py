"""The text layer of a PDF page: its words with their boxes and type, its rulings, its pictures' boxes.

Words come from PDFium's character list, in its order. The raw calls are made once a character or once a text
object, so that a dense page costs tens of milliseconds. The caller holds PDFium's lock.
"""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..document import BBox
from .line_art import Matrix, find_line_art
from .page_image import PageGeometry, TextLayer, TextWord

if TYPE_CHECKING:
    import pypdfium2

# A page that holds more is a data dump or an attack; what is read up to here is kept.
_MAX_CHARS = 200_000

_SPACES = frozenset(" \t\n\r\x0b\x0c\u00a0\u1680\u2028\u2029\u202f\u205f\u3000") | frozenset(
    chr(code) for code in range(0x2000, 0x200B)
)
# PDFium marks a hyphen at a line's end, where it joins the two lines, by one of these.
_LINE_END_HYPHENS = frozenset("\x02\ufffe\u00ad")
_LIGATURES = {chr(code): unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
# Zero-width and byte-order marks carry nothing; bidi controls would survive into ids and queries unseen.
_UNSEEN = frozenset("\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff")

_ALEFS = frozenset("\u0622\u0623\u0625\u0627")

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

# A gap or a step as large as this share of the font size parts two words even without a space between them.
_GAP_EM = 0.6
_STEP_EM = 0.7
# Superscripts and subscripts become words of their own: their size says what they are.
_SIZE_RATIO = 0.85


@dataclass(frozen=True, slots=True)
class _Style:
    """What one text object says about its characters; ``size`` in points on the displayed page."""

    size: float
    font: str
    bold: bool
    italic: bool
    mono: bool
    angle: float
    visible: bool


_NO_STYLE = _Style(0.0, "", False, False, False, 0.0, True)


def extract_text_layer(page: pypdfium2.PdfPage, geometry: PageGeometry) -> TextLayer:
    """Read the text layer of an open page.

    Args:
        page: An open page; the caller holds PDFium's lock and closes the page.
        geometry: The page's place, as `PageRenderer.geometry` gives it.

    Returns:
        Words in the order of the content, rulings and boxes of raster images, all in 0..1 of the displayed
        page. Words wholly outside of the visible box are left out. Text in render mode 3 has
        ``visible=False``. Empty where the page has no text or cannot give it.
    """
    to_page = _to_displayed(geometry)
    if to_page is None:
        return TextLayer()
    rulings, images = find_line_art(page, to_page, (geometry.width_pt, geometry.height_pt))
    return TextLayer(words=tuple(_words(page, geometry, to_page)), rulings=rulings, images=images)


def _to_displayed(geometry: PageGeometry) -> Matrix | None:
    """The affine map from PDF user space to 0..1 of the displayed page; None where there is none."""
    if geometry.pdf_box is None:
        return None
    left, bottom, right, top = geometry.pdf_box
    if not (right > left and top > bottom):
        return None
    sx, sy = 1.0 / (right - left), 1.0 / (top - bottom)
    if geometry.rotation == 90:
        return 0.0, sx, sy, 0.0, -bottom * sy, -left * sx
    if geometry.rotation == 180:
        return -sx, 0.0, 0.0, sy, 1.0 + left * sx, -bottom * sy
    if geometry.rotation == 270:
        return 0.0, -sx, -sy, 0.0, 1.0 + bottom * sy, 1.0 + left * sx
    return sx, 0.0, 0.0, -sy, -left * sx, 1.0 + bottom * sy


def _words(page: pypdfium2.PdfPage, geometry: PageGeometry, to_page: Matrix) -> list[TextWord]:
    import pypdfium2.raw as pdfium_c

    text_page = pdfium_c.FPDFText_LoadPage(page.raw)
    if not text_page:
        return []
    try:
        count = min(pdfium_c.FPDFText_CountChars(text_page), _MAX_CHARS)
        if count <= 0:
            return []
        reader = _StyleReader(pdfium_c, text_page, geometry)
        builder = _WordBuilder(geometry, to_page)
        rect = pdfium_c.FS_RECTF()
        rect_ref = ctypes.byref(rect)
        box_of: Callable[..., int] = pdfium_c.FPDFText_GetLooseCharBox
        for index, char in enumerate(_characters(pdfium_c, text_page, count)):
            if char in _SPACES:
                builder.end_word()
            elif char and box_of(text_page, index, rect_ref):
                builder.add(char, (rect.left, rect.bottom, rect.right, rect.top), reader.style(index))
        builder.end_word()
        return builder.words
    finally:
        pdfium_c.FPDFText_ClosePage(text_page)


def _characters(pdfium_c: Any, text_page: Any, count: int) -> list[str]:
    """The character at each index: cleaned, or empty where there is nothing to keep."""
    codes = [pdfium_c.FPDFText_GetUnicode(text_page, index) for index in range(count)]
    chars = []
    for code in codes:
        char = chr(code) if 0 < code <= 0x10FFFF else ""
        if char in _LINE_END_HYPHENS and char:
            char = "-\n" if code != 0xAD else "\u00ad"
        elif char in _LIGATURES:
            char = _LIGATURES[char]
        elif char in _UNSEEN or (char not in _SPACES and unicodedata.category(char or "\0") in {"Cc", "Cs"}):
            char = ""
        chars.append(char)
    # Characters beyond the basic plane come as two halves on some builds; alone, a half is nothing.
    for index in range(count - 1):
        high, low = codes[index], codes[index + 1]
        if 0xD800 <= high < 0xDC00 <= low < 0xE000:
            chars[index] = chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    return chars


class _StyleReader:
    """Finds the style of a character: asked once a text object, and the font once a font."""

    def __init__(self, pdfium_c: Any, text_page: Any, geometry: PageGeometry) -> None:
        self._c = pdfium_c
        self._text_page = text_page
        self._rotation = geometry.rotation
        self._unit = geometry.user_unit
        self._styles: dict[int, _Style] = {}
        self._fonts: dict[int, tuple[str, bool, bool, bool]] = {}
        # Pointers as plain integers: comparing ctypes pointers costs more than the call.
        address = ctypes.cast(pdfium_c.FPDFText_GetTextObject, ctypes.c_void_p).value
        prototype = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
        self._object_of = prototype(address or 0)
        self._text_page_address = ctypes.cast(text_page, ctypes.c_void_p)

    def style(self, index: int) -> _Style:
        key = self._object_of(self._text_page_address, index)
        if key is None:
            return _NO_STYLE
        style = self._styles.get(key)
        if style is None:
            style = self._styles[key] = self._read(index)
        return style

    def _read(self, index: int) -> _Style:
        c = self._c
        matrix = c.FS_MATRIX()
        a, b, c_, d = 1.0, 0.0, 0.0, 1.0
        if c.FPDFText_GetMatrix(self._text_page, index, ctypes.byref(matrix)):
            a, b, c_, d = matrix.a, matrix.b, matrix.c, matrix.d
        size = c.FPDFText_GetFontSize(self._text_page, index) * math.hypot(c_, d) * self._unit
        angle = (self._rotation - math.degrees(math.atan2(b, a))) % 360.0
        text_object = c.FPDFText_GetTextObject(self._text_page, index)
        visible = c.FPDFTextObj_GetTextRenderMode(text_object) != _INVISIBLE
        name, bold, italic, mono = self._font(c.FPDFTextObj_GetFont(text_object))
        slanted = abs(a * c_ + b * d) > 0.1 * (a * a + b * b)
        return _Style(
            size=abs(size) if math.isfinite(size) else 0.0,
            font=name,
            bold=bold,
            italic=italic or slanted,
            mono=mono,
            angle=round(angle, 1) % 360.0,
            visible=visible,
        )

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


class _WordBuilder:
    """Collects characters to words; works in user space and maps each finished word to the page."""

    def __init__(self, geometry: PageGeometry, to_page: Matrix) -> None:
        self.words: list[TextWord] = []
        self._to_page = to_page
        self._unit = geometry.user_unit or 1.0
        self._rotation = geometry.rotation
        self._text = ""
        self._box = (0.0, 0.0, 0.0, 0.0)
        self._last = (0.0, 0.0, 0.0, 0.0)
        self._style = _NO_STYLE

    def add(self, char: str, box: tuple[float, float, float, float], style: _Style) -> None:
        if not all(map(math.isfinite, box)):
            return
        if self._text and (self._style_breaks(style) or self._place_breaks(box)):
            self.end_word()
        if box == self._last and char == "\u0644" and self._text[-1:] in _ALEFS:
            # One glyph for lam and alef: PDFium turns its two letters round with the rest of the line.
            self._text = self._text[:-1] + char + self._text[-1]
            return
        if self._text:
            old = self._box
            self._box = (
                min(old[0], box[0]), min(old[1], box[1]), max(old[2], box[2]), max(old[3], box[3]),
            )  # fmt: skip
        else:
            self._box, self._style = box, style
        self._last = box
        self._text += char
        if char == "-\n":
            self._text = self._text[:-1]
            self.end_word()

    def _style_breaks(self, style: _Style) -> bool:
        old = self._style
        if style is old:
            return False
        small, large = sorted((style.size, old.size))
        return small < _SIZE_RATIO * large or style.visible != old.visible or style.angle != old.angle

    def _place_breaks(self, box: tuple[float, float, float, float]) -> bool:
        """Whether the character stands elsewhere: PDFium leaves some spaces out."""
        size = self._style.size / self._unit
        if size <= 0:
            return False
        last = self._last
        # Along and across the reading direction, in user space: undo the rotation of the page in the angle.
        heading = (self._rotation - self._style.angle) % 360.0
        if 45 <= heading < 135 or 225 <= heading < 315:
            along = max(box[1] - last[3], last[1] - box[3])
            across = abs((box[0] + box[2]) - (last[0] + last[2])) / 2
        else:
            along = max(box[0] - last[2], last[0] - box[2])
            across = abs((box[1] + box[3]) - (last[1] + last[3])) / 2
        return along > _GAP_EM * size or across > _STEP_EM * size

    def end_word(self) -> None:
        text, self._text = self._text.strip(), ""
        text = text[:-1] + "-" if text.endswith("\u00ad") else text
        text = text.replace("\u00ad", "")
        if not text:
            return
        a, b, c, d, e, f = self._to_page
        left, bottom, right, top = self._box
        x0, y0 = a * left + c * bottom + e, b * left + d * bottom + f
        x1, y1 = a * right + c * top + e, b * right + d * top + f
        if max(x0, x1) <= 0 or min(x0, x1) >= 1 or max(y0, y1) <= 0 or min(y0, y1) >= 1:
            return
        style = self._style
        self.words.append(
            TextWord(
                text=text,
                bbox=BBox.clamped(x0, y0, x1, y1),
                size_pt=style.size,
                font=style.font,
                bold=style.bold,
                italic=style.italic,
                mono=style.mono,
                angle=style.angle,
                visible=style.visible,
            )
        )
