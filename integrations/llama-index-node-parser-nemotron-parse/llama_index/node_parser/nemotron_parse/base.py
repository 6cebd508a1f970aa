"""NemotronParseNodeParser: Documents in, layout-aware chunks out."""

from __future__ import annotations

import asyncio
import copy
import hashlib
import logging
import os
import pickle
from collections.abc import Mapping, Sequence, Set
from difflib import get_close_matches
from itertools import pairwise
from typing import Any, Protocol, runtime_checkable

from llama_index.core.node_parser.interface import NodeParser
from llama_index.core.node_parser.node_utils import default_id_func
from llama_index.core.schema import (
    BaseNode,
    Document,
    ImageNode,
    MetadataMode,
    Node,
    NodeRelationship,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.utils import get_tqdm_iterable
from pydantic import Field, PrivateAttr, field_serializer, field_validator, model_validator

from nemoparse_loaders import EMBED_KEYS, LLM_KEYS, METADATA_KEYS, LayoutChunker, split_text

from .positions import locate

logger = logging.getLogger(__name__)

# Of our own keys the only one that means as much for a document as for its chunks, and so the only one whose
# exclusion on the document says what its owner wants.
_FILE_NAME = "file_name"


@runtime_checkable
class CarriesLayout(Protocol):
    """What the Documents of NemotronParseReader have: a `ParsedDocument` as JSON beside their metadata.

    The field is all that this package and the reader's agree on, so that neither needs the other.
    """

    layout_json: str


class NemotronParseNodeParser(NodeParser):
    """Makes chunks that follow the layout of the pages.

    From the Documents of NemotronParseReader: by headings, tables, captions and boxes, as `LayoutChunker`
    does. From any other node, and where the layout was lost or the text was changed since: paragraphs packed
    under their Markdown headings within the same budget; the log says so once for each reason. Nodes with an
    image, audio or video pass as they are.

    Each chunk has its document as SOURCE, its neighbours as PREVIOUS and NEXT, the document's own metadata on
    top of its own, and ``start_char_idx`` and ``end_char_idx`` where it stands word for word in the
    document's text.
    """

    max_tokens: int = Field(default=512, ge=1, description="Longest chunk, in tokens of what is embedded.")
    overlap_sentences: int = Field(
        default=1, ge=0, description="Sentences that a piece of an over-long text repeats."
    )
    tokenizer: Any = Field(
        default=None,
        description="Counts tokens: the path of a tokenizer.json, a tokenizers.Tokenizer, or a function of a "
        "module, from text to a number. Default: a careful estimate.",
    )

    _told: set[str] = PrivateAttr(default_factory=set)

    @classmethod
    def class_name(cls) -> str:
        """Name in serialised form."""
        return "NemotronParseNodeParser"

    @model_validator(mode="before")
    @classmethod
    def _check_names(cls, values: Any) -> Any:
        # LlamaIndex's own models drop what they do not know, and a misspelt option would do nothing.
        for name in values if isinstance(values, Mapping) else ():
            if name not in cls.model_fields and name != "class_name":
                alike = get_close_matches(name, cls.model_fields, n=1)
                raise ValueError(
                    f"there is no option {name}" + (f"; did you mean {alike[0]}?" if alike else "")
                )
        return values

    @field_validator("tokenizer")
    @classmethod
    def _check_tokenizer(cls, value: Any) -> Any:
        if isinstance(value, os.PathLike):
            value = os.fspath(value)
        try:
            pickle.dumps(value)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            # LlamaIndex would drop it on the way to a worker process and go on with the default.
            raise ValueError(
                "does not pickle; give a function that is defined in a module, not a lambda or a local one"
            ) from error
        LayoutChunker(tokenizer=value)
        return value

    @field_serializer("tokenizer")
    def _tokenizer_identity(self, value: Any) -> str | None:
        """Part of the pipeline's cache key, so another tokenizer is another value."""
        if value is None or isinstance(value, str):
            return value
        return f"{type(value).__name__}:{hashlib.sha256(pickle.dumps(value)).hexdigest()[:16]}"

    def _parse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        chunker = LayoutChunker(
            max_tokens=self.max_tokens,
            tokenizer=self.tokenizer,
            overlap_sentences=self.overlap_sentences,
        )
        parsed: list[BaseNode] = []
        for node in get_tqdm_iterable(nodes, show_progress, "Parsing nodes"):
            parsed += [node] if _holds_media(node) else self._chunks_of(node, chunker)
        if self.include_prev_next_rel:
            _link(parsed)
        return parsed

    async def _aparse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        # Chunking is work for the processor, which would hold up the event loop.
        return await asyncio.to_thread(self._parse_nodes, nodes, show_progress, **kwargs)

    def _postprocess_parsed_nodes(
        self, nodes: list[BaseNode], parent_doc_map: dict[str, Document]
    ) -> list[BaseNode]:
        # Everything is set already. The base class would search the text for every chunk, copy the document's
        # page numbers over, and put two neighbours' whole metadata into each node.
        return nodes

    def _chunks_of(self, node: BaseNode, chunker: LayoutChunker) -> list[TextNode]:
        text = node.get_content(metadata_mode=MetadataMode.NONE)
        layout_json = node.layout_json if isinstance(node, CarriesLayout) else ""
        split = split_text(text, layout_json=layout_json, doc_id=node.node_id, chunker=chunker)
        if split.problem:
            self._tell_once(node, split.problem)
        theirs: dict[str, Any] = {}
        if self.include_metadata:
            # What the reader wrote about the document as a whole gives way to what is true of the chunk.
            theirs = {
                key: value
                for key, value in node.metadata.items()
                if key not in split.whole or split.whole[key] != value
            }
        shared: dict[str, Any] = {
            "relationships": {NodeRelationship.SOURCE: node.source_node or node.as_related_node_info()},
            "metadata_template": node.metadata_template,
            "metadata_separator": node.metadata_separator,
        }
        if isinstance(node, (Node, TextNode)):
            shared["text_template"] = node.text_template
        # LlamaIndex 0.13 leaves it None where nothing is given.
        own_ids = self.id_func not in (None, default_id_func)
        places = locate(text, [chunk.text for chunk in split.chunks])
        parsed = []
        for number, (chunk, place) in enumerate(zip(split.chunks, places, strict=True)):
            metadata = {**chunk.metadata, **copy.deepcopy(theirs)}
            parsed.append(
                TextNode(
                    id_=self.id_func(number, node) if own_ids else chunk.id,
                    text=chunk.text,
                    metadata=metadata,
                    excluded_embed_metadata_keys=_excluded(
                        metadata, theirs, node.excluded_embed_metadata_keys, EMBED_KEYS
                    ),
                    excluded_llm_metadata_keys=_excluded(
                        metadata, theirs, node.excluded_llm_metadata_keys, LLM_KEYS
                    ),
                    start_char_idx=place[0] if place else None,
                    end_char_idx=place[1] if place else None,
                    **shared,
                )
            )
        return parsed

    def _tell_once(self, node: BaseNode, problem: str) -> None:
        if problem not in self._told:
            self._told.add(problem)
            name = node.metadata.get(_FILE_NAME) or node.node_id
            logger.warning("%s %s; it is split as plain text. Said once for each reason.", name, problem)


def _holds_media(node: BaseNode) -> bool:
    if isinstance(node, ImageNode):
        return True
    return isinstance(node, Node) and any((node.image_resource, node.audio_resource, node.video_resource))


def _excluded(
    metadata: dict[str, Any], theirs: dict[str, Any], listed: list[str], shown: Set[str]
) -> list[str]:
    """Keys kept from a prompt or an embedding: theirs as the document says, ours as they are meant."""
    excluded = [key for key in dict.fromkeys(listed) if key not in METADATA_KEYS]
    for key, value in metadata.items():
        if key in theirs or key == _FILE_NAME:
            hidden = key in listed or (key not in theirs and key not in shown)
        else:
            hidden = key not in shown or value == ""
        if hidden and key not in excluded:
            excluded.append(key)
    return excluded


def _link(nodes: list[BaseNode]) -> None:
    """PREVIOUS and NEXT between neighbours with the same source, by id: their metadata is a look-up away."""
    for before, after in pairwise(nodes):
        source = before.source_node
        if source is None or after.source_node is None or source.node_id != after.source_node.node_id:
            continue
        before.relationships[NodeRelationship.NEXT] = _reference(after)
        after.relationships[NodeRelationship.PREVIOUS] = _reference(before)


def _reference(node: BaseNode) -> RelatedNodeInfo:
    return RelatedNodeInfo(node_id=node.node_id, node_type=node.get_type(), hash=node.hash)
