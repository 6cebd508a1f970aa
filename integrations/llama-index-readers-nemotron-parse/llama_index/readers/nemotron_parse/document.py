"""A parsed document as LlamaIndex Documents."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any, Literal

from llama_index.core.schema import Document, ImageDocument, MediaResource, MetadataMode
from pydantic import Field

from nemoparse_loaders import (
    EMBED_KEYS,
    LLM_KEYS,
    Chunk,
    LayoutChunker,
    ParsedDocument,
    Split,
    figure_chunks,
    layout_hash,
    layout_to_json,
    split_document,
)

Content = Literal["markdown", "text", "embed_text"]

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
        figure_paths: Id of each picture and chart -> path of a PNG file, where ``images="path"``.
        figure_data: The same -> PNG in base64, where ``images="base64"``.
    """

    layout_json: str = Field(default="", repr=False, description="The parsed document as JSON.")
    layout_hash: str = Field(default="", description="Hash of the layout.")
    figure_paths: dict[str, str] = Field(default_factory=dict, repr=False, description="Pictures as files.")
    figure_data: dict[str, str] = Field(default_factory=dict, repr=False, description="Pictures in base64.")

    @classmethod
    def class_name(cls) -> str:
        """Name in serialised form."""
        return "NemotronParseDocument"

    def get_metadata_str(self, mode: MetadataMode = MetadataMode.ALL) -> str:
        """As for any node; all of it ends with the hashes of layout and pictures.

        LlamaIndex makes the hash of a node and the key of the pipeline's cache from this text: so new boxes
        under the same words count as a change.
        """
        text = super().get_metadata_str(mode)
        if mode != MetadataMode.ALL:
            return text
        pictures = [*self.figure_paths.items(), *self.figure_data.items()]
        if not pictures:
            return f"{text}\nlayout: {self.layout_hash}"
        mark = hashlib.sha256(json.dumps(pictures).encode("utf-8", "replace")).hexdigest()[:32]
        return f"{text}\nlayout: {self.layout_hash}\npictures: {mark}"

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
    figure_paths: Mapping[str, str] | None = None,
    figure_data: Mapping[str, str] | None = None,
    content: Content = "markdown",
) -> list[Document]:
    """Translate one parsed document.

    Args:
        document: What the parser gave.
        split: One Document for the file, or one a page, element or chunk.
        chunker: For pieces; the whole is what the parser gave.
        include_failed: Show failed pages as marked placeholders.
        extra: The caller's metadata; on equal keys it wins. Each Document gets its own deep copy.
        figure_paths: Element id -> PNG file of a picture or chart.
        figure_data: Element id -> PNG in base64.
        content: What a chunk holds; pages and elements hold their Markdown.

    Returns:
        Documents in reading order; none for a file with nothing on its pages. In pieces, each picture is an
        ImageDocument: the piece that is this figure, else one of its own behind all others.
    """
    extra = dict(extra or {})
    paths, data = dict(figure_paths or {}), dict(figure_data or {})
    if split != "document":
        content = content if split == "chunk" else "text"
        chunker = chunker or LayoutChunker()
        if content == "markdown":
            chunker = chunker.with_options(embed="markdown")
        chunks = split_document(document, split, chunker=chunker, include_failed=include_failed)
        figures = figure_chunks(document, chunker, beside=chunks) if paths or data else []
        pieces = [_piece(chunk, extra, paths, data, content) for chunk in chunks]
        # What is left has no piece of its own.
        lone = [figure for figure in figures if {*paths, *data} & {span.element_id for span in figure.spans}]
        return [*pieces, *(_piece(figure, extra, paths, data, content) for figure in lone)]
    chunks = split_document(document, split, include_failed=include_failed)
    return [
        NemotronParseDocument(
            id_=document.doc_id,
            text=chunk.text,
            layout_json=layout_to_json(document),
            layout_hash=layout_hash(document),
            figure_paths=paths,
            figure_data=data,
            # The label of the first page would be read as that of every sentence of the file.
            **_metadata(chunk, extra, hidden={"page_label"}),
        )
        for chunk in chunks
    ]


def _piece(
    chunk: Chunk, extra: Mapping[str, Any], paths: dict[str, str], data: dict[str, str], content: Content
) -> Document:
    """A Document, or an ImageDocument for a figure whose picture is there; the picture is taken out."""
    inside = content != "text"
    values = {
        "id_": chunk.id,
        "text": chunk.embed_text if inside else chunk.text,
        # Heading path and caption stand in what is embedded already.
        **_metadata(chunk, extra, hidden=EMBED_KEYS if inside else frozenset()),
    }
    if chunk.metadata["chunk_type"] in ("figure", "chart"):
        for span in chunk.spans:
            path, encoded = paths.pop(span.element_id, None), data.pop(span.element_id, None)
            if path is not None or encoded is not None:
                picture = MediaResource(
                    path=None if path is None else Path(path),
                    data=None if encoded is None else encoded.encode(),
                    mimetype="image/png",
                )
                return ImageDocument(**values, image_resource=picture)
    return Document(**values)


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
