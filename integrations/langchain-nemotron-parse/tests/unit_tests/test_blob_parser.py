"""NemotronParseBlobParser: blobs of every kind, behind a blob loader and alone."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest
from langchain_core.document_loaders import BaseBlobParser, BlobLoader
from langchain_core.documents.base import Blob
from pydantic import SecretStr

from langchain_nemotron_parse import NemotronParseBlobParser
from nemoparse_loaders import METADATA_KEYS, EmptySourceError, OptionError, UnsupportedSourceError
from nemoparse_loaders.testing import ParseServer


@pytest.fixture
def parser(server: ParseServer) -> NemotronParseBlobParser:
    return NemotronParseBlobParser(base_url=server.base_url)


def test_it_is_a_blob_parser() -> None:
    assert issubclass(NemotronParseBlobParser, BaseBlobParser)
    # LangChain asks not to override what it builds on lazy_parse.
    assert "parse" not in vars(NemotronParseBlobParser)


def test_a_path(parser: NemotronParseBlobParser, pdf: Path) -> None:
    chunks = parser.parse(Blob.from_path(pdf))
    assert len(chunks) >= 2
    for chunk in chunks:
        assert set(chunk.metadata) == set(METADATA_KEYS)
        assert chunk.metadata["source"] == pdf.as_uri()
        assert chunk.id == chunk.metadata["chunk_id"]
    assert {chunk.metadata["page_number"] for chunk in chunks} == {1, 2}


def test_data_with_a_source(parser: NemotronParseBlobParser, pdf: Path) -> None:
    blob = Blob.from_data(pdf.read_bytes(), path="s3://bucket/reports/harbour.pdf", metadata={"owner": "me"})
    for chunk in parser.parse(blob):
        assert chunk.metadata["source"] == "s3://bucket/reports/harbour.pdf"
        assert chunk.metadata["file_name"] == "harbour.pdf"
        assert chunk.metadata["owner"] == "me"


def test_a_source_in_the_metadata(parser: NemotronParseBlobParser, pdf: Path) -> None:
    blob = Blob.from_data(pdf.read_bytes(), metadata={"source": "https://example.org/harbour.pdf"})
    chunk = parser.parse(blob)[0]
    assert chunk.metadata["source"] == "https://example.org/harbour.pdf"
    assert chunk.metadata["file_name"] == "harbour.pdf"


def test_neither_path_nor_source(parser: NemotronParseBlobParser, pdf: Path) -> None:
    first = parser.parse(Blob.from_data(pdf.read_bytes()))
    again = parser.parse(Blob.from_data(pdf.read_bytes()))
    assert first == again
    assert first[0].metadata["source"].startswith("urn:sha256:")
    assert first[0].metadata["file_name"].endswith(".pdf")


def test_an_id_of_ones_own(parser: NemotronParseBlobParser, pdf: Path) -> None:
    blob = Blob(id="my-id", data=pdf.read_bytes(), path="harbour.pdf")
    assert {chunk.metadata["doc_id"] for chunk in parser.parse(blob)} == {"my-id"}


def test_metadata_of_the_blob_is_copied_deeply(parser: NemotronParseBlobParser, pdf: Path) -> None:
    blob = Blob.from_path(pdf, metadata={"tags": ["x"]})
    first, second, *_ = parser.parse(blob)
    first.metadata["tags"].append("y")
    assert second.metadata["tags"] == blob.metadata["tags"] == ["x"]


def test_what_is_no_document(parser: NemotronParseBlobParser) -> None:
    with pytest.raises(UnsupportedSourceError):
        parser.parse(Blob.from_data("plain words", path="words.txt"))
    with pytest.raises(EmptySourceError, match=r"nothing\.pdf"):
        parser.parse(Blob.from_data(b"", path="nothing.pdf"))
    with pytest.raises(OptionError, match="neither data nor a path"):
        parser.parse(Blob(data=None, path=None))


def test_behind_a_blob_loader(parser: NemotronParseBlobParser, folder: Path) -> None:
    class Folder(BlobLoader):
        def yield_blobs(self) -> Iterator[Blob]:
            for path in sorted(folder.iterdir()):
                yield Blob.from_path(path)

    names = [
        chunk.metadata["file_name"] for blob in Folder().yield_blobs() for chunk in parser.lazy_parse(blob)
    ]
    assert list(dict.fromkeys(names)) == ["a.pdf", "b.pdf", "c.pdf"]


async def test_async(parser: NemotronParseBlobParser, pdf: Path) -> None:
    blob = Blob.from_path(pdf)
    assert [chunk async for chunk in parser.alazy_parse(blob)] == parser.parse(blob)


@pytest.mark.parametrize("key", ["hunter2", SecretStr("hunter2")])
def test_secrets_stay_secret_and_travel(pdf: Path, key: str | SecretStr) -> None:
    with ParseServer(api_key="hunter2") as server:
        parser = NemotronParseBlobParser(base_url=server.base_url, api_key=key, headers={"X-Key": "hunter2"})
        expected = parser.parse(Blob.from_path(pdf))
        for twin in (parser, pickle.loads(pickle.dumps(parser)), copy.deepcopy(parser)):
            assert twin.parse(Blob.from_path(pdf)) == expected
            assert "hunter2" not in repr(twin) + str(vars(twin))


def test_the_key_comes_from_the_environment(pdf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEMOTRON_PARSE_API_KEY", "hunter2")
    with ParseServer(api_key="hunter2") as server:
        assert NemotronParseBlobParser(base_url=server.base_url).parse(Blob.from_path(pdf))


def test_wrong_options() -> None:
    with pytest.raises(OptionError, match="split"):
        NemotronParseBlobParser(split="sentence", base_url="http://localhost:1")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="base_url") as caught:
        NemotronParseBlobParser(base_url="localhost", api_key="hunter2")
    assert "hunter2" not in str(caught.value)
    with pytest.raises(OptionError, match="page_range"):
        NemotronParseBlobParser(base_url="http://localhost:1", page_range="1")
