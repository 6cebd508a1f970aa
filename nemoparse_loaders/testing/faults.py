"""How the server fails on purpose: each fault changes the reply or the way in which it is sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

from aiohttp import web

from .replies import Reply


@dataclass(frozen=True)
class Exchange:
    """One request and the answer that it would get without the fault.

    Attributes:
        request: As aiohttp has it.
        response: The whole answer, not sent yet.
        closing: Set when the server stops.
        error_body: The body that this wire has for a status and a message.
        interrupt: Takes the whole server away for so many seconds.
    """

    request: web.Request
    response: web.Response
    closing: asyncio.Event
    error_body: Callable[[int, str], bytes]
    interrupt: Callable[[float], None]

    def content(self) -> bytes:
        """The body of the answer."""
        body = self.response.body
        return body if isinstance(body, bytes) else b""

    def cut(self) -> web.StreamResponse:
        """Close the connection under the request."""
        if self.request.transport is not None:
            self.request.transport.abort()
        return self.response


class Fault:
    """A fault; derive from it to make others."""

    def change(self, reply: Reply) -> Reply:
        """The reply as the fault leaves it."""
        return reply

    async def send(self, exchange: Exchange) -> web.StreamResponse:
        """Send the answer, or whatever comes in its place."""
        return exchange.response


@dataclass(frozen=True)
class HttpError(Fault):
    """An error status in place of the reply.

    Attributes:
        status: HTTP status.
        body: JSON value, text or bytes; None for what the wire usually says.
        retry_after: Seconds; a moment, or a time from now, sent as an HTTP date (which has whole seconds);
            the header's text; or None for no header.
        headers: Further headers.
    """

    status: int
    body: Mapping[str, object] | list[object] | str | bytes | None = None
    retry_after: float | datetime | timedelta | str | None = None
    headers: Mapping[str, str] | None = None

    async def send(self, exchange: Exchange) -> web.StreamResponse:
        """Send the status."""
        headers = dict(self.headers or {})
        if self.retry_after is not None:
            headers["Retry-After"] = _header_text(self.retry_after)
        if isinstance(self.body, (str, bytes)):
            body = self.body.encode() if isinstance(self.body, str) else self.body
            return web.Response(status=self.status, body=body, headers=headers, content_type="text/plain")
        content = (
            exchange.error_body(self.status, "a fault of the test server")
            if self.body is None
            else json.dumps(self.body).encode()
        )
        return web.Response(
            status=self.status, body=content, headers=headers, content_type="application/json"
        )


@dataclass(frozen=True)
class Hang(Fault):
    """No answer at all, until the client goes or the server stops."""

    async def send(self, exchange: Exchange) -> web.StreamResponse:
        """Wait."""
        await exchange.closing.wait()
        return exchange.cut()


@dataclass(frozen=True)
class Drip(Fault):
    """The answer byte by byte, so that no single wait is long.

    Attributes:
        interval_s: Seconds between two bytes.
    """

    interval_s: float = 0.05

    async def send(self, exchange: Exchange) -> web.StreamResponse:
        """Send it slowly."""
        content = exchange.content()
        stream = web.StreamResponse(headers={"Content-Type": "application/json"})
        stream.content_length = len(content)
        await stream.prepare(exchange.request)
        for position in range(len(content)):
            if exchange.closing.is_set():
                return exchange.cut()
            await stream.write(content[position : position + 1])
            await asyncio.sleep(self.interval_s)
        await stream.write_eof()
        return stream


@dataclass(frozen=True)
class CutConnection(Fault):
    """The connection breaks.

    Attributes:
        after: The part of the answer's body that is sent before; 0 breaks it before the status line.
    """

    after: float = 0.0

    async def send(self, exchange: Exchange) -> web.StreamResponse:
        """Break it."""
        content = exchange.content()
        if self.after > 0:
            stream = web.StreamResponse(headers={"Content-Type": "application/json"})
            stream.content_length = len(content)
            await stream.prepare(exchange.request)
            await stream.write(content[: int(len(content) * self.after)])
            if exchange.request.transport is not None:
                exchange.request.transport.close()
            return stream
        return exchange.cut()


@dataclass(frozen=True)
class BrokenJson(Fault):
    """Status 200 with something else than the API's JSON.

    Attributes:
        body: What is sent.
    """

    body: str | bytes = '{"choices": [{"message": {"content": "<x_0.1'

    async def send(self, exchange: Exchange) -> web.StreamResponse:
        """Send it."""
        body = self.body.encode() if isinstance(self.body, str) else self.body
        return web.Response(body=body, content_type="application/json")


@dataclass(frozen=True)
class FinishReason(Fault):
    """A reply that ends for another reason than "stop".

    Attributes:
        reason: "length", "abort", "repetition", ...; None leaves it out.
        keep: The part of the text that is there.
    """

    reason: str | None = "length"
    keep: float = 0.6

    def change(self, reply: Reply) -> Reply:
        """Cut the text and say why."""
        return replace(reply, text=reply.text[: int(len(reply.text) * self.keep)], finish_reason=self.reason)


@dataclass(frozen=True)
class Loop(Fault):
    """A reply that gets stuck and says the same until it is stopped.

    Attributes:
        unit: What it says again and again.
        times: How often.
        keep: The part of the text before that.
        reason: "stop" where nobody noticed, "repetition" where the server did, "length" at the limit.
    """

    unit: str = "the same words once more "
    times: int = 200
    keep: float = 0.5
    reason: str | None = "stop"

    def change(self, reply: Reply) -> Reply:
        """Get stuck."""
        kept = reply.text[: int(len(reply.text) * self.keep)]
        text = kept + self.unit * self.times
        return replace(reply, text=text, finish_reason=self.reason, completion_tokens=None)


@dataclass(frozen=True)
class EmptyReply(Fault):
    """Status 200, finish_reason "stop", and no text."""

    def change(self, reply: Reply) -> Reply:
        """Empty it."""
        return replace(reply, text="", completion_tokens=1)


@dataclass(frozen=True)
class Death(Fault):
    """The whole server goes: every connection breaks, and new ones are refused until it is back.

    Attributes:
        seconds: After which it listens again.
    """

    seconds: float = 0.3

    async def send(self, exchange: Exchange) -> web.StreamResponse:
        """Die."""
        exchange.interrupt(self.seconds)
        return exchange.cut()


def _header_text(value: float | datetime | timedelta | str) -> str:
    if isinstance(value, timedelta):
        value = datetime.now(timezone.utc) + value
    if isinstance(value, datetime):
        return format_datetime(value.astimezone(timezone.utc), usegmt=True)
    return value if isinstance(value, str) else f"{value:g}"
