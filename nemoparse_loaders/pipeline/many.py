"""Many documents at once: a bounded number under way, handed out in the order they came in."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from ..errors import BackendError, NemoparseError

S = TypeVar("S")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DocumentFailed:
    """A document that could not be read, in the place where it would have stood."""

    error: NemoparseError


async def read_ahead(
    sources: Iterable[S] | AsyncIterable[S],
    read: Callable[[S], Coroutine[Any, Any, T]],
    ahead: int,
) -> AsyncGenerator[T | DocumentFailed, None]:
    """Read every source, ``ahead`` of them at a time.

    Yields:
        Results in the order of the sources; a document's own error stands in its place.

    Raises:
        BackendError: The engine as a whole does not work: no other document would fare better.
    """
    under_way: deque[asyncio.Task[T]] = deque()
    waiting = _each(sources)
    exhaustion = _Exhausted()
    exhausted = False
    try:
        while under_way or not exhausted:
            while not exhausted and len(under_way) < ahead:
                source = await anext(waiting, exhaustion)
                if isinstance(source, _Exhausted):
                    exhausted = True
                else:
                    under_way.append(asyncio.create_task(read(source)))
            if not under_way:
                return
            try:
                outcome: T | DocumentFailed = await under_way[0]
            except BackendError:
                raise
            except NemoparseError as error:
                outcome = DocumentFailed(error)
            under_way.popleft()
            yield outcome
    finally:
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        await waiting.aclose()


class _Exhausted:
    """Marks the end of the sources, since None may be one."""


async def _each(sources: Iterable[S] | AsyncIterable[S]) -> AsyncGenerator[S, None]:
    if isinstance(sources, AsyncIterable):
        async for source in sources:
            yield source
    else:
        for source in sources:
            yield source
