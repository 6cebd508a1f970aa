"""Server addresses: what people type, made one; how to print them; which stay on this machine."""

from __future__ import annotations

import ipaddress
from urllib.parse import SplitResult, urlsplit, urlunsplit

from ..errors import OptionError

# What people paste from examples; the part before it is the server.
_KNOWN_ENDINGS = ("/chat/completions", "/completions", "/models", "/parse")


def server_root(base_url: str) -> str:
    """The address that ``/v1/...`` is put after.

    Args:
        base_url: With or without ``/v1``, with or without the path of an endpoint behind it.

    Raises:
        OptionError: It is no http(s) URL, or it has a query, which would be lost.
    """
    parts = _split(base_url)
    if parts.query:
        raise OptionError(
            "base_url has a query (?...), which its paths would lose: give a key as api_key= or headers="
        )
    path = parts.path.rstrip("/")
    for ending in _KNOWN_ENDINGS:
        if path.endswith("/v1" + ending):
            path = path[: -len(ending)]
    return urlunsplit((parts.scheme, parts.netloc, path.removesuffix("/v1").rstrip("/"), "", ""))


def shown(url: str) -> str:
    """The address as it may be printed: no user name, no password, no query."""
    parts = _split(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", ""))


def is_loopback(host: str) -> bool:
    """Whether the host is this machine itself, by its name or number; nothing is looked up."""
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    # 0.0.0.0 is what servers print as their address; as a target it means this machine.
    return address.is_loopback or address.is_unspecified


def host_of(url: str) -> str:
    """The host name or number in an http(s) URL."""
    return _split(url).hostname or ""


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        # Reading the port checks it.
        _ = parts.port
    except ValueError:
        usable = False
    if not usable:
        raise OptionError("base_url must be an http(s) URL such as http://localhost:8000/v1")
    return parts
