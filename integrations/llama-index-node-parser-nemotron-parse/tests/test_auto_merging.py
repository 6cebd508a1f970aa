"""AutoMergingRetriever over the sections and pages that the node parser makes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal
from zlib import crc32

import pytest
from llama_index.core import StorageContext, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.retrievers import AutoMergingRetriever, VectorIndexRetriever
from llama_index.core.schema import BaseNode, NodeWithScore
from llama_index.core.storage.docstore import SimpleDocumentStore

from llama_index.node_parser.nemotron_parse import NemotronParseNodeParser
from llama_index.readers.nemotron_parse import NemotronParseReader
from nemoparse_loaders.testing import ParseServer


class WordsEmbedding(BaseEmbedding):
    """The words of a text, counted in buckets by their checksums."""

    def _get_text_embedding(self, text: str) -> list[float]:
        vector = [0.0] * 64
        for word in re.findall("[a-z]+", text.lower()):
            vector[crc32(word.encode()) % 64] += 1.0
        return vector

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


@pytest.mark.parametrize("persisted", [False, True])
@pytest.mark.parametrize("parents", ["section", "page"])
def test_chunks_are_merged_into_their_parent(
    server: ParseServer,
    pdf: Path,
    tmp_path: Path,
    parents: Literal["section", "page"],
    persisted: bool,
) -> None:
    documents = NemotronParseReader(base_url=server.base_url).load_data(pdf)
    parser = NemotronParseNodeParser(max_tokens=20, overlap_sentences=0, parents=parents)
    nodes = parser.get_nodes_from_documents(documents)
    docstore = SimpleDocumentStore()
    docstore.add_documents(nodes)
    if persisted:
        docstore.persist(str(tmp_path / "docstore.json"))
        docstore = SimpleDocumentStore.from_persist_path(str(tmp_path / "docstore.json"))
    storage = StorageContext.from_defaults(docstore=docstore)
    leaves = get_leaf_nodes(nodes)
    index = VectorStoreIndex(leaves, storage_context=storage, embed_model=WordsEmbedding())

    def found(count: int) -> list[NodeWithScore]:
        base = VectorIndexRetriever(index, similarity_top_k=count)
        return AutoMergingRetriever(base, storage, simple_ratio_thresh=0.5).retrieve("Traffic grew")

    ids = {leaf.id_ for leaf in leaves}
    # All chunks are found: nothing but the parents that have no parent is left.
    tops = {node.id_ for node in nodes if node.child_nodes and node.parent_node is None}
    assert {hit.node.node_id for hit in found(len(leaves))} == tops
    # One of many is not enough.
    [hit] = found(1)
    chosen: BaseNode = hit.node
    parent = chosen.parent_node
    if chosen.node_id in ids:
        assert parent is not None
        siblings = docstore.get_document(parent.node_id)
        assert siblings is not None
        assert len(siblings.child_nodes or []) > 1
    else:
        assert len(chosen.child_nodes or []) == 1
