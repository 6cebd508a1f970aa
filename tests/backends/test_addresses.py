"""What people type as a server's address."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders.backends.addresses import host_of, is_loopback, server_root, shown
from nemoparse_loaders.errors import OptionError


@pytest.mark.parametrize(
    ("typed", "root"),
    [
        ("http://gpu:8000", "http://gpu:8000"),
        ("http://gpu:8000/", "http://gpu:8000"),
        ("http://gpu:8000/v1", "http://gpu:8000"),
        ("http://gpu:8000/v1/", "http://gpu:8000"),
        ("http://gpu:8000/v1/chat/completions", "http://gpu:8000"),
        ("http://gpu:8000/v1/models", "http://gpu:8000"),
        ("http://gpu:8000/v1/parse", "http://gpu:8000"),
        ("https://gate.example/teams/ocr/v1", "https://gate.example/teams/ocr"),
        ("https://gate.example/parse", "https://gate.example/parse"),
        ("http://u:p@gpu/v1#y", "http://u:p@gpu"),
        ("http://[::1]:8000/v1", "http://[::1]:8000"),
    ],
)
def test_server_root(typed: str, root: str) -> None:
    assert server_root(typed) == root
    assert server_root(root) == root


@given(st.text(max_size=40))
def test_any_text_is_an_address_or_an_option_error(typed: str) -> None:
    try:
        root = server_root(typed)
    except OptionError:
        return
    assert root.startswith(("http://", "https://"))
    assert "?" not in root


def test_shown_hides_the_password() -> None:
    assert shown("https://user:secret@host:1/v1/?key=secret") == "https://host:1/v1"


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST.", "api.localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]", "0.0.0.0"]
)
def test_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", ["", "gpu", "10.0.0.1", "localhost.example.org", "127.0.0.1.example.org", "::2"]
)
def test_no_loopback(host: str) -> None:
    assert not is_loopback(host)


def test_host_of() -> None:
    assert host_of("https://user@API.Example.org:8/v1") == "api.example.org"


def test_a_query_is_refused_and_not_shown() -> None:
    with pytest.raises(OptionError, match="query") as caught:
        server_root("http://gpu/v1?key=not-a-real-key")
    assert "not-a-real-key" not in str(caught.value)
