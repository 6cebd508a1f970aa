"""The frames that boxes are printed in, and the way to the displayed page and back.

"content": fractions of the image as sent. "canvas": fractions of a canvas of fixed size, onto which the
image was scaled down (never up) to fit, and centred.
"""

from __future__ import annotations

from typing import NamedTuple

from ..document import BBox
from ..errors import OptionError
from ..profiles import Profile


class FrameMap(NamedTuple):
    """A linear map from printed fractions to page fractions: ``page = (printed - offset) / extent``."""

    offset_x: float = 0.0
    offset_y: float = 0.0
    extent_x: float = 1.0
    extent_y: float = 1.0

    def to_page(self, printed: BBox) -> BBox:
        """The box of two corners as printed, sorted and clamped to the page."""
        x0, y0, x1, y1 = printed
        if self is IDENTITY and 0.0 <= x0 <= x1 <= 1.0 and 0.0 <= y0 <= y1 <= 1.0:
            return printed
        return BBox.clamped(
            (x0 - self.offset_x) / self.extent_x,
            (y0 - self.offset_y) / self.extent_y,
            (x1 - self.offset_x) / self.extent_x,
            (y1 - self.offset_y) / self.extent_y,
        )

    def to_printed(self, bbox: BBox) -> tuple[float, float, float, float]:
        """The fractions to print for a box of the page."""
        return (
            bbox.x0 * self.extent_x + self.offset_x,
            bbox.y0 * self.extent_y + self.offset_y,
            bbox.x1 * self.extent_x + self.offset_x,
            bbox.y1 * self.extent_y + self.offset_y,
        )


IDENTITY = FrameMap()


def frame_map(profile: Profile, image_size: tuple[int, int] | None) -> FrameMap:
    """The map of a model generation for one image.

    Args:
        profile: The generation.
        image_size: (width, height) in pixels of the image as sent; only the canvas frame needs it.

    Raises:
        OptionError: The frame needs the image's size and has none, or it is not positive.
    """
    if profile.frame == "content":
        return IDENTITY
    if image_size is None:
        raise OptionError(
            f"profile {profile.name} prints boxes on a canvas: give image_size=(width, height), "
            "in pixels, of the image that was sent"
        )
    width, height = image_size
    if width <= 0 or height <= 0:
        raise OptionError(f"image_size must be positive, not {width}x{height}")
    canvas_width, canvas_height = profile.max_image_size
    scale = min(1.0, canvas_width / width, canvas_height / height)
    extent_x, extent_y = width * scale / canvas_width, height * scale / canvas_height
    return FrameMap((1.0 - extent_x) / 2.0, (1.0 - extent_y) / 2.0, extent_x, extent_y)
