"""The page's picture as evidence: which words can be seen on it, and how much ink no word explains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...document import BBox
from ...errors import BackendError
from .geometry import Turn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]

_CONTRAST = 24  # grey levels between ink and ground that an eye can tell apart
_INK = 60  # grey levels away from the ground that count as ink
_FAINT_INK = 30
_COARSE = 800  # longer side of the picture on which ink is counted


@dataclass(frozen=True, slots=True)
class Picture:
    """A decoded page.

    Attributes:
        colours: Height x width x 3, BGR.
        grey: Height x width.
    """

    colours: Bytes
    grey: Bytes

    @property
    def width(self) -> int:
        """Pixels."""
        return int(self.grey.shape[1])

    @property
    def height(self) -> int:
        """Pixels."""
        return int(self.grey.shape[0])

    def turned(self, turn: Turn) -> Picture:
        """Turned so that text which reads in that clockwise direction stands upright."""
        import numpy as np

        if turn == 0:
            return self
        quarter = {90: 1, 180: 2, 270: 3}[turn]
        colours = np.ascontiguousarray(np.rot90(self.colours, quarter))
        return Picture(colours, np.ascontiguousarray(np.rot90(self.grey, quarter)))

    def straightened(self, skew: float) -> Picture:
        """With lines level that dropped by so many degrees to the right; new corners are of the ground."""
        import cv2
        import numpy as np

        if skew == 0:
            return self
        matrix = cv2.getRotationMatrix2D((self.width / 2, self.height / 2), skew, 1.0)
        ground = float(np.median(self.grey[::8, ::8]))
        colours = cv2.warpAffine(
            self.colours, matrix, (self.width, self.height), flags=cv2.INTER_LINEAR, borderValue=(ground,) * 3
        )
        return _picture(colours)


def _picture(colours: object) -> Picture:
    import cv2
    import numpy as np

    array = np.asarray(colours, dtype=np.uint8)
    return Picture(array, np.asarray(cv2.cvtColor(array, cv2.COLOR_BGR2GRAY), dtype=np.uint8))


def decode_picture(data: bytes) -> Picture:
    """Decode PNG or JPEG bytes.

    Raises:
        BackendError: The bytes are no picture.
    """
    import cv2
    import numpy as np

    colours = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_COLOR)
    if colours is None:
        raise BackendError("the page's picture cannot be decoded")
    return _picture(colours)


def seen(picture: Picture, box: BBox) -> bool:
    """Whether something stands out from its ground inside of the box.

    Text in the colour of its ground, behind a picture or switched off by a layer leaves no ink: the picture,
    which people see, is the judge of what is on the page.
    """
    x0, y0 = int(box.x0 * picture.width), int(box.y0 * picture.height)
    x1, y1 = int(box.x1 * picture.width) + 1, int(box.y1 * picture.height) + 1
    part = picture.grey[y0:y1, x0:x1]
    return part.size > 0 and int(part.max()) - int(part.min()) >= _CONTRAST


def ground_of(picture: Picture, box: BBox) -> int:
    """The grey level that most of the box has, 0 (black) to 255 (white)."""
    import numpy as np

    x0, y0 = int(box.x0 * picture.width), int(box.y0 * picture.height)
    x1, y1 = int(box.x1 * picture.width) + 1, int(box.y1 * picture.height) + 1
    part = picture.grey[y0:y1:2, x0:x1:2]
    return int(np.median(part)) if part.size else 255


def colour_of(picture: Picture, box: BBox) -> tuple[int, int, int]:
    """The colour (red, green, blue) in the middle of those that the box has."""
    import numpy as np

    x0, y0 = int(box.x0 * picture.width), int(box.y0 * picture.height)
    x1, y1 = int(box.x1 * picture.width) + 1, int(box.y1 * picture.height) + 1
    part = picture.colours[y0:y1, x0:x1].reshape(-1, 3)
    if part.size == 0:
        return 255, 255, 255
    blue, green, red = (int(value) for value in np.median(part, axis=0))
    return red, green, blue


def unexplained_ink(picture: Picture, boxes: Sequence[BBox]) -> float:
    """The share of the page that is inked outside of the boxes.

    Args:
        picture: The page.
        boxes: What is explained: words, in 0..1 of the picture.

    Returns:
        Inked pixels outside of the boxes per pixel of the page.
    """
    ink = ink_mask(picture)
    height, width = ink.shape
    for box in boxes:
        ink[
            int(box.y0 * height) : int(box.y1 * height) + 2, int(box.x0 * width) : int(box.x1 * width) + 2
        ] = 0
    return float(ink.sum()) / max(ink.size, 1)


def drawn_share(picture: Picture, box: BBox, words: Sequence[BBox]) -> float:
    """Which part of a box is inked outside of its words, against the ground of that box itself."""
    import numpy as np

    x0, y0 = int(box.x0 * picture.width), int(box.y0 * picture.height)
    x1, y1 = int(box.x1 * picture.width) + 1, int(box.y1 * picture.height) + 1
    part = picture.grey[y0:y1:2, x0:x1:2].astype(np.int16)
    if part.size == 0:
        return 0.0
    ink = np.abs(part - float(np.median(part))) > _FAINT_INK
    for word in words:
        left, top = (int(word.x0 * picture.width) - x0) // 2, (int(word.y0 * picture.height) - y0) // 2
        right, bottom = (int(word.x1 * picture.width) - x0) // 2, (int(word.y1 * picture.height) - y0) // 2
        ink[max(top - 1, 0) : max(bottom + 2, 0), max(left - 1, 0) : max(right + 2, 0)] = False
    return float(ink.mean())


def inked_box(picture: Picture) -> BBox | None:
    """Around everything that is inked; None for a page of one colour."""
    import numpy as np

    mask = ink_mask(picture)
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if rows.size == 0:
        return None
    height, width = mask.shape
    return BBox.clamped(
        columns[0] / width, rows[0] / height, (columns[-1] + 1) / width, (rows[-1] + 1) / height
    )


def ink_mask(picture: Picture) -> Bytes:
    """1 where ink is, on a coarse copy of the page (longer side at most 800)."""
    import cv2
    import numpy as np

    scale = min(1.0, _COARSE / max(picture.width, picture.height))
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    coarse = cv2.resize(picture.grey, size, interpolation=cv2.INTER_AREA)
    ground = float(np.median(coarse))
    mask: Bytes = (np.abs(coarse.astype(np.int16) - ground) > _INK).astype(np.uint8)
    return mask
