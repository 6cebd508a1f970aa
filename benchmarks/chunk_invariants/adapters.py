"""Checks on what the frameworks' chunkers make of a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from llama_index.core.schema import BaseNode, NodeRelationship, TextNode

from langchain_nemotron_parse import NemotronParseChunker
from langchain_nemotron_parse.documents import to_documents as to_langchain
from llama_index.node_parser.nemotron_parse import NemotronParseNodeParser
from llama_index.readers.nemotron_parse.document import to_documents as to_llama_index
from nemoparse_loaders import LayoutChunker, ParsedDocument
from nemoparse_loaders.chunking import ChunkTree


def adapter_problems(document: ParsedDocument, chunker: LayoutChunker, tree: ChunkTree) -> list[str]:
    """What the nodes of LlamaIndex and the Documents of LangChain have that the chunks have not."""
    return [*_llama_index(document, chunker, tree), *_langchain(document, chunker, tree)]


def _options(chunker: LayoutChunker) -> dict[str, Any]:
    """The chunker as both frameworks' own are told of it; their content is the chunks' Markdown alone."""
    chosen = chunker.selection
    return {
        "max_tokens": chunker.max_tokens,
        "tokenizer": chunker.tokenizer,
        "overlap_sentences": chunker.overlap_sentences,
        "min_tokens": chunker.min_tokens,
        "parents": chunker.parents,
        "furniture": chosen.furniture,
        "pictures": chosen.pictures,
        "footnotes": chosen.footnotes,
        "toc": chosen.toc,
        "content": "text",
    }


def _llama_index(document: ParsedDocument, chunker: LayoutChunker, tree: ChunkTree) -> Iterator[str]:
    wholes = to_llama_index(document)
    parser = NemotronParseNodeParser(**_options(chunker))
    # A file without text is no Document.
    chunks = [*tree.parents, *tree.chunks] if wholes else []
    nodes = parser.get_nodes_from_documents(wholes)
    if [node.node_id for node in nodes] != [chunk.id for chunk in chunks]:
        yield "the nodes have other ids than the chunks"
        return
    known: dict[str, BaseNode] = {node.node_id: node for node in nodes}
    for node, chunk in zip(nodes, chunks, strict=True):
        assert isinstance(node, TextNode)
        if node.text != chunk.text or node.get_content() != chunk.text:
            yield f"{chunk.level} {chunk.metadata['chunk_index']} has another text"
        if any(node.metadata.get(key) != value for key, value in chunk.metadata.items()):
            yield f"{chunk.level} {chunk.metadata['chunk_index']} has other metadata"
        start, end = node.start_char_idx, node.end_char_idx
        if start is not None and wholes[0].text[start:end] != node.text:
            yield f"{chunk.level} {chunk.metadata['chunk_index']} does not stand at {start}:{end}"
        parent = node.parent_node.node_id if node.parent_node else ""
        if parent != chunk.parent_id:
            yield f"{chunk.level} {chunk.metadata['chunk_index']} has another parent"
        if node.source_node is None or node.source_node.node_id != document.doc_id:
            yield f"{chunk.level} {chunk.metadata['chunk_index']} has another source"
    yield from _relationships(nodes[len(tree.parents) :], known)


def _relationships(leaves: Sequence[BaseNode], known: dict[str, BaseNode]) -> Iterator[str]:
    """References name nodes that are there, with their hashes, and go both ways."""
    for node in known.values():
        for kind, listed in node.relationships.items():
            for other in listed if isinstance(listed, list) else [listed]:
                if kind == NodeRelationship.SOURCE:
                    continue
                if other.node_id not in known or other.hash != known[other.node_id].hash:
                    yield f"{kind.name} of {node.node_id} names no node, or one that has changed"
        for child in node.child_nodes or ():
            above = known[child.node_id].parent_node
            if above is None or above.node_id != node.node_id:
                yield f"{child.node_id} does not know its parent"
        parent = known[node.parent_node.node_id] if node.parent_node else None
        if parent is not None and node.node_id not in {child.node_id for child in parent.child_nodes or ()}:
            yield f"the parent of {node.node_id} does not know it"
    for before, after in pairwise(leaves):
        if (
            before.next_node is None
            or after.prev_node is None
            or (before.next_node.node_id, after.prev_node.node_id) != (after.node_id, before.node_id)
        ):
            yield f"{before.node_id} and {after.node_id} are no neighbours"


def _langchain(document: ParsedDocument, chunker: LayoutChunker, tree: ChunkTree) -> Iterator[str]:
    wholes = to_langchain(document, split="document")
    made = NemotronParseChunker(**_options(chunker))
    parents, pieces = made.split_with_parents(wholes)
    chunks = [*tree.parents, *tree.chunks] if wholes else []
    found = [(piece.id, piece.page_content, piece.metadata) for piece in (*parents, *pieces)]
    if found != [(chunk.id, chunk.text, chunk.metadata) for chunk in chunks]:
        yield "the Documents are not the chunks"
