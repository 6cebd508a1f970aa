"""One page from picture and text layer to elements in reading order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from ...document import Element
from ...rendering.page_image import PageImage, TextLayer
from .bar_charts import read_bar_chart
from .blocks import build_blocks
from .figures import find_figures, without_forms
from .formulas import equation_blocks
from .geometry import Frame, Rect
from .lines import build_lines
from .order import reading_order
from .parts import Block, PageWords, Region, Word, is_rtl
from .picture import Picture, colour_of, decode_picture, drawn_share, ground_of, inked_box
from .printing import to_element
from .raster_lines import raster_rulings
from .roles import Page, assign_roles, body_font, body_size, lists_contents, mark_bibliography, mono_share
from .source import find_words
from .tables import find_tables, inside

if TYPE_CHECKING:
    from .models import PageModels

_FURNITURE = ("Page-header", "Page-footer")
_LISTINGS = {"Code": 2.5, "TOC": 4.0}  # the gap, in font sizes, over which pieces belong together


def read_page(image: PageImage, models: PageModels) -> list[Element]:
    """Read a page.

    Args:
        image: The picture, with its text layer where there is one.
        models: Layout and OCR.

    Returns:
        Elements in reading order; none for a page with nothing on it.
    """
    picture = decode_picture(image.data)
    found = find_words(image, picture, models)
    upright = picture.turned(found.frame.turn).straightened(found.frame.skew)
    regions = _regions(upright, found.frame, models)
    blocks = find_blocks(found, image.text_layer or TextLayer(), upright, regions, image.geometry.number)
    if not blocks and (inked := inked_box(upright)) is not None:
        # Something is there that nobody could read or name: a picture, and not an empty page.
        box = Frame(found.frame.width, found.frame.height).to_frame(inked)
        blocks = [Block(box, type="Picture")]
    ordered = in_order(blocks, rtl=is_rtl("".join(word.text for word in found.words)))
    mark_bibliography(ordered)
    ordered = joined_pieces(ordered)
    mark_continuations(ordered)
    return [
        to_element(block, found.frame, image.geometry.number, position)
        for position, block in enumerate(ordered, start=1)
    ]


def _regions(upright: Picture, frame: Frame, models: PageModels) -> list[Region]:
    scale_x, scale_y = frame.width / upright.width, frame.height / upright.height
    return [
        Region(
            region.kind,
            Rect(
                region.box[0] * scale_x,
                region.box[1] * scale_y,
                region.box[2] * scale_x,
                region.box[3] * scale_y,
            ),
            region.score,
        )
        for region in models.regions(upright.colours)
    ]


def find_blocks(
    found: PageWords, layer: TextLayer, upright: Picture, regions: Sequence[Region], number: int
) -> list[Block]:
    """All blocks of a page with their types, in no particular order.

    Args:
        found: The words.
        layer: The text layer, for its rulings and images.
        upright: The picture, turned like the frame.
        regions: What the layout model found.
        number: The page's number, from 1.
    """
    frame = found.frame
    turned_back = Frame(frame.width, frame.height)
    if found.from_ocr:
        rulings = raster_rulings(upright, frame)
    else:
        rulings = [frame.to_frame(line) for line in layer.rulings]
    images = [frame.to_frame(box) for box in layer.images]
    page_box = Rect(0.0, 0.0, frame.width, frame.height)
    regions = without_forms(regions, found.words, page_box)
    words = found.words

    def colour_at(box: Rect) -> tuple[int, int, int]:
        return colour_of(upright, turned_back.to_page(box))

    tables = find_tables(words, rulings, regions, lambda box: ground_of(upright, turned_back.to_page(box)))
    words = [
        word for word in words if not any(table.box.grown(1).holds(*word.box.middle) for table in tables)
    ]
    level = tuple(rule for rule in rulings if rule.width > rule.height)
    equations = equation_blocks(words, level, regions)
    words = without(words, equations)
    lines = build_lines(words)
    word_boxes = [turned_back.to_page(word.box) for word in words]
    figures = find_figures(
        words,
        lines,
        [] if found.from_ocr else images,
        rulings,
        regions,
        tables,
        page_box,
        lambda box: drawn_share(upright, turned_back.to_page(box), word_boxes),
    )
    for figure in figures:
        held = inside(words, figure.box)
        figure.lines = build_lines(held)
        if figure.type == "Chart" and not found.from_ocr:
            drawn = [rule for rule in rulings if rule.share_in(figure.box.grown(1)) > 0]
            figure.chart = read_bar_chart(held, drawn, colour_at)
    if figures:
        words = [word for word in words if not any(figure.box.holds(*word.box.middle) for figure in figures)]
        lines = build_lines(words)
    blocks = build_blocks(lines, regions)
    for stray in found.stray:
        home = next((figure for figure in figures if figure.box.holds(*stray.box.middle)), None)
        if home is not None:
            home.lines.append(stray)
        elif not any(table.box.holds(*stray.box.middle) for table in tables):
            blocks.append(Block(stray.box, [stray], type="Floating-text"))
    page = Page(
        frame=frame,
        number=number,
        body=body_size(lines),
        rules=level,
        floats=tuple(block.box for block in (*tables, *figures)),
        from_ocr=found.from_ocr,
        mono=mono_share(lines),
        font=body_font(lines),
        contents=lists_contents(lines),
    )
    everything = [*tables, *figures, *equations, *blocks]
    assign_roles(everything, page)
    return everything


def mark_continuations(ordered: Sequence[Block]) -> None:
    """Mark paragraphs that break off at the end of a column or page, and those that go on from there.

    Args:
        ordered: The blocks of a page in reading order.
    """
    texts = [block for block in ordered if block.type in {"Text", "List-item"}]
    for block, after in pairwise(texts):
        # Only where the next one does not stand below: a new column.
        if after.box.y0 < block.box.y0 and _breaks_off(block.text) and _goes_on(after.text):
            block.continues_after = after.continues_before = True
    if texts and texts[0].type == "Text" and _goes_on(texts[0].text):
        texts[0].continues_before = True
    if texts and texts[-1].type == "Text" and len(texts[-1].lines) > 1 and _breaks_off(texts[-1].text):
        texts[-1].continues_after = True


def _breaks_off(text: str) -> bool:
    return text[-1:].isalnum() or text[-1:] in {",", "-"}


def _goes_on(text: str) -> bool:
    return text[:1].islower()


def joined_pieces(ordered: Sequence[Block]) -> list[Block]:
    """Pieces of one listing, or of one table of contents, that gaps had parted, put together."""
    joined: list[Block] = []
    for block in ordered:
        last = joined[-1] if joined else None
        if last is not None and last.type == block.type and block.type in _LISTINGS:
            gap = block.box.y0 - last.box.y1
            if 0 <= gap < _LISTINGS[block.type] * block.size and last.box.across(block.box) > 0:
                last.lines += block.lines
                last.box = last.box.union(block.box)
                continue
        joined.append(block)
    return joined


def without(words: Sequence[Word], blocks: Sequence[Block]) -> list[Word]:
    """The words that none of the blocks holds."""
    held = {word.order for block in blocks for line in block.lines for word in line.words}
    return [word for word in words if word.order not in held]


def in_order(blocks: Sequence[Block], *, rtl: bool = False) -> list[Block]:
    """Blocks as they are read: page headers, the page, its footnotes, page footers."""
    body = [block for block in blocks if block.type not in _FURNITURE]
    order = reading_order([block.box for block in body], rtl=rtl)
    headers, footers = (
        sorted(
            (block for block in blocks if block.type == kind),
            key=lambda block: (round(block.box.y0), block.box.x0),
        )
        for kind in _FURNITURE
    )
    ordered = [body[index] for index in order]
    notes = [block for block in ordered if block.type == "Footnote"]
    return [*headers, *(block for block in ordered if block.type != "Footnote"), *notes, *footers]
