"""A PDF's own text as a reply: for pages that no model could read."""

from __future__ import annotations

from ..backends.base import ModelReply
from ..decoding import encode_page
from ..document import Element
from ..rendering.page_image import PageGeometry, TextLayer
from .record import ReplyPart


def reply_of_layer(
    layer: TextLayer, geometry: PageGeometry, *, profile: str, image_size: tuple[int, int]
) -> ReplyPart | None:
    """The text layer, printed as the model would print it, so that it goes the way of every reply.

    Words become lines, lines paragraphs in reading order; all are of the class Text, or Floating-text where
    they read in another direction than the rest.

    Args:
        layer: The layer.
        geometry: The page.
        profile: Whose grammar and frame to print.
        image_size: Pixels (width, height) of the page's picture, for frames that need it.

    Returns:
        None where there is no visible text in it, or none that makes sense.
    """
    elements = _elements(layer, geometry)
    if not elements:
        return None
    text = encode_page(elements, profile=profile, image_size=image_size)
    return ReplyPart(ModelReply(text, "stop"), image_size)


def _elements(layer: TextLayer, geometry: PageGeometry) -> list[Element]:
    # These are the parts of the CPU backend that go by words alone and need nothing of its extra.
    from ..backends.cpu.blocks import build_blocks
    from ..backends.cpu.lines import build_lines
    from ..backends.cpu.order import reading_order
    from ..backends.cpu.parts import Block, is_rtl
    from ..backends.cpu.printing import to_element
    from ..backends.cpu.source import MOST_WORDS, readable_words, usable, words_of_layer

    size = geometry.width_pt, geometry.height_pt
    words = readable_words(layer.words, *size)[:MOST_WORDS]
    if not usable(words) or min(size) <= 0:
        return []
    found = words_of_layer(words, size)
    blocks = build_blocks(build_lines(found.words))
    blocks += [Block(line.box, [line], type="Floating-text") for line in found.stray]
    order = reading_order(
        [block.box for block in blocks], rtl=is_rtl("".join(word.text for word in found.words))
    )
    return [
        to_element(blocks[index], found.frame, geometry.number, position)
        for position, index in enumerate(order, start=1)
    ]
