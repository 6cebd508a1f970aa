"""The stores that LlamaIndex has a package for: how each is opened."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

from llama_index.core.vector_stores.types import BasePydanticVectorStore

from tests.stores.corpus import DIMENSIONS
from tests.stores.places import Place, installed

Opened = Iterator[BasePydanticVectorStore]


@contextmanager
def chroma(place: Place) -> Opened:
    import chromadb
    from llama_index.vector_stores.chroma import ChromaVectorStore

    settings = chromadb.Settings(anonymized_telemetry=False)
    with chromadb.PersistentClient(place.folder, settings=settings) as client:
        yield ChromaVectorStore(chroma_collection=client.get_or_create_collection(place.name))


@contextmanager
def chroma_server(place: Place) -> Opened:
    import chromadb
    from llama_index.vector_stores.chroma import ChromaVectorStore

    with chromadb.HttpClient(host="127.0.0.1", port=place.chroma_port) as client:
        yield ChromaVectorStore(chroma_collection=client.get_or_create_collection(place.name))


@contextmanager
def qdrant(place: Place) -> Opened:
    from llama_index.vector_stores.qdrant import QdrantVectorStore
    from qdrant_client import QdrantClient

    client = QdrantClient(path=str(place.folder))
    yield QdrantVectorStore(place.name, client=client)
    client.close()


@contextmanager
def lancedb(place: Place) -> Opened:
    from llama_index.vector_stores.lancedb import LanceDBVectorStore

    yield LanceDBVectorStore(str(place.folder), table_name=place.name)


@contextmanager
def milvus(place: Place) -> Opened:
    from llama_index.vector_stores.milvus import MilvusVectorStore

    store = MilvusVectorStore(
        str(place.folder / "milvus.db"), collection_name=place.name, dim=DIMENSIONS, use_async_client=False
    )
    yield store
    store.client.close()


@contextmanager
def pgvector(place: Place) -> Opened:
    from llama_index.vector_stores.postgres import PGVectorStore

    assert place.postgres is not None
    store = PGVectorStore.from_params(
        connection_string=place.postgres.url("psycopg2"),
        async_connection_string=place.postgres.url("asyncpg"),
        table_name=place.name,
        embed_dim=DIMENSIONS,
    )
    yield store
    store._engine.dispose()


@dataclass(frozen=True)
class Store:
    """A store under test.

    Attributes:
        name: As the documentation calls it.
        package: The distribution that connects the framework to it.
        open: Opens what is at a place, or begins it.
        faults: What the package gets wrong: the case, and why.
    """

    name: str
    package: str
    open: Callable[[Place], AbstractContextManager[BasePydanticVectorStore]]
    faults: Mapping[str, str] = field(default_factory=dict)


_IN_QUOTES = "it writes the value between quotes as it is"
_AS_NUMBER = "it reads the value as a number, and then what every chunk has under the key"

STORES = [
    Store("chroma", "llama-index-vector-stores-chroma", chroma),
    Store("chroma-server", "llama-index-vector-stores-chroma", chroma_server),
    Store("qdrant", "llama-index-vector-stores-qdrant", qdrant),
    Store(
        "lancedb",
        "llama-index-vector-stores-lancedb",
        lancedb,
        {"apostrophe": _IN_QUOTES, "quotes and backslash": _IN_QUOTES},
    ),
    Store(
        "pgvector",
        "llama-index-vector-stores-postgres",
        pgvector,
        {
            "digits": _AS_NUMBER,
            "number as a word": _AS_NUMBER,
            "apostrophe": _IN_QUOTES,
            "quotes and backslash": _IN_QUOTES,
        },
    ),
]
if not installed("langchain-milvus"):
    # The two packages need different generations of pymilvus and so an environment each.
    STORES.append(
        Store("milvus", "llama-index-vector-stores-milvus", milvus, {"quotes and backslash": _IN_QUOTES})
    )
