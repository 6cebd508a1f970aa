"""NemotronParseLoader against a real server, alone and in LangChain's indexing."""

from __future__ import annotations

import asyncio
import copy
import io
import json
import logging
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document
from langchain_core.documents.base import Blob
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.indexing import IndexingResult, InMemoryRecordManager, aindex, index
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_nemotron_parse import NemotronParseDocument, NemotronParseLoader
from nemoparse_loaders import (
    METADATA_KEYS,
    BackendError,
    CorruptSourceError,
    OptionError,
    SourceError,
    SourceInput,
    SourceNotFoundError,
)
from nemoparse_loaders.testing import HttpError, ParseServer


@pytest.fixture
def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


class TestContract:
    def test_it_is_a_loader_that_overrides_what_it_should(self) -> None:
        assert issubclass(NemotronParseLoader, BaseLoader)
        assert {"lazy_load", "alazy_load"} <= vars(NemotronParseLoader).keys()
        assert not {"load", "aload", "load_and_split"} & vars(NemotronParseLoader).keys()

    async def test_all_ways_of_loading_agree(self, server: ParseServer, files: list[Path]) -> None:
        loader = NemotronParseLoader(files, base_url=server.base_url)
        expected = loader.load()
        assert list(loader.lazy_load()) == expected
        assert await loader.aload() == expected
        assert [document async for document in loader.alazy_load()] == expected
        names = [document.metadata["file_name"] for document in expected]
        assert list(dict.fromkeys(names)) == ["a.pdf", "b.pdf", "c.pdf"]

    def test_outside_of_a_loop(self, server: ParseServer, pdf: Path) -> None:
        assert asyncio.run(NemotronParseLoader(pdf, base_url=server.base_url).aload())

    def test_it_pickles_and_copies(self, pdf: Path) -> None:
        with ParseServer(api_key="hunter2") as server:
            loader = NemotronParseLoader(pdf, base_url=server.base_url, api_key="hunter2")
            expected = loader.load()
            for twin in (pickle.loads(pickle.dumps(loader)), copy.deepcopy(loader)):
                assert twin.load() == expected
            assert "hunter2" not in repr(loader) + str(vars(loader)) + repr(loader.blob_parser.parser)

    def test_metadata(self, server: ParseServer, pdf: Path) -> None:
        for document in NemotronParseLoader(pdf, base_url=server.base_url).load():
            assert set(document.metadata) == set(METADATA_KEYS)
            assert all(isinstance(value, (str, int, float, bool)) for value in document.metadata.values())
            assert len(json.dumps(document.metadata)) < 1024
            assert document.metadata["source"] == pdf.as_uri()
            assert document.metadata["page_number"] in (1, 2)
            assert document.page_content.strip()


class TestInputs:
    def test_every_kind_in_one_list(self, server: ParseServer, files: list[Path]) -> None:
        content = files[0].read_bytes()
        given: list[Any] = [
            str(files[0]),
            files[1],
            content,
            io.BytesIO(content),
            Blob.from_path(files[2], metadata={"of": "blob"}),
            SourceInput(content, file_name="s.pdf", metadata={"of": "input"}),
        ]
        documents = NemotronParseLoader(
            given, base_url=server.base_url, split="document", metadata={"of": "loader"}
        ).load()
        assert [document.metadata["of"] for document in documents] == [*["loader"] * 4, "blob", "input"]
        names = [document.metadata["file_name"] for document in documents]
        assert names == ["a.pdf", "b.pdf", "document.pdf", "document.pdf", "c.pdf", "s.pdf"]

    def test_bytes_with_a_name(self, server: ParseServer, pdf: Path) -> None:
        loader = NemotronParseLoader(pdf.read_bytes(), file_name="harbour.pdf", base_url=server.base_url)
        assert {document.metadata["source"] for document in loader.load()} == {"harbour.pdf"}

    def test_ids_relative_to_a_root(self, server: ParseServer, tmp_path: Path, pdf: Path) -> None:
        ids = set()
        for place in ("here", "there"):
            (tmp_path / place).mkdir()
            path = tmp_path / place / "a.pdf"
            path.write_bytes(pdf.read_bytes())
            loader = NemotronParseLoader(path, base_url=server.base_url, root=tmp_path / place)
            ids.add(loader.load()[0].id)
        assert len(ids) == 1

    def test_wrong_arguments(self, files: list[Path]) -> None:
        with pytest.raises(OptionError, match="file_name"):
            NemotronParseLoader(files, file_name="x.pdf", base_url="http://localhost:1")
        with pytest.raises(OptionError, match="on_file_error"):
            NemotronParseLoader(files, on_file_error="ignore", base_url="http://localhost:1")  # type: ignore[arg-type]


class TestSplits:
    @pytest.mark.parametrize("split", ["document", "page", "element", "chunk"])
    def test_pieces(self, server: ParseServer, pdf: Path, split: str) -> None:
        documents = NemotronParseLoader(pdf, base_url=server.base_url, split=split).load()
        assert len({document.id for document in documents}) == len(documents)
        assert {"document": 1, "page": 2}.get(split, len(documents)) == len(documents)
        assert all(set(document.metadata) == set(METADATA_KEYS) for document in documents)
        assert [isinstance(document, NemotronParseDocument) for document in documents] == [
            split == "document"
        ] * len(documents)

    def test_a_whole_document_carries_its_layout(self, server: ParseServer, pdf: Path) -> None:
        [document] = NemotronParseLoader(pdf, base_url=server.base_url, split="document").load()
        assert isinstance(document, NemotronParseDocument)
        assert document.parsed_document().tables[0].n_rows == 3
        assert document.id == document.metadata["doc_id"]

    @pytest.mark.filterwarnings("ignore:The function `loads` is in beta")
    @pytest.mark.filterwarnings("ignore:The default value of `allowed_objects` will change")
    def test_langchain_can_store_a_whole_document(self, server: ParseServer, pdf: Path) -> None:
        from langchain_core.load import dumps, loads

        [document] = NemotronParseLoader(pdf, base_url=server.base_url, split="document").load()
        kept = loads(dumps(document))
        assert type(kept) is Document
        assert (kept.id, kept.page_content, kept.metadata) == (
            document.id,
            document.page_content,
            document.metadata,
        )


class TestErrors:
    def test_a_bad_file_raises_its_typed_error(self, server: ParseServer, tmp_path: Path) -> None:
        (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.7\nnothing")
        with pytest.raises(CorruptSourceError, match=r"bad\.pdf"):
            NemotronParseLoader(tmp_path / "bad.pdf", base_url=server.base_url).load()
        with pytest.raises(SourceNotFoundError, match=r"gone\.pdf"):
            NemotronParseLoader(tmp_path / "gone.pdf", base_url=server.base_url).load()

    def test_good_files_before_a_bad_one_come_first(self, server: ParseServer, files: list[Path]) -> None:
        loader = NemotronParseLoader(
            [files[0], files[0].with_name("gone.pdf")], base_url=server.base_url, split="document"
        )
        documents = loader.lazy_load()
        assert next(documents).metadata["file_name"] == "a.pdf"
        with pytest.raises(SourceError, match=r"gone\.pdf"):
            next(documents)

    def test_a_bad_file_is_skipped_where_asked(
        self, server: ParseServer, files: list[Path], caplog: pytest.LogCaptureFixture
    ) -> None:
        blob = Blob.from_path(files[1], metadata={"of": "blob"})
        given: list[Path | Blob] = [files[0], files[0].with_name("gone.pdf"), blob]
        documents = NemotronParseLoader(
            given, base_url=server.base_url, split="document", on_file_error="skip"
        ).load()
        assert [document.metadata["file_name"] for document in documents] == ["a.pdf", "b.pdf"]
        assert [document.metadata.get("of") for document in documents] == [None, "blob"]
        assert "gone.pdf" in caplog.text

    def test_a_server_that_is_not_there(self, pdf: Path) -> None:
        loader = NemotronParseLoader(pdf, base_url="http://127.0.0.1:9", max_retries=0, on_file_error="skip")
        with pytest.raises(BackendError):
            loader.load()

    def test_a_failed_page_takes_no_other_along(self, pdf: Path, caplog: pytest.LogCaptureFixture) -> None:
        with ParseServer(faults=[HttpError(400), None]) as server, caplog.at_level(logging.WARNING):
            pages = NemotronParseLoader(pdf, base_url=server.base_url, split="page", max_concurrency=1).load()
        assert [page.metadata["page_number"] for page in pages] == [2]
        assert "harbour.pdf: page 1" in caplog.text


class TestIndexing:
    def test_only_what_changed_is_written(
        self, server: ParseServer, folder: Path, make_pdf: Callable[..., bytes]
    ) -> None:
        store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
        records = InMemoryRecordManager("test")
        records.create_schema()

        def run() -> IndexingResult:
            return index(
                NemotronParseLoader(sorted(folder.iterdir()), base_url=server.base_url),
                records,
                store,
                cleanup="incremental",
                source_id_key="source",
                key_encoder="sha256",
            )

        first = run()
        assert first["num_added"] == len(store.store) >= 3
        again = run()
        assert (again["num_added"], again["num_updated"], again["num_deleted"]) == (0, 0, 0)
        assert again["num_skipped"] == first["num_added"]

        (folder / "b.pdf").write_bytes(make_pdf("b", "and more"))
        changed = run()
        of_b = [entry for entry in store.store.values() if entry["metadata"]["file_name"] == "b.pdf"]
        assert changed["num_added"] == len(of_b)
        assert changed["num_deleted"] == first["num_added"] // 3
        assert changed["num_skipped"] == first["num_added"] - changed["num_deleted"]

    async def test_async(self, server: ParseServer, files: list[Path]) -> None:
        store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
        records = InMemoryRecordManager("test")
        await records.acreate_schema()
        loader = NemotronParseLoader(files, base_url=server.base_url)
        result = await aindex(
            loader, records, store, cleanup="full", source_id_key="source", key_encoder="sha256"
        )
        assert result["num_added"] == len(store.store)

    def test_found_by_metadata(self, server: ParseServer, pdf: Path) -> None:
        store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
        store.add_documents(NemotronParseLoader(pdf, base_url=server.base_url).load())
        found = store.similarity_search(
            "ships", k=3, filter=lambda document: document.metadata["page_number"] == 2
        )
        assert found
        assert {document.metadata["page_number"] for document in found} == {2}
