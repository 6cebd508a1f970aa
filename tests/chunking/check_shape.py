"""Checks on the form of chunks: budget, ids, metadata, boxes, neighbours and parents."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise

from nemoparse_loaders import METADATA_KEYS, Chunk
from nemoparse_loaders.chunking.blocks import reader_text
from nemoparse_loaders.chunking.metadata import json_size
from tests.chunking.check_text import Held, dense
from tests.chunking.invariants import HEADINGS

_ROUNDING = 1e-9


def shape_problems(held: Held, parents: Sequence[Chunk]) -> Iterator[str]:
    """What is wrong with the chunks and parents of a document, whatever they say."""
    ids = [chunk.id for chunk in (*parents, *held.chunks)]
    if len(set(ids)) != len(ids):
        yield "two chunks have one id"
    for chunks in (parents, held.chunks):
        for index, chunk in enumerate(chunks):
            for problem in (*_budget(chunk, held), *_metadata(chunk, index), *_boxes(chunk, held)):
                yield f"{chunk.level} {index}: {problem}"
    ends = ("", *(chunk.id for chunk in held.chunks), "")
    for before, chunk, after in zip(ends, held.chunks, ends[2:], strict=False):
        if (chunk.previous_id, chunk.next_id) != (before, after):
            yield f"chunk {chunk.metadata['chunk_index']} has other neighbours"
    if held.chunker.parents:
        yield from _parents(held, parents)


def _budget(chunk: Chunk, held: Held) -> Iterator[str]:
    tokens = held.chunker.count(chunk.embed_text)
    if tokens > held.chunker.max_tokens:
        yield f"{tokens} tokens: {chunk.embed_text[:60]!r}"
    if tokens != chunk.metadata["n_tokens"]:
        yield f"{tokens} tokens, not {chunk.metadata['n_tokens']}"
    if not chunk.text.strip() or not chunk.embed_text.strip():
        yield "it is empty"


def _metadata(chunk: Chunk, index: int) -> Iterator[str]:
    metadata = chunk.metadata
    if [(key, type(value)) for key, value in metadata.items()] != list(METADATA_KEYS.items()):
        yield "other keys or types"
    if json_size(metadata) >= 1024:
        yield f"{json_size(metadata)} bytes of metadata"
    wanted = (chunk.id, chunk.parent_id, index)
    if (metadata["chunk_id"], metadata["parent_id"], metadata["chunk_index"]) != wanted:
        yield "its ids or its number differ from those in its metadata"
    pages = [span.page for span in chunk.spans]
    if (metadata["page_number"], metadata["page_end"]) != (min(pages), max(pages)):
        yield f"pages {min(pages)} to {max(pages)} are not those in its metadata"


def _boxes(chunk: Chunk, held: Held) -> Iterator[str]:
    boxes = json.loads(str(chunk.metadata["bboxes"]))
    pages = {span.page for span in chunk.spans}
    for page, x0, y0, x1, y1 in boxes:
        if page not in pages or not 0 <= x0 <= x1 <= 1 or not 0 <= y0 <= y1 <= 1:
            yield f"box {[page, x0, y0, x1, y1]}"
    if not boxes and any(span.bbox for span in chunk.spans):
        yield "no boxes"
    for span in chunk.spans:
        placed = held.placed.get(span.element_id)
        if placed is None or placed.page.number != span.page:
            yield f"{span.element_id} is furniture, or stands on another page"
            continue
        box, outer = span.bbox, placed.element.bbox
        if box is not None and (outer is None or not outer.union(box).area <= outer.area + _ROUNDING):
            yield f"{span.element_id}: {box} is not inside of {outer}"


def _parents(held: Held, parents: Sequence[Chunk]) -> Iterator[str]:
    known = {parent.id: parent for parent in parents}
    for chunk in held.chunks:
        parent = known.get(chunk.parent_id)
        if parent is None:
            yield f"chunk {chunk.metadata['chunk_index']} has no parent"
            continue
        own, around = _element_ids(chunk), _element_ids(parent)
        if held.chunker.parents == "section" and not own <= around:
            yield f"{sorted(own - around)} are not in the section of their chunk"
        if held.chunker.parents == "page" and chunk.metadata["page_number"] != parent.metadata["page_number"]:
            yield f"chunk {chunk.metadata['chunk_index']} begins on another page than its parent"
    before_it = {""}
    for index, parent in enumerate(parents):
        if parent.parent_id not in before_it:
            yield f"section {index} stands before its own parent"
        before_it.add(parent.id)
        shown = dense(parent.text)
        for element_id in _element_ids(parent):
            placed = held.placed.get(element_id)
            if placed is None or placed.element.type in HEADINGS:
                continue
            if dense(reader_text(placed.element)) not in shown:
                yield f"{element_id} is not in the text of its parent"
    for before, after in pairwise(parents):
        numbers = int(before.metadata["page_number"]), int(after.metadata["page_number"])
        if held.chunker.parents == "page" and numbers[0] >= numbers[1]:
            yield "pages out of order"


def _element_ids(chunk: Chunk) -> set[str]:
    return {span.element_id for span in chunk.spans}
