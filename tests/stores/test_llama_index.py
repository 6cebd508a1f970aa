"""One contract for every vector store of LlamaIndex: what goes in comes back, filters, upserts, deletes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.schema import BaseNode, MetadataMode, NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
)

from tests.stores.conftest import MARKS, expect_fault, need
from tests.stores.corpus import (
    FILTERS,
    HARD_FILTERS,
    NOTE,
    SOURCE_ID,
    Folder,
    LlamaWords,
    embedded,
    hard_chunks,
    matches,
    node_parser,
    typed,
    vector_of,
)
from tests.stores.llama_index_stores import STORES, Store
from tests.stores.places import Place

pytestmark = MARKS


@pytest.fixture(params=STORES, ids=lambda store: store.name)
def store(request: pytest.FixtureRequest) -> Store:
    store: Store = request.param
    need(store.package)
    return store


@pytest.fixture
def store_name(store: Store) -> str:
    return store.name


def found(
    store: BasePydanticVectorStore,
    conditions: dict[str, Any] | None = None,
    *,
    text: str = "boats",
    k: int = 999,
) -> list[BaseNode]:
    filters = None
    if conditions:
        filters = MetadataFilters(
            filters=[MetadataFilter(key=key, value=value) for key, value in conditions.items()]
        )
    query = VectorStoreQuery(query_embedding=vector_of(text), similarity_top_k=k, filters=filters)
    return list(store.query(query).nodes or [])


def contents(nodes: list[BaseNode]) -> dict[str, Any]:
    return {
        node.node_id: (node.get_content(MetadataMode.NONE), typed(node.metadata), node.ref_doc_id)
        for node in nodes
    }


def hard_nodes() -> list[BaseNode]:
    source = RelatedNodeInfo(node_id=SOURCE_ID)
    return embedded(
        [
            TextNode(
                id_=chunk.id,
                text=chunk.text,
                metadata=dict(chunk.metadata),
                relationships={NodeRelationship.SOURCE: source},
            )
            for chunk in hard_chunks(uuid4())
        ]
    )


def test_metadata_come_back_as_they_went_in(store: Store, place: Place) -> None:
    nodes = hard_nodes()
    expected = contents(nodes)
    with store.open(place) as opened:
        for node in nodes:
            opened.add([node])
        assert contents(found(opened)) == expected
    with store.open(place) as opened:
        assert contents(found(opened)) == expected


@pytest.mark.parametrize("name", HARD_FILTERS)
def test_filters_with_hard_values(
    store: Store, place: Place, name: str, request: pytest.FixtureRequest
) -> None:
    expect_fault(request, store.faults, name)
    key, value = HARD_FILTERS[name]
    nodes = hard_nodes()
    wanted = [node for node in nodes if node.metadata[key] == value]
    assert 0 < len(wanted) < len(nodes)
    with store.open(place) as opened:
        opened.add(nodes)
        assert contents(found(opened, {key: value})) == contents(wanted)


def test_the_chunks_of_two_documents(store: Store, place: Place, files: Folder) -> None:
    nodes = embedded(node_parser().get_nodes_from_documents(files.for_llama_index()))
    with store.open(place) as opened:
        opened.add(nodes)
        assert contents(found(opened)) == contents(nodes)
        for conditions in FILTERS:
            wanted = [node for node in nodes if matches(node.metadata, conditions)]
            assert 0 < len(wanted) < len(nodes)
            assert contents(found(opened, conditions)) == contents(wanted)
        for node in nodes[::10]:
            [nearest] = found(opened, text=node.get_content(MetadataMode.EMBED), k=1)
            assert nearest.get_content() == node.get_content()
        document_id = nodes[0].ref_doc_id
        assert document_id is not None
        opened.delete(document_id)
        left = [node for node in nodes if node.ref_doc_id != document_id]
        assert left
        assert contents(found(opened)) == contents(left)


def test_an_index_in_step_with_a_folder(
    store: Store,
    place: Place,
    files: Folder,
    make_pdf: Callable[..., bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    docstore = SimpleDocumentStore()
    added: list[str] = []
    deleted: list[str] = []

    def count_writes(kind: type[BasePydanticVectorStore]) -> None:
        add, delete = kind.add, kind.delete

        def counting_add(self: Any, nodes: Any, **options: Any) -> Any:
            added.extend(node.node_id for node in nodes)
            return add(self, nodes, **options)

        def counting_delete(self: Any, ref_doc_id: str, **options: Any) -> None:
            deleted.append(ref_doc_id)
            delete(self, ref_doc_id, **options)

        monkeypatch.setattr(kind, "add", counting_add)
        monkeypatch.setattr(kind, "delete", counting_delete)

    def index() -> dict[str, Any]:
        """Read the folder, index it through the store opened anew, and tell what the store holds then."""
        added.clear()
        deleted.clear()
        with store.open(place) as opened:
            if not counted:
                counted.append(type(opened))
                count_writes(type(opened))
            pipeline = IngestionPipeline(
                transformations=[node_parser(), LlamaWords()],
                docstore=docstore,
                docstore_strategy=DocstoreStrategy.UPSERTS,
                vector_store=opened,
            )
            pipeline.run(documents=files.for_llama_index())
            return contents(found(opened))

    counted: list[type] = []
    first = index()
    assert sorted(added) == sorted(first)
    assert index() == first
    assert (added, deleted) == ([], [])

    files.change_the_note(make_pdf)
    changed = index()
    [note_id] = {
        document.id_ for document in files.for_llama_index() if document.metadata["file_name"] == NOTE
    }
    assert deleted == [note_id]
    of_the_note = {key: value for key, value in changed.items() if value[2] == note_id}
    assert sorted(added) == sorted(of_the_note)
    assert {text for text, _, _ in of_the_note.values()}.isdisjoint(
        text for text, _, document_id in first.values() if document_id == note_id
    )
    assert {key: value for key, value in changed.items() if key not in of_the_note} == {
        key: value for key, value in first.items() if value[2] != note_id
    }


def test_the_same_chunks_in_two_collections(store: Store, place: Place) -> None:
    nodes = hard_nodes()
    for name in (place.name, f"{place.name}_b"):
        with store.open(replace(place, name=name)) as opened:
            opened.add(nodes)
            assert contents(found(opened)) == contents(nodes)
