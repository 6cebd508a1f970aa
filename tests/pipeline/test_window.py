"""PageWindow: bounded in pages and bytes, documents in turns, nothing lost when callers leave."""

from __future__ import annotations

import asyncio
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders.pipeline.window import PageWindow


async def settle() -> None:
    """Let every task run until it waits."""
    for _ in range(20):
        await asyncio.sleep(0)


def entering(window: PageWindow, document: str, page: int, log: list[tuple[str, int]]) -> asyncio.Task[None]:
    async def enter() -> None:
        await window.enter(document)
        log.append((document, page))

    return asyncio.create_task(enter())


async def test_no_more_pages_than_allowed() -> None:
    window = PageWindow(lambda: 3, 1_000)
    log: list[tuple[str, int]] = []
    tasks = [entering(window, "a", page, log) for page in range(5)]
    await settle()
    assert len(log) == window.pages == 3
    assert window.waiting == 2
    window.leave(0)
    window.leave(0)
    await asyncio.gather(*tasks)
    assert [page for _, page in log] == [0, 1, 2, 3, 4]


async def test_documents_take_turns() -> None:
    window = PageWindow(lambda: 1, 1_000)
    log: list[tuple[str, int]] = []
    await window.enter("x")
    tasks = [entering(window, "long", page, log) for page in range(4)]
    await settle()
    tasks += [entering(window, "short", page, log) for page in range(2)]
    await settle()
    for _ in range(6):
        window.leave(0)
        await settle()
    await asyncio.gather(*tasks)
    assert [name for name, _ in log] == ["long", "short", "long", "short", "long", "long"]


async def test_pictures_that_fill_the_memory_hold_others_back() -> None:
    window = PageWindow(lambda: 10, 100)
    log: list[tuple[str, int]] = []
    await window.enter("a")
    window.weigh(100)
    task = entering(window, "a", 2, log)
    await settle()
    assert not log
    window.weigh(-40)  # drawn again, smaller
    await task
    window.leave(60)
    window.leave(0)
    assert (window.pages, window.bytes) == (0, 0)


@pytest.mark.parametrize("allowed", [0, -1])
async def test_one_page_always_comes_in(allowed: int) -> None:
    window = PageWindow(lambda: allowed, 0)
    await asyncio.wait_for(window.enter("a"), 10)


async def test_room_that_grows_is_used() -> None:
    room = [1]
    window = PageWindow(lambda: room[0], 1_000)
    log: list[tuple[str, int]] = []
    await window.enter("a")
    task = entering(window, "a", 2, log)
    await settle()
    assert not log
    room[0] = 2
    window.let_in()
    await task


async def test_whoever_waits_for_a_change_sees_one() -> None:
    window = PageWindow(lambda: 1, 1_000)
    await window.enter("a")
    waiting = asyncio.create_task(window.changed())
    await settle()
    assert not waiting.done()
    window.leave(0)
    await asyncio.wait_for(waiting, 10)


@given(st.integers(0, 2**32), st.integers(1, 4))
def test_cancelled_callers_leave_nothing_behind(seed: int, allowed: int) -> None:
    async def run() -> None:
        chance = random.Random(seed)
        window = PageWindow(lambda: allowed, 50)

        async def page(document: int) -> None:
            await window.enter(document)
            size = 0
            try:
                assert window.pages <= allowed
                await asyncio.sleep(0)
                size = chance.choice((0, 20, 60))
                window.weigh(size)
                for _ in range(chance.randrange(3)):
                    await asyncio.sleep(0)
            finally:
                window.leave(size)

        tasks = [asyncio.create_task(page(chance.randrange(3))) for _ in range(20)]
        for _ in range(10):
            await asyncio.sleep(0)
            chance.choice(tasks).cancel()
        await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 10)
        assert (window.pages, window.bytes, window.waiting) == (0, 0, 0)

    asyncio.run(run())
