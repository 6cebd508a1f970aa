"""One page from picture and text layer to elements in reading order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...document import Element
from ...rendering.page_image import PageImage
from .blocks import build_blocks
from .geometry import Frame, Rect
from .lines import build_lines
from .markup import markdown, plain_text
from .order import reading_order
from .parts import Block, Region, is_rtl
from .picture import decode_picture
from .source import find_words

if TYPE_CHECKING:
    from .models import PageModels


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
    upright = picture.turned(found.frame.turn)
    scale_x, scale_y = found.frame.width / upright.width, found.frame.height / upright.height
    regions = [
        Region(region.kind, _rect(region.box, scale_x, scale_y), region.score)
        for region in models.regions(upright.colours)
    ]
    blocks = build_blocks(build_lines(found.words), regions)
    order = reading_order(
        [block.box for block in blocks], rtl=is_rtl("".join(word.text for word in found.words))
    )
    return [
        _element(blocks[index], found.frame, image.geometry.number, position)
        for position, index in enumerate(order, start=1)
    ]


def _rect(box: tuple[float, float, float, float], scale_x: float, scale_y: float) -> Rect:
    return Rect(box[0] * scale_x, box[1] * scale_y, box[2] * scale_x, box[3] * scale_y)


def _element(block: Block, frame: Frame, page: int, position: int) -> Element:
    return Element(
        id=f"p{page}e{position}",
        type=block.type,
        bbox=frame.to_page(block.box),
        markdown=markdown(block.lines),
        text=plain_text(block.lines),
    )
