"""What the vLLM backend asks for the second time, and what it says its replies depend on."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from nemoparse_loaders.backends.base import CacheableSession, MeteredSession, RereadingSession
from nemoparse_loaders.backends.vllm import VllmBackend, other_sampling
from nemoparse_loaders.errors import RequestRejectedError
from nemoparse_loaders.options import ParseOptions
from nemoparse_loaders.profiles import PROFILES
from nemoparse_loaders.rendering.page_image import PageImage
from nemoparse_loaders.testing import SAMPLE_PAGE, Fault, HttpError, ParseServer, RecordedRequest

KEY = "sk-a-secret-key-of-some-length"
SAMPLING = ("seed", "temperature", "top_k", "top_p", "repetition_penalty")


async def both_bodies(page: PageImage, attempt: int = 1, **configured: Any) -> tuple[dict[str, Any], ...]:
    """The body of a first request and that of another reading."""
    async with ParseServer() as server, VllmBackend(server.base_url, **configured).session() as session:
        assert isinstance(session, RereadingSession)
        first, again = await session.read(page), await session.reread(page, attempt)
        assert first.text == again.text == SAMPLE_PAGE
    asked = server.page_requests
    assert asked[0].image == asked[1].image == page.data
    return asked[0].json, asked[1].json


def changed(first: dict[str, Any], again: dict[str, Any]) -> dict[str, Any]:
    assert first.keys() <= again.keys()
    return {name: value for name, value in again.items() if first.get(name) != value}


async def test_another_reading_takes_another_seed_and_the_larger_penalty(page: PageImage) -> None:
    first, again = await both_bodies(page)
    assert changed(first, again) == {"seed": 1, "repetition_penalty": 1.1}
    first, again = await both_bodies(page, attempt=2)
    assert changed(first, again) == {"seed": 2, "repetition_penalty": 1.1}


@pytest.mark.parametrize("profile", ["2.0", "1.2", "1.1"])
async def test_a_greedy_generation_samples_the_second_time(page: PageImage, profile: str) -> None:
    first, again = await both_bodies(page, profile=profile)
    assert (first["temperature"], first["top_k"]) == (0.0, 1)
    assert changed(first, again) == {"seed": 1, "temperature": 0.2, "top_k": 50}
    assert again["repetition_penalty"] == 1.1


async def test_what_the_user_fixed_stays(page: PageImage) -> None:
    fixed = {"temperature": 0.0, "top_k": 1, "repetition_penalty": 1.3, "seed": 40}
    first, again = await both_bodies(page, request_options=fixed)
    assert changed(first, again) == {"seed": 41}
    first, again = await both_bodies(page, request_options={"temperature": 0.7}, profile="2.0")
    assert changed(first, again) == {"seed": 1, "top_k": 50}


@given(
    st.dictionaries(
        st.sampled_from(SAMPLING),
        st.one_of(st.none(), st.integers(-3, 60), st.floats(0, 2), st.text(max_size=3)),
    ),
    st.sampled_from(list(PROFILES.values())),
    st.integers(1, 9),
)
@settings(max_examples=50)
def test_no_option_breaks_another_reading(own: dict[str, Any], profile: Any, attempt: int) -> None:
    body = {**profile.sampling, **own}
    asked = {**body, **other_sampling(body, own, attempt)}
    assert isinstance(asked["seed"], int)
    for name in ("temperature", "top_k"):
        if name in own:
            assert asked[name] == own[name]
    penalty = own.get("repetition_penalty", 0)
    assert asked["repetition_penalty"] == (
        penalty if isinstance(penalty, (int, float)) and penalty > 1.1 else 1.1
    )


async def test_another_reading_of_a_server_without_a_loop_detector(page: PageImage) -> None:
    def refuse(request: RecordedRequest) -> Fault | None:
        if b"repetition_detection" not in (request.body or b""):
            return None
        return HttpError(400, {"error": {"message": "extra field: repetition_detection"}})

    async with ParseServer(faults=refuse) as server, VllmBackend(server.base_url).session() as session:
        assert (await session.reread(page, 1)).text == SAMPLE_PAGE
        assert (await session.reread(page, 1)).text == SAMPLE_PAGE
    assert len(server.page_requests) == 3


async def test_another_reading_that_is_refused(page: PageImage) -> None:
    server = ParseServer(faults=[HttpError(400)])
    async with server, VllmBackend(server.base_url).session() as session:
        with pytest.raises(RequestRejectedError):
            await session.reread(page, 1)


# The fingerprint


async def fingerprint(model: str = "nemotron-parse", path: str = "", **configured: Any) -> str:
    async with ParseServer(model=model) as server:
        address = server.base_url + path
        async with VllmBackend(address, **configured).session() as session:
            assert isinstance(session, CacheableSession)
            assert isinstance(session, MeteredSession)
            return session.fingerprint


async def test_the_fingerprint_is_canonical_json() -> None:
    text = await fingerprint(request_options={"b": 1, "a": [2, {"d": 1, "c": 2}]})
    assert text == await fingerprint(request_options={"a": [2, {"c": 2, "d": 1}], "b": 1})
    value = json.loads(text)
    assert text == json.dumps(value, sort_keys=True, separators=(",", ":"))
    assert (value["model"], value["profile"], value["temperature"]) == ("nemotron-parse", "3.5", 0.2)
    assert value["messages"] == [PROFILES["3.5"].task]


@pytest.mark.parametrize(
    "other",
    [
        {"model": "another"},
        {"profile": "2.0"},
        {"max_tokens": 100},
        {"request_options": {"seed": 7}},
        {"request_options": {"min_tokens": 7}},
        {"request_options": {"repetition_detection": None}},
    ],
)
async def test_what_shapes_a_reply_is_in_it(other: dict[str, Any]) -> None:
    assert await fingerprint(**other) != await fingerprint()


async def test_what_shapes_no_reply_is_not_in_it() -> None:
    plain = await fingerprint()
    other = await fingerprint(
        path="/v1", api_key=SecretStr(KEY), headers={"X-Token": KEY}, timeout=7.0, max_concurrency=3
    )
    assert other == plain
    for word in (KEY, "127.0.0.1", "http"):
        assert word not in other


async def test_it_stays_the_same_while_the_session_learns(page: PageImage) -> None:
    def refuse(request: RecordedRequest) -> Fault | None:
        said = {"error": {"message": "extra field: repetition_detection"}}
        return HttpError(400, said) if b"repetition_detection" in (request.body or b"") else None

    async with ParseServer(faults=refuse) as server, VllmBackend(server.base_url).session() as session:
        before = session.fingerprint
        await session.read(page)
        assert session.fingerprint == before


# How many requests a minute


def test_requests_a_minute() -> None:
    assert VllmBackend("http://gpu:8000").requests_per_minute is None
    options = ParseOptions.build(base_url="http://gpu:8000", requests_per_minute=12)
    assert VllmBackend.from_options(options).requests_per_minute == 12
