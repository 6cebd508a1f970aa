"""The pages that are parsed, and the reply that every page gets."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
from reportlab.pdfgen.canvas import Canvas

from nemoparse_loaders.rendering import PageRenderer, RenderSettings
from nemoparse_loaders.sources import load_source

# What each kind is taken from, in folder ``pages`` of the test data.
KINDS = {
    "text": ("R-intro.pdf", "memoir_book.pdf"),
    "slides": ("beamer_talk_slides.pdf",),
    "vector": ("circuitikz_vector.pdf", "asymptote_manual.pdf"),
    "scans": (
        "ocr_multipage_scan.pdf",
        "pypdf_Seige_of_Vicksburg_Sample_OCR.pdf",
        "ocr_ccitt.pdf",
        "ocr_linn.pdf",
        "ocr_skew.pdf",
        "congress_scan.pdf",
    ),
}


def make_sample(pages: Path, target: Path, count: int, kinds: tuple[str, ...] = tuple(KINDS)) -> list[Path]:
    """One PDF of ``count`` pages for each kind: spread over its files, in turn, again where they end."""
    made = []
    for kind in kinds:
        file = target / f"{kind}.pdf"
        if not file.exists():
            new = pypdfium2.PdfDocument.new()
            documents = [pypdfium2.PdfDocument(pages / name) for name in KINDS[kind]]
            turns = itertools.zip_longest(*(spread(document, count) for document in documents))
            chosen = [page for turn in turns for page in zip(documents, turn, strict=True)]
            chosen = [(document, number) for document, number in chosen if number is not None]
            for document, number in itertools.islice(itertools.cycle(chosen), count):
                new.import_pages(document, [number])
            new.save(file)
        made.append(file)
    return made


def spread(document: pypdfium2.PdfDocument, count: int) -> Iterator[int]:
    """Pages with something on them, far apart."""
    step = max(1, len(document) // count)
    for number in range(0, len(document), step):
        low, high = document[number].render(scale=0.3, grayscale=True).to_pil().getextrema()
        if high - low > 100:
            yield number


def make_long_file(target: Path, count: int) -> Path:
    """A PDF of so many pages of text."""
    file = target / f"long-{count}.pdf"
    if not file.exists():
        canvas = Canvas(str(file), pagesize=(612, 792), invariant=1)
        for page in range(count):
            canvas.setFont("Helvetica", 10)
            for line in range(54):
                words = " ".join(f"word{page * 7 + line * 13 + position}" for position in range(10))
                canvas.drawString(54, 740 - 13 * line, words)
            canvas.showPage()
        canvas.save()
    return file


def make_cheap_file(target: Path, count: int) -> Path:
    """A PDF of so many pages that cost almost nothing to draw."""
    file = target / f"cheap-{count}.pdf"
    if not file.exists():
        canvas = Canvas(str(file), pagesize=(128, 160), invariant=1)
        for page in range(count):
            canvas.rect(10 + page % 50, 10, 40, 60, fill=1)
            canvas.showPage()
        canvas.save()
    return file


def make_pictures(files: list[Path], target: Path, each: int = 4) -> list[Path]:
    """Full-size pictures of some pages, as this library sends them."""
    made = []
    for file in files:
        with PageRenderer(load_source(file)) as renderer:
            for number in range(1, min(each, renderer.page_count) + 1):
                picture = target / f"{file.stem}-{number}.png"
                picture.write_bytes(renderer.render(number, RenderSettings()).data)
                made.append(picture)
    return made


def make_reply(target: Path) -> Path:
    """The reply of an ordinary page: 34 blocks, a table among them, about a thousand tokens."""
    stream = io.StringIO()
    for number in range(34):
        top = number / 36
        if number == 17:
            rows = "".join(f"Item {row} & {row * 3}.5 & {row * 7} \\\\\n" for row in range(10))
            body, name = f"\\begin{{tabular}}{{lrr}}\nName & A & B \\\\\n{rows}\\end{{tabular}}", "Table"
        elif number % 11 == 0:
            body, name = f"## Section {number}", "Section-header"
        else:
            body, name = f"Block {number} has some words, as most blocks of a page do, and an end.", "Text"
        stream.write(f"<x_0.1038><y_{top:.4f}>{body}<x_0.8962><y_{top + 0.02:.4f}><class_{name}>\n\n")
    file = target / "reply.txt"
    file.write_text(stream.getvalue(), encoding="utf-8")
    return file
