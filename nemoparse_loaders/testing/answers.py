"""What the server answers: its routes, its checks, and where a fault steps in."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aiohttp import BodyPartReader, web

from . import nim_wire, vllm_wire
from .faults import Exchange, Fault
from .load import LoadLog
from .replies import Replies, Reply, choose_reply
from .requests import FormField, RecordedRequest, read_unchecked
from .slots import BusyError, Slots
from .vllm_wire import RefusedError

CHAT = "/v1/chat/completions"
PARSE = "/v1/parse"
STATISTICS = "/_stats"
_BUSY = (
    "The engine is currently busy and cannot accept new requests. "
    "Please try again later or on a different instance."
)
_REASONS = ("stop", "length", "abort", "error", "repetition")

Faults = Sequence["Fault | None"] | Callable[[RecordedRequest], "Fault | None"]


@dataclass(frozen=True)
class Settings:
    """What a server was asked to be; the fields are described at `ParseServer`."""

    replies: Replies
    models: tuple[str, ...]
    api_key: str | None
    max_model_len: int
    faults: Faults
    max_body_bytes: int | None
    metrics: Mapping[str, float]
    checks_requests: bool
    slots: int | None


class Answers:
    """Answers requests; one object for the whole life of a server.

    Args:
        settings: What was asked for.
        log: Where pages and slots are counted.
        interrupt: Takes the server away for so many seconds.
    """

    def __init__(self, settings: Settings, log: LoadLog, interrupt: Callable[[float], None]) -> None:
        self._settings = settings
        self._log = log
        self._interrupt = interrupt
        self._finished: Counter[str] = Counter()
        self._pages = 0

    def start(self, slots: Slots) -> None:
        """Begin a run inside the running event loop."""
        self._slots = slots
        self.closing = asyncio.Event()

    async def answer(self, request: web.Request, record: RecordedRequest) -> web.StreamResponse:
        """The answer to a request, or what a fault sends in its place.

        Raises:
            RefusedError: The request is turned away before anything else happens.
        """
        if record.path not in (CHAT, PARSE) or record.method != "POST":
            record.body = await request.read()
            self._check_access(record)
            return await self._plain_with_fault(request, record)
        if record.path == PARSE:
            record.fields = await _form_fields(request)
        else:
            record.body = await request.read()
        self._check_access(record)
        self._log.page_came()
        try:
            return await self._page_with_fault(request, record)
        finally:
            self._log.page_left()

    def _check_access(self, record: RecordedRequest) -> None:
        is_open = not record.path.startswith("/v1/") or record.path.startswith("/v1/health/")
        if self._settings.api_key is None or is_open:
            return
        if record.headers.get("Authorization") != f"Bearer {self._settings.api_key}":
            raise RefusedError(401, {"error": "Unauthorized"})

    def _next_fault(self, record: RecordedRequest, position: int | None) -> Fault | None:
        """The fault for a request; a list of them counts page requests, which have a position."""
        faults = self._settings.faults
        if callable(faults):
            return faults(record)
        return None if position is None or position >= len(faults) else faults[position]

    async def _plain_with_fault(self, request: web.Request, record: RecordedRequest) -> web.StreamResponse:
        fault = None if record.path == STATISTICS else self._next_fault(record, None)
        try:
            response = self._plain(record)
        except RefusedError as refusal:
            response = json_response(refusal.content, refusal.status)
        return await self._send(request, record, response, fault)

    async def _page_with_fault(self, request: web.Request, record: RecordedRequest) -> web.StreamResponse:
        position = self._pages
        self._pages += 1
        refused: RefusedError | None = None
        options: dict[str, Any] = {}
        try:
            options = self._check_page(request, record)
        except RefusedError as refusal:
            refused = refusal
        self._log.picture_came(record)
        fault = self._next_fault(record, position)
        try:
            if refused is not None:
                raise refused
            reply = choose_reply(self._settings.replies, record, position)
            if fault is not None:
                reply = fault.change(reply)
            await self._slots.make_reply(record)
            response = self._page(record, options, reply)
        except BusyError:
            response = _error_response(record, 503, _BUSY)
        except RefusedError as refusal:
            response = json_response(refusal.content, refusal.status)
        return await self._send(request, record, response, fault)

    async def _send(
        self, request: web.Request, record: RecordedRequest, response: web.Response, fault: Fault | None
    ) -> web.StreamResponse:
        if fault is None:
            return response
        wire = nim_wire if record.path == PARSE else vllm_wire
        return await fault.send(Exchange(request, response, self.closing, wire.error_body, self._interrupt))

    def _plain(self, record: RecordedRequest) -> web.Response:
        """The routes without a page."""
        path = record.path
        if path in (CHAT, PARSE):
            raise RefusedError(405, {"detail": "Method Not Allowed"})
        if path == "/health":
            return web.Response()
        if path in ("/v1/health/live", "/v1/health/ready"):
            return json_response({"object": "health.response", "message": path.rpartition("/")[2]})
        if path == "/version":
            return json_response({"version": vllm_wire.VERSION})
        if path == "/v1/models":
            settings = self._settings
            return json_response(vllm_wire.models_body(settings.models, settings.max_model_len))
        if path in ("/metrics", "/v1/metrics"):
            return web.Response(text=self._metrics_text(), content_type="text/plain")
        if path == STATISTICS:
            return json_response(self._log.statistics(self._settings.slots).as_json())
        raise RefusedError(404, {"detail": "Not Found"})

    def _metrics_text(self) -> str:
        gauges = {
            "vllm:num_requests_running": float(self._log.running),
            "vllm:num_requests_waiting": float(self._slots.waiting),
            **self._settings.metrics,
        }
        finished = {reason: self._finished[reason] for reason in _REASONS}
        return vllm_wire.metrics_text(self._settings.models[0], gauges, finished)

    def _check_page(self, request: web.Request, record: RecordedRequest) -> dict[str, Any]:
        """The options of a page request: the JSON body's, or those of a form.

        Raises:
            RefusedError: It is not taken.
        """
        settings = self._settings
        if settings.max_body_bytes is not None and (request.content_length or 0) > settings.max_body_bytes:
            raise RefusedError(413, {"detail": "Request Entity Too Large"})
        if record.path == PARSE:
            return {"max_tokens": nim_wire.check_request(record)}
        if settings.checks_requests:
            return vllm_wire.check_request(record, settings.models, settings.max_model_len)
        read_unchecked(record)
        return record.json if isinstance(record.json, dict) else {}

    def _page(self, record: RecordedRequest, options: dict[str, Any], reply: Reply) -> web.Response:
        if record.path == PARSE:
            content = nim_wire.parse_body(reply, options["max_tokens"])
        else:
            reply = vllm_wire.reply_as_asked(reply, options)
            content = vllm_wire.completion_body(reply, options.get("model") or self._settings.models[0])
        self._finished[reply.finish_reason or "stop"] += 1
        return json_response(content)


async def _form_fields(request: web.Request) -> dict[str, FormField]:
    if not request.content_type.startswith("multipart/"):
        raise RefusedError(422, {"detail": "document: Field required"})
    fields: dict[str, FormField] = {}
    try:
        form = await request.multipart()
        while (part := await form.next()) is not None:
            if isinstance(part, BodyPartReader):
                name = part.name or ""
                content_type = part.headers.get("Content-Type", "")
                data = bytes(await part.read(decode=True))
                fields[name] = FormField(name, content_type, part.filename, data)
    except ValueError:
        raise RefusedError(422, {"detail": "the form is broken"}) from None
    return fields


def _error_response(record: RecordedRequest, status: int, message: str) -> web.Response:
    wire = nim_wire if record.path == PARSE else vllm_wire
    return web.Response(status=status, body=wire.error_body(status, message), content_type="application/json")


def json_response(content: Mapping[str, Any], status: int = 200) -> web.Response:
    """An answer in JSON."""
    body = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    return web.Response(status=status, body=body, content_type="application/json")
