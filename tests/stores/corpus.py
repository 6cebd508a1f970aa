"""What goes into the stores: chunks of two documents, chunks with the hardest metadata, a tiny embedding."""

from __future__ import annotations

import hashlib
import json
import math
import re
import shutil
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

from langchain_core.documents import Document as LangChainDocument
from langchain_core.embeddings import Embeddings
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.schema import BaseNode
from llama_index.core.schema import Document as LlamaDocument

from langchain_nemotron_parse import NemotronParseLoader
from llama_index.node_parser.nemotron_parse import NemotronParseNodeParser
from llama_index.readers.nemotron_parse import NemotronParseReader
from nemoparse_loaders import METADATA_KEYS, Chunk, LayoutChunker

DIMENSIONS = 64
MAX_TOKENS = 128
PAPER = "sample-paper.pdf"
# What filters and addresses trip over, and what a file name may hold on every system.
NOTE = "O'Brien's Größe 100 % – 図.pdf"

SOURCE_ID = "5e9bd4a5-6f3c-5f5e-9d7d-0d9c5a1d0b0e"


@dataclass(frozen=True)
class Folder:
    """A folder of two files that are parsed by the CPU backend, each page once in a session.

    Attributes:
        path: Where the files are.
        cache: Where pages that were read are kept.
    """

    path: Path
    cache: Path

    @classmethod
    def make(cls, path: Path, cache: Path, paper: Path, draw: Callable[..., bytes]) -> Folder:
        """Put the sample paper and a note of two pages into a new folder."""
        path.mkdir()
        shutil.copy(paper, path / PAPER)
        (path / NOTE).write_bytes(draw("Harbour dues\nBoats under 8 m pay nothing.", "Moorings\nAsk first."))
        return cls(path, cache)

    def change_the_note(self, draw: Callable[..., bytes]) -> None:
        """Write the note anew: other words, and one page in place of two."""
        (self.path / NOTE).write_bytes(draw("Harbour dues\nAll boats pay 5 crowns a day."))

    def for_llama_index(self) -> list[LlamaDocument]:
        """Read the folder as whole Documents, for the node parser."""
        reader = NemotronParseReader(backend="cpu", cache_dir=str(self.cache))
        return reader.load_data(sorted(self.path.iterdir()))

    def for_langchain(self) -> list[LangChainDocument]:
        """Read the folder as chunks."""
        loader = NemotronParseLoader(
            sorted(self.path.iterdir()),
            backend="cpu",
            cache_dir=self.cache,
            chunker=LayoutChunker(max_tokens=MAX_TOKENS),
        )
        return loader.load()


def node_parser() -> NemotronParseNodeParser:
    """The same chunks as `Folder.for_langchain` gives."""
    return NemotronParseNodeParser(max_tokens=MAX_TOKENS)


def embedded(nodes: list[BaseNode]) -> list[BaseNode]:
    """Nodes with their embeddings."""
    return list(LlamaWords()(nodes))


def hard_chunks(namespace: UUID) -> list[Chunk]:
    """Chunks with every metadata key at its extremes; the emptiest first, since it shapes some schemas."""
    nothing: dict[str, Any] = {key: kind() for key, kind in METADATA_KEYS.items()}
    nothing |= {"source": "file:///note.pdf", "doc_id": SOURCE_ID, "confidence": -1.0}
    words = {
        "source": "file:///srv/O'Brien%27s%20Gr%C3%B6%C3%9Fe.pdf",
        "file_name": NOTE,
        "section_path": '1 "Quoted" > it\'s > back\\slash > 100 %_ {$eq: 1} > 図表 😀 > null',
        "title": "\tA title; DROP TABLE chunks; -- \u200f\u0301",
        "page_label": "007",
        "pages": "3,4",
        "caption": "1e5",
        "bboxes": "[[3,0.1,0.2,0.9,0.25]]",
        "classes": "true",
    }
    numbers = {key: 2**31 - 1 for key, kind in METADATA_KEYS.items() if kind is int}
    flags = {key: True for key, kind in METADATA_KEYS.items() if kind is bool}
    full = {**nothing, **words, **numbers, **flags, "confidence": 1.0}
    largest = {**full, "confidence": 1 / 3, "chunk_type": "table", "is_partial": False}
    room = 1023 - len(json.dumps({**largest, "caption": ""}, ensure_ascii=False).encode())
    largest["caption"] = ("é" * room)[: room // 2]
    chunks = []
    for index, metadata in enumerate((nothing, full, largest, nothing)):
        chunk_id = str(uuid5(namespace, str(index)))
        text = f'Chunk {index}: O\'Brien "said" \\n 図 😀\n\n| a | b |\n|---|---|\n| 1 | {"x" * 40} |'
        chunks.append(
            Chunk(id=chunk_id, text=text, embed_text=text, metadata=metadata | {"chunk_id": chunk_id})
        )
    return chunks


_HARD = hard_chunks(NAMESPACE_OID)[1]

# What a filter may be asked for, by name: a key with a value that some of the hard chunks have.
HARD_FILTERS: dict[str, tuple[str, Any]] = {
    "largest number": ("page_number", 2**31 - 1),
    "zero": ("page_number", 0),
    "word": ("chunk_type", "table"),
    "empty": ("chunk_type", ""),
    "digits": ("page_label", "007"),
    "number as a word": ("caption", "1e5"),
    "apostrophe": ("file_name", NOTE),
    "quotes and backslash": ("section_path", _HARD.metadata["section_path"]),
    "control characters": ("title", _HARD.metadata["title"]),
    "fraction": ("confidence", -1.0),
}


# Filters that everyone needs.
FILTERS: list[dict[str, Any]] = [
    {"page_number": 3},
    {"chunk_type": "table"},
    {"page_number": 3, "chunk_type": "table"},
]


def matches(metadata: Mapping[str, Any], conditions: Mapping[str, Any]) -> bool:
    """Whether metadata have all these values."""
    return all(metadata[key] == value for key, value in conditions.items())


def typed(metadata: Mapping[str, Any], without: Container[str] = ()) -> dict[str, tuple[type, Any]]:
    """Metadata with the types of its values, since 1 == 1.0 == True."""
    return {key: (type(value), value) for key, value in metadata.items() if key not in without}


def vector_of(text: str) -> list[float]:
    """A bag of hashed words, of length 1: a text is nearest to itself, and near to what shares its words."""
    counts = [0.0] * DIMENSIONS
    for word in re.findall(r"\w+", text.lower()) or [""]:
        digest = hashlib.sha256(word.encode()).digest()
        counts[digest[0] % DIMENSIONS] += 1 if digest[1] % 2 else -1
    length = math.hypot(*counts) or 1.0
    return [count / length for count in counts]


class Words(Embeddings):
    """`vector_of` for LangChain."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [vector_of(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return vector_of(text)


class LlamaWords(BaseEmbedding):
    """`vector_of` for LlamaIndex."""

    def _get_text_embedding(self, text: str) -> list[float]:
        return vector_of(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return vector_of(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return vector_of(query)
