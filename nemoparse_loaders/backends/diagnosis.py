"""What is wrong with a server, in plain words: asks it for its health, its models and a probe page."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Awaitable, Callable

from ..errors import AuthenticationError, BackendError, ModelNotFoundError, OptionError, ServerBusyError
from ..options import ParseOptions
from ..profiles import Profile
from ..rendering.page_image import PageImage
from .base import Backend, Session
from .http import HttpConnection
from .nvidia import READY_PATH, NvidiaBackend
from .probe import Finding, draw_probe_page, judge_reply
from .resolve import resolve_backends
from .vllm import VllmBackend, VllmSession

_ASK_SECONDS = 15.0
# A full page's picture in generation 3.5, where it counts into the context.
_PICTURE_TOKENS = 3_329
# The first version with generation 3.5 built in.
_NATIVE_VERSION = (0, 33)
# Two pages at once take twice as long in one slot, and hardly longer in several; in between lies noise.
_ONE_SLOT_RATIO = 1.6
_METRIC = re.compile(
    r"^vllm:spec_decode_num_(drafts|accepted_tokens)_total(?:\{[^}]*\})? (\S+)$", re.MULTILINE
)


async def diagnose(options: ParseOptions) -> list[Finding]:
    """Look at the server that the options lead to.

    Args:
        options: As for a parse. A short ``timeout`` makes sense.

    Returns:
        What was found, in the order in which it was looked at. Where one thing does not work, those that need
        it are left out.

    Raises:
        OptionError: The options lead to no server.
    """
    if options.backend == "auto" and "NEMOTRON_PARSE_BACKEND" not in os.environ:
        # For a parse "auto" can end at the CPU backend. Whoever asks for a diagnosis means a server.
        options = options.model_copy(update={"backend": "vllm"})
    findings: list[Finding] = []
    for backend in resolve_backends(options):
        findings += await _diagnose(backend)
    return findings


async def _diagnose(backend: Backend) -> list[Finding]:
    if isinstance(backend, VllmBackend):
        return await _diagnose_vllm(backend)
    if isinstance(backend, NvidiaBackend):
        return await _diagnose_nvidia(backend)
    raise OptionError(
        f"the {backend.name} backend has no server to look at; name one with base_url= (--base-url) or "
        "NEMOTRON_PARSE_BASE_URL"
    )


async def _diagnose_vllm(backend: VllmBackend) -> list[Finding]:
    async with backend.connect() as connection:
        findings = await _health(connection)
        if any(finding.level == "problem" for finding in findings):
            return findings
        version = await _version(connection)
        try:
            async with backend.session() as session:
                findings.append(_found_model(connection.server, session, version))
                findings += _context(session)
                findings += _native(session.profile, version)
                findings += await _pages(session, measures_slots=True)
        except BackendError as error:
            findings.append(_from_error(error))
        if findings[-1].topic != "key":
            if findings[-1].level == "problem":
                findings += await _may_be_nim(connection)
            findings += await _speculation(connection)
    return findings


async def _diagnose_nvidia(backend: NvidiaBackend) -> list[Finding]:
    findings: list[Finding] = []
    try:
        async with backend.session() as session:
            where = "the hosted endpoint" if backend.is_hosted else backend.connect().server
            model = f" and serves {session.model!r}" if session.model else ""
            findings.append(Finding("ok", "server", f"{where} can be reached{model}."))
            findings += await _pages(session, measures_slots=not backend.is_hosted)
    except BackendError as error:
        findings.append(_from_error(error))
        if error.status in (404, 405):
            async with backend.connect() as connection:
                findings += await _may_be_vllm(connection)
    return findings


async def _health(connection: HttpConnection) -> list[Finding]:
    try:
        answer = await connection.get("/health", timeout=_ASK_SECONDS)
    except BackendError as error:
        return [_from_error(error)]
    if answer.ok:
        return [Finding("ok", "server", f"{connection.server} is up and healthy.")]
    if answer.status >= 500:
        return [
            Finding(
                "problem",
                "server",
                f"{connection.server} is up but not healthy (/health answers {answer.status}): it is still "
                "loading, or its engine has died. Look at its log.",
            )
        ]
    # Gateways often pass on nothing but /v1.
    return [Finding("ok", "server", f"{connection.server} is up; it does not tell its health.")]


async def _version(connection: HttpConnection) -> str:
    """The server's version, or empty where it does not say."""
    try:
        answer = await connection.get("/version", timeout=_ASK_SECONDS)
        value = answer.json(connection.server) if answer.ok else None
    except BackendError:
        return ""
    version = value.get("version") if isinstance(value, dict) else None
    return version if isinstance(version, str) else ""


def _found_model(server: str, session: VllmSession, version: str) -> Finding:
    context = f", {session.context_tokens:,} tokens of context" if session.context_tokens else ""
    by = f" by vLLM {version}" if version else ""
    return Finding(
        "ok", "model", f"{session.model!r} is served{by}, as generation {session.profile.name}{context}."
    )


def _native(profile: Profile, version: str) -> list[Finding]:
    numbers = re.match(r"(\d+)\.(\d+)", version)
    if profile.name != "3.5" or numbers is None:
        return []
    if (int(numbers[1]), int(numbers[2])) >= _NATIVE_VERSION:
        return []
    message = f"Nemotron Parse 3.5 is part of vLLM from 0.33 on; this is {version}, so it runs on a plugin."
    return [Finding("hint", "model", message)]


def _context(session: VllmSession) -> list[Finding]:
    context, profile = session.context_tokens, session.profile
    if context is None or context >= profile.context_tokens:
        return []
    picture = _PICTURE_TOKENS if profile.frame == "content" else 0
    advice = f"Start the server with --max-model-len {profile.context_tokens}."
    if context <= picture:
        message = (
            f"The context of {context:,} tokens is too small: the picture of a full page alone takes "
            f"{picture:,}. {advice}"
        )
        return [Finding("problem", "context", message)]
    if context >= picture + profile.max_output_tokens:
        return []
    message = f"With {context:,} tokens of context the longest pages are cut. {advice}"
    return [Finding("hint", "context", message)]


async def _pages(session: Session, *, measures_slots: bool) -> list[Finding]:
    """Send the probe page, judge the reply, and see whether two at once are slower than one."""
    image = draw_probe_page()
    finding = judge_reply(await session.read(image), session.profile)
    if finding.level == "problem" or not measures_slots:
        return [finding]
    return [finding, *await _slots(session, image)]


async def _slots(session: Session, image: PageImage) -> list[Finding]:
    advice = (
        "The server seems to have one decoder slot, so more requests in flight only wait. A NIM is started "
        "so by default: NIM_PIPELINE_MAX_BATCH_SIZE or NIM_PERFORMANCE_MODE=1 give it more; for vLLM see "
        "--max-num-seqs."
    )

    async def both() -> None:
        await asyncio.gather(session.read(image), session.read(image))

    try:
        # The better of two tries: what else the machine does only ever makes it slower.
        one = min([await _seconds(lambda: session.read(image)) for _ in range(2)])
        two = min([await _seconds(both) for _ in range(2)])
    except ServerBusyError:
        return [Finding("hint", "slots", f"Two pages at once were too many. {advice}")]
    ratio = two / one
    if ratio < _ONE_SLOT_RATIO:
        return [Finding("ok", "slots", f"Two pages at once took {ratio:.1f} times as long as one.")]
    return [Finding("hint", "slots", f"Two pages at once took {ratio:.1f} times as long as one. {advice}")]


async def _seconds(work: Callable[[], Awaitable[object]]) -> float:
    loop = asyncio.get_running_loop()
    began = loop.time()
    await work()
    return max(loop.time() - began, 1e-6)


async def _may_be_nim(connection: HttpConnection) -> list[Finding]:
    try:
        answer = await connection.get(READY_PATH, timeout=_ASK_SECONDS)
    except BackendError:
        return []
    if not answer.ok:
        return []
    message = f'{connection.server} answers {READY_PATH}: it looks like a NIM. Use backend="nvidia" for it.'
    return [Finding("problem", "server", message)]


async def _may_be_vllm(connection: HttpConnection) -> list[Finding]:
    version = await _version(connection)
    if not version:
        return []
    message = f'{connection.server} says that it is vLLM {version}. Use backend="vllm" for it.'
    return [Finding("problem", "server", message)]


async def _speculation(connection: HttpConnection) -> list[Finding]:
    try:
        answer = await connection.get("/metrics", timeout=_ASK_SECONDS)
    except BackendError:
        return []
    text = answer.body.decode("utf-8", errors="replace")
    if not answer.ok or "vllm:" not in text:
        return []
    totals = {"drafts": 0.0, "accepted_tokens": 0.0}
    found = _METRIC.findall(text)
    for name, value in found:
        totals[name] += float(value)
    if not found:
        return [
            Finding(
                "hint",
                "speculation",
                "Speculative decoding is off. Nemotron Parse 3.5 comes with a draft model (dflash2) that "
                "makes it faster: see --speculative-config in NVIDIA's serving guide.",
            )
        ]
    message = "Speculative decoding is on"
    if totals["drafts"]:
        message += f": {1 + totals['accepted_tokens'] / totals['drafts']:.1f} tokens a step"
    return [Finding("ok", "speculation", f"{message}.")]


def _from_error(error: BackendError) -> Finding:
    topic = "server"
    if isinstance(error, AuthenticationError):
        topic = "key"
    elif isinstance(error, ModelNotFoundError):
        topic = "model"
    message = str(error)
    return Finding("problem", topic, message if message.endswith((".", "?", ")")) else f"{message}.")
