"""Many documents at once: as many as keep the engine busy, handed out in the order they came in."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Coroutine, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import islice
from queue import SimpleQueue
from typing import Any, TypeVar

from ..errors import NemoparseError

S = TypeVar("S")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DocumentFailed:
    """A document that could not be read, in the place where it would have stood."""

    error: NemoparseError


async def read_ahead(
    sources: Iterable[S] | AsyncIterable[S],
    read: Callable[[S], Coroutine[Any, Any, T]],
    *,
    wanted: Callable[[], Awaitable[None]],
    weigh: Callable[[T], int],
    most_held: Callable[[], int],
    ends_all: Callable[[NemoparseError], bool],
) -> AsyncGenerator[T | DocumentFailed, None]:
    """Read every source, side by side.

    A result is handed out as soon as those before it are, also while the next source is waited for.

    Args:
        sources: Taken one by one.
        read: Reads one.
        wanted: Waits until one more is of use.
        weigh: What a result that waits for its turn counts for.
        most_held: While those that wait count for this much, no further source is taken.
        ends_all: Whether an error is not the document's own, so that no other one is to be read.

    Yields:
        Results in the order of the sources; a document's own error stands in its place.

    Raises:
        NemoparseError: One that ends all.
        Exception: What the sources raise, after the documents that came before.
    """
    under_way: deque[asyncio.Task[T]] = deque()
    waiting = _each(sources)
    arrived, taken = asyncio.Event(), asyncio.Event()

    async def feed() -> None:
        # Goes on while the caller is busy with a document, so that the engine never waits for the caller.
        while True:
            while _held(under_way, weigh) >= most_held():
                taken.clear()
                await taken.wait()
            await wanted()
            source = await anext(waiting, _END)
            if isinstance(source, _End):
                return
            under_way.append(asyncio.create_task(read(source)))
            arrived.set()

    feeding = asyncio.create_task(feed())
    try:
        while True:
            if not under_way:
                if feeding.done():
                    break
                await _either(feeding, arrived)
                continue
            await asyncio.wait((under_way[0],))
            try:
                outcome: T | DocumentFailed = under_way[0].result()
            except NemoparseError as error:
                if ends_all(error):
                    raise
                outcome = DocumentFailed(error)
            under_way.popleft()
            taken.set()
            yield outcome
        # The caller's own iterator may have broken: that is raised now that its documents are handed out.
        feeding.result()
    finally:
        for task in (feeding, *under_way):
            task.cancel()
        await asyncio.gather(feeding, *under_way, return_exceptions=True)
        await waiting.aclose()


async def from_thread(sources: Iterable[S]) -> AsyncGenerator[S, None]:
    """Take the sources in a thread of their own.

    An iterator that waits (for a download, a queue, a key press) then holds up no request on its way. The
    thread is a daemon: an iterator that never comes back does not hold up the end of the process either.
    """
    iterator = iter(sources)
    wanted: SimpleQueue[Future[S | _End] | None] = SimpleQueue()

    def serve() -> None:
        while (answer := wanted.get()) is not None:
            if answer.set_running_or_notify_cancel():
                try:
                    answer.set_result(next(iterator, _END))
                except BaseException as error:  # noqa: BLE001 - carried over to the loop that waits
                    answer.set_exception(error)

    threading.Thread(target=serve, name="nemoparse-sources", daemon=True).start()
    try:
        while True:
            answer: Future[S | _End] = Future()
            wanted.put(answer)
            source = await asyncio.wrap_future(answer)
            if isinstance(source, _End):
                return
            yield source
    finally:
        wanted.put(None)


class _End:
    """Marks the end of the sources, since None may be one."""


_END = _End()


async def _either(task: asyncio.Task[None], event: asyncio.Event) -> None:
    """Wait until the task has ended or the event is set; the event is cleared."""
    set_ = asyncio.create_task(event.wait())
    try:
        await asyncio.wait((task, set_), return_when=asyncio.FIRST_COMPLETED)
    finally:
        set_.cancel()
        event.clear()


def _held(under_way: deque[asyncio.Task[T]], weigh: Callable[[T], int]) -> int:
    """What the results count for that are there before their turn; every document counts for one at least."""
    held = 0
    for task in islice(under_way, 1, None):
        is_read = task.done() and not task.cancelled() and task.exception() is None
        held += max(1, weigh(task.result())) if is_read else 1
    return held


async def _each(sources: Iterable[S] | AsyncIterable[S]) -> AsyncGenerator[S, None]:
    if isinstance(sources, AsyncIterable):
        async for source in sources:
            yield source
    else:
        for source in sources:
            yield source
