"""NemotronParseChunker: Documents in, layout-aware chunks out."""

from __future__ import annotations

import json
import logging
import uuid
from collections import Counter
from collections.abc import Sequence
from typing import Any

from langchain_core.documents import BaseDocumentTransformer, Document

from nemoparse_loaders import LayoutChunker, OptionError, split_text

from .documents import (
    Content,
    NemotronParseDocument,
    checked_content,
    chunker_for,
    chunks_with_figures,
    documents_of,
)
from .option_names import OF_SPLITTERS, names_of, refuse_unknown

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
        content: What ``page_content`` is, and so what LangChain embeds: "markdown" under heading path and
            caption, for embedders and for models that answer; "embed_text", plain words under them, which
            most embedders find better; both keep to ``max_tokens``. Or "text", the Markdown alone, which may
            be longer than that.
        **options: Those of `LayoutChunker`: ``min_tokens``, ``parents``, ``furniture``, ``pictures``,
            ``footnotes``, ``toc``, ``doubtful``, ``min_confidence``.
    """

    def __init__(
        self,
        *,
        max_tokens: int = 512,
        tokenizer: Any = None,
        overlap_sentences: int = 1,
        content: Content = "markdown",
        **options: Any,
    ) -> None:
        checked_content(content)
        if "embed" in options:
            raise OptionError("embed: content says what is embedded")
        known = names_of(NemotronParseChunker.__init__) | names_of(LayoutChunker) - {"embed"}
        refuse_unknown(options, known, OF_SPLITTERS)
        self.chunker = chunker_for(
            content,
            LayoutChunker(
                max_tokens=max_tokens, tokenizer=tokenizer, overlap_sentences=overlap_sentences, **options
            ),
        )
        self.content: Content = content
        self._told: set[str] = set()

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> list[Document]:
        """Chunk each Document.

        The Document's own metadata goes on top of the chunk's, but for what tells of the chunk itself
        (``chunk_id``, ``n_tokens``, ...).
        """
        return self.split_with_parents(documents)[1]

    def split_with_parents(self, documents: Sequence[Document]) -> tuple[list[Document], list[Document]]:
        """The sections or pages of Documents, and their chunks, which know them by ``parent_id``.

        Returns:
            (parents, chunks). The content of parents is always their text. Without ``parents=`` there are
            none.
        """
        seen: Counter[str] = Counter()
        parents: list[Document] = []
        chunks: list[Document] = []
        for document in documents:
            above, below = self._split(document, document.id or _id_of(document, seen))
            parents += above
            chunks += below
        return parents, chunks

    def _split(self, document: Document, doc_id: str) -> tuple[list[Document], list[Document]]:
        carried = document if isinstance(document, NemotronParseDocument) else None
        split = split_text(
            document.page_content,
            layout_json=carried.layout_json if carried else "",
            doc_id=doc_id,
            chunker=self.chunker,
        )
        if split.problem:
            self._tell_once(document, split.problem)
        theirs = split.inherited(document.metadata)
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


def _id_of(document: Document, seen: Counter[str]) -> str:
    """From its content and metadata, so that the same Document has the same chunk ids in every run.

    Documents that are equal in both, like two empty forms of one source, are told apart by their order.

    Args:
        document: One without an id.
        seen: How often each was seen in this call; it is counted.
    """
    # JSON in ASCII, since no hash takes lone surrogates.
    mark = json.dumps(
        [document.page_content, document.metadata], sort_keys=True, default=_stable, skipkeys=True
    )
    seen[mark] += 1
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{mark}\n{seen[mark]}"))


def _stable(value: object) -> str:
    """A value of the caller's, without the address in memory that objects show of themselves."""
    kind = type(value)
    return (
        kind.__name__ if kind.__repr__ is object.__repr__ and kind.__str__ is object.__str__ else str(value)
    )
