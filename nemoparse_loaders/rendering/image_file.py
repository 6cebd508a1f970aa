"""What the header of an image file says: its frames, their sizes, densities and orientations."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO

from PIL import (
    BmpImagePlugin,
    ExifTags,
    GifImagePlugin,
    Image,
    ImageFile,
    JpegImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
)

# The plugin of the type that was found, in place of Image.open: that would try others, Pillow's PDF and EPS
# readers among them, and warn about sizes that are fine here.
_PLUGINS: dict[str, type[ImageFile.ImageFile]] = {
    "image/png": PngImagePlugin.PngImageFile,
    "image/jpeg": JpegImagePlugin.JpegImageFile,
    "image/webp": WebPImagePlugin.WebPImageFile,
    "image/tiff": TiffImagePlugin.TiffImageFile,
    "image/gif": GifImagePlugin.GifImageFile,
    "image/bmp": BmpImagePlugin.BmpImageFile,
}

DAMAGE = (
    OSError,
    SyntaxError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    EOFError,
    AttributeError,
    ArithmeticError,
    MemoryError,
    RuntimeError,
    struct.error,
    Image.DecompressionBombError,
    Warning,
)
"""What Pillow raises on damaged input. Its readers meet hostile bytes with any of these, and a warning comes
as an exception where the caller made warnings errors."""

MAX_PIXELS = 178_956_970
"""Most pixels of one picture; above that Pillow itself refuses. An A0 poster at 300 dpi has 140 million."""
MAX_FRAMES = 10_000

DEFAULT_DPI = 72.0
_SANE_DPI = (30.0, 4_800.0)
_LARGEST_DPI_RATIO = 3.0  # fax has 204 x 98
_REDUCED_OR_MASK = 1 | 4  # bits of the TIFF tag NewSubfileType
_NEW_SUBFILE_TYPE = 254


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of a file, from its header.

    Attributes:
        index: 0-based place in the file.
        width: Displayed, in pixels.
        height: Displayed, in pixels.
        dpi: Across and down as displayed; `DEFAULT_DPI` where the file says nothing sane.
        knows_dpi: Whether the file says it.
        orientation: EXIF, 1 to 8.
        problem: Why it cannot be drawn, or empty.
    """

    index: int
    width: int = 0
    height: int = 0
    dpi: tuple[float, float] = (DEFAULT_DPI, DEFAULT_DPI)
    knows_dpi: bool = False
    orientation: int = 1
    problem: str = ""


def open_image(stream: BinaryIO, media_type: str) -> ImageFile.ImageFile:
    """Read the header with the plugin of that type; the caller closes the stream.

    Raises:
        Exception: One of `DAMAGE`.
    """
    # Without a name Pillow does not map the file into memory, where a file that shrinks kills the process.
    return _PLUGINS[media_type](stream)


def is_animated(image: ImageFile.ImageFile) -> bool:
    """Whether there are more frames; a damaged second frame counts as none."""
    try:
        animated = bool(getattr(image, "is_animated", False))
        image.seek(0)
    except DAMAGE:
        return False
    return animated


def measure(image: ImageFile.ImageFile, index: int = 0) -> Frame:
    """Describe the frame that the image stands at."""
    width, height = image.size
    if min(width, height) < 1:
        return Frame(index, problem="the picture has no pixels")
    if width * height > MAX_PIXELS:
        return Frame(index, problem=too_large(width, height))
    orientation = _orientation(image)
    turned = orientation >= 5
    # Pillow's TIFF reader gives the displayed size, and turns the pixels itself.
    if turned and not isinstance(image, TiffImagePlugin.TiffImageFile):
        width, height = height, width
    dpi = _dpi(image)
    shown_dpi = dpi or (DEFAULT_DPI, DEFAULT_DPI)
    return Frame(
        index=index,
        width=width,
        height=height,
        dpi=shown_dpi[::-1] if turned else shown_dpi,
        knows_dpi=dpi is not None,
        orientation=orientation,
    )


def too_large(width: int, height: int) -> str:
    """The reason to refuse a picture of that size."""
    return (
        f"the picture claims {width:,} x {height:,} pixels; at most {MAX_PIXELS / 1e6:.0f} million are "
        "decoded: scale it down or cut it up"
    )


def tiff_frames(image: ImageFile.ImageFile, count: int) -> tuple[list[Frame], int]:
    """The frames that are pages, and how many are not read (thumbnails, masks, those beyond `MAX_FRAMES`).

    Args:
        image: A TIFF.
        count: Its directories, see `count_directories`.
    """
    frames: list[Frame] = []
    others: list[Frame] = []
    for index in range(min(count, MAX_FRAMES)):
        try:
            image.seek(index)
            frame = measure(image, index)
            is_page = not (_tag(image, _NEW_SUBFILE_TYPE) or 0) & _REDUCED_OR_MASK
        except EOFError:
            break
        except DAMAGE as error:
            frame, is_page = Frame(index, problem=f"the frame is damaged ({say(error)})"), True
        (frames if is_page else others).append(frame)
        if image.tell() != index:  # its directory cannot be read, so the way to the next one is lost
            break
    beyond = max(0, count - MAX_FRAMES)
    return (frames, len(others) + beyond) if frames else (others, beyond)


def is_white_zero(image: Image.Image) -> bool:
    """Whether a TIFF says that small values are light; Pillow heeds that for up to 8 bits only."""
    return _tag(image, 262) == 0


def say(error: BaseException) -> str:
    """What went wrong, in the words of whoever noticed."""
    return str(error).strip().rstrip(".") or type(error).__name__


def _tag(image: Image.Image, tag: int) -> int | None:
    if not isinstance(image, TiffImagePlugin.TiffImageFile):
        return None
    value = image.tag_v2.get(tag)
    return value if isinstance(value, int) else None


def _orientation(image: ImageFile.ImageFile) -> int:
    # A PNG may hold its EXIF behind the pixels; asking for that would decode it all.
    if isinstance(image, PngImagePlugin.PngImageFile) and "exif" not in image.info:
        return 1
    try:
        value = image.getexif().get(ExifTags.Base.Orientation)
    except DAMAGE:
        return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def _dpi(image: Image.Image) -> tuple[float, float] | None:
    value = image.info.get("dpi")
    if not isinstance(value, Sequence) or len(value) != 2:
        return None
    try:
        across, down = float(value[0]), float(value[1])
    except (TypeError, ValueError, ZeroDivisionError):
        return None
    if not (math.isfinite(across) and math.isfinite(down)):
        return None
    low, high = min(across, down), max(across, down)
    sane = _SANE_DPI[0] <= low and high <= _SANE_DPI[1] and high <= low * _LARGEST_DPI_RATIO
    return (across, down) if sane else None
