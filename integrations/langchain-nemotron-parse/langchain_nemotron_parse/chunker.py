"""NemotronParseChunker: Documents in, layout-aware chunks out."""

from __future__ import annotations

import copy
import logging
import uuid
from collections.abc import Sequence
from typing import Any

from langchain_core.documents import BaseDocumentTransformer, Document

from nemoparse_loaders import LayoutChunker, split_text

from .documents import NemotronParseDocument

logger = logging.getLogger(__name__)


class NemotronParseChunker(BaseDocumentTransformer):
    """Makes chunks that follow the layout of the pages.

    From the Documents of ``NemotronParseLoader(..., split="document")``: by headings, tables, captions and
    boxes, as `LayoutChunker` does. From any other Document, and where the layout was lost or the text was
    changed since: paragraphs packed under their Markdown headings within the same budget; the log says so
    once for each reason.

    Args:
        max_tokens: Longest chunk, in tokens of what is embedded.
        tokenizer: Counts tokens; as `LayoutChunker` takes it.
        overlap_sentences: Sentences that a piece of an over-long text repeats.
    """

    def __init__(self, *, max_tokens: int = 512, tokenizer: Any = None, overlap_sentences: int = 1) -> None:
        self.chunker = LayoutChunker(
            max_tokens=max_tokens, tokenizer=tokenizer, overlap_sentences=overlap_sentences
        )
        self._told: set[str] = set()

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> list[Document]:
        """Chunk each Document; the Document's own metadata goes on top of the chunk's."""
        return [chunk for document in documents for chunk in self._chunks_of(document)]

    def _chunks_of(self, document: Document) -> list[Document]:
        layout_json = document.layout_json if isinstance(document, NemotronParseDocument) else ""
        split = split_text(
            document.page_content,
            layout_json=layout_json,
            doc_id=document.id or _id_of(document),
            chunker=self.chunker,
        )
        if split.problem:
            self._tell_once(document, split.problem)
        # What the loader wrote about the document as a whole gives way to what is true of the chunk.
        theirs = {
            key: value
            for key, value in document.metadata.items()
            if key not in split.whole or split.whole[key] != value
        }
        return [
            Document(
                page_content=chunk.text, id=chunk.id, metadata={**chunk.metadata, **copy.deepcopy(theirs)}
            )
            for chunk in split.chunks
        ]

    def _tell_once(self, document: Document, problem: str) -> None:
        if problem not in self._told:
            self._told.add(problem)
            name = document.metadata.get("file_name") or document.metadata.get("source") or document.id
            logger.warning(
                "%s %s; it is split as plain text. Said once for each reason.", name or "A document", problem
            )


def _id_of(document: Document) -> str:
    """From where it comes and what it says, so that the same Document has the same chunk ids."""
    return str(
        uuid.uuid5(uuid.NAMESPACE_URL, f"{document.metadata.get('source', '')}\n{document.page_content}")
    )
