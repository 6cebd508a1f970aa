"""The load of a vLLM server, from the text of its ``/metrics``."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders.backends.base import ServerLoad
from nemoparse_loaders.backends.vllm import VllmBackend
from nemoparse_loaders.backends.vllm_metrics import parse_load
from nemoparse_loaders.rendering.page_image import PageImage
from nemoparse_loaders.testing import CutConnection, Drip, Fault, HttpError, ParseServer, RecordedRequest

TEXT = """\
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="parse"} 5.0
vllm:num_requests_running{engine="1",model_name="parse"} 2.0
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{engine="0",model_name="parse"} 0.0
vllm:num_requests_waiting{engine="1",model_name="odd \\"name\\" with } and {"} 1.1e+01 1700000000
vllm:num_requests_waiting_by_reason{engine="0",reason="capacity"} 99.0
vllm:kv_cache_usage_perc{engine="0"} 0.3
"""


def test_it_is_summed_over_the_engines() -> None:
    assert parse_load(TEXT.encode()) == ServerLoad(running=7, waiting=11)


def test_samples_without_labels() -> None:
    assert parse_load(b"vllm:num_requests_running 3\nvllm:num_requests_waiting 4\n") == ServerLoad(3, 4)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<html>vllm:num_requests_running</html>",
        "vllm:num_requests_running 3\n",
        TEXT.replace("5.0", "NaN"),
        TEXT.replace("5.0", "+Inf"),
        TEXT.replace("5.0", "-1"),
        TEXT.replace("5.0", "many"),
        TEXT.replace("vllm:num", "vllm:nom"),
    ],
)
def test_what_is_no_load(text: str) -> None:
    assert parse_load(text.encode()) is None


@pytest.mark.parametrize("labels", ["{a", '{a="', '{a="\\\\', '{a="b"', "{" + '"",' * 9])
def test_open_ends_take_no_quadratic_time(labels: str) -> None:
    def seconds(lines: int) -> float:
        body = f"vllm:num_requests_running{labels}\n".encode() * lines
        times = []
        for _ in range(3):
            start = time.process_time()
            parse_load(body)
            times.append(time.process_time() - start)
        return min(times)

    assert seconds(4000) < 10 * max(seconds(1000), 0.005)


@given(st.text(alphabet='{}"\\\n vllm:num_requests_running=,1e', max_size=80), st.binary(max_size=40))
def test_nothing_is_fatal(text: str, noise: bytes) -> None:
    parse_load(f"vllm:num_requests_running{text}".encode() + noise)


async def load(
    fault: Callable[[RecordedRequest], Fault | None], times: int = 2
) -> tuple[list[ServerLoad | None], int]:
    """What a server with this fault says, asked so often, and how often it heard the question."""
    server = ParseServer(faults=fault, metrics={"vllm:num_requests_waiting": 4.0})
    async with server, VllmBackend(server.base_url).session() as session:
        loads = [await session.load() for _ in range(times)]
    return loads, sum(request.path == "/metrics" for request in server.requests)


async def test_a_server_that_says_it() -> None:
    assert await load(lambda _: None) == ([ServerLoad(0, 4)] * 2, 2)


@pytest.mark.parametrize(
    ("answer", "heard"),
    [
        # Not there, or not for us: never asked again.
        (HttpError(404), 1),
        (HttpError(401), 1),
        (HttpError(302), 1),
        (HttpError(200, body="# an empty list"), 1),
        # It may be well the next time.
        (HttpError(503), 2),
        (HttpError(429), 2),
        (HttpError(200, body="vllm:num_requests_running NaN"), 2),
        (CutConnection(after=0.5), 2),
    ],
)
async def test_a_server_that_does_not(answer: Fault, heard: int) -> None:
    loads = await load(lambda request: answer if request.path == "/metrics" else None)
    assert loads == ([None, None], heard)


async def test_a_server_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nemoparse_loaders.backends.vllm._METRICS_SECONDS", 0.2)
    slow = Drip(interval_s=0.1)
    assert await load(lambda request: slow if request.path == "/metrics" else None, 1) == ([None], 1)


async def test_a_cancelled_page_frees_its_slot(page: PageImage) -> None:
    async def says(wanted: ServerLoad) -> None:
        for _ in range(1000):
            if await session.load() == wanted:
                return
            await asyncio.sleep(0.01)
        pytest.fail("it did not come to that")

    server = ParseServer(slots=1, latency_s=60.0)
    async with server, VllmBackend(server.base_url).session() as session:
        pages = [asyncio.create_task(session.read(page)) for _ in range(3)]
        await says(ServerLoad(running=1, waiting=2))
        for task in pages:
            task.cancel()
        await asyncio.gather(*pages, return_exceptions=True)
        await says(ServerLoad(running=0, waiting=0))
