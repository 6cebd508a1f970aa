"""Many documents at once: order, errors in their place, sources that wait or break."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
)
from contextlib import aclosing
from typing import Any

import pytest

from nemoparse_loaders.errors import ServerFailedError, SourceError
from nemoparse_loaders.pipeline import many
from nemoparse_loaders.pipeline.many import DocumentFailed, from_thread


async def at_once() -> None:
    """Another document is always of use."""


def read_ahead(
    sources: Iterable[int] | AsyncIterable[int],
    read: Callable[[int], Coroutine[Any, Any, int]],
    most_held: int,
    wanted: Callable[[], Awaitable[None]] = at_once,
) -> AsyncGenerator[int | DocumentFailed, None]:
    return many.read_ahead(
        sources,
        read,
        wanted=wanted,
        weigh=lambda result: 1,
        most_held=lambda: most_held,
        ends_all=lambda error: not isinstance(error, SourceError),
    )


async def double(source: int) -> int:
    await asyncio.sleep(0.001 * (source % 3))
    return 2 * source


async def test_keeps_the_order() -> None:
    assert [result async for result in read_ahead(range(20), double, 4)] == list(range(0, 40, 2))


async def test_an_error_stands_in_its_place() -> None:
    async def read(source: int) -> int:
        if source == 1:
            raise SourceError("one", "is broken")
        return source

    results = [result async for result in read_ahead([0, 1, 2], read, 4)]
    assert [type(result) for result in results] == [int, DocumentFailed, int]


async def test_an_error_that_is_no_document_s_own_ends_all() -> None:
    async def read(source: int) -> int:
        if source == 1:
            raise ServerFailedError("nobody listens")
        return source

    async with aclosing(read_ahead([0, 1, 2], read, 4)) as results:
        assert await anext(results) == 0
        with pytest.raises(ServerFailedError):
            await anext(results)


async def test_takes_no_more_sources_than_it_reads_ahead() -> None:
    taken = []

    def sources() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    async with aclosing(read_ahead(sources(), double, 4)) as results:
        assert await anext(results) == 0
        for _ in range(100):
            await asyncio.sleep(0)
        # The one handed out, the next one, four that wait behind it and one that is taken already.
        assert len(taken) <= 7


async def test_goes_on_while_the_caller_is_busy_with_a_document() -> None:
    read: list[int] = []
    seven_read = asyncio.Event()

    async def remember(source: int) -> int:
        read.append(source)
        if source == 7:
            seven_read.set()
        return source

    async with aclosing(read_ahead(range(20), remember, 10)) as results:
        assert await anext(results) == 0
        # The caller asks for nothing meanwhile.
        await asyncio.wait_for(seven_read.wait(), 10)


async def test_takes_a_source_only_when_one_more_is_wanted() -> None:
    wish = asyncio.Semaphore(0)
    taken: list[int] = []

    def sources() -> Iterator[int]:
        for number in range(3):
            taken.append(number)
            yield number

    async def wanted() -> None:
        await wish.acquire()

    async with aclosing(read_ahead(sources(), double, 10, wanted)) as results:
        first = asyncio.ensure_future(anext(results))
        for _ in range(20):
            await asyncio.sleep(0)
        assert taken == []
        wish.release()
        assert await asyncio.wait_for(first, 10) == 0
        assert taken == [0]


async def test_a_long_document_at_the_head_does_not_let_the_others_pile_up() -> None:
    head = asyncio.Event()
    read: list[int] = []

    async def slow_first(source: int) -> int:
        if source == 0:
            await head.wait()
        read.append(source)
        return source

    async with aclosing(read_ahead(range(100), slow_first, 5)) as results:
        first = asyncio.ensure_future(anext(results))
        for _ in range(200):
            await asyncio.sleep(0)
        assert len(read) <= 6
        head.set()
        assert await asyncio.wait_for(first, 10) == 0
        assert [result async for result in results] == list(range(1, 100))


async def test_hands_out_what_is_read_while_the_next_source_is_waited_for() -> None:
    more = asyncio.Event()

    async def sources() -> AsyncGenerator[int, None]:
        yield 1
        await more.wait()
        yield 2

    results = read_ahead(sources(), double, 4)
    assert await asyncio.wait_for(anext(results), 10) == 2
    more.set()
    assert [result async for result in results] == [4]


async def test_sources_that_break_do_so_after_the_documents_before() -> None:
    async def sources() -> AsyncGenerator[int, None]:
        yield 1
        yield 2
        raise LookupError("the list ends here")

    results = read_ahead(sources(), double, 4)
    assert [await anext(results), await anext(results)] == [2, 4]
    with pytest.raises(LookupError, match="the list ends here"):
        await anext(results)


async def test_an_iterator_that_waits_does_not_hold_up_the_loop() -> None:
    more = threading.Event()

    def sources() -> Iterator[int]:
        yield 1
        more.wait()
        yield 2

    results = read_ahead(from_thread(sources()), double, 4)
    assert await asyncio.wait_for(anext(results), 10) == 2
    more.set()
    assert [result async for result in results] == [4]


async def test_leaving_does_not_wait_for_an_iterator_that_never_comes_back() -> None:
    more = threading.Event()

    def sources() -> Iterator[int]:
        yield 1
        more.wait()

    async with aclosing(read_ahead(from_thread(sources()), double, 4)) as results:
        assert await anext(results) == 2
    more.set()


async def test_what_an_iterator_raises_in_its_thread_arrives() -> None:
    def sources() -> Iterator[int]:
        yield 1
        raise LookupError("the list ends here")

    results = from_thread(sources())
    assert await anext(results) == 1
    with pytest.raises(LookupError, match="the list ends here"):
        await anext(results)
    with pytest.raises(TypeError, match="not iterable"):
        await anext(from_thread(5))  # type: ignore[arg-type]
