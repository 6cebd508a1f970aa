"""Versions of installed packages."""

from __future__ import annotations

from functools import lru_cache
from importlib import metadata


@lru_cache(maxsize=16)
def package_version(name: str) -> str:
    """The version of an installed distribution; "0" where it is not installed under that name."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "0"
