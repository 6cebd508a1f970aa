"""VllmBackend: pages through a vLLM server's chat completions."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue, SecretStr

from ..document import Usage
from ..errors import BackendError, OptionError, ProtocolError
from ..options import ParseOptions
from ..profiles import Profile, ProfileName, PromptControls, get_profile, profile_for_model
from ..rendering.page_image import PageImage
from .addresses import server_root, shown
from .base import ModelReply, ServerLoad, token_count
from .body import Body
from .served_models import ServedModel, find_model
from .vllm_metrics import METRICS_PATH, holds_load, parse_load

if TYPE_CHECKING:
    from .http import HttpAnswer, HttpConnection

logger = logging.getLogger(__name__)

CHAT_PATH = "/v1/chat/completions"

# vLLM's own loop detector: it stops a reply whose last tokens are one pattern, min_count times over. Legal
# pages repeat as well (leaders of dots, forty empty table rows), so it waits far longer than those.
LOOP_DETECTOR: Mapping[str, int] = {"min_pattern_size": 1, "max_pattern_size": 32, "min_count": 150}

# A loop is left by other sampling. The older generations decode greedily (top_k 1), where no seed has an
# effect: for a second reading they take the mild sampling of 3.5.
_REREAD_TEMPERATURE = 0.2
_REREAD_TOP_K = 50
_REREAD_PENALTY = 1.1

_MODELS_SECONDS = 30.0
_METRICS_SECONDS = 2.0
# Stands for the picture while the rest of the body is made.
_PICTURE = "@picture@"
_OURS = frozenset({"messages", "stream"})


@dataclass(frozen=True, repr=False)
class VllmBackend:
    """Configuration of a vLLM server; pickles, and belongs to no event loop.

    Attributes:
        base_url: The server, with or without ``/v1``.
        api_key: Sent as a bearer token.
        model: Served model name; None for the one that the server lists.
        profile: Model generation; None where the model's name tells it.
        headers: Further HTTP headers for every request.
        request_options: Members put into the body of every page request, over our own.
        timeout: Seconds for one request, from its first byte to the last of the answer.
        max_tokens: Longest reply; None for the profile's. The server's context caps it.
        max_concurrency: Requests in flight that suit one GPU; more doubles the wait for a tenth more pages.
        requests_per_minute: Most requests a minute; None for no limit.
        controls: What pages are asked for.
    """

    base_url: str
    api_key: SecretStr | None = None
    model: str | None = None
    profile: ProfileName | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    request_options: Mapping[str, JsonValue] = field(default_factory=dict)
    timeout: float = 120.0
    max_tokens: int | None = None
    max_concurrency: int = 64
    requests_per_minute: int | None = None
    controls: PromptControls = field(default_factory=PromptControls)

    def __post_init__(self) -> None:
        server_root(self.base_url)
        for key in sorted(_OURS & self.request_options.keys()):
            raise OptionError(f"request_options: {key!r} cannot be set, the reply depends on it")

    def __repr__(self) -> str:
        # No key, no headers, no password in the address.
        address = shown(self.base_url)
        return f"VllmBackend(base_url={address!r}, model={self.model!r}, profile={self.profile!r})"

    @classmethod
    def from_options(cls, options: ParseOptions) -> VllmBackend:
        """The backend that the options describe.

        Raises:
            OptionError: There is no ``base_url``, or a value cannot work.
        """
        if not isinstance(options.base_url, str):
            raise OptionError("a vLLM backend needs one base_url=; DocumentParser takes several")
        return cls(
            base_url=options.base_url,
            api_key=options.api_key,
            model=options.model,
            profile=options.profile,
            headers=dict(options.headers),
            request_options=dict(options.request_options),
            timeout=options.timeout,
            max_tokens=options.max_tokens,
            requests_per_minute=options.requests_per_minute,
            controls=options.controls,
            **({} if options.max_concurrency is None else {"max_concurrency": options.max_concurrency}),
        )

    @property
    def name(self) -> str:
        """Goes into documents as ``parser``."""
        return "vllm"

    @property
    def needs_text_layer(self) -> bool:
        """The model reads the picture alone."""
        return False

    def connect(self) -> HttpConnection:
        """A connection to the server, to be opened with ``async with``; nothing is asked yet."""
        # aiohttp is heavy, and a parser that is only configured does not need it.
        from .http import HttpConnection

        root = server_root(self.base_url)
        return HttpConnection(root, api_key=self.api_key, headers=self.headers, timeout=self.timeout)

    @asynccontextmanager
    async def session(self) -> AsyncIterator[VllmSession]:
        """Connect and find the model.

        Raises:
            AuthenticationError: The key is refused.
            ModelNotFoundError: The model is not served, or none can be chosen.
            ServerFailedError: Nobody listens there.
            BackendError: Anything else in the way.
            OptionError: The model's generation cannot do what is asked for.
        """
        async with self.connect() as connection:
            served = await find_model(connection, self.model, min(self.timeout, _MODELS_SECONDS))
            # A name such as "nemotron-parse" says nothing; the path it was loaded from often does.
            profile = (
                get_profile(self.profile)
                if self.profile
                else profile_for_model(f"{served.name}\n{served.root}")
            )
            task = profile.task_for(self.controls)
            yield VllmSession(connection, served, profile, task, self.max_tokens, self.request_options)


class VllmSession:
    """An open connection to a server whose model is known."""

    def __init__(
        self,
        connection: HttpConnection,
        served: ServedModel,
        profile: Profile,
        task: str,
        max_tokens: int | None,
        request_options: Mapping[str, JsonValue],
    ) -> None:
        self._connection = connection
        self._profile = profile
        self._task = task
        self._served = served
        wanted = max_tokens or profile.max_output_tokens
        # The server cuts prompt + max_tokens down by itself, but refuses a max_tokens above its context.
        self.max_tokens = min(wanted, served.context_tokens or wanted)
        self._options = dict(request_options)
        self._asks_loop_detector = "repetition_detection" not in self._options
        self._frames: dict[tuple[str, str, int], tuple[bytes, bytes]] = {}
        self._tells_load = True
        # From the very body that is sent, so that nothing which shapes a reply is forgotten; taken now, since
        # a server that knows no loop detector is found out about only later.
        shaping = self._body(_PICTURE, task)
        shaping["messages"] = [task]
        self._fingerprint = json.dumps(
            {"engine": "vllm", "profile": profile.name, **shaping}, sort_keys=True, separators=(",", ":")
        )

    @property
    def profile(self) -> Profile:
        """The generation of the model that answers."""
        return self._profile

    @property
    def model(self) -> str:
        """The model's served name."""
        return self._served.name

    @property
    def context_tokens(self) -> int | None:
        """Prompt and reply together, or None where the server does not say."""
        return self._served.context_tokens

    @property
    def fingerprint(self) -> str:
        """What shapes a reply: model, profile, task, limit, sampling, request options; as canonical JSON."""
        return self._fingerprint

    async def read(self, image: PageImage) -> ModelReply:
        """Read one page: one request.

        Raises:
            BackendError: There was no reply; ``retryable`` says whether to try again.
        """
        return await self._read(image, self._task, 0)

    async def reread(self, image: PageImage, attempt: int) -> ModelReply:
        """Read a page again after a reply that looped or was cut: the same request with other sampling.

        Args:
            image: The page.
            attempt: From 1; each takes another seed.

        Raises:
            BackendError: As `read`.
        """
        return await self._read(image, self._task, attempt)

    async def detect(self, image: PageImage) -> ModelReply:
        """Ask for the regions of a page alone: one request, which differs from `read` in its task only.

        Raises:
            BackendError: As `read`.
            OptionError: The generation has no such task.
        """
        if not self._profile.detection_task:
            raise OptionError(f"generation {self._profile.name} has no task for detection alone")
        return await self._read(image, self._profile.detection_task, 0)

    async def load(self) -> ServerLoad | None:
        """Ask for the server's queue; None where it does not say. One that refuses is not asked again."""
        if not self._tells_load:
            return None
        try:
            answer = await self._connection.get(METRICS_PATH, timeout=_METRICS_SECONDS)
        except BackendError:
            return None
        if answer.ok and holds_load(answer.body):
            return parse_load(answer.body)
        if answer.status < 500 and answer.status not in (408, 425, 429):
            self._tells_load = False
        return None

    async def _read(self, image: PageImage, task: str, attempt: int) -> ModelReply:
        answer = await self._ask(image, task, attempt)
        if self._refuses_loop_detector(answer):
            answer = await self._ask(image, task, attempt)
        if not answer.ok:
            raise self._connection.error(answer)
        server = self._connection.server
        return parse_completion(answer.json(server, is_reply=True), server, self.model)

    async def _ask(self, image: PageImage, task: str, attempt: int) -> HttpAnswer:
        before, after = self._frame(image.media_type, task, attempt)
        body = Body(before, image.data, after, is_base64=True)
        return await self._connection.post(CHAT_PATH, body, content_type="application/json")

    def _frame(self, media_type: str, task: str, attempt: int) -> tuple[bytes, bytes]:
        """The body before and after the picture: json.dumps over a megabyte of base64 would cost more."""
        frame = self._frames.get((media_type, task, attempt))
        if frame is None:
            body = self._body(f"data:{media_type};base64,{_PICTURE}", task)
            if attempt:
                body |= other_sampling(body, self._options, attempt)
            before, _, after = json.dumps(body, separators=(",", ":")).partition(_PICTURE)
            frame = self._frames[media_type, task, attempt] = before.encode(), after.encode()
        return frame

    def _body(self, url: str, task: str) -> dict[str, Any]:
        body: dict[str, Any] = {
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {"type": "image_url", "image_url": {"url": url}},
                        {"type": "text", "text": task},
                    ],
                }
            ],
            "model": self.model,
            "max_tokens": self.max_tokens,
            # Left out, every layout token vanishes and the server still answers 200.
            "skip_special_tokens": False,
            **self._profile.sampling,
        }
        if self._asks_loop_detector:
            body["repetition_detection"] = dict(LOOP_DETECTOR)
        return {**body, **self._options}

    def _refuses_loop_detector(self, answer: HttpAnswer) -> bool:
        """Whether the server is one that knows no loop detector and refuses what it does not know."""
        if answer.status not in (400, 422) or b"repetition_detection" not in answer.body:
            return False
        if "repetition_detection" in self._options:
            return False
        if self._asks_loop_detector:
            self._asks_loop_detector = False
            self._frames.clear()
            logger.info("%s knows no loop detector; going on without", self._connection.server)
        # Also for a request that was already on its way when another one found out.
        return True


def other_sampling(
    body: Mapping[str, object], own: Mapping[str, JsonValue], attempt: int
) -> dict[str, float | int]:
    """What a second reading of a page asks for in place of the first one's sampling.

    Args:
        body: The body of the first request.
        own: What the user fixed in it: temperature and top_k stay as they say, a seed is counted up from
            theirs, a larger penalty is kept.
        attempt: From 1.
    """
    changed: dict[str, float | int] = {"seed": int(_number(own.get("seed"))) + attempt}
    penalty = _number(body.get("repetition_penalty"))
    if penalty < _REREAD_PENALTY:
        changed["repetition_penalty"] = _REREAD_PENALTY
    if "temperature" not in own:
        changed["temperature"] = max(_REREAD_TEMPERATURE, _number(body.get("temperature")))
    if "top_k" not in own and body.get("top_k") == 1:
        changed["top_k"] = _REREAD_TOP_K
    return changed


def _number(value: object) -> float:
    return value if isinstance(value, (int, float)) else 0.0


def parse_completion(value: object, server: str, model: str) -> ModelReply:
    """The reply in a chat completion.

    Args:
        value: The decoded JSON.
        server: The server's address, for messages.
        model: The name to use where the answer has none.

    Raises:
        ProtocolError: It is no chat completion.
    """
    members = value if isinstance(value, dict) else {}
    choices = members.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise ProtocolError(
            f"the answer of {server} has no choices[0].message: it is no chat completion", retryable=True
        )
    content = message.get("content") or _tool_arguments(message.get("tool_calls"))
    if content is not None and not isinstance(content, str):
        raise ProtocolError(f"the answer of {server} has a content that is no text", retryable=True)
    reason = choice.get("finish_reason")
    name = members.get("model")
    return ModelReply(
        text=content or "",
        finish_reason=reason if isinstance(reason, str) else None,
        usage=_usage(members.get("usage")),
        model=name if isinstance(name, str) and name else model,
    )


def _tool_arguments(calls: object) -> object:
    """What the chat API of generation 1.1 answers in place of text; decoding reads it."""
    call = calls[0] if isinstance(calls, list) and calls else None
    function = call.get("function") if isinstance(call, dict) else None
    return function.get("arguments") if isinstance(function, dict) else None


def _usage(value: object) -> Usage:
    counts = value if isinstance(value, dict) else {}
    prompt, completion = counts.get("prompt_tokens"), counts.get("completion_tokens")
    return Usage(prompt_tokens=token_count(prompt), completion_tokens=token_count(completion))
