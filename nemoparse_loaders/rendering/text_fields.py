"""The words that annotations show on a PDF page: values of form fields and free text.

They are on the picture and not in the page's own text. Where the words of a value stand within its field is
estimated, since PDFium does not tell. The caller holds PDFium's lock.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pypdfium2

Box = tuple[float, float, float, float]

_MOST_ANNOTATIONS = 4_000
_MOST_CHARS = 20_000
_MOST_OPTIONS = 200
# Flags of annotations and of text fields, PDF 32000-1, tables 165 and 228.
_HIDDEN = 1 << 1 | 1 << 5  # hidden, no view
_MULTILINE, _PASSWORD, _COMB = 1 << 12, 1 << 13, 1 << 24
_NOWHERE: Box = (0.0, 0.0, 0.0, 0.0)
_EMPTY_BYTES = 2  # of a string that PDFium returns: its end alone
_PADDING_PT = 2.0
_AUTO_SIZE_PT = 12.0
_ADVANCE_EM, _LINE_EM = 0.5, 1.15
# What goes so far beyond its field is cut off; less may be due to the estimate.
_OVERFLOW = 1.4


class ShownValue(NamedTuple):
    """What one annotation shows.

    Attributes:
        lines: Its text by lines as it is stored; empty for one that shows text which PDFium does not tell.
        box: (left, bottom, right, top) in user space.
        size: Of its letters, in user space units; 0 where they are made to fit.
        wraps: Lines that are too long go on in the next.
        comb: Each character stands in a cell of its own.
        aside: How much of the room beside a line is before it: 0 where it begins at the left, 1 at the right.
        cut: More is shown than its lines, which was not read.
    """

    lines: tuple[str, ...]
    box: Box
    size: float = 0.0
    wraps: bool = False
    comb: bool = False
    aside: float = 0.0
    cut: bool = False


def shown_values(page: pypdfium2.PdfPage) -> Iterator[ShownValue]:
    """What the annotations of an open page show, in their order; hidden ones and check boxes show no words.

    Args:
        page: An open page; its form fields count where it was opened with forms, as they are drawn then.
    """
    import pypdfium2.raw as pdfium_c

    count = pdfium_c.FPDFPage_GetAnnotCount(page)
    for index in range(min(count, _MOST_ANNOTATIONS)):
        annotation = pdfium_c.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        try:
            value = _shown(pdfium_c, page.formenv, annotation)
        finally:
            pdfium_c.FPDFPage_CloseAnnot(annotation)
        if value is not None:
            yield value
    if count > _MOST_ANNOTATIONS:
        yield ShownValue((), _NOWHERE, cut=True)


def place_words(value: ShownValue, box: Box, width_pt: float, height_pt: float) -> Iterator[tuple[str, Box]]:
    """The words of a value and about where each stands.

    Args:
        value: With its size in points.
        box: Of the annotation on the displayed page, 0..1.
        width_pt: Of the page.
        height_pt: Of the page.
    """
    x0, y0, x1, y1 = box
    wide, high = (x1 - x0) * width_pt - 2 * _PADDING_PT, (y1 - y0) * height_pt
    size = value.size or (_AUTO_SIZE_PT if value.wraps else min(_AUTO_SIZE_PT, 0.8 * high))
    if wide <= 0 or size <= 0:
        return
    per_line = max(1, int(wide / (_ADVANCE_EM * size)))
    most_columns = _OVERFLOW * per_line if value.size and not value.comb else math.inf
    most_rows = max(1, int(_OVERFLOW * high / (_LINE_EM * size))) if value.size else None
    if value.comb:
        per_line = sum(map(len, value.lines))
    longest = max(map(len, value.lines), default=0)
    if not value.wraps and longest > per_line:
        per_line = longest
    step_x = wide / per_line if value.comb or longest == per_line else _ADVANCE_EM * size
    rows = list(_rows(value.lines, per_line)) if value.wraps else [list(_starts(s)) for s in value.lines]
    rows = rows[:most_rows]
    step_y = min(_LINE_EM * size, high / max(1, len(rows)))
    top = 0.0 if value.wraps or len(rows) > 1 else (high - step_y) / 2
    for number, row in enumerate(rows):
        upper = y0 + (top + number * step_y) / height_pt
        room = max(0.0, wide - step_x * max((start + len(word) for start, word in row), default=0))
        left = x0 + (_PADDING_PT + value.aside * room) / width_pt
        for start, word in row:
            if start > most_columns:
                break
            begin = left + start * step_x / width_pt
            end = begin + len(word) * step_x / width_pt
            yield word, (min(begin, x1), upper, min(end, x1), min(upper + step_y / height_pt, y1))


def _rows(lines: tuple[str, ...], per_line: int) -> Iterator[list[tuple[int, str]]]:
    """The words of wrapped lines with the column that each begins in."""
    for line in lines:
        row: list[tuple[int, str]] = []
        column = 0
        for _, word in _starts(line):
            if row and column + len(word) > per_line:
                yield row
                row, column = [], 0
            row.append((column, word))
            column += len(word) + 1
        yield row


def _starts(line: str) -> Iterator[tuple[int, str]]:
    at = 0
    for word in line.split():
        at = line.index(word, at)
        yield at, word
        at += len(word)


def _shown(c: Any, form: Any, annotation: Any) -> ShownValue | None:
    kind = c.FPDFAnnot_GetSubtype(annotation)
    if kind not in (c.FPDF_ANNOT_WIDGET, c.FPDF_ANNOT_FREETEXT, c.FPDF_ANNOT_STAMP):
        return None
    if c.FPDFAnnot_GetFlags(annotation) & _HIDDEN or (kind == c.FPDF_ANNOT_WIDGET and not form):
        return None
    rect = c.FS_RECTF()
    if not c.FPDFAnnot_GetRect(annotation, rect):
        return None
    left, right = sorted((rect.left, rect.right))
    bottom, top = sorted((rect.bottom, rect.top))
    if not (right > left and top > bottom):
        return None
    box = (left, bottom, right, top)
    if kind == c.FPDF_ANNOT_FREETEXT:
        contents, cut = _read(lambda *room: c.FPDFAnnot_GetStringValue(annotation, b"Contents", *room))
        return ShownValue(_lines(contents), box, wraps=True, cut=cut)
    if kind == c.FPDF_ANNOT_STAMP:
        return _drawn(c, annotation, box)
    return _field(c, form.raw, annotation, box)


def _drawn(c: Any, annotation: Any, box: Box) -> ShownValue | None:
    """An annotation of which nothing is known but that it is drawn; None where it is not."""
    length = c.FPDFAnnot_GetAP(annotation, c.FPDF_ANNOT_APPEARANCEMODE_NORMAL, None, 0)
    return ShownValue((), box) if length > _EMPTY_BYTES else None


def _field(c: Any, form: Any, annotation: Any, box: Box) -> ShownValue | None:
    kind = c.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in (c.FPDF_FORMFIELD_PUSHBUTTON, c.FPDF_FORMFIELD_SIGNATURE):
        return _drawn(c, annotation, box)
    size = ctypes.c_float()
    if not c.FPDFAnnot_GetFontSize(form, annotation, size):
        size.value = 0.0
    if kind == c.FPDF_FORMFIELD_LISTBOX:
        lines, cut = _options(c, form, annotation, selected=False)
        return ShownValue(lines, box, size.value, cut=cut)
    if kind not in (c.FPDF_FORMFIELD_TEXTFIELD, c.FPDF_FORMFIELD_COMBOBOX):
        return None
    lines, cut = (), False
    flags = 0
    if kind == c.FPDF_FORMFIELD_COMBOBOX:
        lines, cut = _options(c, form, annotation, selected=True)
    else:
        flags = c.FPDFAnnot_GetFormFieldFlags(form, annotation)
    if not lines:
        text, cut = _read(lambda *room: c.FPDFAnnot_GetFormFieldValue(form, annotation, *room))
        lines = _lines(text)
    if not (lines or cut) or flags & _PASSWORD:
        return None
    place = ctypes.c_float()
    if not c.FPDFAnnot_GetNumberValue(annotation, b"Q", place):
        place.value = 0.0
    comb = bool(flags & _COMB)
    aside = 0.0 if comb else min(max(place.value / 2, 0.0), 1.0)
    return ShownValue(lines, box, size.value, bool(flags & _MULTILINE), comb, aside, cut)


def _options(c: Any, form: Any, annotation: Any, *, selected: bool) -> tuple[tuple[str, ...], bool]:
    """The labels of a choice, all or those that are chosen, and whether there are more."""
    found: list[str] = []
    count = c.FPDFAnnot_GetOptionCount(form, annotation)
    is_cut = count > _MOST_OPTIONS
    for index in range(min(max(count, 0), _MOST_OPTIONS)):
        if not selected or c.FPDFAnnot_IsOptionSelected(form, annotation, index):
            label, cut = _read(lambda *room, i=index: c.FPDFAnnot_GetOptionLabel(form, annotation, i, *room))
            found += _lines(label)
            is_cut = is_cut or cut
    return tuple(found), is_cut


def _read(read: Callable[..., int]) -> tuple[str, bool]:
    """One of PDFium's UTF-16 strings; empty, and True, for one that is too long to be read."""
    size = read(None, 0)
    if size <= _EMPTY_BYTES:
        return "", False
    if size > 2 * _MOST_CHARS:
        return "", True
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    if read(buffer, size) > size:
        return "", True
    return bytes(buffer)[: size - _EMPTY_BYTES].decode("utf-16-le", "replace"), False


def _lines(text: str) -> tuple[str, ...]:
    kept = "".join(char if char.isprintable() or char in "\r\n" else " " for char in text)
    return tuple(line for line in kept.splitlines() if line.strip())
