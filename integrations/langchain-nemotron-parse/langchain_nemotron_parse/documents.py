"""A parsed document as LangChain Documents."""

from __future__ import annotations

import copy
import logging
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from langchain_core.documents import Document
from pydantic import Field

from nemoparse_loaders import (
    Chunk,
    LayoutChunker,
    OptionError,
    ParsedDocument,
    Split,
    figure_chunks,
    layout_to_json,
    split_document,
)

logger = logging.getLogger(__name__)

Content = Literal["markdown", "text", "embed_text"]

IMAGE_PATH = "image_path"


class NemotronParseDocument(Document):
    """A whole file: its Markdown as content, and its layout beside the metadata.

    `NemotronParseChunker` makes its chunks from the layout. Stores that build their Documents anew give a
    plain Document back, without it.

    Attributes:
        layout_json: The `ParsedDocument` as JSON, without raw replies, token counts and run times.
        figure_paths: Id of each picture and chart -> path of a PNG file, where the loader has an image_dir.
    """

    layout_json: str = Field(default="", repr=False)
    figure_paths: dict[str, str] = Field(default_factory=dict, repr=False)

    def parsed_document(self) -> ParsedDocument:
        """Pages, elements, boxes and tables as typed values."""
        return ParsedDocument.from_json(self.layout_json)

    @classmethod
    def lc_id(cls) -> list[str]:
        """Serialised as the plain Document that LangChain can load."""
        return Document.lc_id()


def checked_content(content: str) -> None:
    """Refuse what is no `Content`.

    Raises:
        OptionError: It is none.
    """
    if content not in get_args(Content):
        raise OptionError(f'content must be "markdown", "text" or "embed_text", not {content!r}')


def chunker_for(content: Content, chunker: LayoutChunker | None) -> LayoutChunker:
    """The chunker whose budget counts what is going to be the content: of "markdown" one that embeds it."""
    chunker = chunker or LayoutChunker()
    return chunker.with_options(embed="markdown") if content == "markdown" else chunker


def to_documents(
    document: ParsedDocument,
    *,
    split: Split = "chunk",
    chunker: LayoutChunker | None = None,
    include_failed: bool = False,
    extra: Mapping[str, Any] | None = None,
    content: Content = "markdown",
    figure_paths: Mapping[str, str] | None = None,
) -> list[Document]:
    """Translate one parsed document.

    Args:
        document: What the parser gave.
        split: One Document for the file, or one a page, element or chunk.
        chunker: For pieces; the whole is what the parser gave.
        include_failed: Show failed pages as marked placeholders.
        extra: The caller's metadata; on equal keys it wins. Each Document gets its own deep copy.
        content: What ``page_content`` of a piece is, as `NemotronParseBlobParser` has it.
        figure_paths: Element id -> PNG file of a picture or chart; None where none were asked for.

    Returns:
        Documents in reading order; none for a file with nothing on its pages. With ``figure_paths`` every
        piece has "image_path" in its metadata, empty where it is no figure, and figures without words are
        pieces of their own behind all others.
    """
    if split != "document":
        chunker = chunker_for(content, chunker)
        chunks = split_document(document, split, chunker=chunker, include_failed=include_failed)
        chunks = chunks_with_figures(chunks, document, figure_paths, chunker)
        return documents_of(chunks, extra or {}, content, figure_paths)
    chunks = split_document(document, split, include_failed=include_failed)
    layout_json = layout_to_json(document)
    return [
        NemotronParseDocument(
            page_content=chunk.text,
            id=document.doc_id,
            metadata={**chunk.metadata, **copy.deepcopy(dict(extra or {}))},
            layout_json=layout_json,
            figure_paths=dict(figure_paths or {}),
        )
        for chunk in chunks
    ]


def documents_of(
    chunks: Sequence[Chunk],
    extra: Mapping[str, Any],
    content: Content,
    figure_paths: Mapping[str, str] | None = None,
) -> list[Document]:
    """A Document for each chunk, the caller's metadata on top of its own."""
    return [
        Document(
            page_content=chunk.text if content == "text" else chunk.embed_text,
            id=chunk.id,
            metadata={
                **chunk.metadata,
                **({} if figure_paths is None else {IMAGE_PATH: _path_of(chunk, figure_paths)}),
                **copy.deepcopy(dict(extra)),
            },
        )
        for chunk in chunks
    ]


def chunks_with_figures(
    chunks: Sequence[Chunk],
    document: ParsedDocument,
    figure_paths: Mapping[str, str] | None,
    chunker: LayoutChunker,
) -> list[Chunk]:
    """The chunks, and those of figures that have a picture and no chunk."""
    if not figure_paths:
        return list(chunks)
    figures = figure_chunks(document, chunker, beside=chunks)
    return [*chunks, *(figure for figure in figures if _path_of(figure, figure_paths))]


def _path_of(chunk: Chunk, figure_paths: Mapping[str, str]) -> str:
    if chunk.metadata["chunk_type"] not in ("figure", "chart"):
        return ""
    return next((path for span in chunk.spans if (path := figure_paths.get(span.element_id))), "")


def log_failures(document: ParsedDocument) -> None:
    """Documents have no place for the report, so what is missing from them is said in the log."""
    if document.report is not None and document.report.failures:
        reasons = "; ".join(f"page {issue.page}: {issue.message}" for issue in document.report.failures)
        logger.warning("%s: %s", document.file_name, reasons)
