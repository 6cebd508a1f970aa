"""The words of a PDF page's text, in PDFium's order, with their boxes in user space.

Almost every word is one run of characters out of one text object: then its first and its last character say
all about it. Only where a run mixes objects, or has characters that need care, is each one looked at. The
caller holds PDFium's lock.
"""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from .page_image import PageGeometry
from .text_characters import (
    ALEFS,
    LAM,
    LINE_END_HYPHEN,
    SOFT_HYPHEN,
    clean_character,
    find_runs,
    read_characters,
)
from .text_styles import NO_STYLE, Style, StyleReader, address_of, plain_function

if TYPE_CHECKING:
    import pypdfium2

Box = tuple[float, float, float, float]

# A page that holds more is a data dump or an attack; what is read up to here is kept.
_MAX_CHARS = 200_000

# A gap or a step as large as this share of the font size parts two words even without a space between them.
_GAP_EM = 0.6
_STEP_EM = 0.7
# Superscripts and subscripts become words of their own: their size says what they are.
_SIZE_RATIO = 0.85
# Boxes of characters of one object differ by less than this share across the line that they stand on; they do
# differ, since PDFium widens them for letters that reach out.
_ALIKE = 0.15
_RECT = struct.Struct("4f").unpack_from  # FS_RECTF: left, top, right, bottom


class ReadWord(NamedTuple):
    """One word.

    Attributes:
        text: The characters, cleaned.
        box: (left, bottom, right, top) in user space, from ascent to descent of the font.
        style: Of its first character.
        start: Index of the first character.
        end: Index after the last one.
    """

    text: str
    box: Box
    style: Style
    start: int
    end: int


class PageText:
    """The text of an open page: ``with PageText(page, geometry) as text``.

    Args:
        page: An open page; the caller holds PDFium's lock and closes the page.
        geometry: The page's place.
        fonts: Whether styles tell of fonts.

    Attributes:
        is_cut: After `words`, whether the page has more characters than are read.
    """

    def __init__(self, page: pypdfium2.PdfPage, geometry: PageGeometry, *, fonts: bool) -> None:
        import pypdfium2.raw as pdfium_c

        self._c: Any = pdfium_c
        self._page = page
        self._geometry = geometry
        self.is_cut = False
        self._unit = geometry.user_unit or 1.0
        self._with_fonts = fonts
        self._handle: Any = None
        self._address = 0
        self._box_of = plain_function(self._c.FPDFText_GetLooseCharBox, ctypes.c_int, ctypes.c_void_p)
        self._rect = pdfium_c.FS_RECTF()
        self._rect_address = ctypes.addressof(self._rect)

    def __enter__(self) -> PageText:
        self._handle = self._c.FPDFText_LoadPage(self._page.raw)
        self._address = address_of(self._handle)
        return self

    def __exit__(self, *error: object) -> None:
        if self._handle:
            self._c.FPDFText_ClosePage(self._handle)
        self._handle = None

    def words(self) -> Iterator[ReadWord]:
        """All words, also invisible ones and those off the page; none where PDFium cannot give the text."""
        if not self._handle:
            return
        text = read_characters(self._c, self._handle, _MAX_CHARS)
        self.is_cut = self._c.FPDFText_CountChars(self._handle) > _MAX_CHARS
        reader = StyleReader(self._c, self._handle, self._geometry, fonts=self._with_fonts)
        object_of = reader.text_object
        runs = list(find_runs(text))
        firsts = [object_of(start) for start, _, _ in runs]
        # An object that holds the beginnings of two runs holds all of the first one.
        for (start, end, run), key, following in zip(runs, firsts, [*firsts[1:], 0], strict=False):
            whole = run is not None and (end - start == 1 or key == following or object_of(end - 1) == key)
            word = self._simple_word(start, end, run, reader.style(start, key)) if run and whole else None
            if word is not None:
                yield word
            else:
                yield from self._careful_words(reader, text, start, end)

    def drawn_box(self, word: ReadWord) -> Box | None:
        """Around the word's own outlines, in user space; None where its font tells none."""
        edges = [ctypes.c_double() for _ in range(4)]
        references = [ctypes.byref(edge) for edge in edges]
        found: Box | None = None
        for index in range(word.start, word.end):
            if not self._c.FPDFText_GetCharBox(self._handle, index, *references):
                continue
            left, right, bottom, top = (edge.value for edge in edges)
            if right > left and top > bottom and math.isfinite(left + right + bottom + top):
                box = (left, bottom, right, top)
                found = box if found is None else _union(found, box)
        return found

    def _box(self, index: int) -> Box | None:
        if not self._box_of(self._address, index, self._rect_address):
            return None
        left, top, right, bottom = _RECT(self._rect)
        return (left, bottom, right, top) if math.isfinite(left + top + right + bottom) else None

    def _simple_word(self, start: int, end: int, text: str, style: Style) -> ReadWord | None:
        """The word of a run that lies in one text object; None where there is a gap in it."""
        box = self._box(start)
        if box is None:
            return None
        if end - start > 1:
            last = self._box(end - 1)
            if last is None or not _alike(box, last):
                return None
            apart = max(last[0] - box[2], box[0] - last[2], last[1] - box[3], box[1] - last[3])
            # As far as characters of common width reach, so that a gap among them does not go unseen.
            if apart * self._unit > (end - start - 1) * _GAP_EM * style.size:
                return None
            box = _union(box, last)
        return ReadWord(text, box, style, start, end)

    def _careful_words(self, reader: StyleReader, text: str, start: int, end: int) -> Iterator[ReadWord]:
        builder = _WordBuilder(self._geometry)
        for index in range(start, end):
            char = clean_character(text, index)
            box = self._box(index) if char else None
            if box is not None:
                builder.add(char, box, reader.style(index, reader.text_object(index)), index)
        builder.end_word()
        yield from builder.words


def _alike(one: Box, other: Box) -> bool:
    """Whether two boxes are about as high as each other, or as wide, as they are along a line or a column."""
    high, wide = one[3] - one[1], one[2] - one[0]
    return (
        abs(high - (other[3] - other[1])) <= _ALIKE * high
        or abs(wide - (other[2] - other[0])) <= _ALIKE * wide
    )


def _union(one: Box, other: Box) -> Box:
    a, b, c, d = one
    e, f, g, h = other
    # Comparisons cost half of what min and max do.
    return a if a < e else e, b if b < f else f, c if c > g else g, d if d > h else h


class _WordBuilder:
    """Collects the characters of one run to words; works in user space."""

    def __init__(self, geometry: PageGeometry) -> None:
        self.words: list[ReadWord] = []
        self._unit = geometry.user_unit or 1.0
        self._rotation = geometry.rotation
        self._text = ""
        self._box = self._last = (0.0, 0.0, 0.0, 0.0)
        self._style = NO_STYLE
        self._start = self._end = 0

    def add(self, char: str, box: Box, style: Style, index: int) -> None:
        if self._text and (self._style_breaks(style) or self._place_breaks(box)):
            self.end_word()
        self._end = index + 1
        if box == self._last and char == LAM and self._text[-1:] in ALEFS:
            # One glyph for lam and alef: PDFium turns its two letters round with the rest of the line.
            self._text = self._text[:-1] + char + self._text[-1]
            return
        if self._text:
            self._box = _union(self._box, box)
        else:
            self._box, self._style, self._start = box, style, index
        self._last = box
        self._text += char
        if char == LINE_END_HYPHEN:
            self._text = self._text[:-1]
            self.end_word()

    def end_word(self) -> None:
        text, self._text = self._text.strip(), ""
        text = text[:-1] + "-" if text.endswith(SOFT_HYPHEN) else text
        text = text.replace(SOFT_HYPHEN, "")
        if text:
            self.words.append(ReadWord(text, self._box, self._style, self._start, self._end))

    def _style_breaks(self, style: Style) -> bool:
        old = self._style
        if style is old:
            return False
        small, large = sorted((style.size, old.size))
        return small < _SIZE_RATIO * large or style.visible != old.visible or style.angle != old.angle

    def _place_breaks(self, box: Box) -> bool:
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
