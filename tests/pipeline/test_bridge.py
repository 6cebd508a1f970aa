"""The bridge from sync to async: own thread, own loop, nothing left behind."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Generator
from concurrent.futures import ThreadPoolExecutor

import pytest

from nemoparse_loaders.pipeline.bridge import iterate_sync, run_sync
from nemoparse_loaders.testing import ParseServer


def _loop_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "nemoparse-loop"]


def test_gives_the_result() -> None:
    async def answer() -> int:
        await asyncio.sleep(0)
        return 42

    assert run_sync(answer()) == 42
    assert _loop_threads() == []


def test_raises_what_the_coroutine_raises() -> None:
    async def fail() -> None:
        raise LookupError("nothing there")

    with pytest.raises(LookupError, match="nothing there"):
        run_sync(fail())


@pytest.mark.filterwarnings("error")
def test_where_no_thread_can_be_started_nothing_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    async def answer() -> int:
        return 42

    async def count() -> AsyncGenerator[int, None]:
        yield 1

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(RuntimeError, match="new thread"):
        run_sync(answer())
    with pytest.raises(RuntimeError, match="new thread"):
        next(iterate_sync(count))
    gc.collect()


async def test_works_inside_a_running_loop() -> None:
    async def other_loop() -> bool:
        return asyncio.get_running_loop() is not here

    here = asyncio.get_running_loop()
    assert run_sync(other_loop())


def test_iterates_in_order_and_closes() -> None:
    closed = threading.Event()

    async def count() -> AsyncGenerator[int, None]:
        try:
            for number in range(5):
                yield number
        finally:
            closed.set()

    assert list(iterate_sync(count)) == [0, 1, 2, 3, 4]
    assert closed.is_set()


def test_leaving_early_closes_the_generator_and_its_tasks() -> None:
    cancelled = threading.Event()

    async def never() -> None:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async def count() -> AsyncGenerator[int, None]:
        task = asyncio.create_task(never())
        try:
            for number in range(100):
                yield number
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    for number in iterate_sync(count):
        if number == 3:
            break
    assert cancelled.wait(10)
    deadline = threading.Event()
    while _loop_threads() and not deadline.wait(0.01):
        pass
    assert _loop_threads() == []


def test_generator_goes_on_between_two_items() -> None:
    """What the engine has under way must not wait for the consumer."""
    worked = threading.Event()

    async def background() -> None:
        worked.set()

    async def two() -> AsyncGenerator[int, None]:
        yield 1
        yield 2

    async def start() -> AsyncGenerator[int, None]:
        task: asyncio.Task[None] | None = None
        async for number in two():
            yield number
            if task is None:
                task = asyncio.create_task(background())
        if task is not None:
            await task

    items = iterate_sync(start)
    assert next(items) == 1
    assert next(items) == 2
    assert worked.wait(10)
    assert list(items) == []


def test_an_iteration_left_open_does_not_hold_up_the_end_of_the_process() -> None:
    program = """
import asyncio
from nemoparse_loaders.pipeline.bridge import iterate_sync

async def count():
    try:
        for number in range(100):
            await asyncio.sleep(0)
            yield number
    finally:
        await asyncio.sleep(0.01)
        print("closed")

items = iterate_sync(count)
print(next(items))
"""
    command = [sys.executable, "-W", "error", "-c", program]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert (result.stdout.split(), result.stderr) == (["0", "closed"], "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only POSIX can fork")
@pytest.mark.parametrize("then", ["next(items)", "items.close()", "del items; gc.collect()", "pass"])
def test_a_fork_leaves_the_iterations_of_its_parent_alone(then: str) -> None:
    program = f"""
import asyncio, gc, os, sys
from nemoparse_loaders.pipeline.bridge import iterate_sync, run_sync

async def count():
    try:
        for number in range(3):
            await asyncio.sleep(0)
            yield number
    finally:
        print("closed")

items = iterate_sync(count)
print(next(items), flush=True)
if child := os.fork():
    assert os.waitpid(child, 0)[1] == 0
    print(*items, flush=True)
else:
    try:
        {then}
    except RuntimeError as error:
        assert "forked" in str(error)
    run_sync(asyncio.sleep(0))
    # The end of the process does not wait for it either.
"""
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", program]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert (result.stdout.split(), result.stderr) == (["0", "closed", "1", "2"], "")


@pytest.mark.parametrize("leave", [SystemExit, KeyboardInterrupt])
def test_leaving_in_the_callers_own_code_leaves_the_iteration(leave: type[BaseException]) -> None:
    closed = threading.Event()

    async def count() -> AsyncGenerator[int, None]:
        try:
            yield 1
            raise leave("3")
        finally:
            await asyncio.sleep(0)
            closed.set()

    items = iterate_sync(count)
    assert next(items) == 1
    with pytest.raises(leave, match="3"):
        next(items)
    assert closed.is_set()
    assert _loop_threads() == []


@pytest.mark.parametrize("thread", ["the loop's own", "one that the loop waits for"])
def test_an_iteration_may_be_closed_in_any_thread(thread: str) -> None:
    """The garbage collector runs in any thread."""
    cleaned = threading.Event()
    abandoned: list[Generator[int, None, None]] = []

    async def never() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(0)
            cleaned.set()

    async def count() -> AsyncGenerator[int, None]:
        loop = asyncio.get_running_loop()
        task = asyncio.create_task(never())
        worker = ThreadPoolExecutor(1)
        try:
            yield 1
            collect = lambda: abandoned.pop().close()  # noqa: E731 - what the garbage collector does
            if thread == "the loop's own":
                loop.call_later(0.01, collect)
            else:
                loop.call_later(0.01, worker.submit, collect)
            yield 2
        finally:
            await loop.run_in_executor(worker, int)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            worker.shutdown()

    abandoned.append(iterate_sync(count))
    assert [next(abandoned[0]), next(abandoned[0])] == [1, 2]
    assert cleaned.wait(10)
    while _loop_threads():
        threading.Event().wait(0.01)


def test_an_abandoned_cycle_is_closed_in_order() -> None:
    """All that is in a cycle is finalized in no particular order."""
    problems: list[object] = []
    cleaned = threading.Event()

    async def count() -> AsyncGenerator[int, None]:
        asyncio.get_running_loop().set_exception_handler(lambda _, problem: problems.append(problem))
        try:
            yield 1
            asyncio.get_running_loop().call_later(0.01, gc.collect)
            yield 2
        finally:
            await asyncio.sleep(0.01)
            cleaned.set()

    def abandon() -> None:
        cycle: list[object] = []
        items = iterate_sync(count)
        cycle += [items, cycle]
        next(items)
        next(items)

    gc.disable()
    try:
        abandon()
        assert cleaned.wait(10)
        while _loop_threads():
            threading.Event().wait(0.01)
    finally:
        gc.enable()
    gc.collect()
    assert problems == []


def test_ctrl_c_cancels_and_waits_for_the_clean_up() -> None:
    started, cleaned = threading.Event(), threading.Event()

    async def work() -> None:
        started.set()
        try:
            await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(0.01)
            cleaned.set()

    def press_ctrl_c() -> None:
        started.wait(10)
        os.kill(os.getpid(), signal.SIGINT)

    presser = threading.Thread(target=press_ctrl_c)
    presser.start()
    with pytest.raises(KeyboardInterrupt):
        run_sync(work())
    presser.join()
    assert cleaned.is_set()
    assert _loop_threads() == []


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT to itself, which only POSIX can")
@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_again_and_again_while_an_iteration_is_left(times: int) -> None:
    program = f"""
import asyncio, os, signal, sys
from nemoparse_loaders.pipeline.bridge import iterate_sync

def press():
    os.kill(os.getpid(), signal.SIGINT)

async def clean_up():
    # By then the main thread waits for this.
    for _ in range({times} - 1):
        await asyncio.sleep(0.1)
        press()
    await asyncio.sleep(0.1)

async def count():
    try:
        yield 0
        press()
        await asyncio.sleep(3600)
    finally:
        await asyncio.shield(asyncio.ensure_future(clean_up()))

try:
    for number in iterate_sync(count):
        print(number)
except KeyboardInterrupt:
    print("interrupted")
"""
    command = [sys.executable, "-W", "error", "-c", program]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert (result.stdout.split(), result.stderr) == (["0", "interrupted"], "")


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT to itself, which only POSIX can")
@pytest.mark.parametrize(
    "hang",
    [
        "asyncio.to_thread(hang)",  # as looking up a host does
        'DocumentParser(base_url=sys.argv[1], backend="vllm").aparse(HangingFile())',
    ],
)
def test_ctrl_c_does_not_wait_for_what_hangs_in_a_thread(hang: str) -> None:
    program = f"""
import asyncio, io, os, signal, sys, threading
from nemoparse_loaders import DocumentParser
from nemoparse_loaders.pipeline.bridge import run_sync

def hang(*_):
    os.kill(os.getpid(), signal.SIGINT)
    threading.Event().wait()

class HangingFile(io.BytesIO):
    read = hang

async def main():
    await {hang}

try:
    run_sync(main())
except KeyboardInterrupt:
    print("interrupted")
"""
    with ParseServer() as server:
        command = [sys.executable, "-W", "error", "-c", program, server.base_url]
        result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert (result.stdout, result.stderr) == ("interrupted\n", "")
