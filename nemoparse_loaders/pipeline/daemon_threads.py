"""DaemonThreads: an executor for calls that may never come back, such as reading a pipe that nobody fills."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_Call = tuple["Future[Any]", Callable[[], Any]]


class DaemonThreads(ThreadPoolExecutor):
    """Runs calls in daemon threads; neither `shutdown` nor the end of the process waits for one that hangs.

    Python's own thread pool is waited for at the end of the process whatever happens: after Ctrl-C a program
    would stay for as long as a read, or looking up a host, takes. Only event loops want this to be one.

    Args:
        most: Threads at most; they start when there is something to do.
        name: What the threads are called.
    """

    def __init__(self, most: int, name: str) -> None:
        super().__init__(most)
        self._most = most
        self._name = name
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._lock = threading.Lock()
        self._started = 0
        self._closed = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run a call as soon as a thread is free.

        Raises:
            RuntimeError: After `shutdown`, or where no thread can be started.
        """
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                raise RuntimeError("the threads have been shut down")
            if not self._idle.acquire(blocking=False) and self._started < self._most:
                threading.Thread(target=self._serve, name=self._name, daemon=True).start()
                self._started += 1
            self._calls.put((future, lambda: fn(*args, **kwargs)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the threads end after what was submitted; nothing is waited for.

        Args:
            wait: Has no effect here.
            cancel_futures: Drop what has not been begun.
        """
        with self._lock:
            self._closed = True
            while cancel_futures and not self._calls.empty():
                call = self._calls.get()
                if call is not None:
                    call[0].cancel()
            for _ in range(self._started):
                self._calls.put(None)

    def _serve(self) -> None:
        while (call := self._calls.get()) is not None:
            future, run = call
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(run())
                except BaseException as error:  # noqa: BLE001 - carried over to who waits for it
                    future.set_exception(error)
            del call, future, run  # nothing is kept while this thread waits
            self._idle.release()
