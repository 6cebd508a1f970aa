"""The bridge from sync to async: own thread, own loop, nothing left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import AsyncGenerator

import pytest

from nemoparse_loaders.pipeline.bridge import iterate_sync, run_sync


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
