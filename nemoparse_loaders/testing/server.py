"""ParseServer: a small server that speaks vLLM's wire and the NIM's, with scripted replies and faults."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

from aiohttp import BodyPartReader, web

from . import nim_wire, vllm_wire
from .faults import Exchange, Fault
from .replies import SAMPLE_PAGE, Replies, choose_reply
from .requests import FormField, RecordedRequest
from .vllm_wire import RefusedError

_CHAT = "/v1/chat/completions"
_PARSE = "/v1/parse"
_BUSY = (
    "The engine is currently busy and cannot accept new requests. "
    "Please try again later or on a different instance."
)
_REASONS = ("stop", "length", "abort", "error", "repetition")
_LARGEST_BODY = 512 * 1024 * 1024

Faults = Sequence["Fault | None"] | Callable[[RecordedRequest], "Fault | None"]


class ParseServer:
    """A server for tests: ``with ParseServer() as server:``, or ``async with``.

    Used with ``with`` it runs in a thread and an event loop of its own; with ``async with`` in the loop that
    is running. It listens on a free port of 127.0.0.1.

    Args:
        replies: A reply for all pages, one for each in the order of arrival (the last goes on), or a function
            from the request to the reply. Text stands for a reply that ends with "stop".
        model: Served name or names.
        api_key: What ``/v1/*`` asks for as a bearer token, or None.
        latency_s: Seconds that a reply takes.
        max_model_len: Prompt and reply together, in tokens.
        faults: One for each of the first page requests (None for none), or a function that is asked for every
            request of any kind.
        slots: Replies that are made at the same time; None for no limit. A default NIM has one.
        fail_fast: Answer 503 while all slots are taken, in place of waiting.
        max_body_bytes: Larger requests are refused with 413.
        idle_timeout_s: Seconds after which an idle connection is closed.
        metrics: Further lines of ``/metrics``, values by name.

    Attributes:
        requests: Every request so far, in order of arrival.
    """

    def __init__(
        self,
        *,
        replies: Replies = SAMPLE_PAGE,
        model: str | Sequence[str] = "nemotron-parse",
        api_key: str | None = None,
        latency_s: float = 0.0,
        max_model_len: int = 16_384,
        faults: Faults = (),
        slots: int | None = None,
        fail_fast: bool = False,
        max_body_bytes: int | None = None,
        idle_timeout_s: float = 75.0,
        metrics: Mapping[str, float] | None = None,
    ) -> None:
        self.requests: list[RecordedRequest] = []
        self._replies = replies
        self._models = (model,) if isinstance(model, str) else tuple(model)
        self._api_key = api_key
        self._latency_s = latency_s
        self._max_model_len = max_model_len
        self._faults = faults
        self._slots = slots
        self._fail_fast = fail_fast
        self._max_body_bytes = max_body_bytes
        self._idle_timeout_s = idle_timeout_s
        self._metrics = dict(metrics or {})
        self._finished: Counter[str] = Counter()
        self._pages = 0
        self._running = 0
        self._waiting = 0
        self._port = 0
        self._runner: web.AppRunner | None = None
        self._thread: threading.Thread | None = None
        self._stop: Callable[[], object] | None = None

    @property
    def base_url(self) -> str:
        """Its address, without ``/v1``."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def page_requests(self) -> list[RecordedRequest]:
        """Those of the requests that carried a page."""
        return [request for request in self.requests if request.path in (_CHAT, _PARSE)]

    async def __aenter__(self) -> ParseServer:
        self._closing = asyncio.Event()
        self._free = asyncio.Semaphore(self._slots) if self._slots else None
        app = web.Application(client_max_size=_LARGEST_BODY)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(
            app,
            access_log=None,
            handler_cancellation=True,
            keepalive_timeout=self._idle_timeout_s,
            shutdown_timeout=0.5,
        )
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    def __enter__(self) -> ParseServer:
        started: threading.Event = threading.Event()
        problems: list[BaseException] = []

        async def serve() -> None:
            loop = asyncio.get_running_loop()
            stop = asyncio.Event()
            async with self:
                self._stop = lambda: loop.call_soon_threadsafe(stop.set)
                started.set()
                await stop.wait()

        def run() -> None:
            try:
                asyncio.run(serve())
            except BaseException as error:  # noqa: BLE001 - carried over to the thread that waits
                problems.append(error)
            finally:
                started.set()

        self._thread = threading.Thread(target=run, name="ParseServer", daemon=True)
        self._thread.start()
        started.wait()
        if problems:
            raise problems[0]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stop is not None and self._thread is not None:
            self._stop()
            self._thread.join()
            self._stop = self._thread = None

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        record = RecordedRequest(request.method, request.path, request.headers.copy())
        self.requests.append(record)
        try:
            response = await self._answer(request, record)
        except asyncio.CancelledError:
            record.disconnected = True
            raise
        except RefusedError as refusal:
            response = _json_response(refusal.content, refusal.status)
        record.status = response.status
        return response

    async def _answer(self, request: web.Request, record: RecordedRequest) -> web.StreamResponse:
        wire = nim_wire if record.path == _PARSE else vllm_wire
        is_page = record.path in (_CHAT, _PARSE) and record.method == "POST"
        if record.path == _PARSE and is_page:
            record.fields = await _form_fields(request)
        else:
            record.body = await request.read()
        self._check_access(record)
        fault = self._next_fault(record, is_page)
        try:
            response = await self._page(request, record, fault) if is_page else self._plain(record)
        except RefusedError as refusal:
            response = _json_response(refusal.content, refusal.status)
        if fault is None:
            return response
        exchange = Exchange(request, response, self._closing, wire.error_body)
        return await fault.send(exchange)

    def _check_access(self, record: RecordedRequest) -> None:
        is_open = not record.path.startswith("/v1/") or record.path.startswith("/v1/health/")
        if self._api_key is None or is_open:
            return
        if record.headers.get("Authorization") != f"Bearer {self._api_key}":
            raise RefusedError(401, {"error": "Unauthorized"})

    def _next_fault(self, record: RecordedRequest, is_page: bool) -> Fault | None:
        if callable(self._faults):
            return self._faults(record)
        if is_page and self._pages < len(self._faults):
            return self._faults[self._pages]
        return None

    def _plain(self, record: RecordedRequest) -> web.Response:
        """The routes without a page."""
        path = record.path
        if path in (_CHAT, _PARSE):
            raise RefusedError(405, {"detail": "Method Not Allowed"})
        if path == "/health":
            return web.Response()
        if path in ("/v1/health/live", "/v1/health/ready"):
            return _json_response({"object": "health.response", "message": path.rpartition("/")[2]})
        if path == "/version":
            return _json_response({"version": vllm_wire.VERSION})
        if path == "/v1/models":
            return _json_response(vllm_wire.models_body(self._models, self._max_model_len))
        if path in ("/metrics", "/v1/metrics"):
            return web.Response(text=self._metrics_text(), content_type="text/plain")
        raise RefusedError(404, {"detail": "Not Found"})

    def _metrics_text(self) -> str:
        gauges = {
            "vllm:num_requests_running": float(self._running),
            "vllm:num_requests_waiting": float(self._waiting),
            **self._metrics,
        }
        finished = {reason: self._finished[reason] for reason in _REASONS}
        return vllm_wire.metrics_text(self._models[0], gauges, finished)

    async def _page(self, request: web.Request, record: RecordedRequest, fault: Fault | None) -> web.Response:
        position = self._pages
        self._pages += 1
        if self._max_body_bytes is not None and (request.content_length or 0) > self._max_body_bytes:
            raise RefusedError(413, {"detail": "Request Entity Too Large"})
        options: dict[str, Any] = {}
        limit = 0
        if record.path == _PARSE:
            limit = nim_wire.check_request(record)
        else:
            options = vllm_wire.check_request(record, self._models, self._max_model_len)
        reply = choose_reply(self._replies, record, position)
        if fault is not None:
            reply = fault.change(reply)
        wire = nim_wire if record.path == _PARSE else vllm_wire
        await self._take_time(wire.error_body)
        if record.path == _PARSE:
            content = nim_wire.parse_body(reply, limit)
        else:
            reply = vllm_wire.reply_as_asked(reply, options)
            content = vllm_wire.completion_body(reply, options.get("model") or self._models[0])
        self._finished[reply.finish_reason or "stop"] += 1
        return _json_response(content)

    async def _take_time(self, error_body: Callable[[int, str], bytes]) -> None:
        """Wait for a slot and hold it as long as a reply takes."""
        if self._free is not None and self._fail_fast and self._free.locked():
            raise RefusedError(503, json.loads(error_body(503, _BUSY)))
        if self._free is not None:
            self._waiting += 1
            try:
                await self._free.acquire()
            finally:
                self._waiting -= 1
        self._running += 1
        try:
            await asyncio.sleep(self._latency_s)
        finally:
            self._running -= 1
            if self._free is not None:
                self._free.release()


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


def _json_response(content: Mapping[str, Any], status: int = 200) -> web.Response:
    body = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    return web.Response(status=status, body=body, content_type="application/json")
