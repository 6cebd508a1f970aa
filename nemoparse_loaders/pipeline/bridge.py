"""The bridge from sync calls to the async core: an event loop in a thread of its own.

The caller may stand in a script, a worker thread, a notebook cell or inside a running event loop; the core
always gets a fresh loop in another thread, so the caller's loop is neither needed nor patched.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
import weakref
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from concurrent.futures import CancelledError, Future, wait
from contextlib import suppress
from types import TracebackType
from typing import Any, TypeVar

# What runs at the end of the process runs backwards: its children are to be ended after the iterations that
# use them, so they have to be known before.
from ..rendering import workers as _workers  # noqa: F401
from .daemon_threads import DaemonThreads

T = TypeVar("T")

# How long Ctrl-C may go unseen at most.
_SLICE_S = 0.5

# Iterations that nobody has finished. Once the interpreter has stopped its daemon threads no loop cleans up:
# an iteration that is closed only then would wait for ever.
_UNFINISHED: weakref.WeakSet[Generator[Any, None, None]] = weakref.WeakSet()
# Loops that a fork of this process has inherited without their threads: nothing of theirs may be finalized.
_INHERITED: list[LoopThread] = []


class LoopThread:
    """An event loop that runs in its own daemon thread while the ``with`` block lasts."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        # Hosts are looked up there, which may take half a minute: no reason to stay for after Ctrl-C.
        self._loop.set_default_executor(DaemonThreads(4, "nemoparse-work"))
        self._thread = threading.Thread(target=self._run, name="nemoparse-loop", daemon=True)
        self._left = self._loop.create_future()
        self._ends_by_itself = False
        self._owner = os.getpid()
        # Held by the thread: what runs in the loop must not be garbage with an abandoned iteration, or
        # the collector would finalize it on the side while it is closed in order.
        self.kept: object = None

    @property
    def is_inherited(self) -> bool:
        """Whether this process is a fork of the one that the loop runs in: here it stands still."""
        return os.getpid() != self._owner

    def __enter__(self) -> LoopThread:
        try:
            self._thread.start()
        except RuntimeError:  # the system has no thread left
            self._loop.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.is_inherited:
            _INHERITED.append(self)
        elif not self._ends_by_itself:
            self._loop.call_soon_threadsafe(self._left.set_result, None)
            self._thread.join()

    def leave_after(self, coroutine: Coroutine[Any, Any, object]) -> None:
        """Let the loop end by itself once the coroutine has ended; nothing is waited for here."""
        self._ends_by_itself = True
        last = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        last.add_done_callback(lambda _: self._loop.call_soon_threadsafe(self._left.set_result, None))

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run to the end and give the result; interrupting the caller cancels the coroutine."""
        if self.is_inherited:
            coroutine.close()
            raise RuntimeError(
                "this process was forked in the middle of an iteration: start another one here"
            )
        future: Future[T] = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            # In slices: a signal in the moment before a wait begins is otherwise seen only when that ends.
            while not future.done():
                wait((future,), timeout=_SLICE_S)
            return future.result()
        except BaseException:
            # Ctrl-C reaches the caller's thread only. Wait for the coroutine to clean up before leaving.
            if not future.done():
                future.cancel()
                asyncio.run_coroutine_threadsafe(_ended(coroutine), self._loop).result()
            raise

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            while not self._left.done():
                # A function of the caller's may call sys.exit() here, or be interrupted. That reaches
                # the caller through the future; the loop is still needed to clean up.
                with suppress(SystemExit, KeyboardInterrupt):
                    self._loop.run_until_complete(self._left)
        finally:
            self._loop.run_until_complete(_cancel_other_tasks())
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()


async def _ended(coroutine: Coroutine[Any, Any, T]) -> None:
    running = [task for task in asyncio.all_tasks() if task.get_coro() is coroutine]
    await asyncio.gather(*running, return_exceptions=True)


async def _cancel_other_tasks() -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def run_sync(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine from sync code, wherever that stands."""
    loop = None
    try:
        with LoopThread() as loop:
            return loop.run(coroutine)
    finally:
        if loop is None:
            coroutine.close()  # it has never begun


def iterate_sync(start: Callable[[], AsyncGenerator[T, None]]) -> Generator[T, None, None]:
    """Iterate over an async generator from sync code.

    The generator's own tasks go on between two items; leaving the iteration early closes it, and so does the
    end of the process.
    """
    items = _iterate(start)
    _UNFINISHED.add(items)
    return items


def _iterate(start: Callable[[], AsyncGenerator[T, None]]) -> Generator[T, None, None]:
    with LoopThread() as loop:
        loop.kept = items = start()
        consumer = threading.current_thread()
        following = None
        try:
            while True:
                consumer = threading.current_thread()
                following = _next(items)
                try:
                    item = loop.run(following)
                except StopAsyncIteration:
                    return
                yield item
        finally:
            if loop.is_inherited:
                pass  # it goes on where it runs
            # The garbage collector may close an iteration in any thread, also in one that the loop waits
            # for. Only where that cannot be is the end waited for.
            elif threading.current_thread() in (consumer, threading.main_thread()):
                with suppress(CancelledError):
                    loop.run(_close(items, following))
            else:
                loop.leave_after(_close(items, following))


@atexit.register
def _close_unfinished() -> None:
    for items in list(_UNFINISHED):
        # ValueError: another thread is in it at this moment.
        with suppress(ValueError):
            items.close()


async def _next(items: AsyncGenerator[T, None]) -> T:
    return await items.__anext__()


async def _close(items: AsyncGenerator[T, None], following: Coroutine[Any, Any, T] | None) -> None:
    # Ctrl-C may come before the item on its way could be cancelled, and again while it is waited for.
    for task in asyncio.all_tasks():
        if task.get_coro() is following:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
    await items.aclose()
