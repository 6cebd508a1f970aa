"""ParseServer: a small server that speaks vLLM's wire and the NIM's, with scripted replies and faults."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing
from dataclasses import replace
from types import TracebackType

from aiohttp import web

from .answers import CHAT, PARSE, STATISTICS, Answers, Faults, Settings, json_response
from .latency import Latency
from .load import LoadLog, ServerStatistics
from .replies import SAMPLE_PAGE, Replies
from .requests import RecordedRequest
from .script import Script
from .slots import Slots
from .vllm_wire import RefusedError

_LARGEST_BODY = 512 * 1024 * 1024
_BACKLOG = 1024
# aiohttp's own buffer makes a megabyte stop and go; it is also less than a socket hands over at once.
_READ_BUFFER = 4 * 1024 * 1024


class ParseServer:
    """A server for tests: ``with ParseServer() as server:``, or ``async with``.

    Used with ``with`` it runs in a thread and an event loop of its own; with ``async with`` in the loop that
    is running, which on Windows must be a ``SelectorEventLoop``. It listens on 127.0.0.1. ``GET /_stats``
    answers `statistics` as JSON.

    Args:
        replies: A reply for all pages, one for each in the order of arrival (the last goes on), or a function
            from the request to the reply. Text stands for a reply that ends with "stop". A `Script` has
            replies and faults for whole pages, parts of pages, and detection.
        model: Served name or names.
        api_key: What ``/v1/*`` asks for as a bearer token, or None.
        latency_s: Seconds that a reply takes, or a function from the request to seconds: `UniformLatency`,
            `LognormalLatency`, or one of your own.
        max_model_len: Prompt and reply together, in tokens.
        faults: One for each of the first page requests (None for none), or a function that is asked for every
            request of any kind, such as `random_faults`.
        slots: Replies that are made at the same time; None for no limit. A default NIM has one.
        fail_fast: Answer 503 while all slots are taken, in place of waiting.
        max_body_bytes: Larger requests are refused with 413.
        idle_timeout_s: Seconds after which an idle connection is closed.
        metrics: Further lines of ``/metrics``, values by name.
        port: Where to listen; 0 for a free port.
        keep_bodies: Keep the bodies and pictures of requests that were answered; without it, twenty thousand
            pages cost little memory.
        checks_requests: Check each chat request as vLLM does, its picture too. Without it a request of a
            megabyte costs the server a small part of the time: for load tests on the same machine.

    Attributes:
        requests: Every request so far, in order of arrival.
    """

    def __init__(
        self,
        *,
        replies: Replies = SAMPLE_PAGE,
        model: str | Sequence[str] = "nemotron-parse",
        api_key: str | None = None,
        latency_s: Latency = 0.0,
        max_model_len: int = 16_384,
        faults: Faults = (),
        slots: int | None = None,
        fail_fast: bool = False,
        max_body_bytes: int | None = None,
        idle_timeout_s: float = 75.0,
        metrics: Mapping[str, float] | None = None,
        port: int = 0,
        keep_bodies: bool = True,
        checks_requests: bool = True,
    ) -> None:
        self.requests: list[RecordedRequest] = []
        self._wanted_port = port
        self._latency = latency_s
        self._slots = slots
        self._fail_fast = fail_fast
        self._idle_timeout_s = idle_timeout_s
        self._keep_bodies = keep_bodies
        self._log = LoadLog()
        settings = Settings(
            replies=replies,
            models=(model,) if isinstance(model, str) else tuple(model),
            api_key=api_key,
            max_model_len=max_model_len,
            faults=faults,
            max_body_bytes=max_body_bytes,
            metrics=dict(metrics or {}),
            checks_requests=checks_requests,
            slots=slots,
        )
        if isinstance(replies, Script) and not callable(faults) and not faults:
            settings = replace(settings, faults=replies.fault)
        self._answers = Answers(settings, self._log, self._die_for)
        self._port = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._runner: web.AppRunner | None = None
        self._held: socket.socket | None = None
        self._listening: socket.socket | None = None
        self._greeted: set[asyncio.Task[None]] = set()
        self._thread: threading.Thread | None = None
        self._stop: Callable[[], object] | None = None

    @property
    def base_url(self) -> str:
        """Its address, without ``/v1``."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def page_requests(self) -> list[RecordedRequest]:
        """Those of the requests that carried a page."""
        return [request for request in self.requests if request.path in (CHAT, PARSE)]

    def statistics(self) -> ServerStatistics:
        """Counts, peaks, and how full the slots were."""
        return self._log.statistics(self._slots)

    def slots_busy(self, start: float, end: float) -> float:
        """How many slots were held on average between two moments of ``time.monotonic()``."""
        return self._log.slot_seconds(start, end) / (end - start)

    def die(self) -> None:
        """Break all connections and refuse new ones, as a server that was killed; `rise` ends it.

        From any thread. The port stays taken, so that nobody else can get it.
        """
        self._in_its_loop(self._die)

    def rise(self) -> None:
        """Listen again at the same port after `die`."""
        self._in_its_loop(self._rise)

    async def __aenter__(self) -> ParseServer:
        self._loop = asyncio.get_running_loop()
        self._answers.start(
            Slots(self._slots, fail_fast=self._fail_fast, latency=self._latency, log=self._log)
        )
        app = web.Application(client_max_size=_LARGEST_BODY)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(
            app,
            access_log=None,
            handler_cancellation=True,
            keepalive_timeout=self._idle_timeout_s,
            shutdown_timeout=0.5,
            read_bufsize=_READ_BUFFER,
        )
        await self._runner.setup()
        try:
            self._hold_port(self._wanted_port)
            self._rise()
        except BaseException:
            await self.__aexit__(None, None, None)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._answers.closing.set()
        self._stop_listening()
        await asyncio.gather(*self._greeted, return_exceptions=True)
        if self._held is not None:
            self._held.close()
            self._held = None
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None
        self._loop = None

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
                # Not asyncio.run(): the default loop of Windows has no add_reader.
                with closing(asyncio.SelectorEventLoop()) as loop:
                    loop.run_until_complete(serve())
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
        record = RecordedRequest(request.method, request.path, request.headers)
        if record.path != STATISTICS:
            self.requests.append(record)
            self._log.came(record)
        try:
            response = await self._answers.answer(request, record)
            record.status = response.status
        except asyncio.CancelledError:
            record.disconnected = True
            raise
        except ConnectionError:
            # The client, or another fault, has broken the connection while the answer was sent.
            record.disconnected = True
            return web.Response()
        except RefusedError as refusal:
            response = json_response(refusal.content, refusal.status)
            record.status = response.status
        finally:
            if record.path != STATISTICS:
                self._log.left(record)
            if not self._keep_bodies:
                record.forget_body()
        return response

    def _in_its_loop(self, call: Callable[[], None]) -> None:
        """Call something inside the server's loop and wait for it, from wherever this is."""
        loop = self._loop
        if loop is None:
            raise RuntimeError("the server is not running: use it inside of with or async with")
        try:
            inside = asyncio.get_running_loop() is loop
        except RuntimeError:
            inside = False
        if inside:
            call()
            return
        done: Future[None] = Future()

        def run() -> None:
            try:
                call()
            except BaseException as error:  # noqa: BLE001 - carried over to the thread that waits
                done.set_exception(error)
            else:
                done.set_result(None)

        loop.call_soon_threadsafe(run)
        done.result()

    def _hold_port(self, port: int) -> None:
        """Take the port without listening: whoever connects is refused."""
        held = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            held.bind(("127.0.0.1", port))
        except BaseException:
            held.close()
            raise
        held.setblocking(False)
        self._held = held
        self._port = held.getsockname()[1]

    def _rise(self) -> None:
        if self._held is None or self._loop is None:
            return
        self._listening, self._held = self._held, None
        self._listening.listen(_BACKLOG)
        # By hand: closing an asyncio.Server loses a connection that it was about to take.
        self._loop.add_reader(self._listening, self._accept, self._listening)

    def _accept(self, listening: socket.socket) -> None:
        try:
            connection, _ = listening.accept()
        except OSError:  # Whoever came has gone again, or there are no descriptors left.
            return
        if self._loop is not None and self._runner is not None and self._runner.server is not None:
            connection.setblocking(False)
            connected = self._loop.connect_accepted_socket(self._runner.server, connection)
            task = self._loop.create_task(self._greet(connected))
            self._greeted.add(task)
            task.add_done_callback(self._greeted.discard)

    async def _greet(self, connected: Awaitable[tuple[asyncio.BaseTransport, asyncio.BaseProtocol]]) -> None:
        try:
            transport, _ = await connected
        except OSError:  # It has gone again.
            return
        if self._listening is None and isinstance(transport, asyncio.WriteTransport):
            # It came in the moment of death.
            transport.abort()

    def _stop_listening(self) -> None:
        if self._listening is not None and self._loop is not None:
            self._loop.remove_reader(self._listening)
            self._listening.close()
            self._listening = None

    def _die(self) -> None:
        if self._listening is None or self._runner is None or self._runner.server is None:
            return
        self._stop_listening()
        self._hold_port(self._port)
        for connection in self._runner.server.connections:
            if connection.transport is not None:
                connection.transport.abort()

    def _die_for(self, seconds: float) -> None:
        self._die()
        if self._loop is not None:
            self._loop.call_later(seconds, self._rise)
