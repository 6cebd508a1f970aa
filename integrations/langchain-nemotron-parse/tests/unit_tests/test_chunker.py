"""NemotronParseChunker: chunks by the layout, and what happens where there is none."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest
from langchain_core.documents import BaseDocumentTransformer, Document

from langchain_nemotron_parse import NemotronParseChunker, NemotronParseDocument, NemotronParseLoader
from nemoparse_loaders import METADATA_KEYS, OptionError
from nemoparse_loaders.testing import HttpError, ParseServer

MARKDOWN = """# Boats

There are boats.

## Sails

Sails are white. They are large."""


@pytest.fixture
def document(server: ParseServer, pdf: Path) -> NemotronParseDocument:
    [document] = NemotronParseLoader(pdf, base_url=server.base_url, split="document").load()
    assert isinstance(document, NemotronParseDocument)
    return document


def test_it_is_a_transformer() -> None:
    assert issubclass(NemotronParseChunker, BaseDocumentTransformer)


async def test_the_same_chunks_as_the_loader_gives(
    server: ParseServer, document: NemotronParseDocument, pdf: Path
) -> None:
    expected = NemotronParseLoader(pdf, base_url=server.base_url).load()
    chunker = NemotronParseChunker()
    assert chunker.transform_documents([document]) == expected
    assert await chunker.atransform_documents([document]) == expected
    for twin in (pickle.loads(pickle.dumps(chunker)), copy.deepcopy(chunker)):
        assert twin.transform_documents([document]) == expected


def test_the_budget(document: NemotronParseDocument) -> None:
    few = NemotronParseChunker(max_tokens=2000).transform_documents([document])
    many = NemotronParseChunker(max_tokens=16, tokenizer=lambda text: len(text.split())).transform_documents(
        [document]
    )
    assert len(few) < len(many)
    with pytest.raises(OptionError):
        NemotronParseChunker(max_tokens=0)


def test_own_metadata_goes_with_every_chunk(document: NemotronParseDocument) -> None:
    document.metadata.update(tags=["x"], title="Mine")
    first, second, *_ = NemotronParseChunker(max_tokens=24).transform_documents([document])
    assert first.metadata["title"] == "Mine"
    first.metadata["tags"].append("y")
    assert second.metadata["tags"] == ["x"]


def test_what_was_taken_out_of_the_text_stays_out(
    document: NemotronParseDocument, caplog: pytest.LogCaptureFixture
) -> None:
    document.page_content = document.page_content.replace("Traffic grew", "[redacted]")
    contents = " ".join(
        chunk.page_content for chunk in NemotronParseChunker().transform_documents([document])
    )
    assert "Traffic grew" not in contents
    assert "[redacted]" in contents
    assert "text changed" in caplog.text


def test_a_document_of_another_loader(caplog: pytest.LogCaptureFixture) -> None:
    document = Document(MARKDOWN, metadata={"source": "boats.md", "page": 3})
    chunker = NemotronParseChunker(max_tokens=16)
    chunks = chunker.transform_documents([document, Document("Another.", metadata={"source": "x.md"})])
    assert len(caplog.records) == 1
    assert "boats.md carries no layout" in caplog.text
    assert len({chunk.id for chunk in chunks}) == len(chunks) >= 3
    assert chunks == chunker.transform_documents(
        [document, Document("Another.", metadata={"source": "x.md"})]
    )
    for chunk in chunks[:-1]:
        assert set(chunk.metadata) == {*METADATA_KEYS, "page"}
        assert chunk.metadata["source"] == "boats.md"
        assert chunk.metadata["page"] == 3
        assert chunk.metadata["page_number"] == 0
    assert any(chunk.metadata["section_path"].endswith("Sails") for chunk in chunks)


def test_empty_text_gives_nothing() -> None:
    assert NemotronParseChunker().transform_documents([Document("")]) == []


def test_equal_texts_at_different_places_have_ids_of_their_own() -> None:
    def documents() -> list[Document]:
        blank = "This page is intentionally left blank."
        pages = [Document(blank, metadata={"source": "a.pdf", "page": page}) for page in (3, 7)]
        return [*pages, pages[0].model_copy(), Document(blank), Document(blank)]

    chunks = NemotronParseChunker().transform_documents(documents())
    assert len({chunk.id for chunk in chunks}) == len(chunks) == 5
    # A second run, and one over a part of them, give the same ids.
    assert NemotronParseChunker().transform_documents(documents()) == chunks
    assert NemotronParseChunker().transform_documents(documents()[1:2]) == chunks[1:2]


def test_ids_do_not_depend_on_the_order_of_keys_or_on_addresses() -> None:
    class Mine:
        pass

    def id_of(metadata: dict[str, object]) -> str | None:
        return NemotronParseChunker().transform_documents([Document("Boats.", metadata=metadata)])[0].id

    assert id_of({"a": 1, "when": Mine()}) == id_of({"when": Mine(), "a": 1})
    assert id_of({"a": 1}) != id_of({"a": 2})


def test_lone_surrogates_are_no_obstacle() -> None:
    documents = [Document("Boats \ud800 float.", metadata={"source": "\udfff"})]
    [chunk] = NemotronParseChunker().transform_documents(documents)
    assert chunk.page_content == "Boats \ufffd float."


def test_what_tells_of_a_chunk_is_its_own(document: NemotronParseDocument) -> None:
    document.page_content += "\nEdited."
    chunks = NemotronParseChunker(max_tokens=24).transform_documents([document])
    assert [chunk.metadata["chunk_index"] for chunk in chunks] == list(range(len(chunks)))
    for chunk in chunks:
        assert chunk.metadata["chunk_id"] == chunk.id
        assert chunk.metadata["n_tokens"] == NemotronParseChunker().chunker.count(chunk.page_content)
        assert chunk.metadata["file_name"] == "harbour.pdf"
        # Nobody knows which of the pages it is.
        assert chunk.metadata["page_number"] == 0


def test_placeholders_of_failed_pages_are_chunks(pdf: Path) -> None:
    with ParseServer(faults=[HttpError(400), None]) as server:
        documents = NemotronParseLoader(
            pdf, base_url=server.base_url, max_concurrency=1, include_failed=True, split="document"
        ).load()
    chunks = NemotronParseChunker().transform_documents(documents)
    assert chunks[0].page_content.startswith("[page 1 could not be read")
    assert {chunk.metadata["page_number"] for chunk in chunks} == {1, 2}
