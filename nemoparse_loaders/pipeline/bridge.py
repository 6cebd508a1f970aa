"""The bridge from sync calls to the async core: an event loop in a thread of its own.

The caller may stand in a script, a worker thread, a notebook cell or inside a running event loop; the core
always gets a fresh loop in another thread, so the caller's loop is neither needed nor patched.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from types import TracebackType
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """An event loop that runs in its own daemon thread while the ``with`` block lasts."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="nemoparse-loop", daemon=True)

    def __enter__(self) -> LoopThread:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run to the end and give the result; interrupting the caller cancels the coroutine."""
        future: Future[T] = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except BaseException:
            # Ctrl-C reaches the caller's thread only. Wait for the coroutine to clean up before leaving.
            if not future.done():
                self._settle(future)
            raise

    def _settle(self, future: Future[T]) -> None:
        settled = threading.Event()

        async def cancel_and_wait() -> None:
            others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            settled.set()

        future.cancel()
        asyncio.run_coroutine_threadsafe(cancel_and_wait(), self._loop)
        settled.wait()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            leftovers = asyncio.all_tasks(self._loop)
            for task in leftovers:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*leftovers, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()


def run_sync(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine from sync code, wherever that stands."""
    with LoopThread() as loop:
        return loop.run(coroutine)


def iterate_sync(start: Callable[[], AsyncGenerator[T, None]]) -> Iterator[T]:
    """Iterate over an async generator from sync code.

    The generator's own tasks go on between two items; leaving the iteration early closes it.
    """
    with LoopThread() as loop:
        items = start()
        try:
            while True:
                try:
                    item = loop.run(_next(items))
                except StopAsyncIteration:
                    return
                yield item
        finally:
            with suppress(CancelledError):
                loop.run(_close(items))


async def _next(items: AsyncGenerator[T, None]) -> T:
    return await items.__anext__()


async def _close(items: AsyncGenerator[T, None]) -> None:
    await items.aclose()
