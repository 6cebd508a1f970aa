"""The settings that a caller's own ``openai`` client holds: address, key, headers."""

from __future__ import annotations

from typing import NamedTuple

from ..errors import MissingDependencyError, OptionError

# What the SDK says about itself and about bodies; ours are other requests.
_SDK_HEADERS = frozenset({"accept", "content-type", "authorization"})


class ClientSettings(NamedTuple):
    """What a client is set to.

    Attributes:
        base_url: Its server.
        api_key: Its key, or None.
        headers: The headers that its owner added.
    """

    base_url: str
    api_key: str | None
    headers: dict[str, str]

    def __repr__(self) -> str:
        return f"ClientSettings(base_url={self.base_url!r}, api_key=***, headers=***)"


def settings_from_openai_client(client: object) -> ClientSettings:
    """Read the settings of an ``openai.OpenAI`` or ``openai.AsyncOpenAI``; the client itself is left alone.

    Raises:
        MissingDependencyError: openai is not installed.
        OptionError: It is something else, or it needs what plain requests cannot do (Azure deployments, a
            key from a function, a query in every address).
    """
    try:
        import openai
    except ImportError as error:
        raise MissingDependencyError(
            'client= needs the openai package: pip install "nemoparse-loaders[openai]"'
        ) from error
    if not isinstance(client, (openai.OpenAI, openai.AsyncOpenAI)):
        raise OptionError(f"client= takes an openai.OpenAI or AsyncOpenAI, not {type(client).__name__}")
    if isinstance(client, (openai.AzureOpenAI, openai.AsyncAzureOpenAI)):
        raise OptionError("client=: Azure deployments are not supported; give base_url= and api_key=")
    # No public name tells a client whose key comes from a function, and not every version knows the others.
    for name in ("_api_key_provider", "workload_identity", "_provider"):
        if getattr(client, name, None) is not None:
            raise OptionError(
                "client=: only a client with a plain key can be used; give base_url= and api_key="
            )
    if client.default_query:
        raise OptionError("client=: default_query is not supported; put what it holds into headers=")
    return ClientSettings(str(client.base_url).rstrip("/"), client.api_key or None, _own_headers(client))


def _own_headers(client: object) -> dict[str, str]:
    headers = {}
    for name, value in getattr(client, "default_headers", {}).items():
        lower = name.lower()
        if lower in _SDK_HEADERS or lower.startswith("x-stainless-") or not isinstance(value, str):
            continue
        if lower == "user-agent" and "OpenAI/Python" in value:
            continue
        headers[name] = value
    return headers
