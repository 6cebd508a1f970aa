"""The vLLM backend over real sockets, against ParseServer."""

from __future__ import annotations

import asyncio
import copy
import logging
import pickle
import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from pydantic import SecretStr

from nemoparse_loaders.backends.base import Backend, ModelReply
from nemoparse_loaders.backends.vllm import LOOP_DETECTOR, VllmBackend, parse_completion
from nemoparse_loaders.errors import (
    ModelNotFoundError,
    OptionError,
    ProtocolError,
    RequestRejectedError,
)
from nemoparse_loaders.options import ParseOptions
from nemoparse_loaders.profiles import PROFILES
from nemoparse_loaders.rendering.page_image import PageImage
from nemoparse_loaders.testing import (
    SAMPLE_PAGE,
    BrokenJson,
    EmptyReply,
    Fault,
    FinishReason,
    HttpError,
    ParseServer,
    RecordedRequest,
)

KEY = "sk-a-secret-key-of-some-length"


async def read(backend: VllmBackend, page: PageImage) -> ModelReply:
    async with backend.session() as session:
        return await session.read(page)


# What is sent


async def test_request(page: PageImage) -> None:
    async with ParseServer() as server:
        reply = await read(VllmBackend(server.base_url), page)
    assert reply.text == SAMPLE_PAGE
    assert reply.finish_reason == "stop"
    request = server.requests[-1]
    assert request.path == "/v1/chat/completions"
    assert request.image == page.data
    assert request.media_type == "image/png"
    profile = PROFILES["3.5"]
    body = request.json
    assert [part["type"] for part in body["messages"][0]["content"]] == ["image_url", "text"]
    assert {key: value for key, value in body.items() if key != "messages"} == {
        "model": "nemotron-parse",
        "max_tokens": profile.max_output_tokens,
        "skip_special_tokens": False,
        "repetition_detection": dict(LOOP_DETECTOR),
        **profile.sampling,
    }
    assert request.task == profile.task
    assert "Authorization" not in request.headers


async def test_picture_arrives_whole(make_page: Callable[..., PageImage]) -> None:
    noise = random.Random(1).randbytes(3_000_000)
    large = replace(make_page(), data=make_page().data + noise)
    jpeg = make_page(kind="JPEG")
    async with ParseServer() as server, VllmBackend(server.base_url).session() as session:
        await session.read(large)
        await session.read(jpeg)
        await session.read(large)
    assert [request.image for request in server.page_requests] == [large.data, jpeg.data, large.data]
    assert [request.media_type for request in server.page_requests] == [
        "image/png",
        "image/jpeg",
        "image/png",
    ]


async def test_key_and_headers(page: PageImage) -> None:
    async with ParseServer(api_key=KEY) as server:
        backend = VllmBackend(server.base_url, api_key=SecretStr(KEY + "\n"), headers={"X-Team": "archive"})
        await read(backend, page)
    for request in server.requests:
        assert request.headers["Authorization"] == f"Bearer {KEY}"
        assert request.headers["X-Team"] == "archive"
        assert request.headers["User-Agent"].startswith("nemoparse-loaders/")


async def test_own_authorization_header_wins(page: PageImage) -> None:
    async with ParseServer(api_key=KEY) as server:
        headers = {"authorization": f"Bearer {KEY}"}
        await read(VllmBackend(server.base_url, api_key=SecretStr("other"), headers=headers), page)
    assert server.requests[-1].status == 200


async def test_request_options_win(page: PageImage) -> None:
    options = {"temperature": 0.7, "min_tokens": 3, "repetition_detection": None, "max_tokens": 77}
    async with ParseServer() as server:
        reply = await read(VllmBackend(server.base_url, request_options=options), page)
    body = server.requests[-1].json
    assert {key: body[key] for key in options} == options
    assert body["top_k"] == 50
    assert reply.finish_reason == "length"


@pytest.mark.parametrize("key", ["messages", "stream"])
def test_request_options_that_would_break_the_request(key: str) -> None:
    with pytest.raises(OptionError, match=key):
        VllmBackend("http://localhost:1", request_options={key: True})


@pytest.mark.parametrize(
    ("wanted", "context", "sent"),
    [(None, 16_384, 8_744), (None, 4_096, 4_096), (500, 4_096, 500), (100_000, 4_096, 4_096)],
)
async def test_max_tokens(page: PageImage, wanted: int | None, context: int, sent: int) -> None:
    async with ParseServer(max_model_len=context) as server:
        await read(VllmBackend(server.base_url, max_tokens=wanted), page)
    assert server.requests[-1].json["max_tokens"] == sent


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/", "/v1/chat/completions"])
async def test_forms_of_the_address(page: PageImage, ending: str) -> None:
    async with ParseServer() as server:
        await read(VllmBackend(server.base_url + ending), page)
    assert [request.path for request in server.requests] == ["/v1/models", "/v1/chat/completions"]


# The model


@pytest.mark.parametrize(
    ("served", "wanted", "chosen"),
    [
        ("anything", None, "anything"),
        (["llama", "my-parse", "qwen"], None, "my-parse"),
        (["parse-a", "parse-b"], "parse-b", "parse-b"),
    ],
)
async def test_model_found(served: str | list[str], wanted: str | None, chosen: str, page: PageImage) -> None:
    server = ParseServer(model=served)
    async with server, VllmBackend(server.base_url, model=wanted).session() as session:
        assert session.model == chosen
        assert (await session.read(page)).model == chosen
    assert server.requests[-1].json["model"] == chosen


@pytest.mark.parametrize(
    ("served", "wanted"), [(["parse-a", "parse-b"], None), (["llama", "qwen"], None), (["llama"], "parse")]
)
async def test_model_not_found(served: list[str], wanted: str | None) -> None:
    async with ParseServer(model=served) as server:
        with pytest.raises(ModelNotFoundError) as caught:
            async with VllmBackend(server.base_url, model=wanted).session():
                pass
    for name in served:
        assert repr(name) in str(caught.value)


@pytest.mark.parametrize(
    ("model", "profile", "expected"),
    [
        ("nemotron-parse", None, "3.5"),
        ("nvidia/NVIDIA-Nemotron-Parse-v1.2", None, "1.2"),
        ("nvidia/NVIDIA-Nemotron-Parse-v1.2", "3.5", "3.5"),
    ],
)
async def test_profile(model: str, profile: str | None, expected: str, page: PageImage) -> None:
    async with ParseServer(model=model) as server:
        backend = VllmBackend.from_options(ParseOptions.build(base_url=server.base_url, profile=profile))
        async with backend.session() as session:
            assert session.profile.name == expected
            await session.read(page)
    assert server.requests[-1].task == PROFILES[expected].task


async def test_gateway_without_a_list_of_models(page: PageImage) -> None:
    def only_chat(request: RecordedRequest) -> Fault | None:
        return HttpError(404, {"detail": "Not Found"}) if request.path == "/v1/models" else None

    async with ParseServer(faults=only_chat) as server:
        reply = await read(VllmBackend(server.base_url, model="nemotron-parse"), page)
        assert reply.text == SAMPLE_PAGE
        with pytest.raises(RequestRejectedError, match="check base_url"):
            await read(VllmBackend(server.base_url), page)


@pytest.mark.parametrize("body", ["<html>hello</html>", '{"data": 3}', "[]", "null", "[" * 100_000])
async def test_not_an_openai_server(body: str) -> None:
    def answer(request: RecordedRequest) -> Fault:
        return BrokenJson(body)

    async with ParseServer(faults=answer) as server:
        with pytest.raises(ProtocolError):
            async with VllmBackend(server.base_url).session():
                pass


# The loop detector


async def test_server_without_a_loop_detector(page: PageImage, caplog: pytest.LogCaptureFixture) -> None:
    def strict(request: RecordedRequest) -> Fault | None:
        if b"repetition_detection" in request.body:
            return HttpError(
                400, {"error": {"message": "repetition_detection: Extra inputs are not permitted"}}
            )
        return None

    caplog.set_level(logging.INFO, "nemoparse_loaders")
    async with ParseServer(faults=strict) as server, VllmBackend(server.base_url).session() as session:
        first = await asyncio.gather(*(session.read(page) for _ in range(3)))
        last = await session.read(page)
    assert {reply.text for reply in [*first, last]} == {SAMPLE_PAGE}
    assert server.page_requests[-1].status == 200
    assert len(server.page_requests) <= 7
    assert sum("no loop detector" in record.message for record in caplog.records) == 1


async def test_own_loop_detector_that_is_refused(page: PageImage) -> None:
    fault = HttpError(400, {"error": {"message": "repetition_detection: min_count must be >= 2"}})
    async with ParseServer(faults=[fault] * 3) as server:
        backend = VllmBackend(server.base_url, request_options={"repetition_detection": {"min_count": 1}})
        with pytest.raises(RequestRejectedError, match="min_count"):
            await read(backend, page)
    assert len(server.page_requests) == 1


# What comes back


@pytest.mark.parametrize("reason", ["length", "abort", "repetition", None])
async def test_finish_reasons(page: PageImage, reason: str | None) -> None:
    async with ParseServer(faults=[FinishReason(reason)]) as server:
        reply = await read(VllmBackend(server.base_url), page)
    assert reply.finish_reason == reason
    assert SAMPLE_PAGE.startswith(reply.text)


async def test_empty_reply(page: PageImage) -> None:
    async with ParseServer(faults=[EmptyReply()]) as server:
        reply = await read(VllmBackend(server.base_url), page)
    assert (reply.text, reply.finish_reason) == ("", "stop")


async def test_replies_go_to_their_pages(make_page: Callable[..., PageImage]) -> None:
    pages = [make_page(100 + number, 100) for number in range(12)]
    texts = {page.data: f"<x_0><y_0>{index}<x_1><y_1><class_Text>" for index, page in enumerate(pages)}
    server = ParseServer(replies=lambda request: texts[request.image or b""])
    async with server, VllmBackend(server.base_url).session() as session:
        replies = await asyncio.gather(*map(session.read, pages))
    assert [reply.text for reply in replies] == list(texts.values())


def test_completion_with_what_may_be_missing() -> None:
    reply = parse_completion({"choices": [{"message": {"content": None}}]}, "here", "parse")
    assert reply == ModelReply("", model="parse")


def test_completion_of_a_tool_call() -> None:
    arguments = '[[{"bbox": {}, "text": "a", "type": "Text"}]]'
    message = {"content": None, "tool_calls": [{"function": {"arguments": arguments}}]}
    choice = {"message": message, "finish_reason": "tool_calls"}
    reply = parse_completion({"choices": [choice], "model": "1.1"}, "here", "parse")
    assert reply == ModelReply(arguments, "tool_calls", model="1.1")


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"choices": []},
        {"choices": [None]},
        {"choices": {}},
        {"choices": [{"text": "a"}]},
        {"choices": [{"message": {"content": ["a"]}}]},
        {"error": {"message": "late"}},
    ],
)
def test_no_completion(value: object) -> None:
    with pytest.raises(ProtocolError):
        parse_completion(value, "here", "parse")


# Configuration


def test_is_a_backend() -> None:
    backend = VllmBackend("http://localhost:8000")
    assert isinstance(backend, Backend)
    assert (backend.name, backend.max_concurrency, backend.needs_text_layer) == ("vllm", 64, False)


def test_from_options() -> None:
    options = ParseOptions.build(
        base_url="http://gpu:8000/v1",
        api_key=KEY,
        model="m",
        profile="2.0",
        headers={"X-A": "b"},
        request_options={"seed": 1},
        timeout=9,
        max_tokens=99,
        max_concurrency=3,
    )
    assert VllmBackend.from_options(options) == VllmBackend(
        "http://gpu:8000/v1", SecretStr(KEY), "m", "2.0", {"X-A": "b"}, {"seed": 1}, 9, 99, 3
    )
    with pytest.raises(OptionError, match="base_url"):
        VllmBackend.from_options(ParseOptions.build())


@pytest.mark.parametrize(
    "address", ["gpu:8000", "ftp://gpu", "http://", "http://[::1", "http://gpu:port", ""]
)
def test_wrong_addresses(address: str) -> None:
    with pytest.raises(OptionError, match="http"):
        VllmBackend(address)


def test_copies_work(page: PageImage) -> None:
    with ParseServer(api_key=KEY) as server:
        backend = VllmBackend(server.base_url, api_key=SecretStr(KEY), headers={"X-A": "b"})
        for copied in (pickle.loads(pickle.dumps(backend)), copy.deepcopy(backend)):
            assert copied == backend
            # Each in an event loop of its own.
            assert asyncio.run(read(copied, page)).text == SAMPLE_PAGE
