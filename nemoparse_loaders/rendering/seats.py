"""What a `RenderPool` remembers: jobs that somebody waits for, and the workers that do them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field

from ..errors import NemoparseError, PageRenderError, SourceError
from .drawer import Facts, Task
from .page_image import PageBand, PageImage, PageRegion
from .workers import Worker


@dataclass(eq=False, slots=True)
class Job:
    """A task with who waits for it.

    Attributes:
        task: What to do.
        file_name: Of the document.
        future: Where the outcome goes.
        deaths: Workers that died of it.
    """

    task: Task
    file_name: str
    future: asyncio.Future[Facts | PageImage | PageRegion | tuple[PageBand, ...]]
    deaths: int = 0

    @property
    def did(self) -> str:
        """What a worker did with the document, for messages."""
        return "drew" if self.task.page_number else "opened"

    def error(self, reason: str) -> NemoparseError:
        """The error of that page or source."""
        if self.task.page_number:
            return PageRenderError(self.file_name, self.task.page_number, reason)
        return SourceError(self.file_name, reason)

    def fail(self, reason: str) -> None:
        """Say so to who waits, if there still is somebody."""
        if not self.future.done():
            self.future.set_exception(self.error(reason))


@dataclass(eq=False, slots=True)
class Seat:
    """A worker with what the pool knows of it.

    Attributes:
        worker: It.
        ready: Whether it takes tasks.
        job: What it does, or what waits for it to be ready.
        documents: Those it has, the one used last at the end.
        pages: Pages that it has drawn.
        timer: Calls the deadline.
    """

    worker: Worker
    ready: bool = False
    job: Job | None = None
    documents: OrderedDict[int, None] = field(default_factory=OrderedDict)
    pages: int = 0
    timer: asyncio.TimerHandle | None = None
