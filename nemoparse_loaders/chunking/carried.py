"""The layout that a framework's document carries beside its text, and the chunks that it leads to.

LlamaIndex and LangChain know a document as text with flat metadata. The adapters give it the parsed layout
as one more field, JSON; on the way to the chunker stores may drop it and transformations may change the text,
so it is used only where it still belongs to the text.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from ..document import ParsedDocument
from .blocks import Draft
from .chunk import Chunk, MetadataValue
from .clean import storable
from .layout_chunker import LayoutChunker
from .metadata import METADATA_KEYS, build_metadata
from .plain_text import split_plain_text
from .split import chunk_tree_of, document_text

# What differs from run to run, and what is kept twice.
_IN_PAGES: dict[str, Any] = {
    "raw": True,
    "usage": True,
    "attempts": True,
    "steps": True,
    "elements": {"__all__": {"raw": True}},
}
_LEFT_OUT: dict[str, Any] = {"report": True, "metadata": True, "pages": {"__all__": _IN_PAGES}}
# The message of a failure may tell how often the page was tried.
_LEFT_OUT_OF_HASH: dict[str, Any] = {
    **_LEFT_OUT,
    "pages": {"__all__": {**_IN_PAGES, "issues": {"__all__": {"message": True}}}},
}


# Which of our keys mean the same for a document and for each of its chunks.
_OF_DOCUMENT = frozenset({"source", "file_name", "doc_id", "content_hash", "title", "total_pages", "parser"})
# What is known of a chunk by its layout alone. Without one, what is said of the text's document holds: of a
# piece of ours where it is no more than a page, and doubts always.
_OF_PLACE = frozenset({"page_number", "page_end", "pages", "page_label"})
_DOUBTS = frozenset({"is_partial", "confidence", "needs_review"})


@dataclass(frozen=True)
class TextSplit:
    """Chunks of a text that came with or without its layout.

    Attributes:
        chunks: In reading order.
        whole: What the metadata of the document as one piece say of the document itself (source, title, ...);
            empty where there is no layout to go by.
        problem: Why there is none: a clause that says what is wrong with the text's document; else empty.
        parents: The sections or pages of the chunks, where the chunker makes them.
    """

    chunks: list[Chunk]
    whole: Mapping[str, MetadataValue] = field(default_factory=dict)
    problem: str = ""
    parents: list[Chunk] = field(default_factory=list)

    def inherited(self, metadata: Mapping[str, Any]) -> dict[str, Any]:
        """What of the metadata of the text's document goes on top of those of its chunks.

        All keys of the caller's own do, and what was changed of those that tell of the document (source,
        title, ...). Keys that tell of a chunk (``chunk_id``, ``n_tokens``, ``bboxes``, ...) never do. Pages
        do only where there is no layout, and then those of a piece of several pages do not.

        Args:
            metadata: Of the document that the text stands in.
        """
        is_piece = "chunk_id" in metadata and metadata.get("page_number") != metadata.get("page_end")

        def holds(key: str, value: object) -> bool:
            if key not in METADATA_KEYS:
                return True
            if key in _OF_DOCUMENT:
                return not _same(value, self.whole.get(key))
            return bool(self.problem) and (key in _DOUBTS or (key in _OF_PLACE and not is_piece))

        return {key: value for key, value in metadata.items() if holds(key, value)}


def _same(value: object, known: MetadataValue | None) -> bool:
    """Whether it is what we wrote ourselves; a long title may have been cut."""
    if isinstance(value, str) and isinstance(known, str) and value.endswith("…"):
        return known.startswith(value[:-1])
    return value == known


def layout_to_json(document: ParsedDocument) -> str:
    """The document without raw replies, token counts, run times and the caller's metadata.

    `ParsedDocument.from_json` reads it. Lone surrogates, which no JSON takes, become U+FFFD.
    """
    return _as_json(document, _LEFT_OUT)


def layout_hash(document: ParsedDocument) -> str:
    """32 hex digits that change when boxes, classes, text or pages change, and not from run to run."""
    text = _as_json(document, _LEFT_OUT_OF_HASH)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def _as_json(document: ParsedDocument, left_out: dict[str, Any]) -> str:
    try:
        return document.model_dump_json(exclude=left_out, exclude_defaults=True)
    # pydantic's error for text that is not Unicode.
    except ValueError:
        values = document.model_dump(mode="json", exclude=left_out, exclude_defaults=True)
        return json.dumps(_storable(values), ensure_ascii=False, separators=(",", ":"))


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {_storable(key): _storable(entry) for key, entry in value.items()}
    return [_storable(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def split_text(
    text: str, *, layout_json: str = "", doc_id: str, chunker: LayoutChunker | None = None
) -> TextSplit:
    """Chunk a document's text: by its layout where it has one that fits, else as plain Markdown.

    Args:
        text: What the framework's document holds.
        layout_json: From `layout_to_json`, or empty.
        doc_id: Where there is no layout, ids of the chunks are made from it.
        chunker: Default: ``LayoutChunker()``.
    """
    chunker = chunker or LayoutChunker()
    problem = "carries no layout: a store, or a transformation that builds its documents anew, drops it"
    if layout_json:
        try:
            document = ParsedDocument.from_json(layout_json)
        except ValidationError:
            problem = "carries a layout that this version cannot read"
        else:
            # By the layout of another text, what somebody took out of it would come back.
            problem = "had its text changed after it was parsed, so that its layout no longer fits"
            for include_failed in (False, True):
                if storable(document_text(document, include_failed=include_failed)) == text:
                    tree = chunk_tree_of(document, chunker, include_failed=include_failed)
                    return TextSplit(tree.chunks, _of_whole(document), parents=tree.parents)
    tree = split_plain_text(text, doc_id=doc_id, chunker=chunker)
    return TextSplit(tree.chunks, problem=problem, parents=tree.parents)


def _of_whole(document: ParsedDocument) -> dict[str, MetadataValue]:
    nowhere = Draft("text", "", "", (), (), 0)
    metadata = build_metadata(document, nowhere, chunk_id="", chunk_index=0, n_tokens=0)
    return {key: metadata[key] for key in METADATA_KEYS if key in _OF_DOCUMENT}
