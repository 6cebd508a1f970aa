"""Many documents at once: a bounded number under way, handed out in the order they came in."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Coroutine, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, TypeVar

from ..errors import BackendError, NemoparseError

S = TypeVar("S")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DocumentFailed:
    """A document that could not be read, in the place where it would have stood."""

    error: NemoparseError


async def read_ahead(
    sources: Iterable[S] | AsyncIterable[S],
    read: Callable[[S], Coroutine[Any, Any, T]],
    ahead: int,
) -> AsyncGenerator[T | DocumentFailed, None]:
    """Read every source, ``ahead`` of them at a time.

    A result is handed out as soon as those before it are, also while the next source is waited for.

    Yields:
        Results in the order of the sources; a document's own error stands in its place.

    Raises:
        BackendError: The engine as a whole does not work: no other document would fare better.
        Exception: What the sources raise, after the documents that came before.
    """
    under_way: deque[asyncio.Task[T]] = deque()
    waiting = _each(sources)
    coming: asyncio.Task[S | _Exhausted] | None = None
    exhausted = False
    broken: Exception | None = None
    try:
        while under_way or not exhausted:
            if coming is None and not exhausted and len(under_way) < ahead:
                coming = asyncio.create_task(_next(waiting))
            awaited = [task for task in (coming, *list(under_way)[:1]) if task is not None]
            await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
            if coming is not None and coming.done():
                arrived, coming = coming, None
                try:
                    source = arrived.result()
                except Exception as error:  # noqa: BLE001 - the caller's own code: raised once its turn comes
                    source, broken = _Exhausted(), error
                if isinstance(source, _Exhausted):
                    exhausted = True
                else:
                    under_way.append(asyncio.create_task(read(source)))
                continue
            try:
                outcome: T | DocumentFailed = under_way[0].result()
            except BackendError:
                raise
            except NemoparseError as error:
                outcome = DocumentFailed(error)
            under_way.popleft()
            yield outcome
        if broken is not None:
            raise broken
    finally:
        unfinished = [task for task in (coming, *under_way) if task is not None]
        for task in unfinished:
            task.cancel()
        await asyncio.gather(*unfinished, return_exceptions=True)
        await waiting.aclose()


async def from_thread(sources: Iterable[S]) -> AsyncGenerator[S, None]:
    """Take the sources in a thread of their own.

    An iterator that waits (for a download, a queue, a key press) then holds up no request on its way. The
    thread is a daemon: an iterator that never comes back does not hold up the end of the process either.
    """
    iterator = iter(sources)
    end = _Exhausted()
    wanted: SimpleQueue[Future[S | _Exhausted] | None] = SimpleQueue()

    def serve() -> None:
        while (answer := wanted.get()) is not None:
            if answer.set_running_or_notify_cancel():
                try:
                    answer.set_result(next(iterator, end))
                except BaseException as error:  # noqa: BLE001 - carried over to the loop that waits
                    answer.set_exception(error)

    threading.Thread(target=serve, name="nemoparse-sources", daemon=True).start()
    try:
        while True:
            answer: Future[S | _Exhausted] = Future()
            wanted.put(answer)
            source = await asyncio.wrap_future(answer)
            if isinstance(source, _Exhausted):
                return
            yield source
    finally:
        wanted.put(None)


class _Exhausted:
    """Marks the end of the sources, since None may be one."""


async def _next(waiting: AsyncGenerator[S, None]) -> S | _Exhausted:
    return await anext(waiting, _Exhausted())


async def _each(sources: Iterable[S] | AsyncIterable[S]) -> AsyncGenerator[S, None]:
    if isinstance(sources, AsyncIterable):
        async for source in sources:
            yield source
    else:
        for source in sources:
            yield source
