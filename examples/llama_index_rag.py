"""Ask a document: read, chunk and index it with LlamaIndex, then retrieve. Needs no server, key or network.

    python examples/llama_index_rag.py [FILE]

MockEmbedding stands for an embedding model: put your own in its place, and base_url= in place of backend=.
"""

import sys
from pathlib import Path

from llama_index.core import MockEmbedding, VectorStoreIndex

from llama_index.node_parser.nemotron_parse import NemotronParseNodeParser
from llama_index.readers.nemotron_parse import NemotronParseReader

path = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "documents" / "sample-paper.pdf"
documents = NemotronParseReader(backend="cpu").load_data(path)
index = VectorStoreIndex.from_documents(
    documents,
    transformations=[NemotronParseNodeParser(max_tokens=256)],
    embed_model=MockEmbedding(embed_dim=8),
)
for hit in index.as_retriever(similarity_top_k=3).retrieve("Which table compares the sites?"):
    where = hit.node.metadata
    print(f"page {where['page_label']}, {where['section_path']!r}: {hit.node.get_content()[:60]!r}")
