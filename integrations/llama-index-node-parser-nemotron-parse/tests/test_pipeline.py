"""Reader and node parser inside the real IngestionPipeline: cache, upserts, worker processes, index."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal
from zlib import crc32

import pytest
from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.readers.base import ReaderConfig
from llama_index.core.schema import MetadataMode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore
from pydantic import PrivateAttr

from llama_index.node_parser.nemotron_parse import NemotronParseNodeParser
from llama_index.readers.nemotron_parse import NemotronParseReader
from nemoparse_loaders import LayoutChunker
from nemoparse_loaders.testing import ParseServer

PARSER = NemotronParseNodeParser(max_tokens=24)


@pytest.fixture
def reader(server: ParseServer) -> NemotronParseReader:
    return NemotronParseReader(base_url=server.base_url)


def files_of(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def test_a_reader_in_the_pipeline(reader: NemotronParseReader, folder: Path) -> None:
    config = ReaderConfig(reader=reader, reader_kwargs={"file": files_of(folder)})
    pipeline = IngestionPipeline(readers=[config], transformations=[PARSER])
    nodes = pipeline.run(show_progress=False)
    assert {node.metadata["file_name"] for node in nodes} == {"a.pdf", "b.pdf", "c.pdf"}
    assert all(node.metadata["bboxes"] for node in nodes)


async def test_async(reader: NemotronParseReader, folder: Path) -> None:
    documents = await reader.aload_data(files_of(folder))
    pipeline = IngestionPipeline(transformations=[PARSER, MockEmbedding(embed_dim=4)])
    nodes = await pipeline.arun(documents=documents)
    assert all(node.embedding for node in nodes)


def test_worker_processes(reader: NemotronParseReader, folder: Path) -> None:
    documents = reader.load_data(files_of(folder))
    expected = PARSER.get_nodes_from_documents(documents)
    nodes = IngestionPipeline(transformations=[PARSER]).run(documents=documents, num_workers=2)
    assert [(node.id_, node.metadata) for node in nodes] == [(node.id_, node.metadata) for node in expected]
    for node, other in zip(nodes, expected, strict=True):
        assert node.get_content(MetadataMode.EMBED) == other.get_content(MetadataMode.EMBED)


class RecordingEmbedding(MockEmbedding):
    """Keeps what it is asked to embed."""

    _texts: list[str] = PrivateAttr(default_factory=list)

    def _get_text_embedding(self, text: str) -> list[float]:
        self._texts.append(text)
        return [float(crc32(text.encode()))]


@pytest.mark.parametrize("content", ["markdown", "text", "embed_text"])
def test_the_same_is_embedded_where_the_cache_knows_the_nodes(
    reader: NemotronParseReader,
    folder: Path,
    tmp_path: Path,
    content: Literal["markdown", "text", "embed_text"],
) -> None:
    parser = NemotronParseNodeParser(max_tokens=24, content=content)
    # Two embedders with keys of their own in the cache, so that the second is asked as well.
    first, second = RecordingEmbedding(embed_dim=1), RecordingEmbedding(embed_dim=1, model_name="other")
    pipeline = IngestionPipeline(transformations=[parser, first])
    nodes = pipeline.run(documents=reader.load_data(files_of(folder)))
    pipeline.persist(str(tmp_path / "kept"))
    other = IngestionPipeline(transformations=[parser, second])
    other.load(str(tmp_path / "kept"))
    assert [node.id_ for node in other.run(documents=reader.load_data(files_of(folder)))] == [
        node.id_ for node in nodes
    ]

    assert len(first._texts) == len(nodes)
    assert second._texts == first._texts
    again = pipeline.run(documents=reader.load_data(files_of(folder)))
    assert [(node.id_, node.embedding) for node in again] == [(node.id_, node.embedding) for node in nodes]
    assert len(first._texts) == len(nodes)
    if content != "text":
        assert all(LayoutChunker().count(text) <= 24 for text in first._texts)


def test_the_cache_tells_files_layouts_and_options_apart(
    reader: NemotronParseReader, folder: Path, server: ParseServer
) -> None:
    pipeline = IngestionPipeline(transformations=[PARSER])
    documents = reader.load_data(files_of(folder))
    first = pipeline.run(documents=documents)
    again = pipeline.run(documents=reader.load_data(files_of(folder)))
    assert [node.id_ for node in again] == [node.id_ for node in first]
    for changed in (
        reader.load_data(files_of(folder)[:1]),
        NemotronParseReader(base_url=server.base_url).load_data(files_of(folder)[1:2]),
    ):
        nodes = pipeline.run(documents=changed)
        assert {node.ref_doc_id for node in nodes} == {changed[0].id_}
    pipeline.transformations = [NemotronParseNodeParser(max_tokens=2000)]
    assert len(pipeline.run(documents=documents)) < len(first)


def test_the_cache_sees_new_boxes_under_old_text(reader: NemotronParseReader, pdf: Path) -> None:
    from nemoparse_loaders.testing import SAMPLE_PAGE

    pipeline = IngestionPipeline(transformations=[PARSER])
    old = pipeline.run(documents=reader.load_data(pdf))
    with ParseServer(replies=SAMPLE_PAGE.replace("<y_0.2617>", "<y_0.2600>")) as other:
        new = pipeline.run(documents=NemotronParseReader(base_url=other.base_url).load_data(pdf))
    assert [node.get_content() for node in new] == [node.get_content() for node in old]
    assert [node.metadata["bboxes"] for node in new] != [node.metadata["bboxes"] for node in old]


@pytest.mark.parametrize("strategy", [DocstoreStrategy.UPSERTS, DocstoreStrategy.UPSERTS_AND_DELETE])
def test_upserts_replace_a_changed_file_and_skip_the_others(
    reader: NemotronParseReader,
    folder: Path,
    make_pdf: Callable[..., bytes],
    strategy: DocstoreStrategy,
    tmp_path: Path,
) -> None:
    store = SimpleVectorStore()
    pipeline = IngestionPipeline(
        transformations=[PARSER, MockEmbedding(embed_dim=4)],
        docstore=SimpleDocumentStore(),
        docstore_strategy=strategy,
        vector_store=store,
    )

    def by_document() -> dict[str, set[str]]:
        held: dict[str, set[str]] = {}
        for node_id, document_id in store.data.text_id_to_ref_doc_id.items():
            held.setdefault(document_id, set()).add(node_id)
        return held

    assert pipeline.run(documents=reader.load_data(files_of(folder)))
    before = by_document()
    assert len(before) == 3
    assert pipeline.run(documents=reader.load_data(files_of(folder))) == []
    assert by_document() == before

    pipeline.persist(str(tmp_path / "kept"))
    pipeline.load(str(tmp_path / "kept"))
    assert pipeline.run(documents=reader.load_data(files_of(folder))) == []

    changed = folder / "b.pdf"
    changed.write_bytes(make_pdf("b", "and more"))
    [document] = reader.load_data(changed)
    nodes = pipeline.run(documents=reader.load_data(files_of(folder)))
    assert {node.ref_doc_id for node in nodes} == {document.id_}
    after = by_document()
    assert len(after[document.id_]) > len(before[document.id_])
    assert {key: ids for key, ids in after.items() if key != document.id_} == {
        key: ids for key, ids in before.items() if key != document.id_
    }


def test_an_index_on_it(reader: NemotronParseReader, folder: Path) -> None:
    documents = reader.load_data(files_of(folder))
    index = VectorStoreIndex.from_documents(
        documents, transformations=[PARSER], embed_model=MockEmbedding(embed_dim=4)
    )
    found = index.as_retriever(similarity_top_k=2).retrieve("ships")
    assert len(found) == 2
    assert found[0].node.metadata["page_number"] == 1
    index.delete_ref_doc(documents[0].id_, delete_from_docstore=True)
    left = index.as_retriever(similarity_top_k=100).retrieve("ships")
    assert {hit.node.ref_doc_id for hit in left} == {document.id_ for document in documents[1:]}


def test_without_the_node_parser(reader: NemotronParseReader, pdf: Path) -> None:
    """LlamaIndex's own splitters count metadata and raise where they fill the chunk."""
    from llama_index.core.node_parser import TokenTextSplitter

    nodes = TokenTextSplitter(chunk_size=64, chunk_overlap=0).get_nodes_from_documents(reader.load_data(pdf))
    assert nodes
    assert nodes[0].get_metadata_str() != ""
    assert nodes[0].metadata["file_name"] == "harbour.pdf"
