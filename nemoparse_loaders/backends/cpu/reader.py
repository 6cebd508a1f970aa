"""One page from picture and text layer to elements in reading order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...document import Element
from ...rendering.page_image import PageImage, TextLayer
from .blocks import build_blocks
from .figures import find_figures
from .formulas import equation_blocks
from .geometry import Frame, Rect
from .lines import build_lines
from .order import reading_order
from .parts import Block, PageWords, Region, Word, is_rtl
from .picture import Picture, decode_picture, ground_of
from .printing import to_element
from .raster_lines import raster_rulings
from .roles import Page, assign_roles, body_font, body_size, mark_bibliography, mono_share
from .source import find_words
from .tables import find_tables, inside

if TYPE_CHECKING:
    from .models import PageModels

_FURNITURE = ("Page-header", "Page-footer")


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
    ordered = in_order(blocks, rtl=is_rtl("".join(word.text for word in found.words)))
    mark_bibliography(ordered)
    ordered = joined_code(ordered)
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
    words = found.words
    tables = find_tables(words, rulings, regions, lambda box: ground_of(upright, turned_back.to_page(box)))
    words = [
        word for word in words if not any(table.box.grown(1).holds(*word.box.middle) for table in tables)
    ]
    level = tuple(rule for rule in rulings if rule.width > rule.height)
    equations = equation_blocks(words, level, regions)
    words = without(words, equations)
    lines = build_lines(words)
    figures = find_figures(
        words, lines, images if not found.from_ocr else [], rulings, regions, tables, page_box
    )
    for figure in figures:
        figure.lines = build_lines(inside(words, figure.box))
    if figures:
        words = [word for word in words if not any(figure.box.holds(*word.box.middle) for figure in figures)]
        lines = build_lines(words)
    blocks = build_blocks(lines, regions)
    page = Page(
        frame=frame,
        number=number,
        body=body_size(lines),
        rules=level,
        floats=tuple(block.box for block in (*tables, *figures)),
        from_ocr=found.from_ocr,
        mono=mono_share(lines),
        font=body_font(lines),
    )
    everything = [*tables, *figures, *equations, *blocks]
    assign_roles(everything, page)
    return everything


def joined_code(ordered: Sequence[Block]) -> list[Block]:
    """Pieces of one listing that blank lines had parted, put together."""
    joined: list[Block] = []
    for block in ordered:
        last = joined[-1] if joined else None
        near = last is not None and 0 <= block.box.y0 - last.box.y1 < 2.5 * block.size
        if last is not None and near and last.type == block.type == "Code" and last.box.across(block.box) > 0:
            last.lines += block.lines
            last.box = last.box.union(block.box)
        else:
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
