"""Which proxy the environment names for a server."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders.backends.proxies import _is_exempt, proxy_for
from nemoparse_loaders.errors import OptionError

PROXY = "http://proxy.example:3128"


@pytest.fixture(autouse=True)
def _proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", PROXY)


def test_by_scheme(monkeypatch: pytest.MonkeyPatch) -> None:
    assert proxy_for("https://gpu.example") == PROXY
    assert proxy_for("http://gpu.example") is None
    monkeypatch.setenv("ALL_PROXY", "other.example:80")
    assert proxy_for("http://gpu.example") == "http://other.example:80"
    assert proxy_for("https://gpu.example") == PROXY


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "127.1.2.3", "0.0.0.0"])
def test_never_for_this_machine(host: str) -> None:
    assert proxy_for(f"https://{host}:8000") is None


@pytest.mark.parametrize(
    "no_proxy",
    [
        "*",
        "gpu.example.org",
        "GPU.example.org",
        "example.org",
        ".example.org",
        "*.example.org",
        "other,gpu.example.org:8000",
        "other gpu.example.org",
        "10.0.0.0/8,::1,[bad,,:,example.org",
    ],
)
def test_exempt_by_name(monkeypatch: pytest.MonkeyPatch, no_proxy: str) -> None:
    monkeypatch.setenv("NO_PROXY", no_proxy)
    assert proxy_for("https://gpu.example.org:8000") is None


@pytest.mark.parametrize(
    "no_proxy",
    ["", "gpu", "ample.org", "gpu.example.org:9", "10.0.0.0/8", "10.0.0.0/99", "::", "[", "*x", "http://a"],
)
def test_not_exempt(monkeypatch: pytest.MonkeyPatch, no_proxy: str) -> None:
    monkeypatch.setenv("NO_PROXY", no_proxy)
    assert proxy_for("https://gpu.example.org:8000") == PROXY


@pytest.mark.parametrize(
    ("no_proxy", "host", "exempt"),
    [
        ("10.0.0.0/8", "10.20.30.40", True),
        ("10.0.0.0/8", "11.20.30.40", False),
        ("10.0.0.7", "10.0.0.7", True),
        ("10.0.0.7/255.0.0.0", "10.9.9.9", True),
        ("fd00::/8", "fd12::1", True),
        ("[fd12::1]", "fd12::1", True),
        ("fd12::1", "fd12::2", False),
        ("10.0.0.7:8000", "10.0.0.7", True),
        ("10.0.0.7:80", "10.0.0.7", False),
        ("10.", "10.0.0.7", False),
    ],
)
def test_exempt_by_address(no_proxy: str, host: str, exempt: bool) -> None:
    assert _is_exempt(host, 8000, no_proxy) is exempt


@given(st.text(alphabet="*.:,/[] 0123456789abcx-", max_size=30))
def test_no_value_of_no_proxy_is_fatal(no_proxy: str) -> None:
    _is_exempt("10.0.0.7", 8000, no_proxy)
    _is_exempt("gpu.example.org", None, no_proxy)


def test_socks_is_said_to_be_unsupported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "socks5://user:secret@proxy:1080")
    with pytest.raises(OptionError, match="socks5") as caught:
        proxy_for("https://gpu.example")
    assert "secret" not in str(caught.value)
