"""Plain Markdown to chunks, for text whose layout is not known."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..document import Element, ElementType, ParsedDocument, ParsedPage
from ..export.plain import markdown_to_text
from . import Chunk, ChunkTree, LayoutChunker

_HEADING = re.compile(r"#{1,6}[ \t]+\S")
_MARKS = re.compile(r"\A#{1,6}[ \t]+")
_FENCE = re.compile(r"(`{3,}|~{3,})")

# What cannot be known without a layout, in the values that stand for nothing.
_UNKNOWN = {
    "page_number": 0,
    "page_end": 0,
    "pages": "",
    "page_label": "",
    "total_pages": 0,
    "element_ids": "",
}


def split_plain_text(text: str, *, doc_id: str, chunker: LayoutChunker) -> ChunkTree:
    """Pack the paragraphs of a Markdown text under their headings.

    Args:
        text: Markdown, or text with blank lines between paragraphs.
        doc_id: Ids of the chunks are made from it.
        chunker: Its budget and tokenizer hold here as well.

    Returns:
        Chunks, and parents where the chunker makes them, with the usual metadata keys; pages, boxes and
        element ids are empty. Tables are cut as text.
    """
    elements = tuple(
        Element(
            id=f"p1e{number}",
            type=(ElementType.SECTION_HEADER if _HEADING.match(block) else ElementType.TEXT).value,
            markdown=block,
            text=markdown_to_text(_MARKS.sub("", block)),
        )
        for number, block in enumerate(_blocks(text), start=1)
    )
    document = ParsedDocument(doc_id=doc_id, pages=(ParsedPage(number=1, elements=elements),))
    tree = chunker.chunk_tree(document)
    return ChunkTree(*([_without_place(chunk) for chunk in chunks] for chunks in tree))


def _without_place(chunk: Chunk) -> Chunk:
    return chunk.model_copy(update={"metadata": {**chunk.metadata, **_UNKNOWN}, "spans": ()})


def _blocks(text: str) -> Iterator[str]:
    """Paragraphs, headings and fenced code, without the blank lines between them."""
    block: list[str] = []
    fence = ""
    for line in text.split("\n"):
        opening = _FENCE.match(line.lstrip())
        if fence:
            block.append(line)
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                yield "\n".join(block)
                block, fence = [], ""
            continue
        alone = _HEADING.match(line) is not None
        if (alone or opening or not line.strip()) and block:
            yield "\n".join(block)
            block = []
        if opening:
            block, fence = [line], opening.group(1)
        elif alone:
            yield line.rstrip()
        elif line.strip():
            block.append(line.rstrip())
    if block:
        yield "\n".join(block)
