"""The layout that a framework's document carries beside its text, and the chunks that it leads to.

LlamaIndex and LangChain know a document as text with flat metadata. The adapters give it the parsed layout
as one more field, JSON; on the way to the chunker stores may drop it and transformations may change the text,
so it is used only where it still belongs to the text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from ..document import ParsedDocument
from . import Chunk, LayoutChunker, split_document
from .chunk import MetadataValue
from .plain_text import split_plain_text

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


@dataclass(frozen=True)
class TextSplit:
    """Chunks of a text that came with or without its layout.

    Attributes:
        chunks: In reading order.
        whole: Metadata of the whole document as one piece; empty where there is no layout to go by.
        problem: Why there is none: a clause that says what is wrong with the text's document; else empty.
        parents: The sections or pages of the chunks, where the chunker makes them.
    """

    chunks: list[Chunk]
    whole: Mapping[str, MetadataValue] = field(default_factory=dict)
    problem: str = ""
    parents: list[Chunk] = field(default_factory=list)


def layout_to_json(document: ParsedDocument) -> str:
    """The document without raw replies, token counts, run times and the caller's metadata.

    `ParsedDocument.from_json` reads it.
    """
    return document.model_dump_json(exclude=_LEFT_OUT, exclude_defaults=True)


def layout_hash(document: ParsedDocument) -> str:
    """32 hex digits that change when boxes, classes, text or pages change, and not from run to run."""
    text = document.model_dump_json(exclude=_LEFT_OUT_OF_HASH, exclude_defaults=True)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


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
                for whole in split_document(document, "document", include_failed=include_failed):
                    if whole.text == text:
                        tree = chunker.chunk_tree(document)
                        return TextSplit(tree.chunks, whole.metadata, parents=tree.parents)
    tree = split_plain_text(text, doc_id=doc_id, chunker=chunker)
    return TextSplit(tree.chunks, problem=problem, parents=tree.parents)
