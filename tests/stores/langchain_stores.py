"""The stores that LangChain has a package for: how each is opened and how it wants its filters."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore

from tests.stores.corpus import DIMENSIONS, Words
from tests.stores.places import Place, installed

Opened = Iterator[VectorStore]
Conditions = Mapping[str, Any]


@contextmanager
def chroma(place: Place) -> Opened:
    import chromadb
    from langchain_chroma import Chroma

    settings = chromadb.Settings(anonymized_telemetry=False)
    with chromadb.PersistentClient(place.folder, settings=settings) as client:
        yield Chroma(place.name, Words(), client=client)


@contextmanager
def chroma_server(place: Place) -> Opened:
    import chromadb
    from langchain_chroma import Chroma

    with chromadb.HttpClient(host="127.0.0.1", port=place.chroma_port) as client:
        yield Chroma(place.name, Words(), client=client)


def chroma_filter(conditions: Conditions) -> dict[str, Any]:
    each = [{key: value} for key, value in conditions.items()]
    return {"filter": each[0] if len(each) == 1 else {"$and": each}}


@contextmanager
def qdrant(place: Place) -> Opened:
    from langchain_qdrant import QdrantVectorStore
    from qdrant_client import QdrantClient
    from qdrant_client.models import Distance, VectorParams

    client = QdrantClient(path=str(place.folder))
    if not client.collection_exists(place.name):
        client.create_collection(place.name, VectorParams(size=DIMENSIONS, distance=Distance.COSINE))
    yield QdrantVectorStore(client, place.name, Words())
    client.close()


def qdrant_filter(conditions: Conditions) -> dict[str, Any]:
    from qdrant_client.models import FieldCondition, Filter, MatchValue, Range

    def condition(key: str, value: Any) -> Any:
        if isinstance(value, float):  # it matches whole values of other types only
            return FieldCondition(key=f"metadata.{key}", range=Range(gte=value, lte=value))
        return FieldCondition(key=f"metadata.{key}", match=MatchValue(value=value))

    return {"filter": Filter(must=[condition(key, value) for key, value in conditions.items()])}


@contextmanager
def lancedb(place: Place) -> Opened:
    import lancedb
    from langchain_community.vectorstores import LanceDB

    yield LanceDB(lancedb.connect(place.folder), Words(), table_name=place.name, mode="append")


def lancedb_filter(conditions: Conditions) -> dict[str, Any]:
    def literal(value: str | float) -> str:
        return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)

    each = [f"metadata.{key} = {literal(value)}" for key, value in conditions.items()]
    return {"filter": " AND ".join(each), "prefilter": True}


@contextmanager
def milvus(place: Place) -> Opened:
    from langchain_milvus import Milvus

    store = Milvus(
        Words(),
        collection_name=place.name,
        connection_args={"uri": str(place.folder / "milvus.db")},
        index_params={"index_type": "FLAT", "metric_type": "L2"},
    )
    yield store
    store.client.close()


def milvus_filter(conditions: Conditions) -> dict[str, Any]:
    # JSON writes values as the expression language wants them.
    each = [f"{key} == {json.dumps(value, ensure_ascii=False)}" for key, value in conditions.items()]
    return {"expr": " and ".join(each)}


@contextmanager
def pgvector(place: Place) -> Opened:
    from langchain_postgres import Column, PGEngine, PGVectorStore
    from sqlalchemy.exc import ProgrammingError

    assert place.postgres is not None
    engine = PGEngine.from_connection_string(place.postgres.url("asyncpg"))
    # Its own choice is UUID, and index() makes other ids.
    id_column = Column("langchain_id", "TEXT", nullable=False)
    with suppress(ProgrammingError):  # the table is there
        engine.init_vectorstore_table(place.name, DIMENSIONS, id_column=id_column)
    yield PGVectorStore.create_sync(engine, Words(), place.name)
    asyncio.run(engine.close())


@contextmanager
def pgvector_collections(place: Place) -> Opened:
    from langchain_postgres import PGVector

    assert place.postgres is not None
    store = PGVector(
        Words(), connection=place.postgres.url("psycopg"), collection_name=place.name, use_jsonb=True
    )
    yield store
    store._engine.dispose()


def pgvector_filter(conditions: Conditions) -> dict[str, Any]:
    return {"filter": dict(conditions)}


@dataclass(frozen=True)
class Store:
    """A store under test.

    Attributes:
        name: As the documentation calls it.
        package: The distribution that connects the framework to it.
        open: Opens what is at a place, or begins it.
        filter: Arguments of ``similarity_search`` for values that metadata must have.
        adds: Keys that it puts into the metadata on the way out.
    """

    name: str
    package: str
    open: Callable[[Place], AbstractContextManager[VectorStore]]
    filter: Callable[[Conditions], dict[str, Any]]
    adds: frozenset[str] = frozenset()
    faults: Conditions = field(default_factory=dict)


def uuid_of(document: Document) -> str:
    """A key for index() that Qdrant takes: from all that a document says, as a UUID."""
    return str(uuid5(NAMESPACE_OID, document.page_content + json.dumps(document.metadata, sort_keys=True)))


STORES = [
    Store("chroma", "langchain-chroma", chroma, chroma_filter),
    Store("chroma-server", "langchain-chroma", chroma_server, chroma_filter),
    Store(
        "qdrant",
        "langchain-qdrant",
        qdrant,
        qdrant_filter,
        adds=frozenset({"_id", "_collection_name"}),
        faults={"sha256": "Qdrant takes UUIDs only as ids"},
    ),
    Store("lancedb", "langchain-community", lancedb, lancedb_filter),
    Store("pgvector", "langchain-postgres", pgvector, pgvector_filter),
    Store(
        "pgvector-collections",
        "langchain-postgres",
        pgvector_collections,
        pgvector_filter,
        faults={"two collections": "the key of its one table is the id without the collection"},
    ),
]
if not installed("llama-index-vector-stores-milvus"):
    # The two packages need different generations of pymilvus and so an environment each.
    STORES.append(Store("milvus", "langchain-milvus", milvus, milvus_filter, adds=frozenset({"pk"})))
