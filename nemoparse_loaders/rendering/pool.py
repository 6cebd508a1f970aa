"""RenderPool: pages drawn in child processes, with a deadline, so that one bad page costs that page only."""

from __future__ import annotations

import asyncio
import itertools
import logging
import weakref
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import TypeVar

from ..document import BBox, Issue
from ..errors import NemoparseError, OptionError
from ..sources import Source
from .child import MEMORY_BYTES
from .drawer import Answer, Document, Facts, Forget, Task
from .interpreter import find_python, usable_cores
from .line import WaitingLine
from .page_image import PageBand, PageImage, PageRegion, TextLayer
from .seats import Job, Seat
from .settings import MIN_SIDE, RenderSettings
from .workers import ChildWorker, Ended, Ready, ThreadWorker, Worker, post_to

T = TypeVar("T")

logger = logging.getLogger(__name__)

MOST_WORKERS = 8
"""Most workers that are taken unasked: they draw more pages than one event loop carries."""

_START_SECONDS = 60.0
_START_TRIES = 2
_CLOSE_SECONDS = 3.0
# A worker keeps so many documents open; one more costs memory, one less the time to open it again.
_OPEN_DOCUMENTS = 6
# After so many pages, or above so much memory, a worker makes room for a fresh one: libraries do not give
# back all that they take. One that was started a moment ago would not do better.
_PAGES_A_WORKER = 500
_LEAST_PAGES = 20
_TIRED_BYTES = 600 << 20
# A page whose worker died gets so many workers in all.
_TRIES = 2
# PDFium ends its process in one of these ways where it gets no memory, and Linux in the last.
_OUT_OF_MEMORY = ("SIGABRT", "SIGTRAP", "SIGILL", "SIGKILL")
_MEMORY_HINT = f"out of memory, most likely: a page may take {MEMORY_BYTES >> 30} GiB"

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class OpenedSource:
    """A source that a `RenderPool` has opened; of use with that pool. It holds no handle, and it pickles.

    Attributes:
        source: The input.
        page_count: Pages of the file, also those that cannot be drawn.
        title: The title that the file gives itself, or empty.
        issues: What is to know about the file as a whole.
        key: The pool's number for it.
    """

    source: Source
    page_count: int
    title: str
    issues: tuple[Issue, ...]
    key: int = field(repr=False)


class RenderPool:
    """Draws pages side by side in child processes; an async context manager, bound to one event loop.

    Children start when there is something to draw, and more of them while pages wait. They run none of the
    caller's code, so scripts need no ``if __name__ == "__main__"``. A child that takes too long, or too much
    memory, or that dies, takes its page with it and nothing else. Where no child can be started the pages are
    drawn in a thread of this process, which nothing can end in the middle of a page.

    Args:
        workers: Children at most. None: one a core, at most `MOST_WORKERS`. 0: a thread of this process.
        timeout: Seconds that drawing one page, or opening one source, may take.

    Raises:
        OptionError: A value cannot work.
    """

    def __init__(self, workers: int | None = None, *, timeout: float = 60.0) -> None:
        self._seats: dict[Worker, Seat] = {}
        self._leaving: dict[Worker, asyncio.Event] = {}
        if workers is not None and workers < 0:
            raise OptionError("the number of render workers must be 0 or more")
        if not timeout > 0:
            raise OptionError("render_timeout must be above 0")
        self._most = min(usable_cores(), MOST_WORKERS) if workers is None else workers
        self._timeout = timeout
        self._executable = find_python() if self._most else None
        self._line: WaitingLine[Job] = WaitingLine()
        self._documents: dict[int, Document] = {}
        self._tasks = itertools.count(1)
        self._failed_starts = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        if self._most and self._executable is None:
            self._fall_back("there is no Python interpreter to start them with")

    @property
    def width(self) -> int:
        """Pages that are drawn side by side, at least 1."""
        return max(1, self._most)

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of the children at work, for those who watch over them."""
        return tuple(worker.pid for worker in self._seats if worker.pid is not None)

    async def __aenter__(self) -> RenderPool:
        if self._loop is not None:
            raise RuntimeError("the RenderPool has been entered already; make another one")
        self._loop = asyncio.get_running_loop()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop = None
        for job in [*self._line, *(seat.job for seat in self._seats.values())]:
            if job is not None:
                job.fail("the RenderPool was closed before that was done")
        self._line = WaitingLine()
        for seat in list(self._seats.values()):
            self._dismiss(seat, now=seat.job is not None or not seat.ready)
        gone = [asyncio.ensure_future(event.wait()) for event in self._leaving.values()]
        if gone:
            _, still_there = await asyncio.wait(gone, timeout=_CLOSE_SECONDS)
            for waiter in still_there:
                waiter.cancel()

    def __del__(self) -> None:
        for worker in [*self._seats, *self._leaving]:
            worker.kill()

    async def open(self, source: Source, password: str | None = None) -> OpenedSource:
        """Open a source.

        Args:
            source: What to draw.
            password: For an encrypted PDF.

        Raises:
            SourceError: One of its subclasses, which names the file and says what is wrong.
        """
        key = next(_numbers)
        document = self._documents[key] = Document(source, password, source.stamp)
        try:
            facts = await self._ask(Task(next(self._tasks), key, "open", None), Facts)
        except BaseException:
            self._forget(key)
            raise
        document.stamp = facts.stamp
        return OpenedSource(source, facts.page_count, facts.title, facts.issues, key)

    async def render(self, opened: OpenedSource, page_number: int, settings: RenderSettings) -> PageImage:
        """Draw a page, once it is its turn.

        Args:
            opened: From `open`.
            page_number: From 1.
            settings: How.

        Raises:
            PageRenderError: It cannot be drawn, or not in time.
        """
        task = Task(next(self._tasks), opened.key, "render", None, page_number, settings)
        return await self._ask(task, PageImage)

    async def render_bands(
        self, opened: OpenedSource, page_number: int, settings: RenderSettings, count: int
    ) -> tuple[PageBand, ...]:
        """Draw a page cut into bands along its white space, see `PageRenderer.render_bands`.

        Args:
            opened: From `open`.
            page_number: From 1.
            settings: How; each band keeps to the size.
            count: Bands wanted.

        Raises:
            PageRenderError: It cannot be drawn, or not in time.
        """
        task = Task(next(self._tasks), opened.key, "bands", None, page_number, settings, count)
        return await self._ask(task, tuple)

    async def render_region(
        self, opened: OpenedSource, page_number: int, settings: RenderSettings, box: BBox
    ) -> PageRegion:
        """Draw a part of a page, larger and with a margin, see `PageRenderer.render_region`.

        Args:
            opened: From `open`.
            page_number: From 1.
            settings: How the page is drawn.
            box: What to show, 0..1 of the displayed page.

        Raises:
            PageRenderError: It cannot be drawn, or not in time.
        """
        task = Task(next(self._tasks), opened.key, "region", None, page_number, settings, box=box)
        return await self._ask(task, PageRegion)

    async def text_layer(self, opened: OpenedSource, page_number: int) -> TextLayer | None:
        """Read what a PDF page says about itself; None for images.

        Args:
            opened: From `open`.
            page_number: From 1.

        Raises:
            PageRenderError: The page cannot be loaded, or not in time.
        """
        small = RenderSettings(max_image_size=(4 * MIN_SIDE, 4 * MIN_SIDE), text_layer=True)
        return (await self.render(opened, page_number, small)).text_layer

    async def close(self, opened: OpenedSource) -> None:
        """Close a source; pages of it that still wait are not drawn. More than once is fine."""
        self._forget(opened.key)

    async def _ask(self, task: Task, kind: type[T]) -> T:
        if self._loop is None:
            raise RuntimeError("the RenderPool is not open; use it as: async with RenderPool() as pool")
        document = self._documents.get(task.key)
        if document is None:
            raise RuntimeError("the source is closed, or another RenderPool has opened it")
        job = Job(task, document.source.file_name, self._loop.create_future())
        self._line.put(task.key, job)
        try:
            self._dispatch()
            value = await job.future
        except BaseException:
            self._line.remove(task.key, job)
            raise
        if not isinstance(value, kind):
            raise TypeError(f"a worker answered with {type(value).__name__}")
        return value

    def _forget(self, key: int) -> None:
        self._documents.pop(key, None)
        for job in self._line.drop(key):
            job.fail("the document was closed before the page was drawn")
        for seat in self._seats.values():
            if key in seat.documents:
                del seat.documents[key]
                seat.worker.send(Forget(key))

    def _dispatch(self) -> None:
        """Give what waits to those who are free, and start workers for the rest."""
        free = [seat for seat in self._seats.values() if seat.ready and seat.job is None]
        while free and len(self._line):
            turn = self._line.first
            seat = next((seat for seat in free if turn in seat.documents), free[-1])
            if self._give(seat, self._line.take(seat.documents)):
                free.remove(seat)
        starting = sum(not seat.ready and seat.job is None for seat in self._seats.values())
        for _ in range(min(len(self._line) - starting, self.width - len(self._seats))):
            self._start()

    def _start(self, job: Job | None = None) -> None:
        """Start a worker, for that job where there is one."""
        if self._loop is None:
            return
        post = post_to(weakref.WeakMethod(self._hear), self._loop)
        try:
            worker = ThreadWorker(post) if self._executable is None else ChildWorker(post, self._executable)
        except RuntimeError as error:  # the system has no thread left, or the interpreter is on its way out
            stuck = [] if self._seats else list(self._line)
            for waiting in [*stuck, *([] if job is None else [job])]:
                waiting.fail(f"no thread can be started to draw it in ({error})")
            return
        timer = self._loop.call_later(_START_SECONDS, worker.kill)
        self._seats[worker] = Seat(worker, job=job, timer=timer)

    def _give(self, seat: Seat, job: Job) -> bool:
        """Hand a job over; False where nobody waits for it any more."""
        document = self._documents.get(job.task.key)
        if self._loop is None or document is None or job.future.done():
            return False
        task = job.task
        if task.key not in seat.documents:
            while len(seat.documents) >= _OPEN_DOCUMENTS:
                seat.worker.send(Forget(seat.documents.popitem(last=False)[0]))
            seat.documents[task.key] = None
            task = replace(task, document=replace(document))
        seat.documents.move_to_end(task.key)
        seat.job = job
        seat.timer = self._loop.call_later(self._timeout, self._too_late, seat)
        seat.worker.send(task)
        return True

    def _too_late(self, seat: Seat) -> None:
        job = seat.job
        if job is None:
            return
        what = "drawing" if job.task.page_number else "opening it"
        job.fail(f"{what} took longer than {self._timeout:g} s (render_timeout=)")
        # A thread cannot be ended: it finishes the page, for nobody, and those behind it wait.
        if isinstance(seat.worker, ChildWorker):
            self._dismiss(seat, now=True)
            self._dispatch()

    def _dismiss(self, seat: Seat, *, now: bool) -> None:
        self._unseat(seat)
        self._leaving[seat.worker] = asyncio.Event()
        if now:
            seat.worker.kill()
        else:
            seat.worker.finish()

    def _unseat(self, seat: Seat) -> None:
        del self._seats[seat.worker]
        if seat.timer is not None:
            seat.timer.cancel()

    def _hear(self, worker: Worker, event: Ready | Answer | Ended) -> None:
        """Take in what a worker reports."""
        seat = self._seats.get(worker)
        if isinstance(event, Ended):
            left = self._leaving.pop(worker, None)
            if left is not None:
                left.set()
            if seat is not None:
                self._unseat(seat)
                self._after_its_end(seat, event)
        elif seat is not None:
            if seat.timer is not None:
                seat.timer.cancel()
            job, seat.job = seat.job, None
            if isinstance(event, Answer):
                self._take_answer(seat, job, event)
            else:
                seat.ready, self._failed_starts = True, 0
                if job is not None:
                    self._give(seat, job)
        self._dispatch()

    def _take_answer(self, seat: Seat, job: Job | None, answer: Answer) -> None:
        if answer.trace:
            logger.error("A page could not be drawn, which should not happen:\n%s", answer.trace)
        if job is not None and not job.future.done():
            if isinstance(answer.value, NemoparseError):
                job.future.set_exception(answer.value)
            else:
                job.future.set_result(answer.value)
        seat.pages += 1
        tired = seat.pages >= _LEAST_PAGES and answer.memory > _TIRED_BYTES
        if tired or (seat.pages >= _PAGES_A_WORKER and isinstance(seat.worker, ChildWorker)):
            self._dismiss(seat, now=False)

    def _after_its_end(self, seat: Seat, end: Ended) -> None:
        """A worker has ended by itself: save its job, and go on with fewer where none can be started."""
        job = seat.job
        self._failed_starts = 0 if end.began else self._failed_starts + 1
        if end.began:
            where = "" if job is None else f" at {job.error('')}".rstrip(": ")
            logger.warning("A render process %s%s. %s", end.how, where, end.stderr)
        elif self._failed_starts < _START_TRIES:
            logger.info("A render process %s; trying again. %s", end.how, end.stderr)
        elif self._seats:
            self._most = len(self._seats)
            logger.warning("A render process %s; going on with %d. %s", end.how, self._most, end.stderr)
        else:
            self._fall_back(f"it {end.how}. {end.stderr}".rstrip())
        if job is None:
            return
        job.deaths += end.began
        if not end.began and self._failed_starts >= _START_TRIES:
            job.fail(f"the process that {job.did} it died, and the next one {end.how}")
        elif job.deaths >= _TRIES:
            hint = f" ({_MEMORY_HINT})" if end.how.endswith(_OUT_OF_MEMORY) else ""
            job.fail(f"the process that {job.did} it {end.how}; a second try went the same way{hint}")
        elif not job.future.done():
            self._start(job)

    def _fall_back(self, reason: str) -> None:
        self._most, self._executable = 0, None
        logger.warning(
            "No process can be started to draw pages in (%s): they are drawn in a thread, one at a time and "
            "without protection from files that hang or crash the renderer.",
            reason,
        )
