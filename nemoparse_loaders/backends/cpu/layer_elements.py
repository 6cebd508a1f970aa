"""The elements of a page by its PDF's text layer alone: no picture, no models, nothing of the extra."""

from __future__ import annotations

from ...document import Element
from ...rendering.page_image import PageGeometry, TextLayer
from .blocks import build_blocks
from .lines import build_lines
from .order import reading_order
from .parts import Block, is_rtl
from .printing import to_element
from .source import MOST_WORDS, readable_words, usable, words_of_layer


def elements_of_layer(layer: TextLayer, geometry: PageGeometry) -> list[Element]:
    """Words become lines, lines paragraphs in reading order.

    Args:
        layer: The layer. Whether its words leave ink on the page is not known here: only those that the file
            itself hides are left out.
        geometry: The page.

    Returns:
        Elements of the class Text, or Floating-text where they read in another direction than the rest; none
        where there is no visible text, or none that makes sense.
    """
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
