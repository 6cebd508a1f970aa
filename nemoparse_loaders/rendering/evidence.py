"""The words that a PDF page stores, as a witness: which of them show on the page, and what they cannot tell.

A word is a witness only where people see it. What the file hides is kept and marked, since it is a known
place for instructions that are meant for machines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..document import BBox
from .ink import has_ink
from .page_image import MOST_WORDS, EvidenceWord, HiddenBy, PageEvidence, PageGeometry
from .png import Scanlines
from .text_sense import makes_sense
from .text_words import ReadWord

_TINY_PT = 1.0
# Of a coordinate: a hundredth of a point on A4. They are kept on disk by the thousand.
_DIGITS = 5
# Less high on the picture, in pixels, and the picture says nothing about a word.
_SHOWS_PX = 2.0
# The box of a word reaches from ascent to descent; letters leave ink without this share of it at either edge,
# and lines above and below them do not.
_EDGE = 0.15
_CELLS = 256


class EvidenceCollector:
    """Takes a page's words in and judges whether they show.

    Args:
        lines: The page as it was drawn.
        geometry: Its place.
        drawn_box: Around a word's own outlines on the page, which costs more than its box; None where its
            font tells none.
    """

    def __init__(
        self, lines: Scanlines, geometry: PageGeometry, drawn_box: Callable[[ReadWord], BBox | None]
    ) -> None:
        self._lines = lines
        self._width_pt, self._height_pt = geometry.width_pt, geometry.height_pt
        self._drawn_box = drawn_box
        self._words: list[EvidenceWord] = []
        # Apart: hidden ones must not crowd out the others.
        self._left = {True: MOST_WORDS, False: MOST_WORDS}
        self._cut = False

    def add(self, word: ReadWord, bbox: BBox, *, off_page: bool) -> None:
        """Take a word in.

        Args:
            word: As it was read.
            bbox: On the displayed page, clamped.
            off_page: It lies wholly outside of the visible box.
        """
        if not self._left[True] and not word.style.visible:
            return
        if not self._left[False]:
            # Whether the rest shows is not looked at: that would take long on a page that is not compared.
            self._cut = self._cut or (word.style.visible and not off_page)
            return
        self._keep(word.text, bbox, "off_page" if off_page else self._hidden(word, bbox))

    def add_value(self, text: str, bbox: BBox, frame: BBox) -> None:
        """Take in a word of a form field or a note, whose place is an estimate.

        Args:
            text: The word.
            bbox: About where it stands on the displayed page, clamped.
            frame: Of the field: whether the word shows is judged by what is drawn in there.
        """
        if not self._left[False]:
            self._cut = True
            return
        cut = _EDGE * frame.height
        aside = cut * self._height_pt / self._width_pt
        inside = (frame.x0 + aside, frame.y0 + cut, frame.x1 - aside, frame.y1 - cut)
        if inside[2] <= inside[0] or inside[3] <= inside[1]:
            self._keep(text, bbox, "off_page")
        else:
            self._keep(text, bbox, "" if has_ink(self._lines, inside) else "no_ink")

    def note_cut(self) -> None:
        """Say that the page has more text than is taken in."""
        self._cut = True

    def evidence(self, raster: float) -> PageEvidence:
        """All that was taken in.

        Args:
            raster: Share of the page under raster images, and under what else shows words that no file tells.
        """
        shown = "".join([word.text for word in self._words if not word.hidden])
        return PageEvidence(tuple(self._words), makes_sense(shown), raster, self._cut)

    def _keep(self, text: str, bbox: BBox, hidden: HiddenBy) -> None:
        if self._left[bool(hidden)]:
            self._left[bool(hidden)] -= 1
            x0, y0, x1, y1 = bbox
            rounded = BBox(round(x0, _DIGITS), round(y0, _DIGITS), round(x1, _DIGITS), round(y1, _DIGITS))
            self._words.append(EvidenceWord(text, rounded, hidden))

    def _hidden(self, word: ReadWord, bbox: BBox) -> HiddenBy:
        style = word.style
        if not style.visible:
            return "mode"
        sideways = 45 <= style.angle % 180 < 135
        if style.size < _TINY_PT:
            # The size alone may lie: Type 3 fonts choose their own unit.
            high_pt = bbox.width * self._width_pt if sideways else bbox.height * self._height_pt
            if high_pt < _TINY_PT:
                return "tiny"
        return "" if self._shows(word, bbox, sideways=sideways) else "no_ink"

    def _shows(self, word: ReadWord, bbox: BBox, *, sideways: bool) -> bool:
        lines = self._lines
        x0, y0, x1, y1 = bbox
        if sideways:
            high_px, cut = (x1 - x0) * lines.width, _EDGE * (x1 - x0)
            middle = (x0 + cut, y0, x1 - cut, y1)
        else:
            high_px, cut = (y1 - y0) * lines.height, _EDGE * (y1 - y0)
            middle = (x0, y0 + cut, x1, y1 - cut)
        if high_px < _SHOWS_PX or has_ink(lines, middle):
            return True
        if not has_ink(lines, bbox):
            return False
        # There is ink at the edge of its box. It may be a line that belongs to something else, or the word
        # itself where its font tells a false ascent.
        drawn = self._drawn_box(word)
        return drawn is None or has_ink(lines, drawn)


def share_under(boxes: Sequence[BBox]) -> float:
    """Share of the page under any of the boxes, 0..1, to about 1/256 of a side."""
    rows = [0] * _CELLS
    for x0, y0, x1, y1 in boxes:
        left, right = round(x0 * _CELLS), round(x1 * _CELLS)
        covered = (1 << right) - (1 << left)
        for row in range(round(y0 * _CELLS), round(y1 * _CELLS)):
            rows[row] |= covered
    return sum(bin(row).count("1") for row in rows) / (_CELLS * _CELLS)
