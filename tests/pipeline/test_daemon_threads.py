"""Threads for calls that may hang: the others go on, and nothing waits for them at the end."""

from __future__ import annotations

import subprocess
import sys
import threading
import weakref

import pytest

from nemoparse_loaders.pipeline.daemon_threads import DaemonThreads

SECONDS = 30


def running(name: str) -> int:
    return sum(thread.name == name for thread in threading.enumerate())


def test_results_and_errors_come_back() -> None:
    threads = DaemonThreads(2, "results")
    assert [threads.submit(pow, 2, n).result(SECONDS) for n in range(5)] == [1, 2, 4, 8, 16]
    with pytest.raises(ZeroDivisionError):
        threads.submit(lambda: 1 // 0).result(SECONDS)
    threads.shutdown()
    with pytest.raises(RuntimeError, match="shut down"):
        threads.submit(print)


def test_no_more_threads_than_there_is_work() -> None:
    threads = DaemonThreads(3, "few")
    for _ in range(10):
        threads.submit(int).result(SECONDS)
        assert running("few") <= 2  # one may not have told yet that it is idle
    gate = threading.Barrier(4)
    calls = [threads.submit(gate.wait, SECONDS) for _ in range(3)]
    gate.wait(SECONDS)
    for call in calls:
        call.result(SECONDS)
    assert running("few") == 3
    threads.shutdown()


def test_others_go_on_while_one_hangs_and_what_waits_can_be_dropped() -> None:
    gate, began = threading.Event(), threading.Event()

    def hang() -> bool:
        began.set()
        return gate.wait(SECONDS)

    threads = DaemonThreads(2, "hanging")
    hanging = threads.submit(hang)
    assert began.wait(SECONDS)
    assert threads.submit(int).result(SECONDS) == 0
    also = threads.submit(gate.wait, SECONDS)
    late = threads.submit(int)
    threads.shutdown(cancel_futures=True)
    gate.set()
    assert late.cancelled() or late.result(SECONDS) == 0
    assert hanging.result(SECONDS)
    assert also.cancelled() or also.result(SECONDS)


def test_nothing_is_kept_between_two_calls() -> None:
    class Large:
        pass

    threads = DaemonThreads(1, "keeping")
    value = Large()
    kept = weakref.ref(value)
    threads.submit(id, value).result(SECONDS)
    del value
    threads.submit(int).result(SECONDS)
    assert kept() is None
    threads.shutdown()


def test_the_end_of_the_process_waits_for_none() -> None:
    program = """
import threading
from nemoparse_loaders.pipeline.daemon_threads import DaemonThreads
began = threading.Event()
def hang():
    began.set()
    threading.Event().wait()
DaemonThreads(1, "hanging").submit(hang)
began.wait()
"""
    command = [sys.executable, "-W", "error", "-c", program]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert (result.stdout, result.stderr) == ("", "")
