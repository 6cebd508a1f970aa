"""Pictures and charts cut out of their pages, as PNG files or bytes."""

from __future__ import annotations

import asyncio
import io
import logging
import math
import os
import re
import tempfile
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from .document import BBox, ElementType, ParsedDocument
from .errors import OptionError, PageRenderError
from .pipeline.bridge import run_sync
from .rendering import RenderSettings
from .rendering.pool import RenderPool
from .sources import Source, load_source

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

    The page is drawn in a child process, as for parsing.

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
        OptionError: The resolution is not above 0.
    """
    box = BBox.clamped(*bbox)
    wanted = [FigureImage("", page, box, b"", 0, 0)]
    loaded = load_source(source)
    return run_sync(_cropped(loaded, wanted, dpi, password, render_timeout, skip=False))[0].data


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
        SourceError: The source cannot be read.
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
        FigureImage(element.id, page.number, element.bbox, b"", 0, 0)
        for page in document.pages
        for element in page.elements
        if element.type in FIGURE_TYPES and element.bbox is not None
    ]
    if not wanted:
        return []
    # Reading a file holds up the event loop.
    loaded = await asyncio.to_thread(load_source, source)
    return await _cropped(loaded, wanted, dpi, password, render_timeout, skip=True)


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
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".figure-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


async def _cropped(
    source: Source,
    wanted: Sequence[FigureImage],
    dpi: float,
    password: str | None,
    render_timeout: float,
    *,
    skip: bool,
) -> list[FigureImage]:
    if not dpi > 0:
        raise OptionError(f"dpi must be above 0, not {dpi}")
    settings = RenderSettings(max_image_size=_LARGEST, dpi=dpi)
    pages: dict[int, list[FigureImage]] = {}
    for figure in wanted:
        pages.setdefault(figure.page, []).append(figure)
    done: list[FigureImage] = []
    async with RenderPool(1, timeout=render_timeout) as pool:
        opened = await pool.open(source, password)
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
