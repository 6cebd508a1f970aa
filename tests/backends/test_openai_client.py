"""Settings out of a caller's own openai client."""

from __future__ import annotations

import sys

import openai
import pytest

from nemoparse_loaders.backends.openai_client import settings_from_openai_client
from nemoparse_loaders.errors import MissingDependencyError, OptionError

KEY = "sk-a-secret-key"


@pytest.mark.parametrize("kind", [openai.OpenAI, openai.AsyncOpenAI])
def test_settings(kind: type[openai.OpenAI]) -> None:
    client = kind(
        api_key=KEY,
        base_url="http://gpu:8000/v1",
        default_headers={"X-Team": "archive", "User-Agent": "mine/1"},
    )
    settings = settings_from_openai_client(client)
    assert settings == (
        "http://gpu:8000/v1",
        KEY,
        {"X-Team": "archive", "User-Agent": "mine/1"},
    )
    assert KEY not in repr(settings)


def test_organization_is_kept_and_the_sdk_is_not_named() -> None:
    client = openai.OpenAI(api_key=KEY, base_url="http://gpu", organization="org-1")
    assert settings_from_openai_client(client).headers == {"OpenAI-Organization": "org-1"}


def test_empty_key() -> None:
    client = openai.OpenAI(api_key=KEY, base_url="http://gpu")
    client.api_key = ""
    assert settings_from_openai_client(client).api_key is None


@pytest.mark.parametrize(
    "client",
    [
        "http://gpu:8000",
        openai.OpenAI(api_key=lambda: KEY, base_url="http://gpu"),
        openai.OpenAI(api_key=KEY, base_url="http://gpu", default_query={"api-version": "1"}),
        openai.AzureOpenAI(api_key=KEY, azure_endpoint="https://x.example", api_version="1"),
    ],
    ids=["text", "function", "query", "azure"],
)
def test_clients_that_cannot_be_used(client: object) -> None:
    with pytest.raises(OptionError, match="client="):
        settings_from_openai_client(client)


def test_openai_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingDependencyError, match=r"nemoparse-loaders\[openai\]"):
        settings_from_openai_client(object())
