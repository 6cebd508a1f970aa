"""PageImage: one page as a picture, ready to send, with where it came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from ..document import BBox, Issue

MOST_WORDS = 12_000
"""Most words of a page that show and are evidence, and most that do not: a page with more is a data dump."""


@dataclass(frozen=True, slots=True)
class PageGeometry:
    """Where a page stands and how large it is; the meanings are those of `ParsedPage`.

    Attributes:
        number: 1-based.
        label: The page label that the file gives, or the number.
        width_pt: Width of the displayed page in points; for images width in pixels * 72 / dpi.
        height_pt: Height of the displayed page in points.
        rotation: Clockwise, in degrees.
        pdf_box: Visible box in unrotated PDF user space units; None for images.
        user_unit: Points in one user space unit.
    """

    number: int
    label: str
    width_pt: float
    height_pt: float
    rotation: Literal[0, 90, 180, 270] = 0
    pdf_box: tuple[float, float, float, float] | None = None
    user_unit: float = 1.0


@dataclass(frozen=True, slots=True)
class TextWord:
    """One word of a PDF's text layer.

    Attributes:
        text: The characters, without white space.
        bbox: 0..1 of the displayed page, origin top left.
        size_pt: Font size in points on the displayed page.
        font: Base font name, or empty.
        bold: Bold by weight or name.
        italic: Italic by angle or name.
        mono: Fixed pitch by flag or name.
        angle: Clockwise reading direction on the displayed page in degrees; 0 is left to right.
        visible: False for text in render mode 3 (invisible).
    """

    text: str
    bbox: BBox
    size_pt: float
    font: str = ""
    bold: bool = False
    italic: bool = False
    mono: bool = False
    angle: float = 0.0
    visible: bool = True


@dataclass(frozen=True, slots=True)
class TextLayer:
    """What a PDF page says about itself besides its picture.

    Attributes:
        words: In the order of the content stream.
        rulings: Thin horizontal or vertical strokes and box edges, as zero-area boxes.
        images: Boxes of raster images.
    """

    words: tuple[TextWord, ...] = ()
    rulings: tuple[BBox, ...] = ()
    images: tuple[BBox, ...] = ()


HiddenBy = Literal["", "mode", "tiny", "no_ink", "off_page"]


@dataclass(frozen=True, slots=True)
class EvidenceWord:
    """One word that the file stores, as a witness of what the page says.

    Attributes:
        text: The characters, without white space.
        bbox: 0..1 of the displayed page, origin top left; clamped where it stands off the page.
        hidden: Why nobody can see it: "mode" (render mode 3), "tiny" (less than a point), "no_ink" (it leaves
            nothing on the picture: white on white, covered, clipped), "off_page"; empty for one that shows.
    """

    text: str
    bbox: BBox
    hidden: HiddenBy = ""


@dataclass(frozen=True, slots=True)
class PageEvidence:
    """What a page's file stores as text: a witness that is independent of the model.

    Attributes:
        words: In the order of the content stream, hidden ones included; behind them those of the values of
            form fields and of notes.
        usable: False where the visible words make no sense (mojibake, private codes, a shifted alphabet) or
            there are none.
        raster: Share of the page, 0..1, that lies under raster images and under drawn stamps, signatures and
            buttons: what they show is not in the words.
        cut: The page shows more than these words: there are more than `MOST_WORDS` of them or more characters
            than are read, or a value was too long to be read.
    """

    words: tuple[EvidenceWord, ...] = ()
    usable: bool = False
    raster: float = 0.0
    cut: bool = False

    def __reduce__(self) -> tuple[object, ...]:
        # Column by column: it goes from process to process with every page, word by word that takes as long
        # as reading the words.
        columns = tuple(zip(*[(word.text, word.hidden, *word.bbox) for word in self.words], strict=True))
        return _unpacked, (columns, self.usable, self.raster, self.cut)


def _unpacked(columns: tuple[tuple[Any, ...], ...], usable: bool, raster: float, cut: bool) -> PageEvidence:
    words = tuple(
        EvidenceWord(text, BBox(*edges), hidden) for text, hidden, *edges in zip(*columns, strict=True)
    )
    return PageEvidence(words, usable, raster, cut)


@dataclass(frozen=True, slots=True)
class PageImage:
    """A rendered page.

    Attributes:
        data: The encoded picture.
        media_type: "image/png" or "image/jpeg".
        width: Pixels.
        height: Pixels.
        geometry: The page that it shows.
        is_blank: Every pixel has the same colour.
        text_layer: The PDF's text layer, where it was asked for.
        evidence: The words that the file stores, where they were asked for; None for images.
        issues: What had to be changed to draw it (scale capped, form not drawn, ...).
    """

    data: bytes
    media_type: str
    width: int
    height: int
    geometry: PageGeometry
    is_blank: bool = False
    text_layer: TextLayer | None = None
    evidence: PageEvidence | None = None
    issues: tuple[Issue, ...] = ()


@dataclass(frozen=True, slots=True)
class PageBand:
    """A band of a page over its whole width, as a picture of its own.

    Attributes:
        image: The picture; its geometry is the whole page's.
        top: Upper edge on the page, 0..1 from the top.
        bottom: Lower edge likewise.
    """

    image: PageImage
    top: float
    bottom: float


@dataclass(frozen=True, slots=True)
class PageRegion:
    """A part of a page as a picture of its own, drawn larger than on the page.

    Attributes:
        image: The picture; its geometry is the whole page's.
        box: Which part it shows, margin included: 0..1 of the displayed page, origin top left.
    """

    image: PageImage
    box: BBox
