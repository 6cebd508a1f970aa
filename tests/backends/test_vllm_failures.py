"""How the vLLM backend fails, over real sockets: statuses, connections, proxies; and what it never says."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import pickle
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from aiohttp import web
from pydantic import SecretStr

from nemoparse_loaders.backends.base import ModelReply
from nemoparse_loaders.backends.vllm import VllmBackend
from nemoparse_loaders.errors import (
    AuthenticationError,
    BackendError,
    OptionError,
    ProtocolError,
    ReplyTimeoutError,
    RequestRejectedError,
    ServerBusyError,
    ServerFailedError,
)
from nemoparse_loaders.rendering.page_image import PageImage
from nemoparse_loaders.testing import (
    SAMPLE_PAGE,
    BrokenJson,
    CutConnection,
    Drip,
    Fault,
    Hang,
    HttpError,
    ParseServer,
    RecordedRequest,
)
from nemoparse_loaders.testing.faults import Exchange

KEY = "sk-a-secret-key-of-some-length"


async def read(backend: VllmBackend, page: PageImage) -> ModelReply:
    async with backend.session() as session:
        return await session.read(page)


@pytest.mark.parametrize(
    "wrong", [{"headers": {"X-Team": "a\r\nX-Other: b"}}, {"api_key": SecretStr(f"{KEY}\nX-Other: b")}]
)
def test_a_header_cannot_bring_another_one(wrong: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="control character") as caught:
        VllmBackend("http://127.0.0.1:9", **wrong).connect()
    assert KEY not in str(caught.value)


async def until(condition: Callable[[], bool]) -> None:
    for _ in range(1000):
        if condition():
            return
        await asyncio.sleep(0.01)
    pytest.fail("it did not come to that")


async def failure(fault: Fault, page: PageImage, *, timeout: float = 30) -> BackendError:
    """The error that a page ends with when its request meets the fault."""
    async with ParseServer(faults=[fault]) as server:
        with pytest.raises(BackendError) as caught:
            await read(VllmBackend(server.base_url, timeout=timeout), page)
    return caught.value


# Errors by status


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (302, RequestRejectedError),
        (400, RequestRejectedError),
        (401, AuthenticationError),
        (403, AuthenticationError),
        (404, RequestRejectedError),
        (405, RequestRejectedError),
        (408, ServerBusyError),
        (413, RequestRejectedError),
        (422, RequestRejectedError),
        (429, ServerBusyError),
        (500, ServerFailedError),
        (501, RequestRejectedError),
        (502, ServerFailedError),
        (503, ServerBusyError),
        (504, ServerFailedError),
    ],
)
async def test_status(page: PageImage, status: int, kind: type[BackendError]) -> None:
    error = await failure(HttpError(status, {"error": {"message": "because so"}}), page)
    assert type(error) is kind
    assert error.status == status
    assert "because so" in str(error)


async def test_retry_after_in_both_forms(page: PageImage) -> None:
    assert (await failure(HttpError(429, retry_after=7), page)).retry_after == 7
    later = datetime.now(timezone.utc) + timedelta(seconds=90)
    error = await failure(HttpError(503, retry_after=later), page)
    assert error.retry_after == pytest.approx(90, abs=10)
    assert (await failure(HttpError(503, retry_after="soon"), page)).retry_after is None
    assert (await failure(HttpError(503), page)).retry_after is None


async def test_too_large_names_the_option(page: PageImage) -> None:
    async with ParseServer(max_body_bytes=100) as server:
        with pytest.raises(RequestRejectedError, match="max_image_bytes"):
            await read(VllmBackend(server.base_url), page)
    # Some report it as 400.
    error = await failure(HttpError(400, {"detail": "Image size exceeds the limit of 180 kB"}), page)
    assert "max_image_bytes" in str(error)


@pytest.mark.parametrize(
    "body",
    [
        '{"choices": [{"message": {"con',
        "",
        "null",
        "<html>",
        '{"object": "list", "data": []}',
        '{"error": {"message": "upstream reset"}}',
        '{"choices": [{"message": {"content": 5}}]}',
    ],
)
async def test_a_reply_that_is_none_may_come_whole_next_time(page: PageImage, body: str) -> None:
    error = await failure(BrokenJson(body), page)
    assert isinstance(error, ProtocolError)
    assert error.retryable


class _Garbled(Fault):
    """An answer that is no HTTP."""

    async def send(self, exchange: Exchange) -> web.StreamResponse:
        assert isinstance(exchange.request.transport, asyncio.Transport)
        exchange.request.transport.write(b"HTP/1.1 20O OK\r\n\r\n")
        return exchange.cut()


async def test_a_reply_that_is_not_http_may_come_whole_next_time(page: PageImage) -> None:
    error = await failure(_Garbled(), page)
    assert isinstance(error, ProtocolError)
    assert error.retryable


# Errors of the connection


async def test_nobody_listens() -> None:
    async with ParseServer() as server:
        address = server.base_url
    with pytest.raises(ServerFailedError, match="nobody listens") as caught:
        async with VllmBackend(address).session():
            pass
    assert caught.value.retryable
    assert address in str(caught.value)


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such limit")
async def test_no_descriptors_left_is_not_taken_for_a_server_that_is_down(page: PageImage) -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    async with ParseServer() as server, VllmBackend(server.base_url).session() as session:
        # The session's one connection is on its way with a page, so that the next page needs another.
        await session.read(page)
        lowest = os.dup(0)
        os.close(lowest)
        resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, hard))
        try:
            outcomes = await asyncio.gather(*(session.read(page) for _ in range(2)), return_exceptions=True)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    failures = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    assert [type(failure) for failure in failures] == [ServerFailedError]
    assert "too many files are open" in str(failures[0])
    assert "ulimit" in str(failures[0])


@pytest.mark.parametrize("fault", [Hang(), Drip(interval_s=0.1)])
async def test_deadline(page: PageImage, fault: Fault) -> None:
    error = await failure(fault, page, timeout=0.5)
    assert isinstance(error, ReplyTimeoutError)
    assert isinstance(error, TimeoutError)
    assert "0.5 s" in str(error)


async def test_cut_in_the_answer(page: PageImage) -> None:
    error = await failure(CutConnection(after=0.5), page)
    assert isinstance(error, ServerFailedError)


async def test_cut_on_a_new_connection(page: PageImage) -> None:
    server = ParseServer(faults=[CutConnection()], idle_timeout_s=0.05)
    async with server, VllmBackend(server.base_url).session() as session:
        # By then the server has closed the connection on which it listed its models.
        await asyncio.sleep(0.5)
        with pytest.raises(ServerFailedError, match="broke"):
            await session.read(page)
    # It was no connection that had been kept, so the page was not sent again here.
    assert len(server.page_requests) == 1


async def test_cut_on_a_kept_connection_is_tried_again_once(page: PageImage) -> None:
    async with ParseServer(faults=[CutConnection()]) as server:
        reply = await read(VllmBackend(server.base_url), page)
    assert reply.text == SAMPLE_PAGE
    assert len(server.page_requests) == 2

    async with ParseServer(faults=[CutConnection(), CutConnection()]) as server:
        with pytest.raises(ServerFailedError):
            await read(VllmBackend(server.base_url), page)
    assert len(server.page_requests) == 2


async def test_server_that_closes_idle_connections(page: PageImage) -> None:
    async with ParseServer(idle_timeout_s=0.1) as server, VllmBackend(server.base_url).session() as session:
        for _ in range(3):
            assert (await session.read(page)).text == SAMPLE_PAGE
            await asyncio.sleep(0.3)


async def test_not_http() -> None:
    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-OpenSSH_9.6\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(speak, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(BackendError, match=rf"127\.0\.0\.1:{port}"):
            async with VllmBackend(f"http://127.0.0.1:{port}").session():
                pass


async def test_https_to_a_plain_server(page: PageImage) -> None:
    async with ParseServer() as server:
        with pytest.raises(BackendError, match="TLS") as caught:
            async with VllmBackend(server.base_url.replace("http:", "https:")).session():
                pass
    assert not caught.value.retryable


async def test_cancelling_closes_the_connection(page: PageImage) -> None:
    async with ParseServer(faults=[Hang()]) as server, VllmBackend(server.base_url).session() as session:
        task = asyncio.create_task(session.read(page))
        await until(lambda: len(server.page_requests) == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: server.page_requests[0].disconnected)
        assert (await session.read(page)).text == SAMPLE_PAGE


async def test_connections_are_closed_with_the_session(page: PageImage) -> None:
    async with ParseServer() as server:
        async with VllmBackend(server.base_url).session() as session:
            await asyncio.gather(*(session.read(page) for _ in range(5)))
        with pytest.raises(RuntimeError, match="not open"):
            await session.read(page)


# Proxies


async def test_no_proxy_for_this_machine(page: PageImage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "10.0.0.0/8,::1,[bad,,*.example.org:x")
    async with ParseServer() as server:
        for address in (server.base_url, server.base_url.replace("127.0.0.1", "localhost")):
            assert (await read(VllmBackend(address), page)).text == SAMPLE_PAGE


async def test_proxy_of_the_environment(page: PageImage, monkeypatch: pytest.MonkeyPatch) -> None:
    # A plain-HTTP proxy gets the whole URL; ParseServer takes the path of it, so it can play one.
    async with ParseServer() as server:
        monkeypatch.setenv("HTTP_PROXY", server.base_url.replace("://", "://user:pass%20word@"))
        reply = await read(VllmBackend("http://parse.example:8000"), page)
        assert reply.text == SAMPLE_PAGE
    assert server.requests[0].headers["Host"] == "parse.example:8000"
    assert server.requests[0].headers["Proxy-Authorization"].startswith("Basic ")


async def test_proxy_that_is_down(monkeypatch: pytest.MonkeyPatch) -> None:
    async with ParseServer() as server:
        address = server.base_url
    monkeypatch.setenv("HTTP_PROXY", address)
    with pytest.raises(ServerFailedError, match="proxy"):
        async with VllmBackend("http://parse.example:8000").session():
            pass


# Secrets


def secrets_in(text: str) -> bool:
    return KEY in text or "pass-word" in text or "header-secret" in text


async def test_no_secret_gets_out(page: PageImage, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    def echo(request: RecordedRequest) -> Fault | None:
        if request.path == "/v1/models":
            return None
        said = json.dumps({"detail": f"{dict(request.headers)} {request.body.decode()}"})
        return HttpError(400, said)

    async with ParseServer(faults=echo) as server:
        backend = VllmBackend(
            server.base_url.replace("://", "://user:pass-word@"),
            api_key=SecretStr(KEY),
            headers={"X-Token": "header-secret-value"},
        )
        assert not secrets_in(repr(backend))
        with pytest.raises(RequestRejectedError) as caught:
            await read(backend, page)
    error = caught.value
    chain = [repr(error), str(error), repr(error.__cause__), repr(error.__context__)]
    assert not any(map(secrets_in, chain))
    assert "iVBOR" not in str(error)
    assert len(str(error)) < 600
    own = [record for record in caplog.records if record.name.startswith(("nemoparse", "aiohttp"))]
    assert not any(secrets_in(record.getMessage()) for record in own)
    copied = pickle.loads(pickle.dumps(error))
    assert (str(copied), copied.status) == (str(error), 400)


def test_headers_that_would_smuggle() -> None:
    async def enter() -> None:
        async with VllmBackend("http://localhost:1", headers={"X-A": "a\r\nX-B: b"}).session():
            pass

    with pytest.raises(OptionError, match="X-A"):
        asyncio.run(enter())
