"""How full the slots were: the log by itself, with a clock of the test's own, and behind a server."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders.testing import ParseServer
from nemoparse_loaders.testing.load import LoadLog

from .test_server import chat_body


class Clock:
    now = 0.0

    def monotonic(self) -> float:
        return self.now

    def process_time(self) -> float:
        return 0.0


def run_of(replies: list[tuple[float, float]]) -> LoadLog:
    """A log of replies that hold a slot from one moment to another."""
    log = LoadLog()
    clock = Clock()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nemoparse_loaders.testing.load.time", clock)
        events = [(start, 1) for start, _ in replies] + [(end, -1) for _, end in replies]
        for moment, step in sorted(events):
            clock.now = moment
            if step > 0:
                log.page_came()
                log.slot_taken()
            else:
                log.slot_freed()
                log.page_left()
        clock.now = 1e9
    return log


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(1, 20)), min_size=1, max_size=20),
    st.integers(-5, 60),
    st.integers(1, 40),
)
def test_slot_seconds(replies: list[tuple[int, int]], start: int, length: int) -> None:
    spans = [(float(begin), float(begin + duration)) for begin, duration in replies]
    end = start + length
    expected = sum(max(0.0, min(end, last) - max(start, first)) for first, last in spans)
    assert run_of(spans).slot_seconds(start, end) == pytest.approx(expected)


def test_share_ends_with_the_last_request() -> None:
    # Two slots, full from 0 to 10; the last page comes at 10 and runs alone until 15.
    seen = run_of([(0, 10), (0, 10), (10, 15)]).statistics(2)
    assert (seen.first_page_at, seen.last_page_at, seen.busy_share) == (0, 10, 1.0)
    # Half empty before the last page.
    seen = run_of([(0, 10), (10, 15)]).statistics(2)
    assert (seen.pages, seen.peak_running, seen.busy_share) == (2, 1, 0.5)


def test_nothing_seen() -> None:
    seen = LoadLog().statistics(4)
    assert (seen.pages, seen.first_page_at, seen.slot_seconds, seen.busy_share) == (0, None, 0.0, None)


async def test_behind_a_server() -> None:
    async with ParseServer(slots=2, latency_s=0.05) as server, aiohttp.ClientSession() as session:

        async def ask() -> None:
            address = f"{server.base_url}/v1/chat/completions"
            async with session.post(address, json=chat_body()) as response:
                await response.read()

        await asyncio.gather(*[ask() for _ in range(6)])
        async with session.get(f"{server.base_url}/_stats") as response:
            told = await response.json()
        seen = server.statistics()
    assert (seen.pages, seen.peak_in_flight, seen.peak_running, seen.disconnected) == (6, 6, 2, 0)
    assert dict(seen.requests) == {"/v1/chat/completions": 6}
    assert dict(seen.statuses) == {200: 6}
    assert told["pages"] == 6
    assert "/_stats" not in [request.path for request in server.requests]
    first = seen.first_page_at
    assert first is not None
    # Three rounds in two slots, whatever the clock did in between.
    assert server.slots_busy(first - 1, first + 9) * 10 >= 6 * 0.05
