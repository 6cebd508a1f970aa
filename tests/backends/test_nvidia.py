"""The nvidia backend over real sockets, against ParseServer's NIM wire."""

from __future__ import annotations

import asyncio
import copy
import json
import logging
import pickle
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from nemoparse_loaders.backends import nvidia
from nemoparse_loaders.backends.base import Backend, CacheableSession, ModelReply, RereadingSession
from nemoparse_loaders.backends.nvidia import HOSTED_MODEL, HOSTED_URL, NvidiaBackend, parse_answer
from nemoparse_loaders.document import Usage
from nemoparse_loaders.errors import (
    AuthenticationError,
    BackendError,
    ModelNotFoundError,
    OptionError,
    ProtocolError,
    ReplyTimeoutError,
    RequestRejectedError,
    ServerBusyError,
    ServerFailedError,
)
from nemoparse_loaders.options import ParseOptions
from nemoparse_loaders.rendering.page_image import PageImage
from nemoparse_loaders.testing import (
    SAMPLE_PAGE,
    BrokenJson,
    EmptyReply,
    Fault,
    FinishReason,
    Hang,
    HttpError,
    ParseServer,
    RecordedRequest,
    Reply,
)

KEY = "nvapi-a-secret-key"


@pytest.fixture(autouse=True)
def _told_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvidia, "_told", set())


async def read(backend: NvidiaBackend, page: PageImage) -> ModelReply:
    async with backend.session() as session:
        return await session.read(page)


async def failure(page: PageImage, fault: Fault, *, timeout: float = 30) -> BackendError:
    async with ParseServer(faults=[fault]) as server:
        with pytest.raises(BackendError) as caught:
            await read(NvidiaBackend(server.base_url, timeout=timeout), page)
    return caught.value


# What is sent


async def test_request(page: PageImage) -> None:
    async with ParseServer(api_key=KEY) as server:
        backend = NvidiaBackend(server.base_url, SecretStr(KEY), headers={"X-Team": "archive"})
        reply = await read(backend, page)
    assert reply.text == SAMPLE_PAGE
    assert reply.finish_reason == "stop"
    request = server.requests[-1]
    assert request.path == "/v1/parse"
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.headers["X-Team"] == "archive"
    assert request.image == page.data
    assert list(request.fields) == ["document"]
    assert request.fields["document"].content_type == "image/png"
    assert request.fields["document"].filename == "page.png"


async def test_limit_of_tokens(page: PageImage) -> None:
    async with ParseServer() as server:
        reply = await read(NvidiaBackend(server.base_url, max_tokens=20), page)
    assert (reply.finish_reason, reply.usage.completion_tokens) == ("length", 20)
    options = server.requests[-1].fields["options"]
    assert options.content_type == "application/json"
    assert json.loads(options.data) == {"decoding": {"max_output_tokens": 20}}


async def test_picture_arrives_whole(make_page: Callable[..., PageImage]) -> None:
    noise = random.Random(2).randbytes(2_000_000) + b"\r\n--\r\n"
    large = replace(make_page(), data=make_page().data + noise)
    jpeg = make_page(kind="JPEG")
    async with ParseServer() as server, NvidiaBackend(server.base_url).session() as session:
        await session.read(large)
        await session.read(jpeg)
    assert [request.image for request in server.page_requests] == [large.data, jpeg.data]
    assert [request.media_type for request in server.page_requests] == ["image/png", "image/jpeg"]


async def test_other_pictures_are_refused_here(page: PageImage) -> None:
    async with ParseServer() as server:
        with pytest.raises(BackendError, match="image/webp"):
            await read(NvidiaBackend(server.base_url), replace(page, media_type="image/webp"))
    assert server.page_requests == []


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/parse"])
async def test_forms_of_the_address(page: PageImage, ending: str) -> None:
    async with ParseServer() as server:
        await read(NvidiaBackend(server.base_url + ending), page)
    assert [request.path for request in server.requests] == ["/v1/health/ready", "/v1/models", "/v1/parse"]


async def test_whole_url_of_an_endpoint(page: PageImage) -> None:
    def answer(request: RecordedRequest) -> Fault | None:
        return HttpError(200, {"content": "read"}) if request.path == "/retrieval/nemotron/parse" else None

    async with ParseServer(faults=answer) as server:
        reply = await read(NvidiaBackend(f"{server.base_url}/retrieval/nemotron/parse"), page)
    assert reply.text == "read"
    assert len(server.requests) == 1


# What comes back


@pytest.mark.parametrize(
    ("value", "reply"),
    [
        ({"content": "a"}, ModelReply("a", None, Usage(), "m")),
        ({"content": None, "finish_reason": "length"}, ModelReply("", "length", Usage(), "m")),
        (
            {"content": "a", "finish_reason": "stop", "usage": {"output_tokens": 3}},
            ModelReply("a", "stop", Usage(completion_tokens=3), "m"),
        ),
        ({"content": "a", "finish_reason": 1, "usage": "none"}, ModelReply("a", None, Usage(), "m")),
    ],
)
def test_answers(value: object, reply: ModelReply) -> None:
    assert parse_answer(value, "here", "m") == reply


@pytest.mark.parametrize("value", [None, [], {}, {"choices": []}, {"content": [1]}, {"content": {"a": 1}}])
def test_no_answers(value: object) -> None:
    with pytest.raises(ProtocolError):
        parse_answer(value, "here", "m")


async def test_replies_that_are_not_whole(page: PageImage) -> None:
    for fault, reason, text in (
        (FinishReason("length", keep=0.5), "length", SAMPLE_PAGE[: len(SAMPLE_PAGE) // 2]),
        (FinishReason(None, keep=1), None, SAMPLE_PAGE),
        (EmptyReply(), "stop", ""),
    ):
        async with ParseServer(faults=[fault]) as server:
            reply = await read(NvidiaBackend(server.base_url), page)
        assert (reply.finish_reason, reply.text) == (reason, text)


async def test_usage(page: PageImage) -> None:
    async with ParseServer(replies=Reply("abc", completion_tokens=41)) as server:
        reply = await read(NvidiaBackend(server.base_url), page)
    assert reply.usage == Usage(completion_tokens=41)


# Errors


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (202, ServerBusyError),
        (400, RequestRejectedError),
        (401, AuthenticationError),
        (403, AuthenticationError),
        (422, RequestRejectedError),
        (429, ServerBusyError),
        (500, ServerFailedError),
        (503, ServerBusyError),
    ],
)
@pytest.mark.parametrize("body", ['{"detail": "because so"}', '{"title": "because so"}', "because so"])
async def test_status(page: PageImage, status: int, kind: type[BackendError], body: str) -> None:
    error = await failure(page, HttpError(status, body, retry_after=2))
    assert type(error) is kind
    assert error.status == status
    if status in (429, 503):
        assert error.retry_after == 2
    if status != 202:
        assert "because so" in str(error)


async def test_too_large_names_the_option(page: PageImage) -> None:
    async with ParseServer(max_body_bytes=100) as server:
        with pytest.raises(RequestRejectedError, match="max_image_bytes"):
            await read(NvidiaBackend(server.base_url), page)


async def test_busy_slots(make_page: Callable[..., PageImage]) -> None:
    server = ParseServer(slots=1, fail_fast=True, latency_s=0.3)
    async with server, NvidiaBackend(server.base_url).session() as session:
        both = await asyncio.gather(*(session.read(make_page()) for _ in range(2)), return_exceptions=True)
    kinds = {type(outcome) for outcome in both}
    assert kinds == {ModelReply, ServerBusyError}


async def test_deadline(page: PageImage) -> None:
    assert isinstance(await failure(page, Hang(), timeout=0.4), ReplyTimeoutError)


async def test_broken_json(page: PageImage) -> None:
    assert isinstance(await failure(page, BrokenJson('{"content": "<x_')), ProtocolError)


@pytest.mark.parametrize(
    ("path", "status", "kind"),
    [
        ("/v1/health/ready", 503, ServerBusyError),
        ("/v1/health/ready", 500, ServerFailedError),
        ("/v1/models", 401, AuthenticationError),
    ],
)
async def test_nim_that_cannot_work(path: str, status: int, kind: type[BackendError]) -> None:
    def fault(request: RecordedRequest) -> Fault | None:
        return HttpError(status) if request.path == path else None

    async with ParseServer(faults=fault) as server:
        with pytest.raises(kind):
            async with NvidiaBackend(server.base_url).session():
                pass


async def test_gateway_that_passes_on_the_parse_call_only(page: PageImage) -> None:
    def fault(request: RecordedRequest) -> Fault | None:
        return None if request.path == "/v1/parse" else HttpError(404)

    async with ParseServer(faults=fault) as server:
        assert (await read(NvidiaBackend(server.base_url), page)).text == SAMPLE_PAGE


# The model


async def test_model_and_profile() -> None:
    async with ParseServer(model="nvidia/nemotron-parse-2.0") as server:
        async with NvidiaBackend(server.base_url).session() as session:
            assert (session.model, session.profile.name) == ("nvidia/nemotron-parse-2.0", "2.0")
        async with NvidiaBackend(server.base_url, profile="3.5").session() as session:
            assert session.profile.name == "3.5"
        with pytest.raises(ModelNotFoundError, match=r"nemotron-parse-2\.0"):
            async with NvidiaBackend(server.base_url, model="other").session():
                pass


# The hosted endpoint


@pytest.mark.parametrize("key", [None, SecretStr(""), SecretStr(" ")])
async def test_hosted_needs_a_key(key: SecretStr | None) -> None:
    with pytest.raises(AuthenticationError, match="NVIDIA_API_KEY"):
        async with NvidiaBackend(api_key=key).session():
            pass


async def test_hosted_session_sends_nothing_by_itself(caplog: pytest.LogCaptureFixture) -> None:
    backend = NvidiaBackend(api_key=SecretStr(KEY))
    for _ in range(2):
        async with backend.session() as session:
            assert (session.model, session.profile.name) == ("nvidia/nemotron-3.5-parse", "3.5")
    warnings = [record for record in caplog.records if record.name == "nemoparse_loaders.backends.nvidia"]
    assert [record.levelno for record in warnings] == [logging.WARNING]
    assert "ai.api.nvidia.com" in warnings[0].getMessage()
    assert "leaves this machine" in warnings[0].getMessage()


async def test_nothing_is_said_about_this_machine(page: PageImage, caplog: pytest.LogCaptureFixture) -> None:
    async with ParseServer() as server:
        await read(NvidiaBackend(server.base_url), page)
    assert [record for record in caplog.records if record.name == "nemoparse_loaders.backends.nvidia"] == []


# Configuration


def test_is_a_backend() -> None:
    backend = NvidiaBackend()
    assert isinstance(backend, Backend)
    assert (backend.name, backend.max_concurrency, backend.needs_text_layer) == ("nvidia", 8, False)
    assert (backend.url, backend.is_hosted) == (HOSTED_URL, True)
    assert not NvidiaBackend("http://nim:8000").is_hosted
    assert not NvidiaBackend("http://nvidia.com.example").is_hosted


def test_from_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NVIDIA_API_KEY", KEY)
    assert NvidiaBackend.from_options(ParseOptions.build()) == NvidiaBackend(api_key=SecretStr(KEY))
    options = ParseOptions.build(
        base_url="http://nim:8000",
        api_key="own",
        timeout=9,
        max_tokens=99,
        max_concurrency=3,
        headers={"X": "y"},
    )
    assert NvidiaBackend.from_options(options) == NvidiaBackend(
        "http://nim:8000", SecretStr("own"), headers={"X": "y"}, timeout=9, max_tokens=99, max_concurrency=3
    )


@pytest.mark.parametrize(
    ("configured", "limit"),
    [
        ({}, 40),
        ({"requests_per_minute": 90}, 90),
        ({"base_url": "https://integrate.api.nvidia.com/v1/parse"}, 40),
        ({"base_url": "http://nim:8000"}, None),
        ({"base_url": "http://nim:8000", "requests_per_minute": 5}, 5),
    ],
)
def test_requests_a_minute(configured: dict[str, Any], limit: int | None) -> None:
    assert NvidiaBackend(**configured).requests_per_minute == limit
    assert NvidiaBackend.from_options(ParseOptions.build(**configured)).requests_per_minute == limit


# What replies depend on


async def fingerprint(base_url: str | None = None, **configured: Any) -> str:
    async with NvidiaBackend(base_url, SecretStr(KEY), **configured).session() as session:
        assert isinstance(session, CacheableSession)
        # The service owns the sampling, so that there is nothing to ask for otherwise.
        assert not isinstance(session, RereadingSession)
        return session.fingerprint


async def test_the_fingerprint() -> None:
    plain = await fingerprint()
    assert json.loads(plain) == {
        "engine": "nvidia",
        "max_tokens": None,
        "model": "nvidia/nemotron-3.5-parse",
        "profile": "3.5",
    }
    assert await fingerprint(headers={"X": KEY}, timeout=3.0, requests_per_minute=2) == plain
    others: list[dict[str, Any]] = [{"max_tokens": 10}, {"model": "other"}, {"profile": "2.0"}]
    assert len({plain, *[await fingerprint(**other) for other in others]}) == 4


async def test_the_model_in_the_path_of_a_hosted_endpoint() -> None:
    older = HOSTED_URL.replace("nemotron-3.5-parse", "nemotron-parse-v2.0")
    async with NvidiaBackend(older, SecretStr(KEY)).session() as session:
        assert (session.model, session.profile.name) == ("nvidia/nemotron-parse-v2.0", "2.0")
    async with NvidiaBackend("https://gateway.example/parse", SecretStr(KEY)).session() as session:
        assert session.model == HOSTED_MODEL


async def test_the_fingerprint_of_a_nim() -> None:
    async with (
        ParseServer(model="one") as one,
        ParseServer(model="two") as two,
        ParseServer(model="one") as same,
    ):
        found = [await fingerprint(server.base_url) for server in (one, two, same)]
    assert found[0] == found[2] != found[1]
    assert "127.0.0.1" not in "".join(found)
    assert KEY not in "".join(found)


def test_options_that_it_cannot_take() -> None:
    with pytest.raises(OptionError, match=r"seed, temperature.*max_tokens"):
        NvidiaBackend.from_options(ParseOptions.build(request_options={"temperature": 0, "seed": 1}))
    with pytest.raises(OptionError, match="9000"):
        NvidiaBackend(max_tokens=9_001)
    with pytest.raises(OptionError, match="http"):
        NvidiaBackend("nim:8000")


def test_copies_and_secrets() -> None:
    backend = NvidiaBackend("http://user:pass-word@nim:8000", SecretStr(KEY), headers={"X": "header-secret"})
    assert pickle.loads(pickle.dumps(backend)) == backend
    assert copy.deepcopy(backend) == backend
    for secret in (KEY, "pass-word", "header-secret"):
        assert secret not in repr(backend)
