"""The nodes of one document: chunks, parents and pictures, and how they point to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from llama_index.core.schema import BaseNode, NodeRelationship, RelatedNodeInfo, TextNode

from nemoparse_loaders import Chunk, TextSplit

_FIGURES = ("figure", "chart")


@dataclass(frozen=True)
class Family:
    """The nodes of one document.

    Attributes:
        chunks: As `TextSplit.chunks`.
        parents: As `TextSplit.parents`.
        figures: Pictures that are in no chunk.
    """

    chunks: list[TextNode]
    parents: list[TextNode]
    figures: list[TextNode]


@dataclass(frozen=True)
class Pictures:
    """Pictures that no node has taken yet, by the id of their element."""

    paths: dict[str, str] = field(default_factory=dict)
    data: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.paths or self.data)

    def has(self, chunk: Chunk) -> bool:
        """Whether the chunk's picture is among them."""
        return any(span.element_id in self.paths or span.element_id in self.data for span in chunk.spans)

    def taken_for(self, chunk: Chunk) -> dict[str, str]:
        """The fields of an ImageNode for the chunk of a figure; nothing for any other. It is taken out."""
        if chunk.metadata["chunk_type"] not in _FIGURES or chunk.level not in ("chunk", "element"):
            return {}
        for span in chunk.spans:
            path = self.paths.pop(span.element_id, None)
            if path is not None:
                return {"image_path": path, "image_mimetype": "image/png"}
            data = self.data.pop(span.element_id, None)
            if data is not None:
                return {"image": data, "image_mimetype": "image/png"}
        return {}


def link_family(split: TextSplit, family: Family, *, neighbours: bool) -> None:
    """PARENT and CHILD, and PREVIOUS and NEXT between the parents that stand side by side.

    References hold id and hash: the metadata are a look-up away.
    """
    parents = {chunk.id: node for chunk, node in zip(split.parents, family.parents, strict=True)}
    references = {chunk_id: reference(node) for chunk_id, node in parents.items()}
    children: dict[str, list[RelatedNodeInfo]] = {}
    pairs = [*zip(split.parents, family.parents, strict=True), *zip(split.chunks, family.chunks, strict=True)]
    for chunk, node in pairs:
        if chunk.parent_id in references:
            node.relationships[NodeRelationship.PARENT] = references[chunk.parent_id]
            children.setdefault(chunk.parent_id, []).append(reference(node))
    for parent_id, below in children.items():
        parents[parent_id].relationships[NodeRelationship.CHILD] = below
    if not neighbours:
        return
    for chunk, node in zip(split.parents, family.parents, strict=True):
        for kind, other in (
            (NodeRelationship.PREVIOUS, chunk.previous_id),
            (NodeRelationship.NEXT, chunk.next_id),
        ):
            if other in references:
                node.relationships[kind] = references[other]


def link_neighbours(nodes: Sequence[BaseNode]) -> None:
    """PREVIOUS and NEXT between chunks in a row that have the same source."""
    for before, after in pairwise(nodes):
        source = before.source_node
        if source is None or after.source_node is None or source.node_id != after.source_node.node_id:
            continue
        before.relationships[NodeRelationship.NEXT] = reference(after)
        after.relationships[NodeRelationship.PREVIOUS] = reference(before)


def reference(node: BaseNode) -> RelatedNodeInfo:
    """Id and hash of a node."""
    return RelatedNodeInfo(node_id=node.node_id, node_type=node.get_type(), hash=node.hash)
