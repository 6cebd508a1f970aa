"""HttpConnection: requests to one server over kept connections, with one deadline each and typed errors."""

from __future__ import annotations

import asyncio
import base64
import errno
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace, TracebackType
from typing import Any
from urllib.parse import unquote, urlsplit

import aiohttp
from multidict import CIMultiDict
from pydantic import SecretStr

from ..errors import BackendError, OptionError, ProtocolError, ReplyTimeoutError, ServerFailedError
from .addresses import shown
from .body import Body
from .http_errors import error_from_answer, server_message
from .proxies import proxy_for
from .tls import trusting_context
from .versions import package_version

# uvicorn, in front of most model servers, closes connections that were idle for 5 s. A request that is
# written just then is lost, so ours are given up earlier.
_IDLE_SECONDS = 3.0
_CONNECT_SECONDS = 15.0
# A kept connection that the server has closed shows it as soon as the server gets to it; a later break is a
# failure of its own.
_STALE_SECONDS = 10.0
# A page is some 50 kB; what is far beyond that is no reply.
_LARGEST_BODY = 64 * 1024 * 1024
# Header values shorter than this are words like "json"; masking them would garble every message.
_SHORTEST_SECRET = 8
_NO_DESCRIPTORS = (errno.EMFILE, errno.ENFILE)
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
# Ours to say: they tell where a request ends.
_FRAMING = frozenset({"content-length", "transfer-encoding"})


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A whole answer.

    Attributes:
        status: HTTP status.
        headers: Looked up without regard to case.
        body: The body, decompressed.
        secrets: Texts that no message may repeat, should the server do so.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def ok(self) -> bool:
        """Whether the status is 2xx."""
        return 200 <= self.status < 300

    def json(self, server: str, *, is_reply: bool = False) -> Any:
        """The body as JSON.

        Args:
            server: The server's address, for the message.
            is_reply: The body is a page's reply: one that is garbled on its way may come whole next time.

        Raises:
            ProtocolError: It is none.
        """
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            said = server_message(self.body, self.secrets)[:80]
            raise ProtocolError(
                f"{server} answered {self.status} with something that is not JSON"
                + (f": {said!r}" if said else " (nothing)"),
                status=self.status,
                retryable=is_reply,
            ) from None


class HttpConnection:
    """A pool of connections to one server; use it with ``async with`` inside one event loop.

    Args:
        root: The server's address, see `server_root`.
        api_key: Sent as a bearer token.
        headers: Sent with every request; they win over the key and over the defaults.
        timeout: Seconds for one request, from its first byte to the last of the answer.
    """

    def __init__(
        self,
        root: str,
        *,
        api_key: SecretStr | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = 120.0,
    ) -> None:
        self.server = shown(root)
        # A user name in the address goes into a header with the rest: aiohttp refuses to combine the two.
        self._root = self.server
        self._timeout = timeout
        self._headers = _all_headers(root, api_key, headers or {})
        self.secrets = _secrets(root, self._headers, headers or {})
        self._proxy = proxy_for(root)
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> HttpConnection:
        is_tls = any(url.startswith("https:") for url in (self._root, self._proxy or ""))
        trust = await asyncio.to_thread(trusting_context) if is_tls else True
        trace = aiohttp.TraceConfig()
        trace.on_connection_reuseconn.append(_note_reuse)
        self._session = aiohttp.ClientSession(
            # The pipeline decides how many requests are in flight; a second limit here would only hide it.
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE_SECONDS, ssl=trust),
            headers=self._headers,
            cookie_jar=aiohttp.DummyCookieJar(),
            trace_configs=[trace],
            auto_decompress=True,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def get(self, path: str, *, timeout: float | None = None) -> HttpAnswer:
        """GET a path.

        Args:
            path: Put after the root, begins with a slash.
            timeout: Seconds, where it is to be less than the connection's.

        Raises:
            BackendError: There was no whole answer.
        """
        return await self._request("GET", path, timeout or self._timeout, dict)

    async def post(self, path: str, body: Body, *, content_type: str) -> HttpAnswer:
        """POST a body.

        Args:
            path: Put after the root, begins with a slash; empty for the root itself.
            body: What to send.
            content_type: Its type.

        Raises:
            BackendError: There was no whole answer.
        """

        def content() -> dict[str, Any]:
            headers = {"Content-Type": content_type, "Content-Length": str(len(body))}
            return {"data": body.pieces(), "headers": headers}

        return await self._request("POST", path, self._timeout, content)

    def error(self, answer: HttpAnswer) -> BackendError:
        """The error that an answer which is not 2xx stands for."""
        return error_from_answer(
            answer.status, answer.headers, answer.body, server=self.server, secrets=self.secrets
        )

    async def _request(
        self, method: str, path: str, timeout: float, content: Callable[[], dict[str, Any]]
    ) -> HttpAnswer:
        if self._session is None:
            raise RuntimeError("the connection is not open: use it with 'async with'")
        loop = asyncio.get_running_loop()
        began = loop.time()
        reuse = {"reused": False}
        outcome = await self._attempt(method, path, timeout, content(), reuse)
        if isinstance(outcome, (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError)):
            spent = loop.time() - began
            is_stale = reuse["reused"] and spent < min(_STALE_SECONDS, timeout)
            if is_stale and not isinstance(outcome, aiohttp.ClientConnectorError):
                # The server had closed the kept connection before it saw the request.
                outcome = await self._attempt(method, path, timeout - spent, content(), reuse)
        if isinstance(outcome, Exception):
            raise self._transport_error(outcome, timeout, is_page=method == "POST") from _printable(outcome)
        return outcome

    async def _attempt(
        self, method: str, path: str, timeout: float, content: dict[str, Any], reuse: dict[str, bool]
    ) -> HttpAnswer | Exception:
        # The error is given back, not raised: raised again in an except block, ours would carry it as its
        # context, and aiohttp's errors hold headers and proxy addresses. UnicodeError is what looking up a
        # host with an empty or an endless label ends with.
        try:
            return await self._exchange(method, path, timeout, content, reuse)
        except (aiohttp.ClientError, asyncio.TimeoutError, UnicodeError) as error:
            return error

    async def _exchange(
        self, method: str, path: str, timeout: float, content: dict[str, Any], reuse: dict[str, bool]
    ) -> HttpAnswer:
        if self._session is None:
            raise RuntimeError("the connection was closed while a request was on its way")
        async with self._session.request(
            method,
            self._root + path,
            timeout=aiohttp.ClientTimeout(total=timeout, sock_connect=_CONNECT_SECONDS),
            allow_redirects=False,
            proxy=self._proxy,
            trace_request_ctx=reuse,
            **content,
        ) as response:
            return HttpAnswer(response.status, response.headers, await self._body(response), self.secrets)

    async def _body(self, response: aiohttp.ClientResponse) -> bytes:
        pieces: list[bytes] = []
        size = 0
        async for piece in response.content.iter_any():
            size += len(piece)
            if size > _LARGEST_BODY:
                response.close()
                raise ProtocolError(
                    f"the answer of {self.server} is larger than {_LARGEST_BODY >> 20} MiB",
                    status=response.status,
                )
            pieces.append(piece)
        return b"".join(pieces)

    def _transport_error(
        self, error: Exception, timeout: float, *, is_page: bool
    ) -> BackendError | OptionError:
        where = self.server
        if isinstance(error, aiohttp.ConnectionTimeoutError):
            return ReplyTimeoutError(f"no connection to {where} within {min(timeout, _CONNECT_SECONDS):g} s")
        if isinstance(error, asyncio.TimeoutError):
            return ReplyTimeoutError(f"no whole reply from {where} within {timeout:g} s (this side gave up)")
        if isinstance(error, aiohttp.ClientSSLError):
            return BackendError(
                f"no trusted TLS connection to {where}: {error}. A certificate authority of your own goes "
                "into the file that SSL_CERT_FILE (or REQUESTS_CA_BUNDLE) names."
            )
        if isinstance(error, aiohttp.ClientHttpProxyError):
            return ServerFailedError(f"the proxy on the way to {where} answered {error.status}")
        if isinstance(error, aiohttp.ClientProxyConnectionError):
            return ServerFailedError(f"the proxy on the way to {where} cannot be reached")
        if isinstance(error, aiohttp.ClientConnectorDNSError):
            return ServerFailedError(f"the host of {where} is not known: check base_url and the network")
        if isinstance(error, aiohttp.ClientConnectorError) and error.os_error.errno in _NO_DESCRIPTORS:
            return ServerFailedError(
                f"no connection to {where}: too many files are open on this side. Raise the limit (ulimit "
                "-n), or set max_concurrency= below it."
            )
        if isinstance(error, aiohttp.ClientConnectorError):
            return ServerFailedError(
                f"nobody listens at {where} ({error.strerror or 'no connection'}): "
                "is the server up, and is base_url right?"
            )
        if isinstance(error, aiohttp.ClientResponseError):
            return ProtocolError(f"the answer of {where} is not HTTP", retryable=is_page)
        if isinstance(error, (aiohttp.InvalidURL, UnicodeError)):
            return OptionError(f"base_url is no address that can be asked: {where}")
        return ServerFailedError(f"the connection to {where} broke ({type(error).__name__})")


async def _note_reuse(
    session: aiohttp.ClientSession, context: SimpleNamespace, _: aiohttp.TraceConnectionReuseconnParams
) -> None:
    context.trace_request_ctx["reused"] = True


def _printable(error: Exception) -> BaseException | None:
    """The cause to keep: nothing whose repr holds headers or the address of a proxy."""
    if isinstance(error, aiohttp.ClientConnectorError):
        return error.os_error
    return None if isinstance(error, aiohttp.ClientResponseError) else error


def _all_headers(root: str, api_key: SecretStr | None, headers: Mapping[str, str]) -> CIMultiDict[str]:
    agent = f"nemoparse-loaders/{package_version('nemoparse-loaders')}"
    merged: CIMultiDict[str] = CIMultiDict({"Accept": "application/json", "User-Agent": agent})
    key = api_key.get_secret_value().strip() if api_key else ""
    login = urlsplit(root)
    if login.username is not None:
        pair = f"{unquote(login.username)}:{unquote(login.password or '')}"
        merged["Authorization"] = "Basic " + base64.b64encode(pair.encode("utf-8", "replace")).decode()
    if key:
        merged["Authorization"] = f"Bearer {key}"
    for name, value in headers.items():
        merged[name] = value
    for name, value in merged.items():
        _check_header(name, value)
    return merged


def _check_header(name: str, value: str) -> None:
    """Refuse what no request can carry; no message holds the value, which may be a key."""
    if any(ord(char) < 32 or ord(char) == 127 for char in name + value):
        raise OptionError(f"headers: {name!r} has a control character in its name or value")
    if not _HEADER_NAME.fullmatch(name):
        raise OptionError(f"headers: {name!r} is not a name that a header can have")
    if name.lower() in _FRAMING:
        raise OptionError(f"headers: {name!r} cannot be set, the request depends on it")
    if any(0xD800 <= ord(char) <= 0xDFFF for char in value):
        raise OptionError(f"headers: the value of {name!r} has half a surrogate pair in it")


def _secrets(root: str, merged: Mapping[str, str], own: Mapping[str, str]) -> tuple[str, ...]:
    values = [value for value in own.values() if len(value) >= _SHORTEST_SECRET]
    values += [value.partition(" ")[2] for value in values if " " in value]
    password = urlsplit(root).password or ""
    # The key, or user name and password as they are sent.
    sent = merged.get("Authorization", "").partition(" ")[2]
    found = {sent, password, unquote(password), *values}
    # Longest first, so that no rest of a longer one stays.
    return tuple(sorted(filter(None, found), key=len, reverse=True))
