"""NemotronParseNodeParser: chunks by the layout, and what happens where there is none."""

from __future__ import annotations

import copy
import json
import logging
import pickle
from pathlib import Path
from typing import Literal

import pytest
from llama_index.core.node_parser import NodeParser, get_leaf_nodes
from llama_index.core.schema import (
    BaseNode,
    Document,
    ImageDocument,
    MediaResource,
    MetadataMode,
    Node,
    NodeRelationship,
    ObjectType,
    TextNode,
)
from pydantic import ValidationError

from llama_index.node_parser.nemotron_parse import NemotronParseNodeParser
from llama_index.readers.nemotron_parse import NemotronParseDocument, NemotronParseReader
from nemoparse_loaders import METADATA_KEYS, Embed, LayoutChunker
from nemoparse_loaders.testing import ParseServer

MARKDOWN = """# Boats

There are boats.

## Sails

Sails are white. They are large.

## Oars

Oars are brown."""


def count_words(text: str) -> int:
    return len(text.split())


@pytest.fixture
def reader(server: ParseServer) -> NemotronParseReader:
    return NemotronParseReader(base_url=server.base_url)


@pytest.fixture
def document(reader: NemotronParseReader, pdf: Path) -> NemotronParseDocument:
    [document] = reader.load_data(pdf)
    assert isinstance(document, NemotronParseDocument)
    return document


def related(node: BaseNode, kind: NodeRelationship) -> str | None:
    info = node.relationships.get(kind)
    return None if info is None or isinstance(info, list) else info.node_id


class TestByLayout:
    def test_the_same_chunks_as_the_reader_gives(
        self, server: ParseServer, document: NemotronParseDocument, pdf: Path
    ) -> None:
        nodes = NemotronParseNodeParser().get_nodes_from_documents([document])
        pieces = NemotronParseReader(base_url=server.base_url, split="chunk").load_data(pdf)
        assert [(node.id_, node.get_content(), node.metadata) for node in nodes] == [
            (piece.id_, piece.text, piece.metadata) for piece in pieces
        ]
        assert [node.excluded_llm_metadata_keys for node in nodes] == [
            piece.excluded_llm_metadata_keys for piece in pieces
        ]
        assert [node.excluded_embed_metadata_keys for node in nodes] == [
            piece.excluded_embed_metadata_keys for piece in pieces
        ]

    def test_chunks_know_their_page_and_heading(self, document: NemotronParseDocument) -> None:
        nodes = NemotronParseNodeParser().get_nodes_from_documents([document])
        assert {node.metadata["page_number"] for node in nodes} == {1, 2}
        assert any("Ships and cargo" in node.metadata["section_path"] for node in nodes)
        for node in nodes:
            assert set(node.metadata) == set(METADATA_KEYS)
            assert json.loads(node.metadata["bboxes"])
            # It stands in the text.
            assert node.get_metadata_str(MetadataMode.EMBED) == ""

    def test_relations(self, document: NemotronParseDocument) -> None:
        nodes = NemotronParseNodeParser(max_tokens=24).get_nodes_from_documents([document])
        assert len(nodes) > 2
        ids = [node.id_ for node in nodes]
        assert {node.ref_doc_id for node in nodes} == {document.id_}
        assert [related(node, NodeRelationship.PREVIOUS) for node in nodes] == [None, *ids[:-1]]
        assert [related(node, NodeRelationship.NEXT) for node in nodes] == [*ids[1:], None]
        source = nodes[0].source_node
        assert source is not None
        assert source.node_type == ObjectType.DOCUMENT
        assert source.hash == document.hash

    def test_neighbours_share_a_source(self, reader: NemotronParseReader, folder: Path) -> None:
        documents = reader.load_data(sorted(folder.iterdir()))
        nodes = NemotronParseNodeParser(max_tokens=24).get_nodes_from_documents(documents)
        by_id = {node.id_: node for node in nodes}
        assert len(by_id) == len(nodes)
        for node in nodes:
            following = related(node, NodeRelationship.NEXT)
            assert following is None or by_id[following].ref_doc_id == node.ref_doc_id

    def test_relations_can_be_left_out(self, document: NemotronParseDocument) -> None:
        parser = NemotronParseNodeParser(include_prev_next_rel=False, max_tokens=24)
        for node in parser.get_nodes_from_documents([document]):
            assert set(node.relationships) == {NodeRelationship.SOURCE}

    def test_positions_are_true(self, document: NemotronParseDocument) -> None:
        nodes = NemotronParseNodeParser(max_tokens=24).get_nodes_from_documents([document])
        for node in nodes:
            assert isinstance(node, TextNode)
            if node.start_char_idx is not None:
                place = document.text[node.start_char_idx : node.end_char_idx]
                # Headings may stand in front.
                assert place
                assert node.text.endswith(place)

    def test_the_budget_is_a_field(self, document: NemotronParseDocument) -> None:
        few = NemotronParseNodeParser(max_tokens=2000).get_nodes_from_documents([document])
        many = NemotronParseNodeParser(max_tokens=16, tokenizer=count_words).get_nodes_from_documents(
            [document]
        )
        assert len(few) < len(many)

    def test_own_metadata_goes_with_every_chunk(self, document: NemotronParseDocument) -> None:
        document.metadata["tags"] = ["x"]
        document.metadata["title"] = "Mine"
        document.excluded_embed_metadata_keys.append("tags")
        first, second, *_ = NemotronParseNodeParser(max_tokens=24).get_nodes_from_documents([document])
        assert first.metadata["title"] == "Mine"
        assert first.metadata["page_number"] == 1
        first.metadata["tags"].append("y")
        assert second.metadata["tags"] == ["x"]
        assert "tags" not in second.get_metadata_str(MetadataMode.EMBED)
        assert "tags" in second.get_metadata_str(MetadataMode.LLM)

    def test_own_metadata_can_be_left_out(self, document: NemotronParseDocument) -> None:
        document.metadata["owner"] = "me"
        for node in NemotronParseNodeParser(include_metadata=False).get_nodes_from_documents([document]):
            assert set(node.metadata) == set(METADATA_KEYS)

    def test_metadata_replaced_as_a_whole(
        self, document: NemotronParseDocument, caplog: pytest.LogCaptureFixture
    ) -> None:
        document.metadata = {"owner": "me"}
        nodes = NemotronParseNodeParser().get_nodes_from_documents([document])
        assert {node.metadata["owner"] for node in nodes} == {"me"}
        assert {node.metadata["page_number"] for node in nodes} == {1, 2}
        assert not caplog.records

    def test_templates_are_inherited(self, document: NemotronParseDocument) -> None:
        document.metadata_template = "{key}={value}"
        document.text_template = "[{metadata_str}] {content}"
        document.metadata["owner"] = "me"
        node = NemotronParseNodeParser().get_nodes_from_documents([document])[0]
        assert "owner=me" in node.get_content(MetadataMode.LLM)
        assert node.get_content(MetadataMode.LLM).startswith("[")

    def test_ids_of_ones_own(self, document: NemotronParseDocument) -> None:
        def numbered(i: int, doc: BaseNode) -> str:
            return f"{doc.metadata['file_name']}-{i}"

        nodes = NemotronParseNodeParser(id_func=numbered, max_tokens=24).get_nodes_from_documents([document])
        assert [node.id_ for node in nodes[:2]] == ["harbour.pdf-0", "harbour.pdf-1"]

    def test_documents_with_failed_pages_shown(self, pdf: Path, caplog: pytest.LogCaptureFixture) -> None:
        from nemoparse_loaders.testing import HttpError

        with ParseServer(faults=[HttpError(400), None]) as server:
            documents = NemotronParseReader(
                base_url=server.base_url, max_concurrency=1, include_failed=True
            ).load_data(pdf)
        caplog.clear()
        nodes = NemotronParseNodeParser().get_nodes_from_documents(documents)
        assert {node.metadata["page_number"] for node in nodes} == {1, 2}
        assert "[page 1 could not be read" in nodes[0].get_content()
        assert nodes[0].metadata["is_partial"]
        assert not caplog.records

    async def test_async(self, document: NemotronParseDocument) -> None:
        parser = NemotronParseNodeParser(max_tokens=24)
        expected = parser.get_nodes_from_documents([document])
        assert await parser.aget_nodes_from_documents([document]) == expected
        assert await parser.acall([document]) == expected


class TestWithoutLayout:
    def test_a_document_of_another_reader(self, caplog: pytest.LogCaptureFixture) -> None:
        document = Document(id_="d", text=MARKDOWN, metadata={"file_name": "boats.md", "page_label": "7"})
        parser = NemotronParseNodeParser(max_tokens=16)
        with caplog.at_level(logging.WARNING):
            nodes = parser.get_nodes_from_documents([document])
            parser.get_nodes_from_documents([document])
        [record] = caplog.records
        assert "boats.md carries no layout" in record.getMessage()
        assert len(nodes) >= 3
        assert [node.id_ for node in nodes] == [
            node.id_ for node in parser.get_nodes_from_documents([document])
        ]
        assert any(node.metadata["section_path"].endswith("Sails") for node in nodes)
        for node in nodes:
            assert set(node.metadata) == set(METADATA_KEYS)
            assert node.metadata["file_name"] == "boats.md"
            assert node.metadata["page_label"] == "7"
            assert node.metadata["page_number"] == 0
            # The document hides neither, so neither is hidden.
            assert "page_label: 7" in node.get_metadata_str(MetadataMode.EMBED)
            assert isinstance(node, TextNode)
            assert node.start_char_idx is None or node.text.endswith(
                MARKDOWN[node.start_char_idx : node.end_char_idx]
            )
        words = " ".join(node.get_content() for node in nodes)
        assert all(word in words for word in ("boats", "white", "large", "brown"))

    def test_a_document_that_a_store_gave_back(
        self, document: NemotronParseDocument, caplog: pytest.LogCaptureFixture
    ) -> None:
        from llama_index.core.storage.docstore.utils import doc_to_json, json_to_doc

        plain = json_to_doc(json.loads(json.dumps(doc_to_json(document))))
        assert type(plain) is Document
        nodes = NemotronParseNodeParser().get_nodes_from_documents([plain])
        assert "carries no layout" in caplog.text
        assert "Traffic grew" in " ".join(node.get_content() for node in nodes)

    def test_what_tells_of_a_chunk_is_its_own(self, document: NemotronParseDocument) -> None:
        from llama_index.core.storage.docstore.utils import doc_to_json, json_to_doc

        document.metadata["team"] = "blue"
        plain = json_to_doc(json.loads(json.dumps(doc_to_json(document))))
        assert isinstance(plain, Document)
        nodes = NemotronParseNodeParser(max_tokens=16, parents="section").get_nodes_from_documents([plain])
        chunks = get_leaf_nodes(nodes)
        assert len(chunks) > 3
        assert [node.metadata["chunk_index"] for node in chunks] == list(range(len(chunks)))
        by_id = {node.id_: node for node in nodes}
        for node in chunks:
            assert node.metadata["chunk_id"] == node.id_
            assert by_id[node.metadata["parent_id"]].child_nodes
            assert node.metadata["n_tokens"] == LayoutChunker().count(node.get_content())
            assert node.metadata["page_number"] == 0
            assert (node.metadata["team"], node.metadata["file_name"]) == ("blue", "harbour.pdf")

    def test_its_own_json_keeps_the_layout(self, document: NemotronParseDocument) -> None:
        assert NemotronParseDocument.from_json(document.to_json()).layout_json == document.layout_json

    def test_what_was_taken_out_of_the_text_stays_out(
        self, document: NemotronParseDocument, caplog: pytest.LogCaptureFixture
    ) -> None:
        document.set_content(document.text.replace("Traffic grew", "[redacted]"))
        nodes = NemotronParseNodeParser().get_nodes_from_documents([document])
        assert "text changed" in caplog.text
        contents = " ".join(node.get_content() for node in nodes)
        assert "Traffic grew" not in contents
        assert "[redacted]" in contents

    def test_an_unreadable_layout(self, caplog: pytest.LogCaptureFixture) -> None:
        document = NemotronParseDocument(text=MARKDOWN, layout_json='{"pages": 3}')
        assert NemotronParseNodeParser().get_nodes_from_documents([document])
        assert "cannot read" in caplog.text

    @pytest.mark.parametrize(
        "node",
        [TextNode(id_="t", text=MARKDOWN), Node(id_="n", text_resource=MediaResource(text=MARKDOWN))],
        ids=["TextNode", "Node"],
    )
    def test_any_node(self, node: BaseNode) -> None:
        chunks = NemotronParseNodeParser(max_tokens=16)([node])
        assert len(chunks) >= 3
        assert {chunk.ref_doc_id for chunk in chunks} == {node.id_}

    def test_chunks_of_a_piece_belong_to_its_document(self, document: NemotronParseDocument) -> None:
        piece = TextNode(
            text=MARKDOWN, relationships={NodeRelationship.SOURCE: document.as_related_node_info()}
        )
        assert {chunk.ref_doc_id for chunk in NemotronParseNodeParser()([piece])} == {document.id_}

    def test_images_pass_and_empty_text_gives_nothing(self) -> None:
        picture = ImageDocument(text="a caption", image="aGVsbG8=")
        assert NemotronParseNodeParser()([picture, Document(text="")]) == [picture]


class TestWhatIsEmbedded:
    @pytest.mark.parametrize("content", ["markdown", "embed_text"])
    def test_embedders_and_llms_are_shown_what_the_budget_counts(
        self, document: NemotronParseDocument, content: Literal["markdown", "embed_text"]
    ) -> None:
        nodes = NemotronParseNodeParser(max_tokens=48, content=content).get_nodes_from_documents([document])
        embed: Embed = "markdown" if content == "markdown" else "words"
        chunks = {
            chunk.id: chunk for chunk in LayoutChunker(48, embed=embed).chunk(document.parsed_document())
        }
        assert any("|-|" in node.get_content() for node in nodes) == (content == "markdown")
        assert any(node.get_content().startswith(node.metadata["section_path"]) for node in nodes)
        for node in nodes:
            assert node.get_content() == chunks[node.id_].embed_text
            assert node.get_content(MetadataMode.EMBED) == node.get_content()
            assert LayoutChunker().count(node.get_content()) == node.metadata["n_tokens"] <= 48
            shown = node.get_content(MetadataMode.LLM)
            assert shown.endswith(node.get_content())
            assert "file_name: harbour.pdf" in shown
            assert "section_path:" not in shown

    def test_markdown_alone_is_shown_under_path_and_caption(self, document: NemotronParseDocument) -> None:
        nodes = NemotronParseNodeParser(content="text").get_nodes_from_documents([document])
        chunks = {chunk.id: chunk for chunk in LayoutChunker().chunk(document.parsed_document())}
        for node in nodes:
            assert node.get_content() == chunks[node.id_].text
            shown = node.get_content(MetadataMode.EMBED)
            assert ("section_path: " in shown) == bool(node.metadata["section_path"])

    def test_the_budget_counts_what_is_embedded(self, document: NemotronParseDocument) -> None:
        parser = NemotronParseNodeParser(max_tokens=16, tokenizer=count_words)
        for node in parser.get_nodes_from_documents([document]):
            assert count_words(node.get_content(MetadataMode.EMBED)) == node.metadata["n_tokens"] <= 16

    def test_own_metadata_is_embedded_with_it(self, document: NemotronParseDocument) -> None:
        document.metadata["owner"] = "me"
        node = NemotronParseNodeParser().get_nodes_from_documents([document])[0]
        assert node.get_content(MetadataMode.EMBED).startswith("owner: me")
        node.excluded_embed_metadata_keys.append("owner")
        assert "owner" not in node.get_content(MetadataMode.EMBED)

    def test_what_was_taken_out_of_a_chunk_is_not_embedded(self, document: NemotronParseDocument) -> None:
        node = NemotronParseNodeParser(max_tokens=2000).get_nodes_from_documents([document])[0]
        node.set_content("[redacted]")
        embedded = node.get_content(MetadataMode.EMBED)
        assert "[redacted]" in embedded
        assert "Traffic" not in embedded

    def test_pickles_and_copies_keep_it(self, document: NemotronParseDocument) -> None:
        for node in NemotronParseNodeParser().get_nodes_from_documents([document]):
            for twin in (pickle.loads(pickle.dumps(node)), copy.deepcopy(node), node.model_copy()):
                assert twin.get_content(MetadataMode.EMBED) == node.get_content(MetadataMode.EMBED)

    @pytest.mark.parametrize("content", ["markdown", "text", "embed_text"])
    def test_stores_and_caches_give_back_what_they_were_given(
        self, document: NemotronParseDocument, content: Literal["markdown", "text", "embed_text"]
    ) -> None:
        from llama_index.core.storage.docstore.utils import doc_to_json, json_to_doc

        for node in NemotronParseNodeParser(content=content).get_nodes_from_documents([document]):
            plain = json_to_doc(json.loads(json.dumps(doc_to_json(node))))
            assert plain == node
            for mode in MetadataMode:
                assert plain.get_content(mode) == node.get_content(mode)


class TestParents:
    @pytest.mark.parametrize("parents", ["section", "page"])
    def test_children_and_parents_point_to_each_other(
        self, document: NemotronParseDocument, parents: Literal["section", "page"]
    ) -> None:
        nodes = NemotronParseNodeParser(max_tokens=24, parents=parents).get_nodes_from_documents([document])
        leaves = get_leaf_nodes(nodes)
        assert [leaf.id_ for leaf in leaves] == [
            node.id_ for node in NemotronParseNodeParser(max_tokens=24).get_nodes_from_documents([document])
        ]
        by_id = {node.id_: node for node in nodes}
        assert len(by_id) == len(nodes) > len(leaves)
        assert {node.ref_doc_id for node in nodes} == {document.id_}
        for node in nodes:
            for child in node.child_nodes or []:
                assert related(by_id[child.node_id], NodeRelationship.PARENT) == node.id_
            parent = related(node, NodeRelationship.PARENT)
            if parent is not None:
                assert node.id_ in [child.node_id for child in by_id[parent].child_nodes or []]
                assert node.metadata["parent_id"] == parent
            following = related(node, NodeRelationship.NEXT)
            assert following is None or related(by_id[following], NodeRelationship.PREVIOUS) == node.id_
        assert all(related(leaf, NodeRelationship.PARENT) for leaf in leaves)
        for node in nodes:
            if isinstance(node, TextNode) and node.start_char_idx is not None:
                place = document.text[node.start_char_idx : node.end_char_idx]
                assert place == node.text if node.child_nodes else node.text.endswith(place)

    def test_sections_of_a_plain_text(self) -> None:
        parser = NemotronParseNodeParser(max_tokens=16, parents="section")
        nodes = parser.get_nodes_from_documents([Document(id_="d", text=MARKDOWN)])
        parents = [node for node in nodes if node.child_nodes]
        assert [node.metadata["section_path"] for node in parents] == [
            "Boats",
            "Boats > Sails",
            "Boats > Oars",
        ]
        assert "Oars are brown." in parents[0].get_content()
        assert {node.metadata["page_number"] for node in nodes} == {0}


class TestTwice:
    def test_the_same_document_counts_once(self, document: NemotronParseDocument) -> None:
        parser = NemotronParseNodeParser(max_tokens=24)
        expected = parser.get_nodes_from_documents([document])
        assert parser.get_nodes_from_documents([document, document.model_copy()]) == expected

    def test_the_tokenizer_is_loaded_once(self, document: NemotronParseDocument, tmp_path: Path) -> None:
        from tokenizers import Tokenizer, models, pre_tokenizers

        tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        path = tmp_path / "tokenizer.json"
        tokenizer.save(str(path))
        parser = NemotronParseNodeParser(max_tokens=16, tokenizer=str(path))
        expected = parser([document])
        pickled = pickle.dumps(parser)
        path.unlink()
        assert parser([document]) == expected
        path.write_text(tokenizer.to_str(), encoding="utf-8")
        assert pickle.loads(pickled)([document]) == expected
        # Fields may be changed, and count then.
        parser.max_tokens = 200
        assert len(parser([document])) < len(expected)


class TestComponent:
    def test_contract(self) -> None:
        assert NemotronParseNodeParser.class_name() == "NemotronParseNodeParser"
        assert issubclass(NemotronParseNodeParser, NodeParser)

    def test_json_is_the_cache_key(self) -> None:
        listed = json.loads(NemotronParseNodeParser(max_tokens=99, tokenizer=count_words).to_json())
        assert listed["max_tokens"] == 99
        assert listed["tokenizer"].startswith("function:")
        keys = {
            str(parser.to_dict())
            for parser in (
                NemotronParseNodeParser(),
                NemotronParseNodeParser(tokenizer=count_words),
                NemotronParseNodeParser(tokenizer=len),
                NemotronParseNodeParser(max_tokens=99),
                NemotronParseNodeParser(overlap_sentences=0),
                NemotronParseNodeParser(min_tokens=20),
                NemotronParseNodeParser(parents="page"),
                NemotronParseNodeParser(content="embed_text"),
                NemotronParseNodeParser(toc="drop"),
            )
        }
        assert len(keys) == 9

    def test_sizes_that_cannot_work_are_refused(self) -> None:
        with pytest.raises(ValidationError, match="min_tokens must be"):
            NemotronParseNodeParser(max_tokens=64, min_tokens=40)

    def test_it_pickles_and_copies(self, document: NemotronParseDocument) -> None:
        parser = NemotronParseNodeParser(max_tokens=16, tokenizer=count_words)
        expected = parser([document])
        for twin in (pickle.loads(pickle.dumps(parser)), copy.deepcopy(parser)):
            assert twin([document]) == expected

    def test_a_tokenizer_that_would_be_lost_in_a_worker_is_refused(self) -> None:
        with pytest.raises(ValidationError, match="pickle"):
            NemotronParseNodeParser(tokenizer=lambda text: len(text))
        with pytest.raises(ValidationError, match="number"):
            NemotronParseNodeParser(tokenizer=str.split)
