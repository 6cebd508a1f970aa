"""The vocabulary: what a parsed document is made of, as plain typed values.

All boxes are fractions of the page *as displayed* (rotation and crop applied), origin top left,
x to the right, y down. Page numbers count from 1. Everything here survives a JSON round trip.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import Field, JsonValue

from .issue import Issue as Issue
from .issue import Severity as Severity
from .report import ParseReport as ParseReport
from .report import Percentiles as Percentiles
from .report import StageCost as StageCost
from .table import Chart as Chart
from .table import FrozenModel
from .table import Table as Table
from .table import TableCell as TableCell

if TYPE_CHECKING:
    from docling_core.types.doc import DoclingDocument

SCHEMA_VERSION = "1"

PageStatus = Literal["ok", "partial", "failed", "blank"]
StepAction = Literal[
    "retry", "busy", "smaller", "reread", "bands", "text_layer", "detection", "region", "escalate"
]


class BBox(NamedTuple):
    """A box on a page: 0..1 of the displayed page, origin top left.

    Attributes:
        x0: Left edge.
        y0: Top edge.
        x1: Right edge, ``x1 >= x0``.
        y1: Bottom edge, ``y1 >= y0``.
    """

    x0: float
    y0: float
    x1: float
    y1: float

    @classmethod
    def clamped(cls, x0: float, y0: float, x1: float, y1: float) -> BBox:
        """Sort reversed corners and clamp to the page.

        Models print corners in the wrong order and a little outside of the page; neither is worth losing
        a block for. NaN becomes 0.
        """
        ax, bx = _unit(x0), _unit(x1)
        ay, by = _unit(y0), _unit(y1)
        return cls(min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))

    @property
    def width(self) -> float:
        """Width as a fraction of the page width."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """Height as a fraction of the page height."""
        return self.y1 - self.y0

    @property
    def area(self) -> float:
        """Area as a fraction of the page area."""
        return self.width * self.height

    def union(self, other: BBox) -> BBox:
        """The smallest box that holds both."""
        return BBox(
            min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1)
        )

    def overlap(self, other: BBox) -> float:
        """Area that both boxes share, as a fraction of the page area."""
        width = min(self.x1, other.x1) - max(self.x0, other.x0)
        height = min(self.y1, other.y1) - max(self.y0, other.y0)
        return width * height if width > 0 and height > 0 else 0.0


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value)) if value == value else 0.0


class ElementType(str, Enum):
    """The classes that Nemotron Parse prints. ``Element.type`` is a plain string: others survive by name."""

    TITLE = "Title"
    SECTION_HEADER = "Section-header"
    TEXT = "Text"
    LIST_ITEM = "List-item"
    TABLE = "Table"
    PICTURE = "Picture"
    CAPTION = "Caption"
    FORMULA = "Formula"
    INLINE_FORMULA = "Inline-formula"
    FOOTNOTE = "Footnote"
    PAGE_HEADER = "Page-header"
    PAGE_FOOTER = "Page-footer"
    BIBLIOGRAPHY = "Bibliography"
    TOC = "TOC"
    CHART = "Chart"
    CODE = "Code"
    FLOATING_TEXT = "Floating-text"


class TocEntry(FrozenModel):
    """One entry of a table of contents.

    Attributes:
        level: 1 for the outermost, 2 below it, and so on.
        text: The words, with their number if there is one ("1.2 Methods"), without leaders.
        page: The page as printed ("7", "iv", "A-3"), or empty where it cannot be read.
    """

    level: int = Field(default=1, ge=1)
    text: str
    page: str = ""


class Element(FrozenModel):
    """One block of a page, in reading order.

    Attributes:
        id: "p3e7": page 3, seventh element (from 1).
        type: The class as printed, see `ElementType`.
        bbox: 0..1 of the displayed page, origin top left; None where the reply has none.
        markdown: Content as Markdown. Tables as pipe tables, formulas as LaTeX without delimiters.
        text: Content as plain text.
        raw: The body as the model printed it.
        table: The grid, for a table.
        chart: The data, for a chart.
        toc: The entries, for a table of contents.
        continues_before: The block goes on from an earlier block or page (the model's ``<tbc>``).
        continues_after: The block goes on in a later block or page.
        confidence: How far a witness that is independent of the model bears the text out, 0..1; None where
            there is none, see docs/passes.md.
        alternatives: Other readings of the same region that were found to be worse; their boxes are on the
            page as well.
        issues: What was repaired or is missing here.
    """

    id: str
    type: str
    bbox: BBox | None = None
    markdown: str = ""
    text: str = ""
    raw: str = ""
    table: Table | None = None
    chart: Chart | None = None
    toc: tuple[TocEntry, ...] = ()
    continues_before: bool = False
    continues_after: bool = False
    confidence: float | None = Field(default=None, ge=0.0, le=1.0)
    alternatives: tuple[Element, ...] = ()
    issues: tuple[Issue, ...] = ()


class Usage(FrozenModel):
    """Tokens of one reply, as the server counts them; None where it does not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class PageStep(FrozenModel):
    """Something that was done for a page beyond asking once.

    Attributes:
        action: "retry" (the request failed and was sent again), "busy" (the server had no room), "smaller"
            (a smaller picture, since the server refused this one), "reread" (asked again with other
            sampling), "bands" (the page was cut along white space and its parts were read), "text_layer"
            (the PDF's own text was taken), "detection" (the regions of the page were asked for alone),
            "region" (a part of the page was read by itself), "escalate" (the page was read in more passes or
            larger, since its reading was in doubt).
        reason: Why, in one sentence.
    """

    action: StepAction
    reason: str


class ParsedPage(FrozenModel):
    """One page and its elements in reading order.

    Attributes:
        number: 1-based position in the file.
        label: The page label that the file itself gives ("iv", "A-3"), or the number.
        width_pt: Width of the displayed page in points (1/72 inch); 0 where not known.
        height_pt: Height of the displayed page in points.
        rotation: Clockwise rotation of the page in the file: 0, 90, 180 or 270.
        pdf_box: The visible box (x0, y0, x1, y1) in unrotated PDF user space units; None for images.
        user_unit: Points in one user space unit (PDF 1.6 UserUnit).
        status: "ok", "partial" (cut, looping or aborted), "failed" (no reply), "blank" (nothing on it).
        finish_reason: As the server said; None where it did not.
        issues: What is wrong with the page or was repaired.
        elements: In reading order.
        raw: The whole reply.
        usage: Tokens.
        attempts: Requests that it took; 0 where none was sent. A page from the cache has those of its first
            reading.
        steps: What was done for it beyond asking once, in order; empty for most pages.
        confidence: Of the page as a whole, 0..1; None where there is no witness, see `Element.confidence`.
        needs_review: Somebody should look: the page is not whole, or a check found words that are missing,
            that nothing supports, or that disagree.
    """

    number: int = Field(ge=1)
    label: str = ""
    width_pt: float = 0.0
    height_pt: float = 0.0
    rotation: Literal[0, 90, 180, 270] = 0
    pdf_box: tuple[float, float, float, float] | None = None
    user_unit: float = 1.0
    status: PageStatus = "ok"
    finish_reason: str | None = None
    issues: tuple[Issue, ...] = ()
    elements: tuple[Element, ...] = ()
    raw: str = ""
    usage: Usage = Usage()
    attempts: int = 0
    steps: tuple[PageStep, ...] = ()
    confidence: float | None = Field(default=None, ge=0.0, le=1.0)
    needs_review: bool = False

    @property
    def tables(self) -> list[Table]:
        """The page's tables in reading order."""
        return [element.table for element in self.elements if element.table is not None]

    def to_points(self, bbox: BBox) -> tuple[float, float, float, float]:
        """Map a box to points on the displayed page, origin top left.

        Returns:
            (x0, y0, x1, y1) in 1/72 inch.
        """
        return (
            bbox.x0 * self.width_pt,
            bbox.y0 * self.height_pt,
            bbox.x1 * self.width_pt,
            bbox.y1 * self.height_pt,
        )

    def to_pdf_space(self, bbox: BBox) -> tuple[float, float, float, float]:
        """Map a box to PDF user space, as PDF tools want it.

        Undoes the page's rotation and adds the origin of the visible box (ISO 32000-2, 8.3.2.3 and 14.11.2).

        Returns:
            (left, bottom, right, top) in user space units, origin bottom left, unrotated.

        Raises:
            ValueError: The page does not come from a PDF.
        """
        if self.pdf_box is None:
            raise ValueError(f"page {self.number} does not come from a PDF, so it has no PDF user space")
        corners = [self._displayed_to_unrotated(x, y) for x, y in ((bbox.x0, bbox.y0), (bbox.x1, bbox.y1))]
        left, bottom, right, top = self.pdf_box
        xs = sorted(left + u * (right - left) for u, _ in corners)
        ys = sorted(bottom + v * (top - bottom) for _, v in corners)
        return xs[0], ys[0], xs[1], ys[1]

    def _displayed_to_unrotated(self, x: float, y: float) -> tuple[float, float]:
        """From 0..1 displayed (top left) to 0..1 of the unrotated visible box (bottom left)."""
        if self.rotation == 90:
            return y, x
        if self.rotation == 180:
            return 1.0 - x, y
        if self.rotation == 270:
            return 1.0 - y, 1.0 - x
        return x, 1.0 - y

    def to_markdown(self) -> str:
        """The page as Markdown, furniture (page headers and footers) left out."""
        from .export.markdown import page_to_markdown

        return page_to_markdown(self)


class ParsedDocument(FrozenModel):
    """A whole document.

    Attributes:
        doc_id: UUIDv5 of the source: the same file at the same place has the same id.
        source: File URI, URL, or the name given for bytes.
        file_name: Name for people.
        content_hash: SHA-256 of the file's bytes, hex.
        media_type: What the content is, e.g. "application/pdf".
        total_pages: Pages of the file, also those that were not asked for.
        parser: The backend: "vllm", "nvidia", "cpu", ...
        model: The model's name as the server gives it, or empty.
        profile: The model generation: "3.5", "2.0", "1.2", "1.1".
        title: The first Title element's text, or the file's own title, or empty.
        pages: In order; only those asked for.
        issues: About the document as a whole.
        metadata: The caller's own values.
        report: How the run went; None where it is not known.
        schema_version: Version of this vocabulary.
    """

    doc_id: str
    source: str = ""
    file_name: str = ""
    content_hash: str = ""
    media_type: str = ""
    total_pages: int = 0
    parser: str = ""
    model: str = ""
    profile: str = ""
    title: str = ""
    pages: tuple[ParsedPage, ...] = ()
    issues: tuple[Issue, ...] = ()
    metadata: dict[str, JsonValue] = Field(default_factory=dict)
    report: ParseReport | None = None
    schema_version: str = SCHEMA_VERSION

    @property
    def elements(self) -> list[Element]:
        """All elements in reading order."""
        return [element for page in self.pages for element in page.elements]

    @property
    def tables(self) -> list[Table]:
        """All tables in reading order."""
        return [table for page in self.pages for table in page.tables]

    def to_json(self, *, indent: int | None = None) -> str:
        """JSON that `from_json` reads back to an equal document."""
        return self.model_dump_json(indent=indent)

    @classmethod
    def from_json(cls, data: str | bytes) -> ParsedDocument:
        """Read what `to_json` wrote.

        Raises:
            pydantic.ValidationError: The text is no such document.
        """
        return cls.model_validate_json(data)

    def to_markdown(self, *, page_markers: bool = False) -> str:
        """The document as Markdown.

        Args:
            page_markers: Put ``<!-- page 3 -->`` before each page.
        """
        from .export.markdown import document_to_markdown

        return document_to_markdown(self, page_markers=page_markers)

    def to_html(self) -> str:
        """One self-contained HTML page; all text escaped."""
        from .export.html import document_to_html

        return document_to_html(self)

    def to_text(self) -> str:
        """Plain text, furniture left out."""
        from .export.markdown import document_to_text

        return document_to_text(self)

    def to_docling(self) -> DoclingDocument:
        """A docling-core `DoclingDocument`, for docling's own tools (extra ``docling``).

        Labels, boxes in points (origin top left), page sizes, captions at their tables and pictures, table
        cells with spans and headers, nested lists, section levels; page headers and footers as furniture.

        Raises:
            MissingDependencyError: docling-core is not installed.
        """
        from .export.docling import document_to_docling

        return document_to_docling(self)
