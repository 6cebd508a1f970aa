"""A PDF's own text as a reply: for pages that no model could read."""

from __future__ import annotations

from ..backends.base import ModelReply
from ..backends.cpu.layer_elements import elements_of_layer
from ..decoding import encode_page
from ..rendering.page_image import PageGeometry, TextLayer
from .record import ReplyPart


def reply_of_layer(
    layer: TextLayer, geometry: PageGeometry, *, profile: str, image_size: tuple[int, int]
) -> ReplyPart | None:
    """The text layer, printed as the model would print it, so that it goes the way of every reply.

    Args:
        layer: The layer.
        geometry: The page.
        profile: Whose grammar and frame to print.
        image_size: Pixels (width, height) of the page's picture, for frames that need it.

    Returns:
        None where there is no visible text in it, or none that makes sense.
    """
    elements = elements_of_layer(layer, geometry)
    if not elements:
        return None
    text = encode_page(elements, profile=profile, image_size=image_size)
    return ReplyPart(ModelReply(text, "stop"), image_size)
