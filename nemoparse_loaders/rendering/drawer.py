"""Drawer: does what a `RenderPool` asks for, in a child process or a thread; and what travels there."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from typing import Literal

from ..document import BBox, Issue
from ..errors import NemoparseError, PageRenderError, SourceError
from ..sources import FileStamp, Source
from .page_image import PageBand, PageImage, PageRegion
from .renderer import PageRenderer
from .settings import RenderSettings

_WHOLE = BBox(0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a document once it has been opened."""

    page_count: int
    title: str
    issues: tuple[Issue, ...]
    stamp: FileStamp | None


@dataclass(slots=True)
class Document:
    """A document as a worker gets it, once.

    Attributes:
        source: The input.
        password: For an encrypted PDF.
        stamp: With which the file is known to have the source's content.
    """

    source: Source
    password: str | None
    stamp: FileStamp | None

    def __repr__(self) -> str:
        return f"Document({self.source.file_name!r})"


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to do.

    Attributes:
        id: Comes back with the answer.
        key: The document's number.
        kind: What to do.
        document: The document, for a worker that has not seen it.
        page_number: From 1; 0 for "open".
        settings: How to draw.
        count: Bands wanted.
        box: Part of the page wanted.
    """

    id: int
    key: int
    kind: Literal["open", "render", "bands", "region"]
    document: Document | None
    page_number: int = 0
    settings: RenderSettings | None = None
    count: int = 1
    box: BBox | None = None


@dataclass(frozen=True, slots=True)
class Forget:
    """Close a document; there is no answer."""

    key: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a task.

    Attributes:
        id: The task's.
        value: Of the kind that was asked for, or the error.
        trace: Where an error came from that nobody expected, or empty.
        memory: Resident bytes of the worker beyond what its documents take; 0 where that is not known.
    """

    id: int
    value: Facts | PageImage | PageRegion | tuple[PageBand, ...] | NemoparseError
    trace: str = ""
    memory: int = 0


@dataclass(slots=True)
class _Held:
    document: Document
    renderer: PageRenderer | None = None


class Drawer:
    """Keeps documents open and draws their pages; which ones to forget it is told."""

    def __init__(self) -> None:
        self._held: dict[int, _Held] = {}

    @property
    def source_bytes(self) -> int:
        """Bytes of the sources that were sent here."""
        return sum(len(held.document.source.data or b"") for held in self._held.values())

    def forget(self, key: int) -> None:
        """Close a document and let go of it."""
        held = self._held.pop(key, None)
        if held is not None and held.renderer is not None:
            held.renderer.close()

    def close(self) -> None:
        """Forget all."""
        for key in list(self._held):
            self.forget(key)

    def answer(self, task: Task) -> Answer:
        """Do it; every failure comes back as the error to raise."""
        if task.document is not None:
            self.forget(task.key)
            self._held[task.key] = _Held(task.document)
        name = self._held[task.key].document.source.file_name
        trace = ""
        try:
            return Answer(task.id, self._do(task))
        except NemoparseError as error:
            known = error
            if isinstance(error, PageRenderError) or not task.page_number:
                return Answer(task.id, known)
            reason = error.reason if isinstance(error, SourceError) else str(error)
        except MemoryError:
            reason = "there is not enough memory for it"
        except Exception as error:  # noqa: BLE001  # one odd page must not end a worker that others wait for
            reason = f"failed unexpectedly ({type(error).__name__}: {error})"
            trace = traceback.format_exc()
        if task.page_number:
            return Answer(task.id, PageRenderError(name, task.page_number, reason), trace)
        return Answer(task.id, SourceError(name, reason), trace)

    def _do(self, task: Task) -> Facts | PageImage | PageRegion | tuple[PageBand, ...]:
        renderer = self._renderer(task.key)
        if task.kind == "open":
            stamp = self._held[task.key].document.stamp
            return Facts(renderer.page_count, renderer.title, renderer.issues, stamp)
        settings = task.settings or RenderSettings()
        if task.kind == "render":
            return renderer.render(task.page_number, settings)
        if task.kind == "region":
            return renderer.render_region(task.page_number, settings, task.box or _WHOLE)
        return renderer.render_bands(task.page_number, settings, task.count)

    def _renderer(self, key: int) -> PageRenderer:
        held = self._held[key]
        document = held.document
        document.stamp = document.source.check_unchanged(document.stamp)
        if held.renderer is None:
            renderer = PageRenderer(document.source, document.password)
            renderer.__enter__()
            held.renderer = renderer
        return held.renderer
