"""What the doctor says about servers of every kind."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from PIL import Image

from nemoparse_loaders.backends import nvidia
from nemoparse_loaders.backends.base import ModelReply
from nemoparse_loaders.backends.diagnosis import diagnose
from nemoparse_loaders.backends.probe import Finding, draw_probe_page, judge_reply
from nemoparse_loaders.errors import OptionError
from nemoparse_loaders.options import ParseOptions
from nemoparse_loaders.profiles import PROFILES
from nemoparse_loaders.testing import (
    SAMPLE_PAGE,
    Fault,
    HttpError,
    ParseServer,
    RecordedRequest,
    Reply,
)
from nemoparse_loaders.testing.replies import without_special_tokens


async def examine(server: ParseServer, **options: object) -> list[Finding]:
    values = {"backend": "vllm", "base_url": server.base_url, "timeout": 20, **options}
    return await diagnose(ParseOptions.build(**values))


def problems(findings: list[Finding]) -> str:
    return " | ".join(f"{item.topic}: {item.message}" for item in findings if item.level == "problem")


def levels(findings: list[Finding]) -> dict[str, str]:
    return {finding.topic: finding.level for finding in findings}


def only_for(path: str, fault: Fault) -> Callable[[RecordedRequest], Fault | None]:
    def choose(request: RecordedRequest) -> Fault | None:
        return fault if request.path == path else None

    return choose


@pytest.mark.parametrize("backend", ["vllm", "nvidia"])
async def test_all_is_well(backend: str) -> None:
    drafts = {"vllm:spec_decode_num_drafts_total": 10, "vllm:spec_decode_num_accepted_tokens_total": 25}
    async with ParseServer(latency_s=0.1, metrics=drafts) as server:
        findings = await examine(server, backend=backend)
    assert problems(findings) == ""
    assert {finding.level for finding in findings} == {"ok"}
    found = levels(findings)
    if backend == "vllm":
        assert set(found) == {"server", "model", "page", "slots", "speculation"}
        assert "3.5 tokens a step" in findings[-1].message
    else:
        assert set(found) == {"server", "page", "slots"}


async def test_nobody_listens() -> None:
    async with ParseServer() as server:
        pass
    for backend in ("vllm", "nvidia"):
        findings = await examine(server, backend=backend)
        assert levels(findings) == {"server": "problem"}
        assert "nobody listens" in problems(findings)


async def test_not_healthy() -> None:
    async with ParseServer(faults=only_for("/health", HttpError(503))) as server:
        findings = await examine(server)
    assert "engine has died" in problems(findings)
    assert len(findings) == 1


@pytest.mark.parametrize("backend", ["vllm", "nvidia"])
async def test_key_refused(backend: str) -> None:
    async with ParseServer(api_key="right") as server:
        findings = await examine(server, backend=backend, api_key="wrong-but-long-enough")
    assert levels(findings)["key"] == "problem"
    assert "api_key" in problems(findings)
    assert "wrong-but" not in problems(findings)


async def test_wrong_model() -> None:
    async with ParseServer(model="nemotron-parse") as server:
        findings = await examine(server, model="other")
    assert levels(findings)["model"] == "problem"
    assert "'nemotron-parse'" in problems(findings)


async def test_layout_tokens_missing() -> None:
    async with ParseServer(replies=without_special_tokens(SAMPLE_PAGE)) as server:
        findings = await examine(server)
    assert "no layout tokens" in problems(findings)
    assert "skip_special_tokens" in problems(findings)


async def test_empty_reply() -> None:
    async with ParseServer(replies="") as server:
        findings = await examine(server)
    assert "is empty" in problems(findings)


async def test_chat_model() -> None:
    async with ParseServer(replies="I'm sorry, but I cannot read the image.") as server:
        findings = await examine(server)
    assert "general chat model" in problems(findings)


async def test_one_slot() -> None:
    for backend in ("vllm", "nvidia"):
        async with ParseServer(slots=1, latency_s=0.2) as server:
            findings = await examine(server, backend=backend)
        assert levels(findings)["slots"] == "hint"
        assert "NIM_PIPELINE_MAX_BATCH_SIZE" in next(f.message for f in findings if f.topic == "slots")
        assert problems(findings) == ""


async def test_one_slot_that_fails_fast() -> None:
    async with ParseServer(slots=1, latency_s=0.2, fail_fast=True) as server:
        findings = await examine(server, backend="nvidia")
    assert levels(findings)["slots"] == "hint"


@pytest.mark.parametrize(
    ("context", "level"), [(2_048, "problem"), (8_192, "hint"), (12_288, None), (16_384, None)]
)
async def test_context(context: int, level: str | None) -> None:
    async with ParseServer(max_model_len=context) as server:
        findings = await examine(server)
    assert levels(findings).get("context") == level


async def test_speculation_off() -> None:
    async with ParseServer() as server:
        findings = await examine(server)
    assert levels(findings)["speculation"] == "hint"


async def test_old_version() -> None:
    async with ParseServer(faults=only_for("/version", HttpError(200, {"version": "0.32.1"}))) as server:
        findings = await examine(server)
    assert any("0.32.1, so it runs on a plugin" in finding.message for finding in findings)


async def test_gateway_that_passes_on_little() -> None:
    def fault(request: RecordedRequest) -> Fault | None:
        return None if request.path.startswith("/v1/chat") else HttpError(404, {"detail": "Not Found"})

    async with ParseServer(faults=fault) as server:
        findings = await examine(server, model="nemotron-parse")
    assert problems(findings) == ""
    assert levels(findings)["page"] == "ok"


async def test_the_other_kind_of_server() -> None:
    async with ParseServer(faults=only_for("/v1/chat/completions", HttpError(404))) as server:
        assert 'backend="nvidia"' in problems(await examine(server))
    async with ParseServer(faults=only_for("/v1/parse", HttpError(404))) as server:
        assert 'backend="vllm"' in problems(await examine(server, backend="nvidia"))


async def test_hosted_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvidia, "_told", set())
    findings = await diagnose(ParseOptions.build(backend="nvidia"))
    assert "NVIDIA_API_KEY" in problems(findings)


async def test_no_server_is_named() -> None:
    with pytest.raises(OptionError, match="base_url"):
        await diagnose(ParseOptions.build(backend="cpu"))


def test_probe_page() -> None:
    page = draw_probe_page()
    with Image.open(io.BytesIO(page.data)) as picture:
        assert picture.size == (page.width, page.height)
        assert picture.convert("L").getextrema() == (0, 255)


@pytest.mark.parametrize("reason", ["length", "repetition", "abort"])
def test_replies_that_are_not_whole(reason: str) -> None:
    finding = judge_reply(ModelReply(SAMPLE_PAGE[:200], reason), PROFILES["3.5"])
    assert finding.level == "problem"


def test_whole_replies() -> None:
    for reply in (Reply(), Reply(finish_reason=None)):
        finding = judge_reply(ModelReply(reply.text, reply.finish_reason), PROFILES["3.5"])
        assert (finding.level, "9 elements" in finding.message) == ("ok", True)
