"""The child process that draws: what runs in it, from the first line to the last.

Tasks come in on the standard input as pickles, answers leave on what was the standard output; whatever a
library prints goes to the standard error. The end of the input is the end of the process, also in the middle
of a page: that is how it goes with its parent, however that ends.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import queue
import signal
import sys
import threading
from dataclasses import replace
from typing import BinaryIO

from .. import __version__
from .drawer import Drawer, Forget, Task

MEMORY_BYTES = 4 << 30
"""Address space that a worker may take beyond what it starts with, where the system can hold it to that."""

HELLO = ("nemoparse-render", __version__, sys.version_info[:2])
"""What a worker says first."""

_PR_SET_PDEATHSIG = 1
_SEM_FAIL_CRITICAL_ERRORS, _SEM_NO_GP_FAULT_ERROR_BOX = 1, 2


def main(parent: int) -> None:
    """Serve until the input ends.

    Args:
        parent: Process id of who started this.
    """
    tasks, answers = _take_pipes()
    _go_with_parent(parent)
    waiting: queue.SimpleQueue[Task | Forget] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(tasks, waiting), daemon=True).start()
    _limit_harm()
    drawer = Drawer()
    _send(answers, HELLO)
    while True:
        task = waiting.get()
        if isinstance(task, Forget):
            drawer.forget(task.key)
            continue
        answer = drawer.answer(task)
        _send(answers, replace(answer, memory=_resident() - drawer.source_bytes))
        del task, answer  # a picture less while this one waits


def _take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The two pipes, out of the reach of stray prints and reads."""
    tasks = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return tasks, answers


def _read(tasks: BinaryIO, waiting: queue.SimpleQueue[Task | Forget]) -> None:
    try:
        while True:
            waiting.put(pickle.load(tasks))  # noqa: S301  # from the parent
    except EOFError:
        os._exit(0)
    finally:
        os._exit(1)


def _send(answers: BinaryIO, message: object) -> None:
    try:
        pickle.dump(message, answers, 5)
        answers.flush()
    except OSError:
        os._exit(0)  # nobody listens any more


def _go_with_parent(parent: int) -> None:
    """On Linux have the system end this process with its parent, even where others hold the pipe open."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(0)


def _limit_harm() -> None:
    """Neither take all memory, nor leave a core file or a dialogue box behind."""
    if sys.platform == "win32":
        ctypes.windll.kernel32.SetErrorMode(_SEM_FAIL_CRITICAL_ERRORS | _SEM_NO_GP_FAULT_ERROR_BOX)
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if sys.platform != "linux":
        return  # macOS does not heed the limit on memory
    taken = _pages(0) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = taken + MEMORY_BYTES
    if soft == resource.RLIM_INFINITY or wanted < soft:
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))


def _resident() -> int:
    """Bytes that are in memory now, or 0 where that is not to be known."""
    return _pages(1) * os.sysconf("SC_PAGE_SIZE") if sys.platform == "linux" else 0


def _pages(column: int) -> int:
    """Pages of memory by the system's own account: 0 for those taken, 1 for those that are resident."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[column])
    except OSError:
        return 0
