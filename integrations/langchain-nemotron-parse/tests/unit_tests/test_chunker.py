"""NemotronParseChunker: chunks by the layout, and what happens where there is none."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest
from langchain_core.documents import BaseDocumentTransformer, Document

from langchain_nemotron_parse import NemotronParseChunker, NemotronParseDocument, NemotronParseLoader
from nemoparse_loaders import METADATA_KEYS, OptionError
from nemoparse_loaders.testing import ParseServer

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
