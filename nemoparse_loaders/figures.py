"""Pictures and charts cut out of their pages, as PNG files or bytes."""

from __future__ import annotations

import asyncio
import io
import logging
import math
import os
import re
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from .document import BBox, ElementType, ParsedDocument
from .errors import OptionError, PageRenderError, SourceError
from .pipeline.bridge import run_sync
from .rendering import RenderSettings
from .rendering.pool import RenderPool
from .sources import load_source

if TYPE_CHECKING:
    from PIL.Image import Image

    from .parser import SourceData

logger = logging.getLogger(__name__)

FIGURE_TYPES = frozenset({ElementType.PICTURE.value, ElementType.CHART.value})

# A page larger than this at the wanted resolution is drawn smaller.
_LARGEST = (6000, 6000)

# What may stand in a file name everywhere.
_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,80}\Z")


@dataclass(frozen=True, slots=True)
class FigureImage:
    """A part of a page as a picture.

    Attributes:
        element_id: The element that it shows.
        page: From 1.
        bbox: Which part of the page.
        data: PNG.
        width: Pixels.
        height: Pixels.
    """

    element_id: str
    page: int
    bbox: BBox
    data: bytes = field(repr=False)
    width: int
    height: int


def crop_element(
    source: SourceData,
    page: int,
    bbox: BBox | Sequence[float],
    *,
    dpi: float = 150,
    password: str | None = None,
    render_timeout: float = 60.0,
) -> bytes:
    """A part of a page as PNG, drawn anew.

    The page is drawn in a child process, as for parsing; `crop_elements` starts one for many parts.

    Args:
        source: A path, bytes, or a binary file object.
        page: From 1.
        bbox: 0..1 of the displayed page, origin top left: `Element.bbox`, or one of `ChunkSpan`.
        dpi: Resolution of PDF pages; images keep their pixels. Very large pages are drawn smaller.
        password: For an encrypted PDF.
        render_timeout: Seconds that drawing may take.

    Raises:
        SourceError: The source cannot be read.
        PageRenderError: There is no such page, or it cannot be drawn.
        OptionError: The box is not four numbers, or the resolution is not above 0.
    """
    return crop_elements(source, [(page, bbox)], dpi=dpi, password=password, render_timeout=render_timeout)[0]


def crop_elements(
    source: SourceData,
    places: Iterable[tuple[int, BBox | Sequence[float]]],
    *,
    content_hash: str = "",
    dpi: float = 150,
    password: str | None = None,
    render_timeout: float = 60.0,
) -> list[bytes]:
    """Parts of pages as PNG: each page is drawn once, all of them in one child process.

    Args:
        source: A path, bytes, or a binary file object.
        places: Page, from 1, and box of each, as for `crop_element`.
        content_hash: What the boxes belong to, as in a chunk's metadata: another content is refused. Empty
            for no such check.
        dpi: As for `crop_element`.
        password: For an encrypted PDF.
        render_timeout: Seconds that drawing a page may take.

    Returns:
        One for each place, in their order.

    Raises:
        SourceError: The source cannot be read, or has another content.
        PageRenderError: There is no such page, or it cannot be drawn.
        OptionError: A box is not four numbers, or the resolution is not above 0.
    """
    return run_sync(
        acrop_elements(
            source,
            places,
            content_hash=content_hash,
            dpi=dpi,
            password=password,
            render_timeout=render_timeout,
        )
    )


async def acrop_elements(
    source: SourceData,
    places: Iterable[tuple[int, BBox | Sequence[float]]],
    *,
    content_hash: str = "",
    dpi: float = 150,
    password: str | None = None,
    render_timeout: float = 60.0,
) -> list[bytes]:
    """Async twin of `crop_elements`."""
    wanted = [
        FigureImage(str(index), page, _box(bbox), b"", 0, 0) for index, (page, bbox) in enumerate(places)
    ]
    cut = await _cropped(source, content_hash, wanted, dpi, password, render_timeout, skip=False)
    # Pages are drawn one after the other, whatever the order of the places.
    return [figure.data for figure in sorted(cut, key=lambda figure: int(figure.element_id))]


def crop_figures(
    source: SourceData,
    document: ParsedDocument,
    *,
    dpi: float = 150,
    password: str | None = None,
    render_timeout: float = 60.0,
) -> list[FigureImage]:
    """All pictures and charts of a document that have a box, in reading order.

    A page that cannot be drawn is left out; the log says so.

    Args:
        source: What the document was parsed from.
        document: Its elements.
        dpi: As for `crop_element`.
        password: For an encrypted PDF.
        render_timeout: Seconds that drawing a page may take.

    Raises:
        SourceError: The source cannot be read, or is not what the document was parsed from.
        OptionError: The resolution is not above 0.
    """
    return run_sync(
        acrop_figures(source, document, dpi=dpi, password=password, render_timeout=render_timeout)
    )


async def acrop_figures(
    source: SourceData,
    document: ParsedDocument,
    *,
    dpi: float = 150,
    password: str | None = None,
    render_timeout: float = 60.0,
) -> list[FigureImage]:
    """Async twin of `crop_figures`."""
    wanted = [
        FigureImage(element.id, page.number, _box(element.bbox), b"", 0, 0)
        for page in document.pages
        for element in page.elements
        if element.type in FIGURE_TYPES and element.bbox is not None
    ]
    return await _cropped(source, document.content_hash, wanted, dpi, password, render_timeout, skip=True)


def save_figures(
    figures: Iterable[FigureImage], folder: str | os.PathLike[str], *, doc_id: str
) -> dict[str, str]:
    """Write pictures into a folder, which is made where it is not there.

    The name of each file is made from the document's id and the element's, "<doc_id>-p3e7.png": equal
    pictures on two pages, and files of one name in two folders, do not collide.

    Returns:
        Element id -> path of its file, absolute.
    """
    place = Path(os.path.abspath(folder))
    place.mkdir(parents=True, exist_ok=True)
    paths: dict[str, str] = {}
    for figure in figures:
        path = place / f"{_plain(doc_id)}-{_plain(figure.element_id)}.png"
        _write(path, figure.data)
        paths[figure.element_id] = str(path)
    return paths


def _plain(name: str) -> str:
    return name if _PLAIN.match(name) else uuid.uuid5(uuid.NAMESPACE_URL, name).hex


def _write(path: Path, data: bytes) -> None:
    """All of it or nothing: another process may be reading the file."""
    # Not `tempfile`: its files are for their owner only, whatever the umask says.
    temporary = path.with_name(f".figure-{uuid.uuid4().hex}")
    try:
        with open(temporary, "xb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _box(bbox: BBox | Sequence[float]) -> BBox:
    try:
        x0, y0, x1, y1 = map(float, bbox)
    except (TypeError, ValueError):
        raise OptionError(f"a box is four numbers, 0..1 of the page, not {bbox!r}") from None
    return BBox.clamped(x0, y0, x1, y1)


async def _cropped(
    source: SourceData,
    content_hash: str,
    wanted: Sequence[FigureImage],
    dpi: float,
    password: str | None,
    render_timeout: float,
    *,
    skip: bool,
) -> list[FigureImage]:
    if not dpi > 0:
        raise OptionError(f"dpi must be above 0, not {dpi}")
    if not wanted:
        return []
    # Reading a file holds up the event loop.
    loaded = await asyncio.to_thread(load_source, source)
    if content_hash and content_hash != loaded.content_hash:
        raise SourceError(
            loaded.file_name, "is not what was parsed, so that the boxes do not fit: parse it again"
        )
    settings = RenderSettings(max_image_size=_LARGEST, dpi=dpi)
    pages: dict[int, list[FigureImage]] = {}
    for figure in wanted:
        pages.setdefault(figure.page, []).append(figure)
    done: list[FigureImage] = []
    async with RenderPool(1, timeout=render_timeout) as pool:
        opened = await pool.open(loaded, password)
        for number, figures in pages.items():
            try:
                drawn = await pool.render(opened, number, settings)
            except PageRenderError as error:
                if not skip:
                    raise
                logger.warning("%s; its figures have no pictures", error)
                continue
            done.extend(await asyncio.to_thread(_cut, drawn.data, figures))
    return done


def _cut(page: bytes, figures: Sequence[FigureImage]) -> list[FigureImage]:
    from PIL import Image

    with Image.open(io.BytesIO(page)) as picture:
        return [_part(picture, figure) for figure in figures]


def _part(picture: Image, figure: FigureImage) -> FigureImage:
    box = figure.bbox
    left = min(picture.width - 1, math.floor(box.x0 * picture.width))
    top = min(picture.height - 1, math.floor(box.y0 * picture.height))
    right = max(left + 1, math.ceil(box.x1 * picture.width))
    bottom = max(top + 1, math.ceil(box.y1 * picture.height))
    part = picture.crop((left, top, right, bottom))
    out = io.BytesIO()
    part.save(out, "PNG")
    return FigureImage(figure.element_id, figure.page, box, out.getvalue(), part.width, part.height)
