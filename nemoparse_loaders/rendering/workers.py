"""The hands of a `RenderPool`: a child process, or a thread of this process, that takes tasks one by one.

Each has a thread that does what blocks. It reports by ``post(worker, event)``, called in that thread: `Ready`
once, an `Answer` for each task, `Ended` last of all.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import pickle
import queue
import signal
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, BinaryIO, Protocol, TypeAlias

from . import child
from .drawer import Answer, Drawer, Forget, Task
from .interpreter import start_python

_LEAVE_SECONDS = 1.0
_STDERR_BYTES = 2_000


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker takes tasks."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The worker is gone.

    Attributes:
        how: In words that go on after "the process": by which signal, with which code, or why it never began.
        began: Whether it was ready once.
        stderr: The end of what it said there.
    """

    how: str
    began: bool
    stderr: str = ""


Post: TypeAlias = Callable[["Worker", Ready | Answer | Ended], None]


class Worker(Protocol):
    """Takes tasks one by one."""

    @property
    def pid(self) -> int | None:
        """Process id of the child, where there is one."""
        ...

    def send(self, task: Task | Forget) -> None:
        """Hand a task over; never blocks."""
        ...

    def finish(self) -> None:
        """End once all that was handed over is done; never blocks."""
        ...

    def kill(self) -> None:
        """End at once, as far as that can be done; never blocks."""
        ...


class ThreadWorker:
    """Draws in a thread of this process. It cannot be ended in the middle of a page."""

    pid = None

    def __init__(self, post: Post) -> None:
        self._post = post
        self._tasks: queue.SimpleQueue[Task | Forget | None] = queue.SimpleQueue()
        threading.Thread(target=self._run, name="nemoparse-render", daemon=True).start()

    def send(self, task: Task | Forget) -> None:
        """Hand a task over."""
        self._tasks.put(task)

    def finish(self) -> None:
        """End after all tasks."""
        self._tasks.put(None)

    kill = finish

    def _run(self) -> None:
        drawer = Drawer()
        self._post(self, Ready())
        try:
            while (task := self._tasks.get()) is not None:
                if isinstance(task, Forget):
                    drawer.forget(task.key)
                else:
                    self._post(self, drawer.answer(task))
                del task
        finally:
            drawer.close()
            self._post(self, Ended("has ended its thread", began=True))


class ChildWorker:
    """Draws in a child process, which the thread starts, feeds and reaps."""

    def __init__(self, post: Post, executable: str) -> None:
        self._post = post
        self._executable = executable
        self._tasks: queue.SimpleQueue[Task | Forget | None] = queue.SimpleQueue()
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._killed = False
        self._owner = os.getpid()
        _ALIVE.add(self)
        # The thread lives as long as the child: on Linux the child ends with the thread that started it.
        threading.Thread(target=self._run, name="nemoparse-render", daemon=True).start()

    @property
    def pid(self) -> int | None:
        """Process id of the child, once there is one."""
        return None if self._process is None else self._process.pid

    def send(self, task: Task | Forget) -> None:
        """Hand a task over."""
        self._tasks.put(task)

    def finish(self) -> None:
        """End after all tasks."""
        self._tasks.put(None)

    def kill(self) -> None:
        """End at once; in a fork of this process that does nothing, for the child is not its own."""
        if os.getpid() != self._owner:
            return
        with self._lock:
            self._killed = True
            if self._process is not None:
                self._process.kill()
        self._tasks.put(None)

    def _run(self) -> None:
        began = False
        with _stderr_file() as stderr:
            try:
                process = self._start(stderr)
            except OSError as error:
                _ALIVE.discard(self)
                how = f"cannot be started ({error.strerror or error})"
                self._post(self, Ended(how, began=False))
                return
            try:
                assert process.stdin is not None  # noqa: S101  # it was asked for
                assert process.stdout is not None  # noqa: S101
                began = pickle.load(process.stdout) == child.HELLO  # noqa: S301  # our own child
                if began:
                    self._post(self, Ready())
                    self._serve(process.stdin, process.stdout)
            except (EOFError, OSError, pickle.UnpicklingError):
                pass  # it has ended, maybe in the middle of a word; how is seen below
            finally:
                how = _reap(process)
                _ALIVE.discard(self)
                self._post(self, Ended(how, began, _tail(stderr)))

    def _start(self, stderr: BinaryIO | None) -> subprocess.Popen[bytes]:
        process = start_python(self._executable, child.__name__, stderr)
        with self._lock:
            self._process = process
            if self._killed:
                process.kill()
        return process

    def _serve(self, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        while (task := self._tasks.get()) is not None:
            pickle.dump(task, stdin, 5)
            stdin.flush()
            if isinstance(task, Forget):
                continue
            answer = pickle.load(stdout)  # noqa: S301  # our own child
            if answer.id != task.id:
                raise EOFError("the answer belongs to another task")
            self._post(self, answer)
            del task, answer


@contextlib.contextmanager
def _stderr_file() -> Iterator[BinaryIO | None]:
    """A file for what the child says: nobody reads it unless the child fails."""
    try:
        file = tempfile.TemporaryFile()  # noqa: SIM115  # only its making may fail here
    except OSError:
        yield None
        return
    with file:
        yield file


def _tail(stderr: BinaryIO | None) -> str:
    if stderr is None:
        return ""
    stderr.seek(0, os.SEEK_END)
    stderr.seek(max(0, stderr.tell() - _STDERR_BYTES))
    return stderr.read().decode("utf-8", "replace").strip()


def _reap(process: subprocess.Popen[bytes]) -> str:
    """Close the pipes, which ends it, wait for that, and say how it ended."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    try:
        process.wait(_LEAVE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    code = process.returncode
    if code >= 0:
        return f"left with code {code if code < 256 else hex(code)}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def post_to(hear: weakref.WeakMethod[Post], loop: asyncio.AbstractEventLoop) -> Post:
    """How a worker's thread reaches its pool in the loop's thread, without keeping the pool alive."""

    def deliver(worker: Worker, event: Ready | Answer | Ended) -> None:
        there = hear()
        if there is None:
            worker.kill()
        else:
            there(worker, event)

    def post(worker: Worker, event: Ready | Answer | Ended) -> None:
        try:
            loop.call_soon_threadsafe(deliver, worker, event)
        except RuntimeError:  # the loop was closed without leaving the pool
            worker.kill()

    return post


_ALIVE: weakref.WeakSet[ChildWorker] = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    # They see the end of their input anyway, unless a fork of this process still holds it open.
    for worker in list(_ALIVE):
        worker.kill()
