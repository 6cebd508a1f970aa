"""NvidiaBackend: pages through NVIDIA's hosted endpoint or a NIM container, as multipart forms."""

from __future__ import annotations

import json
import logging
import os
import re
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import SecretStr

from ..document import Usage
from ..errors import (
    AuthenticationError,
    BackendError,
    ModelNotFoundError,
    OptionError,
    ProtocolError,
    ServerBusyError,
)
from ..options import ParseOptions
from ..profiles import Profile, ProfileName, get_profile, profile_for_model
from ..rendering.page_image import PageImage
from .addresses import host_of, is_loopback, server_root, shown
from .base import ModelReply, token_count
from .body import Body
from .served_models import MODELS_PATH, list_models, printed_names

if TYPE_CHECKING:
    from .http import HttpConnection

# The parent, so that one setting of the package's logger decides about it.
logger = logging.getLogger(__name__)

HOSTED_URL = "https://ai.api.nvidia.com/v1/retrieval/nvidia/nemotron-3.5-parse/parse"
HOSTED_MODEL = "nvidia/nemotron-3.5-parse"
READY_PATH = "/v1/health/ready"
KEY_VARIABLE = "NVIDIA_API_KEY"
MAX_OUTPUT_TOKENS = 9_000
# What clients of the hosted service commonly keep to; beyond its limit it answers 429.
HOSTED_REQUESTS_PER_MINUTE = 40

_NIM_PATH = "/v1/parse"
_READY_SECONDS = 30.0
_HOSTED_PATH = re.compile(r"/retrieval/([^/]+/[^/]+)/parse$")
# Hosts that the user was told about: pages leave the machine.
_told: set[str] = set()


@dataclass(frozen=True, repr=False)
class NvidiaBackend:
    """Configuration of the hosted endpoint or of a NIM; pickles, and belongs to no event loop.

    The service owns prompt and sampling: it takes the page and, if wanted, a limit of tokens.

    Attributes:
        base_url: A NIM container, with or without ``/v1``, or the whole URL of an endpoint that ends with
            ``/parse``; None for the hosted endpoint.
        api_key: Sent as a bearer token; the hosted endpoint needs one, a NIM asks for none.
        model: What documents call the model; None for what a NIM lists.
        profile: Model generation; None where the model's name tells it.
        headers: Further HTTP headers for every request.
        timeout: Seconds for one request, from its first byte to the last of the answer.
        max_tokens: Longest reply, 1 to 9,000; None for the service's own limit.
        max_concurrency: Requests in flight. The hosted service limits requests a minute. A NIM as it is
            started by default has one decoder slot, so there more in flight only wait
            (``NIM_PIPELINE_MAX_BATCH_SIZE`` or ``NIM_PERFORMANCE_MODE=1`` give it more).
        requests_per_minute: Most requests a minute; where none is given, 40 for NVIDIA's own service and no
            limit (None) for a NIM.
    """

    base_url: str | None = None
    api_key: SecretStr | None = None
    model: str | None = None
    profile: ProfileName | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout: float = 120.0
    max_tokens: int | None = None
    max_concurrency: int = 8
    requests_per_minute: int | None = None

    def __post_init__(self) -> None:
        _endpoint(self.url)
        if self.requests_per_minute is None and self.is_hosted:
            object.__setattr__(self, "requests_per_minute", HOSTED_REQUESTS_PER_MINUTE)
        if self.max_tokens is not None and not 1 <= self.max_tokens <= MAX_OUTPUT_TOKENS:
            raise OptionError(
                f"max_tokens must be between 1 and {MAX_OUTPUT_TOKENS} for the nvidia backend, "
                f"not {self.max_tokens}"
            )

    def __repr__(self) -> str:
        # No key, no headers, no password in the address.
        return f"NvidiaBackend(base_url={shown(self.url)!r}, profile={self.profile!r})"

    @classmethod
    def from_options(cls, options: ParseOptions) -> NvidiaBackend:
        """The backend that the options describe; NVIDIA_API_KEY is the key where they hold none.

        Raises:
            OptionError: A value cannot work, or is one that the service does not take.
        """
        if options.request_options:
            names = ", ".join(sorted(options.request_options))
            raise OptionError(
                f"request_options: the nvidia backend takes none ({names} given); the service owns prompt "
                "and sampling, and takes max_tokens= only"
            )
        options.refuse_controls("nvidia", "the service owns the prompt")
        if options.base_url is not None and not isinstance(options.base_url, str):
            raise OptionError("an nvidia backend takes one base_url=; DocumentParser takes several")
        key = options.api_key
        if key is None and (from_environment := os.environ.get(KEY_VARIABLE)):
            key = SecretStr(from_environment)
        return cls(
            base_url=options.base_url,
            api_key=key,
            model=options.model,
            profile=options.profile,
            headers=dict(options.headers),
            timeout=options.timeout,
            max_tokens=options.max_tokens,
            requests_per_minute=options.requests_per_minute,
            **({} if options.max_concurrency is None else {"max_concurrency": options.max_concurrency}),
        )

    @property
    def name(self) -> str:
        """Goes into documents as ``parser``."""
        return "nvidia"

    @property
    def needs_text_layer(self) -> bool:
        """The model reads the picture alone."""
        return False

    @property
    def url(self) -> str:
        """Where pages go, as configured."""
        return self.base_url or HOSTED_URL

    @property
    def is_hosted(self) -> bool:
        """Whether that is NVIDIA's own service."""
        host = host_of(self.url)
        return host == "nvidia.com" or host.endswith(".nvidia.com")

    def connect(self) -> HttpConnection:
        """A connection to the service, to be opened with ``async with``; nothing is asked yet."""
        # aiohttp is heavy, and a parser that is only configured does not need it.
        from .http import HttpConnection

        root = _endpoint(self.url)[0]
        return HttpConnection(root, api_key=self.api_key, headers=self.headers, timeout=self.timeout)

    @asynccontextmanager
    async def session(self) -> AsyncIterator[NvidiaSession]:
        """Connect; a NIM is asked whether it is ready and what it serves.

        Raises:
            AuthenticationError: The hosted endpoint needs a key.
            ServerBusyError: The NIM is still loading its model.
            ServerFailedError: Nobody listens there.
            BackendError: Anything else in the way.
        """
        if self.is_hosted and not (self.api_key and self.api_key.get_secret_value().strip()):
            raise AuthenticationError(
                f"NVIDIA's hosted endpoint needs a key: set {KEY_VARIABLE} or give api_key= "
                "(keys are made at build.nvidia.com)"
            )
        _tell_once(self.url)
        path = _endpoint(self.url)[1]
        async with self.connect() as connection:
            model = self.model or _model_in(self.url)
            if path == _NIM_PATH:
                model = await _check_nim(connection, self.model, min(self.timeout, _READY_SECONDS))
            profile = get_profile(self.profile) if self.profile else profile_for_model(model)
            yield NvidiaSession(connection, path, model, profile, self.max_tokens)


class NvidiaSession:
    """An open connection to the service.

    It has no ``reread``: the service owns the sampling, so that the same page gets the same kind of reply.
    """

    def __init__(
        self, connection: HttpConnection, path: str, model: str, profile: Profile, max_tokens: int | None
    ) -> None:
        self._connection = connection
        self._path = path
        self._model = model
        self._profile = profile
        self._max_tokens = max_tokens
        self._options = (
            None
            if max_tokens is None
            else json.dumps({"decoding": {"max_output_tokens": max_tokens}}).encode()
        )

    @property
    def profile(self) -> Profile:
        """The generation of the model that answers."""
        return self._profile

    @property
    def model(self) -> str:
        """The model's name."""
        return self._model

    @property
    def fingerprint(self) -> str:
        """What shapes a reply, as far as this side has a say: model, profile, limit; as canonical JSON."""
        shaping = {
            "engine": "nvidia",
            "max_tokens": self._max_tokens,
            "model": self._model,
            "profile": self._profile.name,
        }
        return json.dumps(shaping, sort_keys=True, separators=(",", ":"))

    async def read(self, image: PageImage) -> ModelReply:
        """Read one page: one request.

        Raises:
            BackendError: There was no reply; ``retryable`` says whether to try again.
        """
        boundary = uuid.uuid4().hex
        answer = await self._connection.post(
            self._path,
            _form(image, self._options, boundary),
            content_type=f"multipart/form-data; boundary={boundary}",
        )
        server = self._connection.server
        if answer.status == 202:
            raise ServerBusyError(f"{server} took the page but has no reply yet (202)", status=202)
        if not answer.ok:
            raise self._connection.error(answer)
        return parse_answer(answer.json(server, is_reply=True), server, self._model)


def parse_answer(value: object, server: str, model: str) -> ModelReply:
    """The reply in an answer of the service; its finish_reason and usage may be missing.

    Args:
        value: The decoded JSON.
        server: The server's address, for messages.
        model: The model's name.

    Raises:
        ProtocolError: There is no content.
    """
    if not isinstance(value, dict) or "content" not in value:
        raise ProtocolError(
            f"the answer of {server} has no content: is it a Nemotron Parse endpoint?", retryable=True
        )
    content = value["content"]
    if content is not None and not isinstance(content, str):
        raise ProtocolError(f"the answer of {server} has a content that is no text", retryable=True)
    reason = value.get("finish_reason")
    usage = value.get("usage")
    tokens = usage.get("output_tokens") if isinstance(usage, dict) else None
    return ModelReply(
        text=content or "",
        finish_reason=reason if isinstance(reason, str) else None,
        usage=Usage(completion_tokens=token_count(tokens)),
        model=model,
    )


def _endpoint(url: str) -> tuple[str, str]:
    """The root that requests start from, and the path of the parse call after it."""
    root = server_root(url)
    if root.endswith("/parse"):
        return root.removesuffix("/parse"), "/parse"
    return root, _NIM_PATH


def _model_in(url: str) -> str:
    """The model in the path of a hosted endpoint, ``/v1/retrieval/<owner>/<model>/parse``."""
    match = _HOSTED_PATH.search(server_root(url))
    return match[1] if match else HOSTED_MODEL


async def _check_nim(connection: HttpConnection, wanted: str | None, timeout: float) -> str:
    """Whether the container can work; the name of its model.

    Gateways that pass on nothing but the parse call answer 404 here: then the first page tells.
    """
    ready = await connection.get(READY_PATH, timeout=timeout)
    if ready.status == 503:
        raise ServerBusyError(f"the NIM at {connection.server} is not ready yet", status=503)
    if not ready.ok and ready.status not in (404, 405):
        raise connection.error(ready)
    listed = await connection.get(MODELS_PATH, timeout=timeout)
    if not listed.ok:
        if listed.status in (401, 403):
            raise connection.error(listed)
        return wanted or ""
    models = list_models(listed, connection.server)
    names = [served.name for served in models]
    if wanted and names and wanted not in names:
        raise ModelNotFoundError(
            f"{connection.server} does not serve {wanted!r}; it serves {printed_names(models)}"
        )
    return wanted or (names[0] if names else "")


def _form(image: PageImage, options: bytes | None, boundary: str) -> Body:
    """The form around the picture."""
    if image.media_type not in ("image/png", "image/jpeg"):
        raise BackendError(f"the service takes PNG and JPEG, not {image.media_type}")
    extension = image.media_type.rpartition("/")[2]
    before = (
        f"--{boundary}\r\n"
        f'Content-Disposition: form-data; name="document"; filename="page.{extension}"\r\n'
        f"Content-Type: {image.media_type}\r\n\r\n"
    )
    after = f"\r\n--{boundary}--\r\n".encode()
    if options is not None:
        head = '\r\n--{}\r\nContent-Disposition: form-data; name="options"\r\nContent-Type: {}\r\n\r\n'
        after = head.format(boundary, "application/json").encode() + options + after
    return Body(before.encode(), image.data, after)


def _tell_once(url: str) -> None:
    host = host_of(url)
    if is_loopback(host) or host in _told:
        return
    _told.add(host)
    logger.warning("Pages are sent to %s: their content leaves this machine.", host)
