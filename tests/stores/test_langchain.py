"""One contract for every vector store of LangChain: what goes in comes back, filters, index(), deletes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from langchain_core.documents import Document
from langchain_core.indexing import IndexingResult, InMemoryRecordManager, index
from langchain_core.vectorstores import VectorStore

from tests.stores.conftest import MARKS, expect_fault, need
from tests.stores.corpus import FILTERS, HARD_FILTERS, NOTE, Folder, hard_chunks, matches, typed
from tests.stores.langchain_stores import STORES, Store, uuid_of
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


def found(store: VectorStore, *, text: str = "boats", k: int = 999, **options: Any) -> list[Document]:
    return store.similarity_search(text, k=k, **options)


def contents(documents: list[Document], without: frozenset[str] = frozenset()) -> dict[str, Any]:
    """What is known of each chunk, by the id that it has in its metadata."""
    held = {
        document.metadata["chunk_id"]: (document.page_content, typed(document.metadata, without))
        for document in documents
    }
    assert len(held) == len(documents)
    return held


def ids(documents: list[Document]) -> list[str]:
    return [document.metadata["chunk_id"] for document in documents]


def hard_documents() -> list[Document]:
    """With new ids, so that no test meets another's chunks."""
    return [
        Document(id=chunk.id, page_content=chunk.text, metadata=dict(chunk.metadata))
        for chunk in hard_chunks(uuid4())
    ]


def test_metadata_come_back_as_they_went_in(store: Store, place: Place) -> None:
    documents = hard_documents()
    with store.open(place) as opened:
        for document in documents:
            opened.add_documents([document], ids=ids([document]))
        assert contents(found(opened), store.adds) == contents(documents)
    with store.open(place) as opened:
        assert contents(found(opened), store.adds) == contents(documents)


@pytest.mark.parametrize("name", [*HARD_FILTERS, "boolean"])
def test_filters_with_hard_values(
    store: Store, place: Place, name: str, request: pytest.FixtureRequest
) -> None:
    expect_fault(request, store.faults, name)
    key, value = HARD_FILTERS.get(name, ("is_partial", True))
    documents = hard_documents()
    wanted = [document for document in documents if document.metadata[key] == value]
    assert 0 < len(wanted) < len(documents)
    with store.open(place) as opened:
        opened.add_documents(documents, ids=ids(documents))
        assert contents(found(opened, **store.filter({key: value})), store.adds) == contents(wanted)


def test_the_chunks_of_two_documents(store: Store, place: Place, files: Folder) -> None:
    documents = files.for_langchain()
    with store.open(place) as opened:
        opened.add_documents(documents, ids=ids(documents))
        assert contents(found(opened), store.adds) == contents(documents)
        for conditions in FILTERS:
            wanted = [document for document in documents if matches(document.metadata, conditions)]
            assert 0 < len(wanted) < len(documents)
            assert contents(found(opened, **store.filter(conditions)), store.adds) == contents(wanted)
        for document in documents[::10]:
            [nearest] = found(opened, text=document.page_content, k=1)
            assert nearest.page_content == document.page_content
        doc_id = documents[0].metadata["doc_id"]
        gone = [document for document in documents if document.metadata["doc_id"] == doc_id]
        opened.delete(ids(gone))
        left = [document for document in documents if document.metadata["doc_id"] != doc_id]
        assert left
        assert contents(found(opened), store.adds) == contents(left)


def test_an_index_in_step_with_a_folder(
    store: Store, place: Place, files: Folder, make_pdf: Callable[..., bytes]
) -> None:
    records = InMemoryRecordManager("chunks")
    records.create_schema()

    def indexed() -> tuple[IndexingResult, dict[str, Any]]:
        """Read the folder, index it through the store opened anew, and tell what the store holds then."""
        with store.open(place) as opened:
            counts = index(
                files.for_langchain(),
                records,
                opened,
                cleanup="scoped_full",
                source_id_key="source",
                key_encoder=uuid_of,
            )
            return counts, contents(found(opened), store.adds)

    counts, first = indexed()
    assert counts == {"num_added": len(first), "num_updated": 0, "num_skipped": 0, "num_deleted": 0}
    counts, again = indexed()
    assert counts == {"num_added": 0, "num_updated": 0, "num_skipped": len(first), "num_deleted": 0}
    assert again == first

    files.change_the_note(make_pdf)
    counts, changed = indexed()
    of_the_note = {key for key, (_, metadata) in changed.items() if metadata["file_name"][1] == NOTE}
    before = {key for key, (_, metadata) in first.items() if metadata["file_name"][1] == NOTE}
    assert counts == {
        "num_added": len(of_the_note),
        "num_updated": 0,
        "num_skipped": len(first) - len(before),
        "num_deleted": len(before),
    }
    assert {changed[key][0] for key in of_the_note}.isdisjoint(first[key][0] for key in before)
    assert {key: value for key, value in changed.items() if key not in of_the_note} == {
        key: value for key, value in first.items() if key not in before
    }


def test_hashes_as_ids(store: Store, place: Place, request: pytest.FixtureRequest) -> None:
    expect_fault(request, store.faults, "sha256")
    documents = hard_documents()
    with store.open(place) as opened:
        index(documents, InMemoryRecordManager("chunks"), opened, key_encoder="sha256")
        assert contents(found(opened), store.adds) == contents(documents)


def test_the_same_chunks_in_two_collections(
    store: Store, place: Place, request: pytest.FixtureRequest
) -> None:
    expect_fault(request, store.faults, "two collections")
    documents = hard_documents()
    for name in (place.name, f"{place.name}_b"):
        with store.open(replace(place, name=name)) as opened:
            opened.add_documents(documents, ids=ids(documents))
            assert contents(found(opened), store.adds) == contents(documents)
