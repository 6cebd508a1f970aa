"""The places in which replies are made: how many at once, and how long each one is held."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from .latency import Latency
from .load import LoadLog
from .requests import RecordedRequest


class BusyError(Exception):
    """All slots are taken, and the server does not let anybody wait."""


class Slots:
    """The slots of one run of the server, inside its event loop.

    Attributes:
        waiting: Requests that wait for a slot.
    """

    def __init__(self, count: int | None, *, fail_fast: bool, latency: Latency, log: LoadLog) -> None:
        self.waiting = 0
        self._free = asyncio.Semaphore(count) if count else None
        self._fail_fast = fail_fast
        self._latency = latency
        self._log = log

    async def make_reply(self, request: RecordedRequest) -> None:
        """Wait for a slot and hold it as long as the reply takes.

        Raises:
            BusyError: No slot is free, and the server fails fast.
        """
        async with self._slot():
            self._log.slot_taken()
            try:
                await asyncio.sleep(self._latency(request) if callable(self._latency) else self._latency)
            finally:
                self._log.slot_freed()

    @asynccontextmanager
    async def _slot(self) -> AsyncIterator[None]:
        if self._free is None:
            yield
            return
        if self._fail_fast and self._free.locked():
            raise BusyError
        self.waiting += 1
        try:
            await self._free.acquire()
        finally:
            self.waiting -= 1
        try:
            yield
        finally:
            self._free.release()
