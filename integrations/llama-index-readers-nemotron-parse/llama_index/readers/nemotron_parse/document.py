"""A parsed document as LlamaIndex Documents."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Set
from typing import Any

from llama_index.core.schema import Document, MetadataMode
from pydantic import Field

from nemoparse_loaders import (
    EMBED_KEYS,
    LLM_KEYS,
    Chunk,
    LayoutChunker,
    ParsedDocument,
    Split,
    layout_hash,
    layout_to_json,
    split_document,
)

# What SimpleDirectoryReader knows of a file. It hides all but the path from embeddings itself; a path says
# nothing about the content and differs from machine to machine, so it is hidden from them as well.
DIRECTORY_READER_KEYS = frozenset(
    {
        "file_path",
        "file_type",
        "file_size",
        "creation_date",
        "last_modified_date",
        "last_accessed_date",
    }
)


class NemotronParseDocument(Document):
    """A whole file: its Markdown as text, and its layout beside the metadata.

    `NemotronParseNodeParser` makes its chunks from the layout. A docstore gives a plain Document back,
    without it, and so does a transformation that builds its Documents anew.

    Attributes:
        layout_json: The `ParsedDocument` as JSON, without raw replies, token counts and run times.
        layout_hash: Changes when boxes, classes or pages change, and not from run to run.
    """

    layout_json: str = Field(default="", repr=False, description="The parsed document as JSON.")
    layout_hash: str = Field(default="", description="Hash of the layout.")

    @classmethod
    def class_name(cls) -> str:
        """Name in serialised form."""
        return "NemotronParseDocument"

    def get_metadata_str(self, mode: MetadataMode = MetadataMode.ALL) -> str:
        """As for any node; all of it ends with the layout's hash.

        LlamaIndex makes the hash of a node and the key of the pipeline's cache from this text: so new boxes
        under the same words count as a change.
        """
        text = super().get_metadata_str(mode)
        return f"{text}\nlayout: {self.layout_hash}" if mode == MetadataMode.ALL else text

    def parsed_document(self) -> ParsedDocument:
        """Pages, elements, boxes and tables as typed values."""
        return ParsedDocument.from_json(self.layout_json)


def to_documents(
    document: ParsedDocument,
    *,
    split: Split = "document",
    chunker: LayoutChunker | None = None,
    include_failed: bool = False,
    extra: Mapping[str, Any] | None = None,
) -> list[Document]:
    """Translate one parsed document.

    Args:
        document: What the parser gave.
        split: One Document for the file, or one a page, element or chunk.
        chunker: For ``split="chunk"``.
        include_failed: Show failed pages as marked placeholders.
        extra: The caller's metadata; on equal keys it wins. Each Document gets its own deep copy.

    Returns:
        Documents in reading order; none for a file with nothing on its pages.
    """
    extra = dict(extra or {})
    chunks = split_document(document, split, chunker=chunker, include_failed=include_failed)
    if split != "document":
        return [Document(id_=chunk.id, text=chunk.text, **_metadata(chunk, extra)) for chunk in chunks]
    return [
        NemotronParseDocument(
            id_=document.doc_id,
            text=chunk.text,
            layout_json=layout_to_json(document),
            layout_hash=layout_hash(document),
            # The label of the first page would be read as that of every sentence of the file.
            **_metadata(chunk, extra, hidden={"page_label"}),
        )
        for chunk in chunks
    ]


def _metadata(chunk: Chunk, extra: Mapping[str, Any], *, hidden: Set[str] = frozenset()) -> dict[str, Any]:
    """The metadata of a chunk with the caller's on top, and what an embedder and an LLM see of it."""
    ours = chunk.metadata
    theirs = {key for key, value in extra.items() if key not in ours or ours[key] != value}
    metadata = {**ours, **copy.deepcopy(dict(extra))}

    def excluded(shown: Set[str], directory_keys: Set[str]) -> list[str]:
        return [
            key
            for key, value in metadata.items()
            if (key in directory_keys if key in theirs else key in hidden or key not in shown or value == "")
        ]

    return {
        "metadata": metadata,
        "excluded_embed_metadata_keys": excluded(EMBED_KEYS, DIRECTORY_READER_KEYS),
        "excluded_llm_metadata_keys": excluded(LLM_KEYS, DIRECTORY_READER_KEYS - {"file_path"}),
    }
