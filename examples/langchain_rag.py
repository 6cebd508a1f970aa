"""Ask a document: load, chunk and index it with LangChain, then retrieve. Needs no server, key or network.

    python examples/langchain_rag.py [FILE]

DeterministicFakeEmbedding stands for an embedding model: put your own in its place, and base_url= in place of
backend=.
"""

import sys
from pathlib import Path

from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_nemotron_parse import NemotronParseLoader

path = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "documents" / "sample-paper.pdf"
store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
store.add_documents(NemotronParseLoader(path, backend="cpu").load())
for chunk in store.similarity_search("Which table compares the sites?", k=3):
    where = chunk.metadata
    print(f"page {where['page_label']}, {where['section_path']!r}: {chunk.page_content[:60]!r}")
