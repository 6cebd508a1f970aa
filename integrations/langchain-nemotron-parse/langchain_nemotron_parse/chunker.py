"""NemotronParseChunker: Documents in, layout-aware chunks out."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Sequence
from typing import Any

from langchain_core.documents import BaseDocumentTransformer, Document

from nemoparse_loaders import LayoutChunker, OptionError, split_text

from .documents import CONTENTS, Content, NemotronParseDocument, chunks_with_figures, documents_of

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
        content: What ``page_content`` is: the "text", Markdown for readers and models that answer; or the
            "embed_text", plain words under their headings, which most embedders find better. LangChain embeds
            ``page_content``.
        **options: Those of `LayoutChunker`: ``min_tokens``, ``parents``, ``furniture``, ``pictures``,
            ``footnotes``, ``toc``.
    """

    def __init__(
        self,
        *,
        max_tokens: int = 512,
        tokenizer: Any = None,
        overlap_sentences: int = 1,
        content: Content = "text",
        **options: Any,
    ) -> None:
        if content not in CONTENTS:
            raise OptionError(f'content must be "text" or "embed_text", not {content!r}')
        self.chunker = LayoutChunker(
            max_tokens=max_tokens, tokenizer=tokenizer, overlap_sentences=overlap_sentences, **options
        )
        self.content: Content = content
        self._told: set[str] = set()

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> list[Document]:
        """Chunk each Document; the Document's own metadata goes on top of the chunk's."""
        return [chunk for document in documents for chunk in self._split(document)[1]]

    def split_with_parents(self, documents: Sequence[Document]) -> tuple[list[Document], list[Document]]:
        """The sections or pages of Documents, and their chunks, which know them by ``parent_id``.

        Returns:
            (parents, chunks). The content of parents is always their text. Without ``parents=`` there are
            none.
        """
        split = [self._split(document) for document in documents]
        return (
            [parent for parents, _ in split for parent in parents],
            [chunk for _, chunks in split for chunk in chunks],
        )

    def _split(self, document: Document) -> tuple[list[Document], list[Document]]:
        carried = document if isinstance(document, NemotronParseDocument) else None
        split = split_text(
            document.page_content,
            layout_json=carried.layout_json if carried else "",
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
        chunks, paths = split.chunks, None
        if carried and carried.figure_paths and not split.problem:
            paths = carried.figure_paths
            chunks = chunks_with_figures(chunks, carried.parsed_document(), paths, self.chunker)
        return (
            documents_of(split.parents, theirs, "text", paths),
            documents_of(chunks, theirs, self.content, paths),
        )

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
