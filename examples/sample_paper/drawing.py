"""How the parts of the sample paper look: styles, tables with real rules, formulas and the bar chart."""

from __future__ import annotations

import re

from reportlab.graphics.shapes import Drawing, Line, Rect, String
from reportlab.lib import colors
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import Flowable, Preformatted, Table
from reportlab.platypus import Paragraph as PdfParagraph

from .blocks import (
    ChartData,
    Footnote,
    Formula,
    Fraction,
    Heading,
    Listing,
    ListItem,
    Paragraph,
    Reference,
    TableData,
)

BODY = ParagraphStyle(
    "body",
    fontName="Times-Roman",
    fontSize=10.5,
    leading=13.2,
    alignment=TA_JUSTIFY,
    spaceAfter=6,
    allowWidows=0,
    allowOrphans=0,
)
TITLE = ParagraphStyle("title", fontName="Helvetica-Bold", fontSize=19, leading=23, alignment=TA_CENTER)
AUTHORS = ParagraphStyle("authors", fontName="Times-Roman", fontSize=12, leading=15, alignment=TA_CENTER)
AFFILIATIONS = ParagraphStyle("where", fontName="Times-Italic", fontSize=10, leading=13, alignment=TA_CENTER)
ABSTRACT = ParagraphStyle("abstract", parent=BODY, leftIndent=36, rightIndent=36)
ABSTRACT_HEADING = ParagraphStyle(
    "abstract heading", fontName="Helvetica-Bold", fontSize=12, leading=15, leftIndent=36, spaceAfter=3
)
HEADINGS = {
    1: ParagraphStyle("h1", fontName="Helvetica-Bold", fontSize=13, leading=16, spaceBefore=9, spaceAfter=5),
    2: ParagraphStyle("h2", fontName="Helvetica-Bold", fontSize=11, leading=14, spaceBefore=6, spaceAfter=4),
    3: ParagraphStyle(
        "h3", fontName="Helvetica-BoldOblique", fontSize=10, leading=13, spaceBefore=4, spaceAfter=3
    ),
}
LIST_ITEM = ParagraphStyle(
    "item",
    parent=BODY,
    leftIndent=16,
    bulletIndent=3,
    spaceAfter=3,
    bulletFontName="Times-Roman",
    bulletFontSize=10.5,
)
REFERENCE = ParagraphStyle(
    "reference",
    parent=BODY,
    fontSize=9.5,
    leading=12,
    leftIndent=16,
    firstLineIndent=-16,
    alignment=0,
    spaceAfter=4,
)
LISTING = ParagraphStyle("listing", fontName="Courier", fontSize=9, leading=11, leftIndent=6, spaceAfter=7)
FOOTNOTE = ParagraphStyle("footnote", parent=BODY, fontSize=8.5, leading=10.5, spaceAfter=2, alignment=0)
CAPTION = ParagraphStyle(
    "caption", fontName="Times-Italic", fontSize=9.5, leading=11.8, spaceBefore=4, spaceAfter=5
)
CELL = ParagraphStyle("cell", fontName="Times-Roman", fontSize=9.5, leading=11, alignment=TA_CENTER)
CELL_LEFT = ParagraphStyle("cell left", parent=CELL, alignment=0)
CELL_HEADER = ParagraphStyle("cell header", parent=CELL, fontName="Times-Bold")

# The standard fonts need no embedding; Greek and mathematics are in another one of them.
_SYMBOLS = re.compile("[αβγδεηλμρστωΣ∑∫√≤≥≈−…]+")


def with_symbols(markup: str) -> str:
    """Markup with what Times lacks set in Symbol, and with raised and lowered marks near their line."""
    sized = markup.replace("<super>", '<super rise="4" size="7">').replace(
        "<sub>", '<sub rise="2.5" size="7.5">'
    )
    return _SYMBOLS.sub(lambda match: f'<font name="Symbol">{match.group()}</font>', sized)


def heading(block: Heading) -> Flowable:
    return PdfParagraph(block.text, HEADINGS[block.level])


def paragraph(block: Paragraph, style: ParagraphStyle = BODY) -> Flowable:
    return PdfParagraph(with_symbols(block.text), style)


def list_item(block: ListItem) -> Flowable:
    return PdfParagraph(with_symbols(block.text), LIST_ITEM, bulletText=block.mark)


def listing(block: Listing) -> Flowable:
    return Preformatted(block.text, LISTING)


def reference(block: Reference) -> Flowable:
    return PdfParagraph(with_symbols(block.text), REFERENCE)


def footnote(block: Footnote) -> Flowable:
    return PdfParagraph(with_symbols(f"<super>{block.mark}</super> {block.text}"), FOOTNOTE)


def caption(text: str) -> Flowable:
    return PdfParagraph(with_symbols(text), CAPTION)


class FormulaLine(Flowable):
    """A displayed formula in the middle of its column, its number flush right."""

    _SIZE = 11.5
    _HEIGHT = 32.0
    _BASELINE = 13.0

    def __init__(self, formula: Formula) -> None:
        super().__init__()
        self.formula = formula
        self.spaceAfter = 6

    def wrap(self, avail_width: float, avail_height: float) -> tuple[float, float]:
        self.width, self.height = avail_width, self._HEIGHT
        return self.width, self.height

    def draw(self) -> None:
        widths = [self._width(piece) for piece in self.formula.pieces]
        x = (self.width - sum(widths)) / 2
        for piece, width in zip(self.formula.pieces, widths, strict=True):
            if isinstance(piece, Fraction):
                self._text(
                    piece.above, x + (width - _markup_width(piece.above, self._SIZE)) / 2, self._BASELINE + 9
                )
                self._text(
                    piece.below, x + (width - _markup_width(piece.below, self._SIZE)) / 2, self._BASELINE - 9
                )
                self.canv.setLineWidth(0.6)
                self.canv.line(x, self._BASELINE + 4, x + width, self._BASELINE + 4)
            else:
                self._text(piece, x, self._BASELINE)
            x += width
        self.canv.setFont("Times-Roman", 10.5)
        self.canv.drawRightString(self.width, self._BASELINE, self.formula.number)

    def _width(self, piece: str | Fraction) -> float:
        if isinstance(piece, Fraction):
            return max(_markup_width(part, self._SIZE) for part in (piece.above, piece.below)) + 4
        return _markup_width(piece, self._SIZE)

    def _text(self, markup: str, x: float, baseline: float) -> None:
        for text, font, size, rise in _runs(markup, self._SIZE):
            self.canv.setFont(font, size)
            self.canv.drawString(x, baseline + rise, text)
            x += stringWidth(text, font, size)


def _runs(markup: str, size: float) -> list[tuple[str, str, float, float]]:
    """Text, font, size and rise of each run of a formula's markup."""
    runs: list[tuple[str, str, float, float]] = []
    italic, level = False, 0
    for part in re.split(r"(<[^>]*>)", markup.replace("&nbsp;", "\u00a0")):
        if part in ("<i>", "</i>"):
            italic = part == "<i>"
        elif part in ("<sub>", "<super>"):
            level = -1 if part == "<sub>" else 1
        elif part in ("</sub>", "</super>"):
            level = 0
        else:
            scaled = size * 0.7 if level else size
            rise = {-1: -2.5, 0: 0.0, 1: 4.5}[level]
            for text in re.split(f"({_SYMBOLS.pattern})", part):
                if text:
                    font = "Symbol" if _SYMBOLS.match(text) else "Times-Italic" if italic else "Times-Roman"
                    runs.append((text, font, scaled, rise))
    return runs


def _markup_width(markup: str, size: float) -> float:
    return sum(stringWidth(text, font, scaled) for text, font, scaled, _ in _runs(markup, size))


def table(data: TableData, width: float) -> Table:
    """A table with its rules; its header rows repeat on the next page."""
    rows = [
        [_cell(text, row < data.header_rows, col in data.left_columns) for col, text in enumerate(texts)]
        for row, texts in enumerate(data.rows)
    ]
    share = width / sum(data.widths)
    last_header = data.header_rows - 1
    if data.boxed:
        rules: list[tuple[object, ...]] = [
            ("GRID", (0, 0), (-1, -1), 0.5, colors.black),
            ("LINEBELOW", (0, last_header), (-1, last_header), 1.2, colors.black),
            ("BACKGROUND", (0, 0), (-1, last_header), colors.Color(0.92, 0.92, 0.92)),
        ]
    else:
        rules = [
            ("LINEABOVE", (0, 0), (-1, 0), 1.0, colors.black),
            ("LINEBELOW", (0, last_header), (-1, last_header), 0.5, colors.black),
            ("LINEBELOW", (0, -1), (-1, -1), 1.0, colors.black),
        ]
    style = [
        *rules,
        ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
        ("TOPPADDING", (0, 0), (-1, -1), 2.0),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 3.5),
        ("LEFTPADDING", (0, 0), (-1, -1), 3.0),
        ("RIGHTPADDING", (0, 0), (-1, -1), 3.0),
    ]
    style += [
        ("SPAN", (col, row), (col + colspan - 1, row + rowspan - 1))
        for row, col, rowspan, colspan in data.spans
    ]
    return Table(rows, [share * part for part in data.widths], style=style, repeatRows=data.header_rows)


def _cell(text: str | None, is_header: bool, is_left: bool) -> Flowable | str:
    if text is None:
        return ""
    return PdfParagraph(with_symbols(text), CELL_HEADER if is_header else CELL_LEFT if is_left else CELL)


def chart(data: ChartData, width: float) -> Drawing:
    """A bar chart with axes, ticks, grid lines and a key, drawn as vectors."""
    height, left, bottom, top = 190.0, 34.0, 34.0, 24.0
    drawing = Drawing(width, height)
    plot_width, plot_height = width - left - 4, height - bottom - top
    drawing.add(
        Rect(0, 0, width, height, strokeColor=colors.Color(0.6, 0.6, 0.6), fillColor=None, strokeWidth=0.5)
    )
    steps = round(data.top / data.step)
    for tick in range(steps + 1):
        y = bottom + plot_height * tick / steps
        shade = colors.black if tick == 0 else colors.Color(0.8, 0.8, 0.8)
        drawing.add(Line(left, y, left + plot_width, y, strokeColor=shade, strokeWidth=0.5))
        drawing.add(_label(f"{tick * data.step:.0f}", left - 4, y - 3, "end"))
    drawing.add(Line(left, bottom, left, bottom + plot_height, strokeWidth=0.5))
    fills = (colors.Color(0.25, 0.42, 0.62), colors.Color(0.85, 0.6, 0.25))
    slot = plot_width / len(data.groups)
    bar = slot * 0.36
    for group, name in enumerate(data.groups):
        middle = left + slot * (group + 0.5)
        drawing.add(_label(name, middle, bottom - 12, "middle"))
        for index, (_, values) in enumerate(data.series):
            x = middle + (index - len(data.series) / 2) * bar
            drawing.add(
                Rect(
                    x,
                    bottom,
                    bar,
                    plot_height * values[group] / data.top,
                    fillColor=fills[index],
                    strokeWidth=0.4,
                )
            )
            drawing.add(
                _label(
                    f"{values[group]:.0f}",
                    x + bar / 2,
                    bottom + plot_height * values[group] / data.top + 2,
                    "middle",
                    7,
                )
            )
    x = left
    for index, (name, _) in enumerate(data.series):
        drawing.add(Rect(x, 8, 8, 8, fillColor=fills[index], strokeWidth=0.4))
        drawing.add(_label(name, x + 12, 9, "start"))
        x += 30 + stringWidth(name, "Helvetica", 8)
    drawing.add(_label(data.value_axis, 4, height - 13, "start"))
    return drawing


def _label(text: str, x: float, y: float, anchor: str, size: float = 8) -> String:
    return String(x, y, text, fontName="Helvetica", fontSize=size, textAnchor=anchor)
