"""Which engine a set of options means."""

from __future__ import annotations

import importlib.util
import logging
import os
from typing import Any, get_args

from pydantic import SecretStr

from ..errors import OptionError
from ..options import BackendName, ParseOptions
from .base import Backend

logger = logging.getLogger(__name__)

_ALL_WAYS = (
    "no engine to read pages with. Choose one: base_url= or NEMOTRON_PARSE_BASE_URL for your own server; "
    'backend="nvidia" with NVIDIA_API_KEY for the hosted endpoint (pages leave this machine); '
    'pip install "nemoparse-loaders[cpu]" for the embedded CPU backend'
)


def resolve_backends(options: ParseOptions, *, client: Any = None) -> tuple[Backend, ...]:
    """The engines that the options, the environment and the installed extras lead to: one a server.

    Nothing is ever sent to NVIDIA because a key lies in the environment: only ``backend="nvidia"`` or
    NEMOTRON_PARSE_BACKEND=nvidia does that.

    Args:
        options: What the caller chose.
        client: An ``openai.OpenAI`` or ``openai.AsyncOpenAI`` whose base URL, key and headers are used.

    Raises:
        OptionError: No engine can be found, or the choices exclude each other.
        MissingDependencyError: ``client`` is given and openai is not installed.
    """
    name = options.backend
    if name == "auto":
        name = _named_by_environment()
    base_url = options.base_url
    headers = dict(options.headers)
    api_key = options.api_key
    if client is not None:
        if name not in ("auto", "vllm"):
            raise OptionError(f'client= goes with backend="vllm", not {name!r}')
        if base_url is not None:
            raise OptionError("client= brings its own base URL; leave base_url= out")
        from .openai_client import settings_from_openai_client

        base_url, client_key, client_headers = settings_from_openai_client(client)
        headers = {**client_headers, **headers}
        api_key = api_key or (SecretStr(client_key) if client_key else None)
        name = "vllm"
    if base_url is None and name in ("auto", "vllm"):
        base_url = _servers_of_environment()
    if name == "auto":
        name = _best_at_hand(base_url)
    # The key of a server of one's own is not for NVIDIA, which has NVIDIA_API_KEY.
    own_key = os.environ.get("NEMOTRON_PARSE_API_KEY") if name == "vllm" else None
    if api_key is None and own_key:
        api_key = SecretStr(own_key)
    options = options.model_copy(update={"headers": headers, "api_key": api_key})
    servers = (base_url,) if base_url is None or isinstance(base_url, str) else base_url
    return tuple(_build(name, options.model_copy(update={"base_url": server})) for server in servers)


def _servers_of_environment() -> tuple[str, ...] | None:
    named = os.environ.get("NEMOTRON_PARSE_BASE_URL", "").split(",")
    return tuple(filter(None, map(str.strip, named))) or None


def _named_by_environment() -> BackendName:
    value = os.environ.get("NEMOTRON_PARSE_BACKEND", "auto")
    for name in get_args(BackendName):
        if value == name:
            found: BackendName = name
            return found
    raise OptionError(
        f"NEMOTRON_PARSE_BACKEND is {value!r}; it must be one of {', '.join(get_args(BackendName))}"
    )


def _best_at_hand(base_url: str | tuple[str, ...] | None) -> BackendName:
    if base_url is not None:
        return "vllm"
    if importlib.util.find_spec("rapidocr") and importlib.util.find_spec("rapid_layout"):
        logger.warning(
            "No server is named (base_url= or NEMOTRON_PARSE_BASE_URL), so the embedded CPU backend reads "
            "the pages. It is for trying things out and for digital PDFs; the model reads far better. "
            'Say backend="cpu" (--backend cpu) to do without this warning.'
        )
        return "cpu"
    raise OptionError(_ALL_WAYS)


def _build(name: BackendName, options: ParseOptions) -> Backend:
    if name == "cpu":
        from .cpu import CpuBackend

        options.refuse_controls("cpu", "there is no prompt: it gives what it finds")
        return CpuBackend()
    if name == "nvidia":
        from .nvidia import NvidiaBackend

        return NvidiaBackend.from_options(options)
    if options.base_url is None:
        raise OptionError(
            "no server is named: give base_url= (--base-url), such as http://localhost:8000/v1, or set "
            "NEMOTRON_PARSE_BASE_URL"
        )
    from .vllm import VllmBackend

    return VllmBackend.from_options(options)
