"""The pages of an image file: its one picture, or every frame of a TIFF."""

from __future__ import annotations

import io
import threading
import warnings
from typing import BinaryIO

from PIL import Image, ImageFile, TiffImagePlugin

from ..document import BBox, Issue
from ..errors import CorruptSourceError, PageRenderError, UnsupportedSourceError
from ..sources import SUPPORTED_TYPES, Source
from .image_file import (
    DAMAGE,
    MAX_PIXELS,
    Frame,
    is_animated,
    is_white_zero,
    measure,
    open_image,
    say,
    tiff_frames,
)
from .image_modes import flatten, to_resizable
from .page_image import PageGeometry
from .pages import DrawnPage
from .png import Scanlines
from .region import MOST_TIMES_LARGER, RegionPixels, place_region, with_margin
from .scaling import PixelSize, fit_page
from .settings import RenderSettings
from .tiff_chain import count_directories

_LOW_DPI = 50.0
# Photographs and many scans do not say how dense they are; this is how a page is usually scanned.
_ASSUMED_DPI = 300.0
_END_OF_JPEG = b"\xff\xd9"
_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


class ImagePages:
    """An open image file. One thread at a time decodes it; other files are not held up."""

    title = ""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lock = threading.Lock()
        self._streams: list[BinaryIO] = []
        # A TIFF stays open: finding its n-th frame anew would walk over all those before it.
        self._tiff: ImageFile.ImageFile | None = None
        self._animated = False
        self.issues: tuple[Issue, ...] = ()
        try:
            self._frames = self._read_frames()
        except Image.DecompressionBombError as error:
            self.close()
            raise UnsupportedSourceError(
                source.file_name, f"the picture is far too large ({say(error)})"
            ) from error
        except DAMAGE as error:
            self.close()
            source.read_bytes()  # raises if the file itself is what is wrong
            reason = (
                f"begins like a {SUPPORTED_TYPES[source.media_type]} image, but cannot be read ({say(error)})"
            )
            raise CorruptSourceError(source.file_name, reason) from error
        if len(self._frames) == 1 and self._frames[0].problem:
            self.close()
            raise UnsupportedSourceError(source.file_name, self._frames[0].problem)
        self.page_count = len(self._frames)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._tiff = None
            self._close_streams()

    def geometry(self, number: int) -> PageGeometry:
        """The picture's size in points by the density that it claims, by 72 dpi where it claims none."""
        frame = self._frames[number - 1]
        return PageGeometry(
            number=number,
            label=str(number),
            width_pt=frame.width * 72.0 / frame.dpi[0],
            height_pt=frame.height * 72.0 / frame.dpi[1],
        )

    def draw(self, number: int, settings: RenderSettings) -> DrawnPage:
        """Decode a picture and scale it down to fit; up only where a side is shorter than the least.

        Raises:
            PageRenderError: It is damaged or too large.
        """
        frame = self._frame(number)
        geometry = self.geometry(number)
        size = _size(frame, geometry, settings)
        lines, whole = self._lines(number, frame, RegionPixels.whole(size.width, size.height))
        issues = _issues(frame, size, number, whole=whole, animated=self._animated)
        return DrawnPage(lines, geometry, lines.is_uniform(), issues=issues)

    def draw_region(self, number: int, settings: RenderSettings, box: BBox) -> tuple[DrawnPage, BBox]:
        """Cut a part out of a picture's own pixels, and scale it down to fit.

        Raises:
            PageRenderError: As `draw`.
        """
        frame = self._frame(number)
        geometry = self.geometry(number)
        width, height = geometry.width_pt, geometry.height_pt
        own = _size(frame, geometry, settings).scale
        # Whatever density the file claims, its own pixels are the bound.
        most = min(own * MOST_TIMES_LARGER, max(frame.dpi) / 72.0)
        shown = with_margin(box, width, height)
        pixels = place_region(shown, width, height, settings.max_image_size, most)
        lines, _ = self._lines(number, frame, pixels)
        return DrawnPage(lines, geometry, lines.is_uniform()), pixels.box

    def _frame(self, number: int) -> Frame:
        frame = self._frames[number - 1]
        if frame.problem:
            raise PageRenderError(self._source.file_name, number, frame.problem)
        return frame

    def _lines(self, number: int, frame: Frame, window: RegionPixels) -> tuple[Scanlines, bool]:
        """The pixels of a part of the picture, and whether all of the picture was there."""
        try:
            image, whole = self._decode(frame, window)
        except DAMAGE as error:
            reason = f"the picture is damaged ({say(error)})"
            raise PageRenderError(self._source.file_name, number, reason) from error
        rows = image.tobytes("raw", "RGB", 3 * image.width + 1, 1)
        return Scanlines.from_rgb(image.width, image.height, rows), whole

    def _read_frames(self) -> list[Frame]:
        if self._source.media_type == "image/tiff":
            return self._read_tiff_frames()
        image = open_image(self._stream(), self._source.media_type)
        frame = measure(image)
        self._animated = not frame.problem and is_animated(image)
        self._close_streams()
        return [frame]

    def _read_tiff_frames(self) -> list[Frame]:
        stream = self._stream()
        count = count_directories(stream)
        if count == 0:
            raise ValueError("it holds no picture")
        stream.seek(0)
        self._tiff = open_image(stream, self._source.media_type)
        frames, skipped = tiff_frames(self._tiff, count)
        if skipped:
            message = f"Frames left out (thumbnails, masks, or beyond the limit): {skipped}"
            self.issues = (Issue(code="frames_skipped", message=message, severity="info"),)
        return frames

    def _stream(self, *, tail: bytes = b"") -> BinaryIO:
        source = self._source
        stream: BinaryIO
        if source.path is None or tail:
            stream = io.BytesIO(source.read_bytes() + tail)
        else:
            stream = source.path.open("rb")
        self._streams.append(stream)
        return stream

    def _close_streams(self) -> None:
        while self._streams:
            self._streams.pop().close()

    def _decode(self, frame: Frame, size: RegionPixels) -> tuple[Image.Image, bool]:
        """What the window shows of the frame as RGB, and whether all of the frame was there."""
        media_type = self._source.media_type
        with self._lock:
            if self._tiff is not None:
                self._tiff.seek(frame.index)
                return _decoded(self._tiff, frame, size)
            try:
                try:
                    return _decoded(open_image(self._stream(), media_type), frame, size)
                except OSError:
                    if media_type != "image/jpeg":
                        raise
                # The JPEG decoder fills up what is missing once it sees an end.
                ended = open_image(self._stream(tail=_END_OF_JPEG), media_type)
                image, _ = _decoded(ended, frame, size)
                return image, False
            finally:
                self._close_streams()


def _size(frame: Frame, geometry: PageGeometry, settings: RenderSettings) -> PixelSize:
    # Through points, so that pixels that are not square (fax) come out in the page's true shape.
    return fit_page(geometry.width_pt, geometry.height_pt, settings.max_image_size, max(frame.dpi) / 72.0)


def _decoded(image: ImageFile.ImageFile, frame: Frame, size: RegionPixels) -> tuple[Image.Image, bool]:
    is_tiff = isinstance(image, TiffImagePlugin.TiffImageFile)
    white_is_zero = is_white_zero(image)
    _draft(image, frame, size)
    rows = _load(image)
    picture = to_resizable(image, white_is_zero=white_is_zero)
    if rows is not None:
        if is_tiff and frame.orientation > 1:
            raise OSError("image file is truncated")  # which edge is missing depends on how far Pillow got
        picture = flatten(picture)
        picture.paste("white", (0, 0, picture.width, rows[0]))
        picture.paste("white", (0, rows[1], picture.width, picture.height))
    if not is_tiff and frame.orientation in _TURNS:
        picture = picture.transpose(_TURNS[frame.orientation])
    return flatten(_cut_out(picture, size)), rows is None


def _cut_out(picture: Image.Image, window: RegionPixels) -> Image.Image:
    """What a window shows of a picture, however large that is."""
    left, top, width, height = window.left, window.top, window.width, window.height
    if picture.size == (window.page_width, window.page_height):
        whole = picture.size == (width, height)
        return picture if whole else picture.crop((left, top, left + width, top + height))
    across, down = picture.width / window.page_width, picture.height / window.page_height
    part = (left * across, top * down, (left + width) * across, (top + height) * down)
    return picture.resize((width, height), Image.Resampling.LANCZOS, box=part, reducing_gap=2.0)


def _draft(image: ImageFile.ImageFile, frame: Frame, size: RegionPixels) -> None:
    """Let the JPEG decoder halve the picture while it is still twice too large: faster, and as sharp."""
    wanted = (2 * size.page_width, 2 * size.page_height)
    image.draft(None, wanted[::-1] if frame.orientation >= 5 else wanted)


def _load(image: ImageFile.ImageFile) -> tuple[int, int] | None:
    """Decode. None if all was there, else the rows (first, last + 1) that were.

    Raises:
        Exception: One of `DAMAGE`: there is nothing to show.
    """
    try:
        _load_quietly(image)
    except (OSError, SyntaxError, EOFError):
        # Pillow leaves what it has decoded so far. JPEG has a better way, see ImagePages._decode.
        if image.format == "JPEG" or getattr(image, "_im", None) is None:
            raise
        image.tile = []
        box = image.im.getbbox()
        if box is None:
            raise
        return (box[1] if image.format == "BMP" else 0), box[3]  # a BMP begins at the bottom
    return None


def _load_quietly(image: ImageFile.ImageFile) -> None:
    if image.width * image.height <= (Image.MAX_IMAGE_PIXELS or MAX_PIXELS):
        image.load()
        return
    # Its size has been judged already. Only here, since filters are changed for all threads.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        image.load()


def _issues(frame: Frame, size: PixelSize, number: int, *, whole: bool, animated: bool) -> tuple[Issue, ...]:
    issues = []
    if not whole:
        message = "The file is cut short: a part of the picture is missing"
        issues.append(Issue(code="truncated_image", message=message, page=number))
    if animated:
        message = "An animation: only its first frame is read"
        issues.append(Issue(code="animation", message=message, severity="info", page=number))
    shrunk = size.scale * 72.0 / max(frame.dpi)
    dpi = shrunk * (max(frame.dpi) if frame.knows_dpi else _ASSUMED_DPI)
    if dpi < _LOW_DPI and shrunk < 0.99:
        message = (
            f"The picture of {frame.width} x {frame.height} pixels is scaled down to {size.width} x "
            f"{size.height} to fit: small text may be lost"
        )
        issues.append(Issue(code="scale_capped", message=message, page=number))
    return tuple(issues)
