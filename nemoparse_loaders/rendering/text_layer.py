"""What a PDF page's file says about it: its words, rulings and pictures, and which words nobody can see.

`TextLayer` is for an engine that reads it, `PageEvidence` for checks of what an engine has read. Both come of
one reading. The caller holds PDFium's lock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..document import BBox
from .evidence import EvidenceCollector, share_under
from .line_art import Matrix, find_images, find_line_art
from .page_image import PageEvidence, PageGeometry, TextLayer, TextWord
from .png import Scanlines
from .text_fields import place_words, shown_values
from .text_words import Box, PageText, ReadWord

if TYPE_CHECKING:
    import pypdfium2

_LARGEST_UNREAD = 0.25


def read_text(
    page: pypdfium2.PdfPage, geometry: PageGeometry, lines: Scanlines, *, layer: bool, evidence: bool
) -> tuple[TextLayer | None, PageEvidence | None]:
    """Read what an open page stores as text.

    Args:
        page: An open page; the caller holds PDFium's lock and closes the page.
        geometry: The page's place, as `PageRenderer.geometry` gives it.
        lines: The page as it was drawn.
        layer: Whether a `TextLayer` is wanted.
        evidence: Whether a `PageEvidence` is wanted.

    Returns:
        What was wanted. Words stand in the order of the content, and all boxes are 0..1 of the displayed
        page. The layer leaves out words wholly outside of the visible box; text in render mode 3 has
        ``visible=False``. Both are empty where the page has no text or cannot give it.
    """
    to_page = _to_displayed(geometry)
    if to_page is None:
        return TextLayer() if layer else None, PageEvidence() if evidence else None
    words: list[TextWord] = []
    with PageText(page, geometry, fonts=layer) as text:

        def drawn_box(word: ReadWord) -> BBox | None:
            box = text.drawn_box(word)
            return None if box is None else BBox.clamped(*_map(box, to_page))

        witness = EvidenceCollector(lines, geometry, drawn_box) if evidence else None
        for word in text.words():
            x0, y0, x1, y1 = _map(word.box, to_page)
            off_page = x1 <= 0 or x0 >= 1 or y1 <= 0 or y0 >= 1
            inside = x0 >= 0 and y0 >= 0 and x1 <= 1 and y1 <= 1
            bbox = BBox(x0, y0, x1, y1) if inside else BBox.clamped(x0, y0, x1, y1)
            if layer and not off_page:
                words.append(_layer_word(word, bbox))
            if witness is not None:
                witness.add(word, bbox, off_page=off_page)
        if witness is not None and text.is_cut:
            witness.note_cut()
    if layer:
        rulings, images = find_line_art(page, to_page, (geometry.width_pt, geometry.height_pt))
    else:
        rulings, images = (), find_images(page, to_page)
    found = None
    if witness is not None:
        unread = _take_values(page, geometry, to_page, witness)
        found = witness.evidence(share_under([*images, *unread]))
    return TextLayer(tuple(words), rulings, images) if layer else None, found


def _take_values(
    page: pypdfium2.PdfPage, geometry: PageGeometry, to_page: Matrix, witness: EvidenceCollector
) -> list[BBox]:
    """Take in what form fields and notes show; the boxes of those whose words PDFium does not tell."""
    unread: list[BBox] = []
    for value in shown_values(page):
        frame = BBox.clamped(*_map(value.box, to_page))
        if value.cut:
            witness.note_cut()
        if not value.lines:
            # One over the page is no picture of a page, as a scan is.
            if frame.area <= _LARGEST_UNREAD:
                unread.append(frame)
            continue
        scaled = value._replace(size=value.size * (geometry.user_unit or 1.0))
        for word, box in place_words(scaled, frame, geometry.width_pt, geometry.height_pt):
            witness.add_value(word, BBox.clamped(*box), frame)
    return unread


def _layer_word(word: ReadWord, bbox: BBox) -> TextWord:
    style = word.style
    return TextWord(
        text=word.text,
        bbox=bbox,
        size_pt=style.size,
        font=style.font,
        bold=style.bold,
        italic=style.italic,
        mono=style.mono,
        angle=style.angle,
        visible=style.visible,
    )


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


def _map(box: Box, to_page: Matrix) -> Box:
    """A box in user space to the displayed page, not clamped."""
    a, b, c, d, e, f = to_page
    left, bottom, right, top = box
    x0, y0 = a * left + c * bottom + e, b * left + d * bottom + f
    x1, y1 = a * right + c * top + e, b * right + d * top + f
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)
