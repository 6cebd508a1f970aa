"""Chunks, their parents and their pictures in LangChain's own stores, retrievers and indexes."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal
from zlib import crc32

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from PIL import Image

from langchain_nemotron_parse import NemotronParseChunker, NemotronParseDocument, NemotronParseLoader
from nemoparse_loaders import METADATA_KEYS, LayoutChunker, OptionError
from nemoparse_loaders.testing import ParseServer

PICTURES = (
    "<x_0.1><y_0.05># Ships<x_0.9><y_0.1><class_Section-header>"
    "<x_0.1><y_0.1>A ship.<x_0.9><y_0.4><class_Picture>"
    "<x_0.1><y_0.4>Figure 1. The ship.<x_0.9><y_0.45><class_Caption>"
    "<x_0.1><y_0.5>Ships are large.<x_0.9><y_0.55><class_Text>"
    "<x_0.1><y_0.6><x_0.5><y_0.8><class_Picture>"
)


class WordsEmbedding(Embeddings):
    """The words of a text, counted in buckets by their checksums."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        vector = [0.0] * 64
        for word in re.findall("[a-z]+", text.lower()):
            vector[crc32(word.encode()) % 64] += 1.0
        return vector


class Once(io.RawIOBase):
    """A stream that cannot seek, like one from a network."""

    def __init__(self, content: bytes) -> None:
        self._stream = io.BytesIO(content)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def readinto(self, buffer: Any) -> int:
        return self._stream.readinto(buffer)


@pytest.fixture
def document(server: ParseServer, pdf: Path) -> NemotronParseDocument:
    [document] = NemotronParseLoader(pdf, base_url=server.base_url, split="document").load()
    assert isinstance(document, NemotronParseDocument)
    return document


@pytest.mark.parametrize("content", ["markdown", "embed_text"])
def test_what_is_embedded_keeps_to_the_budget_and_has_its_headings(
    server: ParseServer,
    pdf: Path,
    document: NemotronParseDocument,
    content: Literal["markdown", "embed_text"],
) -> None:
    chunker = NemotronParseChunker(max_tokens=48, content=content)
    chunks = chunker.transform_documents([document])

    assert any("|-|" in chunk.page_content for chunk in chunks) == (content == "markdown")
    table = next(chunk for chunk in chunks if chunk.metadata["table_id"])
    assert table.page_content.split("\n")[:2] == [table.metadata["section_path"], "Table 1: Calls and tonnes"]
    for chunk in chunks:
        assert chunker.chunker.count(chunk.page_content) == chunk.metadata["n_tokens"] <= 48
    loaded = NemotronParseLoader(
        pdf,
        base_url=server.base_url,
        content=content,
        # What it embeds itself gives way to what the content is.
        chunker=LayoutChunker(48),
    ).load()
    assert loaded == chunks


def test_markdown_is_the_default(document: NemotronParseDocument, server: ParseServer, pdf: Path) -> None:
    expected = NemotronParseChunker(content="markdown").transform_documents([document])
    assert NemotronParseChunker().transform_documents([document]) == expected
    assert NemotronParseLoader(pdf, base_url=server.base_url).load() == expected


def test_markdown_alone(document: NemotronParseDocument) -> None:
    chunks = NemotronParseChunker(max_tokens=48, content="text").transform_documents([document])
    expected = LayoutChunker(48).chunk(document.parsed_document())
    assert [chunk.page_content for chunk in chunks] == [chunk.text for chunk in expected]


def test_a_chunker_that_embeds_markdown_keeps_to_it(server: ParseServer, pdf: Path) -> None:
    def load(content: str) -> list[Document]:
        chunker = LayoutChunker(32, embed="markdown")
        return NemotronParseLoader(pdf, base_url=server.base_url, chunker=chunker, content=content).load()

    assert load("embed_text") == load("markdown")


def test_other_contents_are_refused() -> None:
    with pytest.raises(OptionError, match="content must be"):
        NemotronParseChunker(content="html")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="content must be"):
        NemotronParseLoader("a.pdf", base_url="http://127.0.0.1:9", content="html")
    with pytest.raises(OptionError, match="content says what is embedded"):
        NemotronParseChunker(embed="words")


def test_parents_are_refused_where_nobody_gets_them() -> None:
    with pytest.raises(OptionError, match="split_with_parents"):
        NemotronParseLoader("a.pdf", base_url="http://127.0.0.1:9", chunker=LayoutChunker(parents="section"))


@pytest.mark.langchain_classic
@pytest.mark.parametrize("split", ["document", "page"])
def test_a_retriever_gives_the_parents_of_plain_text(
    server: ParseServer, pdf: Path, split: Literal["document", "page"]
) -> None:
    multi_vector = pytest.importorskip(
        "langchain_classic.retrievers.multi_vector", reason="langchain-classic is tested from Python 3.11 on"
    )
    documents = NemotronParseLoader(pdf, base_url=server.base_url, split=split).load()
    for one in documents:
        one.page_content = one.page_content.replace("Traffic", "[redacted]")
    above, chunks = NemotronParseChunker(max_tokens=24, parents="section").split_with_parents(documents)
    store, docstore = InMemoryVectorStore(WordsEmbedding()), InMemoryStore()
    store.add_documents(chunks)
    docstore.mset([(str(parent.id), parent) for parent in above])
    retriever = multi_vector.MultiVectorRetriever(
        vectorstore=store, docstore=docstore, id_key="parent_id", search_kwargs={"k": len(chunks)}
    )

    found = retriever.invoke("bulk rose first")
    assert {parent.id for parent in found} == {chunk.metadata["parent_id"] for chunk in chunks}
    for chunk in chunks:
        assert chunk.metadata["chunk_id"] == chunk.id
    assert len(store.store) == len(chunks)


@pytest.mark.langchain_classic
@pytest.mark.parametrize("parents", ["section", "page"])
def test_a_retriever_gives_the_parents_of_what_it_finds(
    document: NemotronParseDocument, parents: Literal["section", "page"]
) -> None:
    multi_vector = pytest.importorskip(
        "langchain_classic.retrievers.multi_vector", reason="langchain-classic is tested from Python 3.11 on"
    )
    chunker = NemotronParseChunker(max_tokens=24, content="embed_text", parents=parents)
    above, chunks = chunker.split_with_parents([document])
    assert chunks == chunker.transform_documents([document])
    store, docstore = InMemoryVectorStore(WordsEmbedding()), InMemoryStore()
    store.add_documents(chunks)
    docstore.mset([(str(parent.id), parent) for parent in above])
    retriever = multi_vector.MultiVectorRetriever(
        vectorstore=store, docstore=docstore, id_key="parent_id", search_kwargs={"k": 1}
    )

    [hit] = store.similarity_search("bulk rose first", k=1)
    [found] = retriever.invoke("bulk rose first")
    assert isinstance(found, Document)
    assert found.id == hit.metadata["parent_id"]
    assert found in above
    assert "Bulk rose first" in found.page_content
    assert len(found.page_content) > len(hit.page_content)
    retriever.search_kwargs = {"k": len(chunks)}
    everything = retriever.invoke("bulk rose first")
    assert {parent.id for parent in everything} == {chunk.metadata["parent_id"] for chunk in chunks}


@pytest.mark.parametrize("content", ["text", "embed_text"])
def test_an_index_is_kept_in_step(
    server: ParseServer,
    folder: Path,
    make_pdf: Callable[..., bytes],
    content: Literal["text", "embed_text"],
) -> None:
    records, store = InMemoryRecordManager("chunks"), InMemoryVectorStore(WordsEmbedding())
    records.create_schema()
    chunker = NemotronParseChunker(max_tokens=24, content=content, parents="section")

    def run(cleanup: Literal["incremental", "full"]) -> tuple[int, int, int]:
        loader = NemotronParseLoader(sorted(folder.iterdir()), base_url=server.base_url, split="document")
        chunks = chunker.transform_documents(loader.load())
        done = index(chunks, records, store, cleanup=cleanup, source_id_key="source", key_encoder="sha256")
        return done["num_added"], done["num_skipped"], done["num_deleted"]

    added, _, _ = run("incremental")
    assert added > 3
    assert run("incremental") == (0, added, 0)
    each = added // 3
    (folder / "b.pdf").write_bytes(make_pdf("b", "and more"))
    # One page more, and the total number of pages stands in every chunk of the file.
    new, kept, gone = run("incremental")
    assert (kept, gone) == (2 * each, each)
    assert new > each
    (folder / "c.pdf").unlink()
    assert run("full") == (0, new + each, each)


@pytest.fixture
def picture_server() -> Iterator[ParseServer]:
    with ParseServer(replies=PICTURES) as server:
        yield server


async def test_figures_have_a_path(picture_server: ParseServer, pdf: Path, tmp_path: Path) -> None:
    folder = tmp_path / "figures"
    loader = NemotronParseLoader(pdf, base_url=picture_server.base_url, image_dir=folder)
    chunks = loader.load()
    assert [chunk async for chunk in loader.alazy_load()] == chunks
    pictures = [chunk for chunk in chunks if chunk.metadata["image_path"]]

    assert all(set(chunk.metadata) == {*METADATA_KEYS, "image_path"} for chunk in chunks)
    assert len(pictures) == 4 < len(chunks)
    assert {chunk.metadata["chunk_type"] for chunk in pictures} == {"figure"}
    assert ["Figure 1" in chunk.page_content for chunk in pictures] == [True, True, False, False]
    paths = [Path(chunk.metadata["image_path"]) for chunk in pictures]
    assert sorted(paths) == sorted(folder.iterdir())
    for path in paths:
        with Image.open(path) as picture:
            assert picture.format == "PNG"
    assert len({chunk.id for chunk in chunks}) == len(chunks)

    [document] = NemotronParseLoader(
        pdf, base_url=picture_server.base_url, image_dir=folder, split="document"
    ).load()
    assert NemotronParseChunker().transform_documents([document]) == chunks


async def test_figures_of_a_stream_that_cannot_seek(
    picture_server: ParseServer, make_pdf: Callable[..., bytes], tmp_path: Path
) -> None:
    def loader(file: Any) -> NemotronParseLoader:
        return NemotronParseLoader(
            file, file_name="a.pdf", base_url=picture_server.base_url, image_dir=tmp_path / "figures"
        )

    content = make_pdf("one", "two")
    expected = loader(content).load()
    assert sum(bool(chunk.metadata["image_path"]) for chunk in expected) == 4
    assert loader(Once(content)).load() == expected
    assert [chunk async for chunk in loader(Once(content)).alazy_load()] == expected


def test_chunks_and_lone_figures_have_numbers_of_their_own(
    picture_server: ParseServer, pdf: Path, tmp_path: Path
) -> None:
    chunks = NemotronParseLoader(pdf, base_url=picture_server.base_url, image_dir=tmp_path).load()
    indexes = [chunk.metadata["chunk_index"] for chunk in chunks]
    assert indexes == sorted(set(indexes))
