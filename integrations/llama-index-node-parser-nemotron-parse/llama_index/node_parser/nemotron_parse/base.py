"""NemotronParseNodeParser: Documents in, layout-aware chunks out."""

from __future__ import annotations

import asyncio
import copy
import hashlib
import logging
import os
import pickle
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Literal, Protocol, runtime_checkable

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

from nemoparse_loaders import (
    EMBED_KEYS,
    LLM_KEYS,
    Chunk,
    LayoutChunker,
    Parents,
    ParsedDocument,
    Treatment,
    figure_chunks,
    split_text,
)

from .excluded import FILE_NAME, excluded
from .family import Family, Pictures, link_family, link_neighbours
from .positions import locate

logger = logging.getLogger(__name__)


# What other splitters and readers call what has another name here, or is the reader's to know.
_ELSEWHERE = {
    "mode": "what becomes a Document is split= of NemotronParseReader",
    "chunk_size": "say max_tokens, in tokens; chunker=LayoutChunker(max_tokens=...) is for readers",
    "chunk_overlap": "say overlap_sentences, in sentences",
}


@runtime_checkable
class CarriesLayout(Protocol):
    """What the Documents of NemotronParseReader have: a `ParsedDocument` as JSON beside their metadata.

    The field is all that this package and the reader's agree on, so that neither needs the other.
    """

    layout_json: str


@runtime_checkable
class CarriesFigures(Protocol):
    """What they have as well where the reader was asked for images: id of the element -> picture.

    Attributes:
        figure_paths: Path of a PNG file.
        figure_data: PNG in base64.
    """

    figure_paths: dict[str, str]
    figure_data: dict[str, str]


class NemotronParseNodeParser(NodeParser):
    """Makes chunks that follow the layout of the pages.

    From the Documents of NemotronParseReader: by headings, tables, captions and boxes, as `LayoutChunker`
    does. From any other node, and where the layout was lost or the text was changed since: paragraphs packed
    under their Markdown headings within the same budget; the log says so once for each reason. Nodes with an
    image, audio or video pass as they are.

    With ``parents`` the sections or pages come as nodes of their own before the chunks of their document, as
    LlamaIndex's HierarchicalNodeParser has it: `get_leaf_nodes` picks the chunks. Where the reader was asked
    for ``images``, each figure and chart is an ImageNode.

    Each chunk has its document as SOURCE, its neighbours as PREVIOUS and NEXT, the document's own metadata on
    top of its own, and ``start_char_idx`` and ``end_char_idx`` where its Markdown, without what stands in
    front, is word for word in the document's text. A document that is given twice counts once.
    """

    max_tokens: int = Field(default=512, description="Longest chunk, in tokens of what is embedded.")
    overlap_sentences: int = Field(
        default=1, description="Sentences that a piece of an over-long text repeats."
    )
    tokenizer: Any = Field(
        default=None,
        description="Counts tokens: the path of a tokenizer.json, a tokenizers.Tokenizer, or a function of a "
        "module, from text to a number. Default: a careful estimate.",
    )

    min_tokens: int = Field(
        default=0, description="Text chunks of fewer tokens go with a neighbour where both fit."
    )
    parents: Parents | None = Field(
        default=None, description="Give chunks the section or page that they stand in as PARENT."
    )
    content: Literal["markdown", "text", "embed_text"] = Field(
        default="markdown",
        description='What the nodes hold, for embedders and LLMs alike: "markdown" under heading path and '
        'caption; or "embed_text", plain words under them, which most embedders find better; both keep to '
        'max_tokens. Or "text", the Markdown alone, which LlamaIndex shows under the path and caption of the '
        "metadata, and which may be longer.",
    )
    furniture: Treatment = Field(default="drop", description="Page headers and footers.")
    pictures: Treatment = Field(default="keep", description="Pictures and their words.")
    footnotes: Treatment = Field(default="keep", description="Footnotes.")
    toc: Treatment = Field(default="keep", description="Tables of contents.")
    doubtful: Treatment = Field(
        default="keep", description="What the page's file or another reading speaks against."
    )
    min_confidence: float = Field(
        default=0.0, ge=0, le=1, description="Elements whose confidence is known and lower are left out."
    )

    _made: tuple[tuple[Any, ...], LayoutChunker] | None = PrivateAttr(default=None)
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
                hint = _ELSEWHERE.get(name) or (f"did you mean {alike[0]}?" if alike else "")
                raise ValueError(f"there is no option {name}" + (f"; {hint}" if hint else ""))
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

    @model_validator(mode="after")
    def _check_sizes(self) -> NemotronParseNodeParser:
        LayoutChunker(self.max_tokens, None, self.overlap_sentences, min_tokens=self.min_tokens)
        return self

    @field_serializer("tokenizer")
    def _tokenizer_identity(self, value: Any) -> str | None:
        """Part of the pipeline's cache key, so another tokenizer is another value."""
        if value is None or isinstance(value, str):
            return value
        return f"{type(value).__name__}:{hashlib.sha256(pickle.dumps(value)).hexdigest()[:16]}"

    def _chunker(self) -> LayoutChunker:
        """For the fields as they are now; kept, since a tokenizer takes long to load."""
        options = {
            "max_tokens": self.max_tokens,
            "tokenizer": self.tokenizer,
            "overlap_sentences": self.overlap_sentences,
            "min_tokens": self.min_tokens,
            "parents": self.parents,
            "embed": "markdown" if self.content == "markdown" else "words",
            "furniture": self.furniture,
            "pictures": self.pictures,
            "footnotes": self.footnotes,
            "toc": self.toc,
            "doubtful": self.doubtful,
            "min_confidence": self.min_confidence,
        }
        made = self._made
        if made is None or made[0] != tuple(options.values()):
            made = (tuple(options.values()), LayoutChunker(**options))
            self._made = made
        return made[1]

    def __getstate__(self) -> dict[str, Any]:
        """Without the chunker, which is made anew from the fields."""
        state: dict[str, Any] = super().__getstate__()
        private = state.get("__pydantic_private__")
        if private:
            state["__pydantic_private__"] = {**private, "_made": None}
        return state

    def _parse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        chunker = self._chunker()
        parsed: list[BaseNode] = []
        chunks: list[BaseNode] = []
        seen: set[tuple[str, str]] = set()
        for node in get_tqdm_iterable(nodes, show_progress, "Parsing nodes"):
            if _holds_media(node):
                parsed.append(node)
                continue
            # The same node again would give the same ids again, and stores refuse those.
            mark = (node.node_id, node.hash)
            if mark in seen:
                continue
            seen.add(mark)
            family = self._family_of(node, chunker)
            parsed += [*family.parents, *family.chunks, *family.figures]
            chunks += family.chunks
        if self.include_prev_next_rel:
            link_neighbours(chunks)
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

    def _family_of(self, node: BaseNode, chunker: LayoutChunker) -> Family:
        text = node.get_content(metadata_mode=MetadataMode.NONE)
        layout_json = node.layout_json if isinstance(node, CarriesLayout) else ""
        split = split_text(text, layout_json=layout_json, doc_id=node.node_id, chunker=chunker)
        if split.problem:
            self._tell_once(node, split.problem)
        pictures = Pictures()
        if isinstance(node, CarriesFigures) and not split.problem:
            pictures = Pictures(dict(node.figure_paths), dict(node.figure_data))
        theirs = split.inherited(node.metadata) if self.include_metadata else {}
        source = node.source_node or node.as_related_node_info()
        # LlamaIndex 0.13 leaves it None where nothing is given.
        own_ids = self.id_func not in (None, default_id_func)

        def made(chunks: Sequence[Chunk], first_number: int) -> list[TextNode]:
            places = locate(text, [chunk.text for chunk in chunks])
            return [
                self._node_of(
                    chunk,
                    node,
                    theirs,
                    id_=self.id_func(number, node) if own_ids else chunk.id,
                    source=source,
                    place=place,
                    picture=pictures.taken_for(chunk),
                )
                for number, (chunk, place) in enumerate(zip(chunks, places, strict=True), first_number)
            ]

        chunks = made(split.chunks, 0)
        parents = made(split.parents, len(chunks))
        lone: list[Chunk] = []
        if pictures:
            # Pictures without words are in no chunk.
            document = ParsedDocument.from_json(layout_json)
            figures = figure_chunks(document, chunker, beside=split.chunks)
            lone = [chunk for chunk in figures if pictures.has(chunk)]
        family = Family(chunks, parents, made(lone, len(chunks) + len(parents)))
        link_family(split, family, neighbours=self.include_prev_next_rel)
        return family

    def _node_of(
        self,
        chunk: Chunk,
        node: BaseNode,
        theirs: dict[str, Any],
        *,
        id_: str,
        source: RelatedNodeInfo,
        place: tuple[int, int] | None,
        picture: dict[str, str],
    ) -> TextNode:
        metadata = {**chunk.metadata, **copy.deepcopy(theirs)}
        # LLMs read all of a parent, and so what is embedded of it is all of it.
        inside = self.content != "text" and chunk.level in ("chunk", "element")
        shown_to_embedders = frozenset() if inside else EMBED_KEYS
        shown_to_llms = LLM_KEYS - EMBED_KEYS if inside else LLM_KEYS
        values: dict[str, Any] = {
            "id_": id_,
            "text": chunk.embed_text if inside else chunk.text,
            "metadata": metadata,
            "excluded_embed_metadata_keys": excluded(
                metadata, theirs, node.excluded_embed_metadata_keys, shown_to_embedders
            ),
            "excluded_llm_metadata_keys": excluded(
                metadata, theirs, node.excluded_llm_metadata_keys, shown_to_llms
            ),
            "start_char_idx": place[0] if place else None,
            "end_char_idx": place[1] if place else None,
            "relationships": {NodeRelationship.SOURCE: source},
            "metadata_template": node.metadata_template,
            "metadata_separator": node.metadata_separator,
        }
        if isinstance(node, (Node, TextNode)):
            values["text_template"] = node.text_template
        return ImageNode(**values, **picture) if picture else TextNode(**values)

    def _tell_once(self, node: BaseNode, problem: str) -> None:
        if problem not in self._told:
            self._told.add(problem)
            name = node.metadata.get(FILE_NAME) or node.node_id
            logger.warning("%s %s; it is split as plain text. Said once for each reason.", name, problem)


def _holds_media(node: BaseNode) -> bool:
    if isinstance(node, ImageNode):
        return True
    return isinstance(node, Node) and any((node.image_resource, node.audio_resource, node.video_resource))
