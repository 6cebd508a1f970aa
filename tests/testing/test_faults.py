"""Faults beyond the simple ones: loops, HTTP dates, death and rebirth."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from datetime import datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

import aiohttp
import pytest
from aiohttp import web

from nemoparse_loaders.testing import (
    SAMPLE_PAGE,
    CutConnection,
    Death,
    Drip,
    Fault,
    HttpError,
    Loop,
    ParseServer,
    RecordedRequest,
)
from nemoparse_loaders.testing.faults import Exchange

from .test_server import chat_body, content_of, fetch


def test_retry_after_as_a_date() -> None:
    before = datetime.now(timezone.utc)
    with ParseServer(faults=[HttpError(429, retry_after=timedelta(seconds=90))]) as server:
        with pytest.raises(aiohttp.ClientResponseError) as caught:
            asyncio.run(post(server, raises=True))
        after = datetime.now(timezone.utc)
    assert caught.value.headers is not None
    moment = parsedate_to_datetime(caught.value.headers["Retry-After"])
    assert before + timedelta(seconds=89) <= moment <= after + timedelta(seconds=90)


async def post(server: ParseServer, *, raises: bool = False) -> int:
    async with (
        aiohttp.ClientSession(raise_for_status=raises) as session,
        session.post(f"{server.base_url}/v1/chat/completions", json=chat_body()) as response,
    ):
        await response.read()
        return response.status


@pytest.mark.parametrize("reason", ["stop", "repetition"])
def test_loop(reason: str) -> None:
    with ParseServer(faults=[Loop("la ", times=50, keep=0.1, reason=reason)]) as server:
        answer = fetch(f"{server.base_url}/v1/chat/completions", chat_body())[1]
    assert content_of(answer) == SAMPLE_PAGE[: len(SAMPLE_PAGE) // 10] + "la " * 50
    assert json.loads(answer)["choices"][0]["finish_reason"] == reason


def test_death_and_rebirth_in_a_thread() -> None:
    with ParseServer() as server:
        address = f"{server.base_url}/v1/chat/completions"
        for _ in range(3):
            server.die()
            server.die()
            with pytest.raises(OSError, match="refused"):
                fetch(address, chat_body())
            server.rise()
            server.rise()
            assert fetch(address, chat_body())[0] == 200
        assert server.base_url in address


def test_ends_while_dead() -> None:
    with ParseServer() as server:
        server.die()
    with pytest.raises(RuntimeError, match="not running"):
        server.rise()


async def test_death_breaks_what_is_on_its_way() -> None:
    running = asyncio.Event()

    def long(request: RecordedRequest) -> float:
        running.set()
        return 60

    async with ParseServer(latency_s=long) as server:
        asked = asyncio.create_task(post(server))
        await asyncio.wait_for(running.wait(), 30)
        server.die()
        with pytest.raises(aiohttp.ClientError):
            await asked
        # Reborn and killed in one breath.
        server.rise()
        server.die()
        with pytest.raises(aiohttp.ClientError):
            await post(server)
        server.rise()
        async with (
            aiohttp.ClientSession() as session,
            session.get(f"{server.base_url}/health") as response,
        ):
            assert response.status == 200
    assert server.page_requests[0].disconnected
    assert server.statistics().disconnected == 1


@pytest.mark.parametrize("fault", [CutConnection(after=0.5), Drip(interval_s=0.0)])
async def test_a_connection_that_is_gone_when_a_fault_comes_is_no_error_of_the_server(
    fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    class Late(Fault):
        async def send(self, exchange: Exchange) -> web.StreamResponse:
            exchange.cut()
            return await fault.send(exchange)

    async with ParseServer(faults=[Late()]) as server:
        with pytest.raises(aiohttp.ClientError):
            await post(server)
        assert await post(server) == 200
    assert [request.disconnected for request in server.page_requests] == [True, False]
    assert not caplog.records


async def test_death_from_another_loop() -> None:
    with ParseServer() as server:
        server.die()
        with pytest.raises(aiohttp.ClientConnectorError):
            await post(server)
        server.rise()
        assert await post(server) == 200


def test_death_as_a_fault() -> None:
    with ParseServer(faults=[Death(0.1)]) as server:
        address = f"{server.base_url}/v1/chat/completions"
        with pytest.raises(OSError, match=r"closed|reset|refused"):
            fetch(address, chat_body())
        assert answers_again(address)


def answers_again(address: str) -> bool:
    for _ in range(500):
        with contextlib.suppress(OSError):
            return fetch(address, chat_body())[0] == 200
        time.sleep(0.02)
    return False
