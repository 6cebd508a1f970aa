"""Pages to servers that fail, over real sockets."""

from __future__ import annotations

import asyncio
import io
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta, timezone

import pytest
from PIL import Image
from pydantic import SecretStr

from nemoparse_loaders.backends.nvidia import NvidiaBackend
from nemoparse_loaders.backends.vllm import VllmBackend
from nemoparse_loaders.options import ParseOptions
from nemoparse_loaders.pipeline.dispatch import Dispatcher, PageFailure, PageReply
from nemoparse_loaders.pipeline.endpoints import EndpointPool
from nemoparse_loaders.pipeline.metrics import RunMetrics
from nemoparse_loaders.pipeline.retry import RetryPolicy
from nemoparse_loaders.rendering.page_image import PageGeometry, PageImage
from nemoparse_loaders.testing import (
    SAMPLE_PAGE,
    CutConnection,
    Fault,
    FinishReason,
    Hang,
    HttpError,
    ParseServer,
    RecordedRequest,
)

# Waits short enough for tests; more of them than usual, since the machine may be slow.
POLICY = RetryPolicy(6, base_s=0.05, cap_s=2.0)
Backend = VllmBackend | NvidiaBackend


def _png() -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (32, 32), "white").save(stream, "PNG")
    return stream.getvalue()


PNG = _png()
CHAT = "/v1/chat/completions"


def picture(number: int) -> PageImage:
    return PageImage(PNG, "image/png", 32, 32, PageGeometry(number, str(number), 100, 100))


@asynccontextmanager
async def dispatcher(
    *backends: Backend, policy: RetryPolicy = POLICY
) -> AsyncIterator[tuple[EndpointPool, Callable[..., asyncio.Task[PageReply | PageFailure]]]]:
    async with EndpointPool(backends, ParseOptions.build(), policy) as pool:
        dispatcher, metrics = Dispatcher(pool, policy), RunMetrics()

        def read(page: int) -> asyncio.Task[PageReply | PageFailure]:
            return asyncio.create_task(dispatcher.read(picture(page), priority=page, metrics=metrics))

        yield pool, read
        assert [endpoint.in_flight for endpoint in pool.endpoints] == [0] * len(backends)


async def read_all(pages: int, *backends: Backend, policy: RetryPolicy = POLICY) -> list[PageReply]:
    """Read pages, all at once; each must succeed."""
    async with dispatcher(*backends, policy=policy) as (_, read):
        return whole(await asyncio.gather(*(read(page) for page in range(pages))))


def whole(outcomes: Sequence[PageReply | PageFailure]) -> list[PageReply]:
    replies = [outcome for outcome in outcomes if isinstance(outcome, PageReply)]
    assert replies == list(outcomes)
    assert {reply.reply.text for reply in replies} == {SAMPLE_PAGE}
    return replies


def actions(replies: Sequence[PageReply]) -> set[str]:
    return {step.action for reply in replies for step in reply.steps}


class Door:
    """The address of a server that can be shut: what goes through breaks, and nobody listens any more."""

    def __init__(self, target: ParseServer) -> None:
        self._target = target
        self._port = 0
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    async def __aenter__(self) -> Door:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.shut()

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._pass_on, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def shut(self) -> None:
        if self._server is None:
            return
        self._server.close()
        for writer in self._open:
            writer.transport.abort()
        await self._server.wait_closed()
        self._server = None

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        port = int(self._target.base_url.rpartition(":")[2])
        there, back = await asyncio.open_connection("127.0.0.1", port)
        ends = {writer, back}
        self._open |= ends
        await asyncio.gather(_copy(reader, back), _copy(there, writer))
        self._open -= ends


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while piece := await reader.read(65_536):
            writer.write(piece)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


class Heard(logging.Handler):
    """Set as soon as something is logged that holds the words."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self._words = words
        self.heard = asyncio.Event()

    def emit(self, record: logging.LogRecord) -> None:
        if self._words in record.getMessage():
            self.heard.set()


@asynccontextmanager
async def hearing(words: str) -> AsyncIterator[asyncio.Event]:
    handler = Heard(words)
    logger = logging.getLogger("nemoparse_loaders.pipeline")
    logger.addHandler(handler)
    level = logger.level
    logger.setLevel(logging.INFO)
    try:
        yield handler.heard
    finally:
        logger.setLevel(level)
        logger.removeHandler(handler)


@pytest.mark.parametrize("wire", [VllmBackend, NvidiaBackend])
async def test_one_slot_that_refuses_while_it_works_loses_nothing(wire: type[Backend]) -> None:
    async with ParseServer(slots=1, fail_fast=True, latency_s=0.02) as server:
        replies = await read_all(30, wire(server.base_url), policy=RetryPolicy(4, base_s=0.05))
    assert actions(replies) <= {"busy"}
    assert len(server.page_requests) == sum(reply.attempts for reply in replies)


async def test_death_and_rebirth_of_the_only_server() -> None:
    async with (
        ParseServer(latency_s=0.05) as server,
        Door(server) as door,
        dispatcher(VllmBackend(door.base_url)) as (pool, read),
    ):
        async with hearing("pages wait for it") as gone:
            pages = [read(page) for page in range(200)]
            await asyncio.wait(pages, return_when=asyncio.FIRST_COMPLETED)
            await door.shut()
            await gone.wait()
        assert not pool.endpoints[0].is_up
        await door.open()
        replies = whole(await asyncio.gather(*pages))
        assert pool.endpoints[0].is_up
    assert actions(replies) == {"retry"}


async def test_a_server_that_stays_dead_fails_all_pages_alike() -> None:
    async with ParseServer(latency_s=0.05) as server, Door(server) as door:
        async with dispatcher(VllmBackend(door.base_url), policy=RetryPolicy(3, base_s=0.05)) as (_, read):
            pages = [read(page) for page in range(500)]
            await asyncio.wait(pages, return_when=asyncio.FIRST_COMPLETED)
            await door.shut()
            outcomes = await asyncio.gather(*pages)
        failures = [outcome for outcome in outcomes if isinstance(outcome, PageFailure)]
        assert len(failures) > 250
        assert len({str(failure.error) for failure in failures}) == 1
        assert "nobody listens" in str(failures[0].error)
        assert sum(failure.attempts for failure in failures) < 500


async def test_one_of_two_servers_dies_and_comes_back() -> None:
    async with (
        ParseServer(latency_s=0.05) as first,
        ParseServer(latency_s=0.05) as second,
        Door(first) as door,
        dispatcher(*(VllmBackend(url, max_concurrency=8) for url in (door.base_url, second.base_url))) as (
            pool,
            read,
        ),
    ):
        async with hearing("left out until it works again") as gone:
            pages = [read(page) for page in range(200)]
            await asyncio.wait(pages, return_when=asyncio.FIRST_COMPLETED)
            await door.shut()
            await gone.wait()
        whole(await asyncio.gather(*pages))
        before = len(first.page_requests)
        await door.open()
        async with hearing("works again") as back:
            number = 1000
            while not back.is_set():
                number += 1
                whole([await read(number)])
        assert len(first.page_requests) > before
        assert pool.endpoints[0].is_up


async def test_a_server_that_is_not_there_at_first_joins_later() -> None:
    async with ParseServer() as first, ParseServer() as second, Door(first) as door:
        await door.shut()
        async with dispatcher(VllmBackend(door.base_url), VllmBackend(second.base_url)) as (_, read):
            whole(await asyncio.gather(*(read(page) for page in range(10))))
            assert first.page_requests == []
            async with hearing("is up now") as joined:
                await door.open()
                await joined.wait()
            whole(await asyncio.gather(*(read(page) for page in range(10))))
            assert first.page_requests != []


async def test_retry_after_as_a_date_is_kept_to_by_all_pages() -> None:
    arrivals: list[float] = []

    def later(request: RecordedRequest) -> Fault | None:
        if request.path != CHAT:
            return None
        arrivals.append(time.monotonic())
        if len(arrivals) > 1:
            return None
        return HttpError(429, retry_after=datetime.now(timezone.utc) + timedelta(seconds=2))

    async with ParseServer(faults=later) as server:
        replies = await read_all(5, VllmBackend(server.base_url, max_concurrency=1))
    assert actions(replies) == {"busy"}
    assert len(arrivals) == 6
    # The date has whole seconds, so two may be little more than one.
    assert arrivals[1] - arrivals[0] > 0.9


async def test_a_server_that_hangs_loses_its_pages_to_another() -> None:
    async with ParseServer(faults=lambda request: _page(request, Hang())) as hung, ParseServer() as good:
        backends = (VllmBackend(hung.base_url, timeout=2.0), VllmBackend(good.base_url, timeout=20.0))
        replies = await read_all(40, *backends)
    assert {reply.attempts for reply in replies} == {1, 2}
    assert actions(replies) == {"retry"}


@pytest.mark.parametrize(
    "fault", [CutConnection(), CutConnection(0.5), HttpError(500), HttpError(502), FinishReason("abort")]
)
async def test_a_fault_that_passes_is_tried_again(fault: Fault) -> None:
    async with ParseServer(faults=[fault] * 5) as server:
        replies = await read_all(10, VllmBackend(server.base_url))
    assert actions(replies) == {"retry"}
    assert len(server.page_requests) == 15


async def test_an_aborted_reply_that_no_other_replaces() -> None:
    policy = RetryPolicy(2, base_s=0.05)
    async with (
        ParseServer(faults=lambda request: _page(request, FinishReason("abort"))) as server,
        dispatcher(VllmBackend(server.base_url), policy=policy) as (_, read),
    ):
        outcome = await read(1)
    assert isinstance(outcome, PageReply)
    assert outcome.reply.finish_reason == "abort"
    assert outcome.attempts == 3


async def test_no_secret_in_what_is_said_about_a_server(caplog: pytest.LogCaptureFixture) -> None:
    key = "sk-a-secret-key-of-some-length"
    fault = HttpError(500, body=f"your key {key} is fine, but")
    async with ParseServer(faults=lambda request: _page(request, fault)) as bad, ParseServer() as good:
        backends = [
            VllmBackend(server.base_url.replace("//", "//user:pass-word@"), api_key=SecretStr(key))
            for server in (bad, good)
        ]
        replies = await read_all(40, *backends)
    said = caplog.text + repr([reply.steps for reply in replies])
    assert "left out until it works again" in said
    assert "key *** is fine" in said
    assert key not in said
    assert "pass-word" not in said


def _page(request: RecordedRequest, fault: Fault) -> Fault | None:
    return fault if request.path == CHAT else None
