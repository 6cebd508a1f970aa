"""A parsed document as LangChain Documents."""

from __future__ import annotations

import copy
import logging
from collections.abc import Mapping
from typing import Any

from langchain_core.documents import Document
from pydantic import Field

from nemoparse_loaders import LayoutChunker, ParsedDocument, Split, layout_to_json, split_document

logger = logging.getLogger(__name__)


class NemotronParseDocument(Document):
    """A whole file: its Markdown as content, and its layout beside the metadata.

    `NemotronParseChunker` makes its chunks from the layout. Stores that build their Documents anew give a
    plain Document back, without it.

    Attributes:
        layout_json: The `ParsedDocument` as JSON, without raw replies, token counts and run times.
    """

    layout_json: str = Field(default="", repr=False)

    def parsed_document(self) -> ParsedDocument:
        """Pages, elements, boxes and tables as typed values."""
        return ParsedDocument.from_json(self.layout_json)

    @classmethod
    def lc_id(cls) -> list[str]:
        """Serialised as the plain Document that LangChain can load."""
        return Document.lc_id()


def to_documents(
    document: ParsedDocument,
    *,
    split: Split = "chunk",
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
    pieces = [
        (chunk, {**chunk.metadata, **copy.deepcopy(dict(extra or {}))})
        for chunk in split_document(document, split, chunker=chunker, include_failed=include_failed)
    ]
    if split != "document":
        return [
            Document(page_content=chunk.text, id=chunk.id, metadata=metadata) for chunk, metadata in pieces
        ]
    layout_json = layout_to_json(document)
    return [
        NemotronParseDocument(
            page_content=chunk.text, id=document.doc_id, metadata=metadata, layout_json=layout_json
        )
        for chunk, metadata in pieces
    ]


def log_failures(document: ParsedDocument) -> None:
    """Documents have no place for the report, so what is missing from them is said in the log."""
    if document.report is not None and document.report.failures:
        reasons = "; ".join(f"page {issue.page}: {issue.message}" for issue in document.report.failures)
        logger.warning("%s: %s", document.file_name, reasons)
