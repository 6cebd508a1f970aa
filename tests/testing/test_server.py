"""ParseServer by itself: its life, its routes, its faults."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

import aiohttp
import pytest
from PIL import Image

import nemoparse_loaders.testing as package
from nemoparse_loaders.testing import (
    SAMPLE_PAGE,
    CutConnection,
    Fault,
    FinishReason,
    Hang,
    HttpError,
    ParseServer,
    RecordedRequest,
    Reply,
)
from nemoparse_loaders.testing.replies import count_tokens, cut_to, without_special_tokens


def picture() -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (32, 32), "white").save(stream, "PNG")
    return stream.getvalue()


def chat_body(**more: Any) -> dict[str, Any]:
    url = "data:image/png;base64," + base64.b64encode(picture()).decode()
    content = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": "<predict_bbox>"}]
    messages = [{"role": "user", "content": content}]
    return {"model": "nemotron-parse", "messages": messages, "skip_special_tokens": False, **more}


def fetch(
    url: str, body: dict[str, Any] | None = None, *, headers: Mapping[str, str] | None = None
) -> tuple[int, str]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **(headers or {})})
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def content_of(answer: str) -> str:
    return str(json.loads(answer)["choices"][0]["message"]["content"])


def test_names() -> None:
    assert package.__all__ == sorted(package.__all__, key=lambda name: (not name.isupper(), name))
    for name in package.__all__:
        assert getattr(package, name) is not None


def test_in_a_thread() -> None:
    before = threading.active_count()
    with ParseServer() as server:
        status, answer = fetch(f"{server.base_url}/v1/chat/completions", chat_body())
        assert (status, content_of(answer)) == (200, SAMPLE_PAGE)
    assert threading.active_count() == before
    with pytest.raises(urllib.error.URLError):
        fetch(f"{server.base_url}/health")


def test_can_be_started_again() -> None:
    server = ParseServer()
    for count in (1, 2):
        with server:
            assert fetch(f"{server.base_url}/health") == (200, "")
        assert len(server.requests) == count


async def test_in_the_running_loop() -> None:
    async with ParseServer() as server, aiohttp.ClientSession() as session:
        response = await session.get(f"{server.base_url}/v1/models")
        assert (await response.json())["data"][0]["max_model_len"] == 16_384
    assert [request.path for request in server.requests] == ["/v1/models"]


def test_stops_while_a_request_hangs() -> None:
    with ParseServer(faults=[Hang()]) as server:
        broken: list[BaseException] = []

        def ask() -> None:
            try:
                fetch(f"{server.base_url}/v1/chat/completions", chat_body())
            except OSError as error:
                broken.append(error)

        thread = threading.Thread(target=ask)
        thread.start()
        while not server.page_requests:
            time.sleep(0.01)
    thread.join(30)
    assert not thread.is_alive()
    assert broken


def test_routes() -> None:
    with ParseServer(model=["a", "b"], metrics={"vllm:spec_decode_num_drafts_total": 3}) as server:
        assert fetch(f"{server.base_url}/health") == (200, "")
        assert json.loads(fetch(f"{server.base_url}/version")[1]) == {"version": "0.33.0"}
        assert fetch(f"{server.base_url}/v1/health/live")[0] == 200
        assert fetch(f"{server.base_url}/v1/health/ready")[0] == 200
        listed = json.loads(fetch(f"{server.base_url}/v1/models")[1])
        assert [model["id"] for model in listed["data"]] == ["a", "b"]
        for path in ("/metrics", "/v1/metrics"):
            assert "vllm:spec_decode_num_drafts_total" in fetch(f"{server.base_url}{path}")[1]
        assert fetch(f"{server.base_url}/v1/other") == (404, '{"detail":"Not Found"}')
        assert fetch(f"{server.base_url}/v1/parse") == (405, '{"detail":"Method Not Allowed"}')


def test_key() -> None:
    with ParseServer(api_key="k") as server:
        for path in ("/health", "/metrics", "/version"):
            assert fetch(server.base_url + path)[0] == 200
        wrong: list[dict[str, str]] = [{}, {"Authorization": "Bearer x"}, {"Authorization": "Basic k"}]
        for headers in wrong:
            assert fetch(f"{server.base_url}/v1/models", headers=headers) == (401, '{"error":"Unauthorized"}')
        assert fetch(f"{server.base_url}/v1/models", headers={"Authorization": "Bearer k"})[0] == 200


def test_records() -> None:
    with ParseServer() as server:
        fetch(f"{server.base_url}/v1/chat/completions", chat_body(seed=3), headers={"X-Team": "archive"})
    (request,) = server.page_requests
    assert request.method == "POST"
    assert request.headers["x-team"] == "archive"
    assert request.json["seed"] == 3
    assert (request.image, request.media_type, request.task) == (picture(), "image/png", "<predict_bbox>")
    assert (request.status, request.disconnected) == (200, False)


def test_layout_tokens_vanish_unless_kept() -> None:
    with ParseServer() as server:
        body = chat_body()
        del body["skip_special_tokens"]
        answer = fetch(f"{server.base_url}/v1/chat/completions", body)[1]
    assert content_of(answer) == without_special_tokens(SAMPLE_PAGE)
    assert "<x_" not in content_of(answer)
    assert "# Harbour report" in content_of(answer)


def test_replies_in_order_and_by_function() -> None:
    def ask(server: ParseServer) -> str:
        return content_of(fetch(f"{server.base_url}/v1/chat/completions", chat_body())[1])

    with ParseServer(replies=["a", Reply("b"), "c"]) as server:
        assert [ask(server) for _ in range(4)] == ["a", "b", "c", "c"]
    with ParseServer(replies=lambda request: f"{len(request.image or b'')}") as server:
        assert ask(server) == str(len(picture()))


def test_faults_in_order_and_by_function() -> None:
    def ask(server: ParseServer) -> int:
        return fetch(f"{server.base_url}/v1/chat/completions", chat_body())[0]

    with ParseServer(faults=[HttpError(503), None, HttpError(429)]) as server:
        assert [ask(server) for _ in range(4)] == [503, 200, 429, 200]

    def every_second(request: RecordedRequest) -> Fault | None:
        return HttpError(500) if len(server.page_requests) % 2 else None

    with ParseServer(faults=every_second) as server:
        assert [ask(server) for _ in range(3)] == [500, 200, 500]


def test_own_fault() -> None:
    class Shout(Fault):
        def change(self, reply: Reply) -> Reply:
            return Reply(reply.text.upper())

    with ParseServer(replies="quiet", faults=[Shout()]) as server:
        answer = fetch(f"{server.base_url}/v1/chat/completions", chat_body())[1]
    assert content_of(answer) == "QUIET"


def test_finish_reason_left_out() -> None:
    with ParseServer(faults=[FinishReason(None)]) as server:
        answer = fetch(f"{server.base_url}/v1/chat/completions", chat_body())[1]
    assert "finish_reason" not in json.loads(answer)["choices"][0]


def test_error_of_either_wire() -> None:
    with ParseServer(faults=[HttpError(503), HttpError(503)]) as server:
        chat = json.loads(fetch(f"{server.base_url}/v1/chat/completions", chat_body())[1])
        parse = json.loads(fetch(f"{server.base_url}/v1/parse", {})[1])
    assert chat["error"]["code"] == 503
    assert list(parse) == ["detail"]


async def test_slots() -> None:
    server = ParseServer(slots=2, latency_s=0.2)
    async with server, aiohttp.ClientSession() as session:

        async def ask() -> None:
            async with session.post(f"{server.base_url}/v1/chat/completions", json=chat_body()) as response:
                await response.read()

        async def gauge(name: str) -> float:
            async with session.get(f"{server.base_url}/metrics") as response:
                lines = (await response.text()).splitlines()
            return next(float(line.split()[-1]) for line in lines if line.startswith(name))

        tasks = [asyncio.create_task(ask()) for _ in range(5)]
        seen: set[float] = set()
        while not all(task.done() for task in tasks):
            seen.add(await gauge("vllm:num_requests_running"))
        await asyncio.gather(*tasks)
        assert max(seen) == 2
        assert await gauge("vllm:num_requests_running") == 0
        assert await gauge('vllm:request_success_total{engine="0",finished_reason="stop"') == 5


async def test_nim_form() -> None:
    async with ParseServer() as server, aiohttp.ClientSession() as session:

        async def ask(options: str | None, document: bytes | None) -> tuple[int, dict[str, Any]]:
            form = aiohttp.FormData()
            if document is not None:
                form.add_field("document", document, filename="a.png", content_type="image/png")
            if options is not None:
                form.add_field("options", options, content_type="application/json")
            async with session.post(f"{server.base_url}/v1/parse", data=form) as response:
                return response.status, await response.json()

        status, answer = await ask(None, picture())
        assert (status, answer["content"], answer["finish_reason"]) == (200, SAMPLE_PAGE, "stop")
        assert answer["usage"]["output_tokens"] == count_tokens(SAMPLE_PAGE)
        status, answer = await ask('{"decoding": {"max_output_tokens": 5}}', picture())
        assert (answer["finish_reason"], answer["usage"]["output_tokens"]) == ("length", 5)
        for options, document in (
            (None, None),
            (None, b"%PDF-1.7"),
            ("[]", picture()),
            ("{", picture()),
            ('{"decoding": {"max_output_tokens": 9001}}', picture()),
            ('{"decoding": {"max_output_tokens": 0}}', picture()),
        ):
            status, answer = await ask(options, document)
            assert (status, list(answer)) == (422, ["detail"])


async def test_disconnects_are_seen() -> None:
    async with ParseServer(latency_s=60) as server:
        async with aiohttp.ClientSession() as session:
            timeout = aiohttp.ClientTimeout(total=0.3)
            with pytest.raises(asyncio.TimeoutError):
                await session.post(
                    f"{server.base_url}/v1/chat/completions", json=chat_body(), timeout=timeout
                )
        for _ in range(500):
            if server.page_requests[0].disconnected:
                break
            await asyncio.sleep(0.01)
        assert server.page_requests[0].disconnected


async def test_cut_connection() -> None:
    server = ParseServer(faults=[CutConnection(), CutConnection(after=0.5)])
    async with server, aiohttp.ClientSession() as session:
        address = f"{server.base_url}/v1/chat/completions"
        with pytest.raises(aiohttp.ServerDisconnectedError):
            await session.post(address, json=chat_body())
        with pytest.raises(aiohttp.ClientPayloadError):
            await (await session.post(address, json=chat_body())).read()


def test_cutting_a_reply() -> None:
    reply = Reply("<x_0.1><y_0.2>one two<x_0.3>")
    assert reply.tokens() == 5
    assert cut_to(reply, None) is reply
    assert cut_to(reply, 5) is reply
    cut = cut_to(reply, 3)
    assert (cut.text, cut.finish_reason, cut.tokens()) == ("<x_0.1><y_0.2>one", "length", 3)
