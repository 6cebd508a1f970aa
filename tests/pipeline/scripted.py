"""A clock that jumps, and servers that are functions: what the tests of the pipeline run on."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from nemoparse_loaders.backends.base import ModelReply, ServerLoad
from nemoparse_loaders.errors import ServerFailedError
from nemoparse_loaders.profiles import Profile, get_profile
from nemoparse_loaders.rendering.page_image import PageGeometry, PageImage

T = TypeVar("T")
Answer = Callable[["ScriptedServer", int], Awaitable[ModelReply]]


class _JumpingSelector(selectors.DefaultSelector):
    """Waits for nothing: where the loop would sleep, its clock is put forward."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1000.0
        self.turns = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.turns += 1
        events = super().select(0)
        if events or timeout == 0:
            return events
        if timeout is None:
            raise RuntimeError("all wait, and nothing will ever wake them")
        self.now += timeout
        return []


class _VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._clock = _JumpingSelector()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now

    @property
    def turns(self) -> int:
        return self._clock.turns


def turns() -> int:
    """How often the loop that runs has woken up."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, _VirtualLoop)
    return loop.turns


def run_virtual(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end on a clock that jumps; it is an error if nothing could ever wake it."""
    loop = _VirtualLoop()
    try:
        return loop.run_until_complete(work)
    finally:
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()


class ScriptedServer:
    """A backend and its session in one: pages are answered by a function.

    Attributes:
        asked: The pages that came, in order of arrival.
        in_flight: Pages that are being answered.
        most_in_flight: The most of them at a time.
        opened: Sessions opened so far, failures included.
        closed: Sessions closed.
    """

    needs_text_layer = False
    fingerprint = "scripted"

    def __init__(
        self,
        answer: Answer | None = None,
        *,
        name: str = "scripted",
        max_concurrency: int = 4,
        profile: str = "3.5",
        opens: Callable[[int], BaseException | None] = lambda attempt: None,
    ) -> None:
        self.name = name
        self.base_url = f"http://{name}"
        self.max_concurrency = max_concurrency
        self.profile: Profile = get_profile(profile)
        self.model = "model"
        self.asked: list[int] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self.opened = 0
        self.closed = 0
        self._answer = answer or reply_after(1.0)
        self._opens = opens

    @asynccontextmanager
    async def session(self) -> AsyncIterator[ScriptedServer]:
        self.opened += 1
        await asyncio.sleep(0)
        if (error := self._opens(self.opened)) is not None:
            raise error
        try:
            yield self
        finally:
            self.closed += 1

    async def read(self, image: PageImage) -> ModelReply:
        self.asked.append(image.geometry.number)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await self._answer(self, image.geometry.number)
        finally:
            self.in_flight -= 1


class MeteredServer(ScriptedServer):
    """One that tells its queue; ``loads`` is asked for each."""

    loads: Callable[[], ServerLoad | None] = staticmethod(lambda: None)

    async def load(self) -> ServerLoad | None:
        return self.loads()


def reply_after(seconds: float) -> Answer:
    """Answer every page after so many seconds."""

    async def answer(server: ScriptedServer, page: int) -> ModelReply:
        await asyncio.sleep(seconds)
        return ModelReply(f"page {page}", "stop")

    return answer


def refused() -> ServerFailedError:
    """What a server that is not there ends a request with."""
    error = ServerFailedError("nobody listens")
    error.__cause__ = ConnectionRefusedError()
    return error


def picture(page: int) -> PageImage:
    """A picture of that page."""
    return PageImage(b"png", "image/png", 1, 1, PageGeometry(page, str(page), 100, 100))
