"""Writes the sample paper as a PDF, and what is in it as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Spacer
from reportlab.platypus import Paragraph as PdfParagraph

from . import content, drawing, tables
from .blocks import Block, Formula, Heading, Listing, ListItem, Reference
from .flow import COLUMN_WIDTH, LEFT, PAGE_HEIGHT, PAGE_WIDTH, RIGHT, TEXT_WIDTH, Composer, PagePlan, Piece
from .truth import ground_truth

# Height for the first part of Table 2; the rest goes to the next page.
_FIRST_PART_OF_OIL = 330.0


def write_paper(pdf: Path, expected: Path) -> None:
    """Draw the PDF and write the ground truth beside it."""
    canvas = Canvas(str(pdf), pagesize=(PAGE_WIDTH, PAGE_HEIGHT), invariant=1, initialFontName="Times-Roman")
    canvas.setTitle(content.TITLE)
    canvas.setAuthor("Ines Halvorsen, Tomasz Brandt and Moira Keithley")
    canvas.setSubject("A sample document with invented content")
    story = [
        Piece(f"body{index}", _flowable(block), isinstance(block, Heading))
        for index, block in enumerate(content.BODY)
    ]
    oil_parts = drawing.table(tables.OIL, TEXT_WIDTH).split(TEXT_WIDTH, _FIRST_PART_OF_OIL)
    composer = Composer(canvas, _furniture)
    composer.compose(story, _plans(oil_parts))
    canvas.save()
    truth = ground_truth(composer.placed, composer.page, _rows(oil_parts))
    expected.write_text(_json_lines(truth), encoding="utf-8")


def _json_lines(truth: dict[str, Any]) -> str:
    """JSON with one entry of each list a line, so that changes can be read in a diff."""
    parts = []
    for key, value in truth.items():
        if isinstance(value, list):
            entries = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in value)
            parts.append(f"{json.dumps(key)}: [\n{entries}\n]")
        else:
            parts.append(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _flowable(block: Block) -> Flowable:
    if isinstance(block, Heading):
        return drawing.heading(block)
    if isinstance(block, ListItem):
        return drawing.list_item(block)
    if isinstance(block, Listing):
        return drawing.listing(block)
    if isinstance(block, Reference):
        return drawing.reference(block)
    if isinstance(block, Formula):
        return drawing.FormulaLine(block)
    return drawing.paragraph(block)


def _plans(oil_parts: list[Flowable]) -> list[PagePlan]:
    """What stands where, page by page."""
    notes = {note.mark: Piece(f"footnote {note.mark}", drawing.footnote(note)) for note in content.FOOTNOTES}
    loads = [
        Piece("caption loads", drawing.caption(tables.LOADS.caption)),
        Piece("table loads", drawing.table(tables.LOADS, TEXT_WIDTH)),
    ]
    wear = [
        Piece("chart wear", drawing.chart(tables.WEAR, COLUMN_WIDTH)),
        Piece("caption wear", drawing.caption(tables.WEAR.caption)),
        Piece("", Spacer(1, 4)),
    ]
    notation = [
        Piece("caption notation", drawing.caption(tables.NOTATION.caption)),
        Piece("table notation", drawing.table(tables.NOTATION, COLUMN_WIDTH)),
        Piece("", Spacer(1, 10)),
    ]
    first, second = oil_parts
    return [
        PagePlan(top=_front(), footnotes={0: [notes["a"]]}),
        PagePlan(top=loads, footnotes={0: [notes["b"]]}),
        PagePlan(
            bottom=[Piece("caption oil", drawing.caption(tables.OIL.caption)), Piece("table oil", first)]
        ),
        PagePlan(top=[Piece("table oil", second)], footnotes={0: [notes["c"]]}),
        PagePlan(column_top={1: wear}),
        PagePlan(column_top={1: notation}),
    ]


def _front() -> list[Piece]:
    return [
        Piece("title", PdfParagraph(content.TITLE.replace(": ", ":<br/>"), drawing.TITLE)),
        Piece("", Spacer(1, 9)),
        Piece("authors", PdfParagraph(drawing.with_symbols(content.AUTHORS), drawing.AUTHORS)),
        Piece("affiliations", PdfParagraph(drawing.with_symbols(content.AFFILIATIONS), drawing.AFFILIATIONS)),
        Piece("", Spacer(1, 12)),
        Piece("abstract heading", PdfParagraph(content.ABSTRACT_HEADING.text, drawing.ABSTRACT_HEADING)),
        Piece("abstract", drawing.paragraph(content.ABSTRACT, drawing.ABSTRACT)),
    ]


def _rows(parts: Iterable[Flowable]) -> list[int]:
    """Body rows of each part of Table 2."""
    return [len(part._cellvalues) - tables.OIL.header_rows for part in parts]


def _furniture(canvas: Canvas, page: int) -> None:
    printed = str(content.FIRST_PRINTED_PAGE + page - 1)
    canvas.setFont("Helvetica", 8.5)
    canvas.drawString(LEFT, PAGE_HEIGHT - 42, content.RUNNING_TITLE)
    canvas.drawRightString(PAGE_WIDTH - RIGHT, PAGE_HEIGHT - 42, content.JOURNAL)
    canvas.setLineWidth(0.4)
    canvas.line(LEFT, PAGE_HEIGHT - 48, PAGE_WIDTH - RIGHT, PAGE_HEIGHT - 48)
    canvas.drawCentredString(PAGE_WIDTH / 2, 38, printed)
    if page == 1:
        canvas.addPageLabel(0, style="ARABIC", start=content.FIRST_PRINTED_PAGE)
