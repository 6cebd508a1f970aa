"""The vLLM backend against vLLM itself."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr
from vllm_fixtures import API_KEY
from vllm_process import CONTEXT_TOKENS, MODEL_NAME, VllmProcess

from nemoparse_loaders.backends.base import ModelReply, ServerLoad
from nemoparse_loaders.backends.diagnosis import diagnose
from nemoparse_loaders.backends.vllm import VllmBackend, VllmSession
from nemoparse_loaders.errors import (
    AuthenticationError,
    BackendError,
    ModelNotFoundError,
    ReplyTimeoutError,
    RequestRejectedError,
    ServerFailedError,
)
from nemoparse_loaders.options import ParseOptions
from nemoparse_loaders.parser import DocumentParser
from nemoparse_loaders.profiles import ProfileName
from nemoparse_loaders.rendering.page_image import PageImage

pytestmark = pytest.mark.vllm

RUNNING = "vllm:num_requests_running"
FINISHED = "vllm:request_success_total"
Task = asyncio.Task[ModelReply]


@pytest.fixture
def backend(vllm_server: VllmProcess) -> VllmBackend:
    return VllmBackend(vllm_server.base_url, api_key=SecretStr(API_KEY))


@pytest.fixture
def looping(backend: VllmBackend) -> VllmBackend:
    """The prompt of the older generations makes the tiny model loop for ever."""
    return replace(backend, profile="1.2")


@pytest.fixture
def endless(looping: VllmBackend) -> VllmBackend:
    """The same without the detector that would end it."""
    return replace(looping, request_options={"repetition_detection": None})


async def read(backend: VllmBackend, page: PageImage) -> ModelReply:
    async with backend.session() as session:
        return await session.read(page)


async def start_loops(session: VllmSession, page: PageImage, server: VllmProcess) -> tuple[list[Task], float]:
    """Requests that the server is known to work on, and how many it had finished before.

    Where it is too busy to say so in time, they are sent anew.
    """
    for _ in range(10):
        finished = await asyncio.to_thread(server.metric, FINISHED)
        tasks = [asyncio.create_task(session.read(page)) for _ in range(4)]
        while not any(task.done() for task in tasks):
            is_running = await asyncio.to_thread(server.metric, RUNNING) > 0
            if is_running and not any(task.done() for task in tasks):
                return tasks, finished
        await asyncio.gather(*tasks)
    pytest.fail("the server never said that it works on the requests")


async def until_idle(server: VllmProcess) -> None:
    deadline = time.monotonic() + 60
    while await asyncio.to_thread(server.metric, RUNNING) > 0:
        assert time.monotonic() < deadline, "the requests still run"
        await asyncio.sleep(0.05)


async def test_whole_page(backend: VllmBackend, vllm_server: VllmProcess, page: PageImage) -> None:
    async with backend.session() as session:
        assert session.model == MODEL_NAME
        assert session.profile.name == "3.5"
        assert session.context_tokens == CONTEXT_TOKENS
        reply = await session.read(page)
    assert reply.text == vllm_server.expected_page
    assert reply.finish_reason == "stop"
    assert reply.model == MODEL_NAME
    # The picture counts into the prompt.
    assert reply.usage.prompt_tokens == 72
    assert reply.usage.completion_tokens == 66


async def test_whole_page_through_the_parser(vllm_server: VllmProcess, page: PageImage) -> None:
    parser = DocumentParser(base_url=vllm_server.base_url, api_key=API_KEY)
    document = await parser.aparse(page.data, file_name="page.png")
    assert (document.parser, document.model, document.profile) == ("vllm", MODEL_NAME, "3.5")
    (parsed,) = document.pages
    assert parsed.status == "ok"
    assert [element.type for element in parsed.elements] == [
        "Title",
        "Text",
        "Table",
        "Formula",
        "Picture",
        "List-item",
        "Chart",
        "Page-footer",
    ]
    # The boxes of tests/vllm_server/script.py.
    for index, steps in ((0, (103, 52, 922, 95)), (2, (105, 230, 920, 400)), (7, (109, 1000, 917, 1020))):
        assert parsed.elements[index].bbox == pytest.approx([step / 1024 for step in steps], abs=1e-4)
    assert document.tables[0].grid() == [["Name", "Qty"], ["bolt", "42"]]


async def test_loop_through_the_parser(vllm_server: VllmProcess, page: PageImage) -> None:
    parser = DocumentParser(base_url=vllm_server.base_url, api_key=API_KEY, profile="1.2", max_retries=0)
    document = await parser.aparse(page.data, file_name="page.png")
    assert [parsed.status for parsed in document.pages] == ["partial"]
    assert document.pages[0].finish_reason == "repetition"


async def test_doctor(vllm_server: VllmProcess) -> None:
    options = ParseOptions.build(base_url=vllm_server.base_url, api_key=API_KEY)
    found = {finding.topic: finding for finding in await diagnose(options)}
    assert (found["server"].level, found["page"].level) == ("ok", "ok")
    assert "8 elements" in found["page"].message
    # The tiny model's context would not hold the picture of a full page.
    assert found["context"].level == "problem"
    assert found["speculation"].level == "hint"


async def test_address_with_v1(backend: VllmBackend, vllm_server: VllmProcess, page: PageImage) -> None:
    reply = await read(replace(backend, base_url=f"{vllm_server.base_url}/v1/"), page)
    assert reply.text == vllm_server.expected_page


async def test_many_at_once(backend: VllmBackend, vllm_server: VllmProcess, page: PageImage) -> None:
    async with backend.session() as session:
        replies = await asyncio.gather(*(session.read(page) for _ in range(20)))
    assert {reply.text for reply in replies} == {vllm_server.expected_page}


async def test_loop_cut_at_the_limit(looping: VllmBackend, page: PageImage) -> None:
    reply = await read(replace(looping, max_tokens=100), page)
    assert reply.finish_reason == "length"
    assert reply.usage.completion_tokens == 100


async def test_loop_found_by_the_server(looping: VllmBackend, page: PageImage) -> None:
    reply = await read(looping, page)
    assert reply.finish_reason == "repetition"
    assert reply.usage.completion_tokens is not None
    assert reply.usage.completion_tokens < CONTEXT_TOKENS / 2


@pytest.mark.parametrize("profile", ["3.5", "2.0", "1.1"])
async def test_another_reading_is_taken(backend: VllmBackend, page: PageImage, profile: ProfileName) -> None:
    async with replace(backend, profile=profile).session() as session:
        first, again = await session.read(page), await session.reread(page, 1)
    # The weights know one next token only, so that no sampling changes the text.
    assert (again.text, again.finish_reason) == (first.text, first.finish_reason)


async def test_max_tokens_is_capped_by_the_context(backend: VllmBackend, page: PageImage) -> None:
    reply = await read(replace(backend, max_tokens=100_000), page)
    assert reply.finish_reason == "stop"


async def test_wrong_model(backend: VllmBackend) -> None:
    with pytest.raises(ModelNotFoundError, match=f"does not serve 'other'.*{MODEL_NAME}"):
        async with replace(backend, model="other").session():
            pass


async def test_wrong_model_told_by_the_page(backend: VllmBackend, page: PageImage) -> None:
    with pytest.raises(ModelNotFoundError, match="does not exist"):
        await read(replace(backend, request_options={"model": "other"}), page)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_tokens": 100_000}, "max_tokens"),
        ({"temperature": -1}, "temperature"),
        ({"messages_please": 1, "max_tokens": "many"}, "max_tokens"),
    ],
)
async def test_refused_options(
    backend: VllmBackend, page: PageImage, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(RequestRejectedError, match=said) as caught:
        await read(replace(backend, request_options=options), page)
    assert caught.value.status == 400


async def test_request_longer_than_the_context(backend: VllmBackend, page: PageImage) -> None:
    async with backend.session() as session:
        session._task = "word " * CONTEXT_TOKENS
        with pytest.raises(RequestRejectedError, match="maximum context length"):
            await session.read(page)


async def test_not_a_picture(backend: VllmBackend, page: PageImage) -> None:
    with pytest.raises(RequestRejectedError, match="Failed to load image"):
        await read(backend, replace(page, data=b"no picture"))


@pytest.mark.parametrize("key", [None, SecretStr("wrong-key-entirely")])
async def test_key_refused(backend: VllmBackend, key: SecretStr | None) -> None:
    with pytest.raises(AuthenticationError, match=r"401.*api_key") as caught:
        async with replace(backend, api_key=key).session():
            pass
    assert "wrong-key-entirely" not in str(caught.value)


async def test_deadline(endless: VllmBackend, vllm_server: VllmProcess, page: PageImage) -> None:
    with pytest.raises(ReplyTimeoutError, match=r"within 0.5 s"):
        await read(replace(endless, timeout=0.5), page)
    await until_idle(vllm_server)


async def test_cancelled_requests_free_their_slots(
    endless: VllmBackend, vllm_server: VllmProcess, page: PageImage
) -> None:
    # A busy machine may let them end by themselves before they are cancelled; then it says nothing.
    for _ in range(6):
        async with endless.session() as session:
            tasks, finished = await start_loops(session, page, vllm_server)
            for task in tasks:
                task.cancel()
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(outcome, asyncio.CancelledError) for outcome in outcomes)
        await until_idle(vllm_server)
        if await asyncio.to_thread(vllm_server.metric, FINISHED) == finished:
            break
    else:
        pytest.fail("the server went on with requests that were cancelled")
    assert (await read(replace(endless, profile="3.5"), page)).text == vllm_server.expected_page


async def test_the_load(endless: VllmBackend, vllm_server: VllmProcess, page: PageImage) -> None:
    await until_idle(vllm_server)
    async with endless.session() as session:
        assert await session.load() == ServerLoad(running=0, waiting=0)
        # A busy machine may let the requests end before the server is asked.
        for _ in range(6):
            tasks, _ = await start_loops(session, page, vllm_server)
            load = await session.load()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            assert load is not None
            if load.running:
                break
        else:
            pytest.fail("the server never spoke of the requests that it works on")
    assert load.running + load.waiting <= len(tasks)
    await until_idle(vllm_server)


@pytest.mark.stops_vllm_server
async def test_server_stopped_while_it_answers(
    endless: VllmBackend, vllm_server: VllmProcess, page: PageImage
) -> None:
    async with replace(endless, timeout=20).session() as session:
        tasks, _ = await start_loops(session, page, vllm_server)
        vllm_server.interrupt()
        # Seen: a cut answer with "abort", a 500, a closed connection, no answer at all, and a loop that comes
        # to its limit before a busy server has noticed the signal.
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(outcome, BaseException):
                assert isinstance(outcome, BackendError)
                assert outcome.retryable
            else:
                assert outcome.finish_reason in ("abort", "length")
        await asyncio.to_thread(vllm_server.stop)
        with pytest.raises(ServerFailedError, match="nobody listens"):
            await session.read(page)
