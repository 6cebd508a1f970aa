"""What a store is opened with, and whether its package is there."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from tests.stores.servers import Postgres


@dataclass(frozen=True)
class Place:
    """Where the data of one test is kept.

    Attributes:
        folder: For stores in this process; empty at first.
        name: Of the collection or table, used by this test only.
        chroma_port: Of Chroma's server; 0 where the store needs none.
        postgres: None where the store needs none.
    """

    folder: Path
    name: str
    chroma_port: int = 0
    postgres: Postgres | None = None


def installed(package: str) -> bool:
    """Whether a distribution is in this environment."""
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True
