"""Which proxy a request goes through: what the environment says, read leniently, never for this machine."""

from __future__ import annotations

import ipaddress
import re
import urllib.request
from urllib.parse import urlsplit

from ..errors import OptionError
from .addresses import is_loopback


def proxy_for(url: str) -> str | None:
    """The proxy that the environment (or the system's settings) names for a URL, or None.

    Args:
        url: The http(s) URL of the server.

    Raises:
        OptionError: The proxy is of a kind that cannot be used here (SOCKS).
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if is_loopback(host):
        return None
    proxies = urllib.request.getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or _is_exempt(host, parts.port, proxies.get("no", "")):
        return None
    # The system's own list of exceptions (macOS, Windows); on other systems NO_PROXY once more.
    if urllib.request.proxy_bypass(host):
        return None
    if "://" not in proxy:
        proxy = f"http://{proxy}"
    try:
        scheme = urlsplit(proxy).scheme
    except ValueError:
        raise OptionError(f"the environment names a proxy for {host} that is no URL") from None
    if scheme not in ("http", "https"):
        raise OptionError(
            f"the environment names a {scheme} proxy for {host}; only http and https proxies work. "
            "Name the host in NO_PROXY to reach it directly."
        )
    return proxy


def _is_exempt(host: str, port: int | None, no_proxy: str) -> bool:
    """Whether NO_PROXY names the host; entries that make no sense are skipped."""
    return any(_names(entry, host, port) for entry in re.split(r"[,\s]+", no_proxy) if entry)


def _names(entry: str, host: str, port: int | None) -> bool:
    if entry == "*":
        return True
    entry = entry.lower()
    address = _address(host)
    if address is not None:
        try:
            return address in ipaddress.ip_network(entry.strip("[]"), strict=False)
        except ValueError:
            pass
    name, colon, entry_port = entry.rpartition(":")
    if colon and entry_port.isdigit() and "/" not in name:
        # "::1" is an address, not host ":" with port 1.
        if name.endswith(":") or int(entry_port) != port:
            return False
        entry = name
    entry = entry.strip("[]").removeprefix("*").lstrip(".")
    return bool(entry) and (host == entry or host.endswith("." + entry))


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
