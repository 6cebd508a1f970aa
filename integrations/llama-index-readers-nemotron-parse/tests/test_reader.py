"""NemotronParseReader against a real server: what comes in, what comes out, in every way of calling it."""

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
from llama_index.core.readers.base import BasePydanticReader
from llama_index.core.schema import Document, MetadataMode
from pydantic import SecretStr, ValidationError

from llama_index.readers.nemotron_parse import NemotronParseDocument, NemotronParseReader
from nemoparse_loaders import (
    METADATA_KEYS,
    BackendError,
    CorruptSourceError,
    LayoutChunker,
    OptionError,
    ParseOptions,
    SourceError,
    SourceInput,
    SourceNotFoundError,
)
from nemoparse_loaders.testing import SAMPLE_PAGE, HttpError, ParseServer

MakePdf = Callable[..., bytes]


@pytest.fixture
def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.pdf"))


@pytest.fixture
def reader(server: ParseServer) -> NemotronParseReader:
    return NemotronParseReader(base_url=server.base_url)


class TestContract:
    def test_it_is_a_pydantic_reader_with_a_name_of_its_own(self) -> None:
        assert NemotronParseReader.class_name() == "NemotronParseReader"
        assert "BasePydanticReader" in [base.__name__ for base in NemotronParseReader.__mro__]
        assert issubclass(NemotronParseReader, BasePydanticReader)
        assert NemotronParseDocument.class_name() == "NemotronParseDocument"

    def test_every_option_of_the_parser_is_a_field_with_the_same_default(self) -> None:
        reader = NemotronParseReader()
        for name, option in ParseOptions.model_fields.items():
            field = NemotronParseReader.model_fields[name]
            assert field.description == option.description
            assert getattr(reader, name) == option.get_default(call_default_factory=True)

    def test_json_holds_what_changes_the_result_and_nothing_else(self) -> None:
        reader = NemotronParseReader(
            base_url="http://user:hunter2@localhost:1",
            api_key="hunter2",
            password="hunter2",
            headers={"X-Key": "hunter2"},
            pages="1-2",
            dpi=150,
            timeout=7,
        )
        listed = json.loads(reader.to_json())
        assert listed["pages"] == "1-2"
        assert listed["dpi"] == 150
        assert listed["class_name"] == "NemotronParseReader"
        unlisted = {"base_url", "api_key", "password", "headers", "timeout", "max_retries", "max_concurrency"}
        unlisted |= {"requests_per_minute", "render_workers", "render_timeout"}
        unlisted |= {"cache_dir", "cache_max_bytes"}
        assert not unlisted & listed.keys()
        for shown in (reader.to_json(), str(reader.to_dict()), repr(reader), str(reader)):
            assert "hunter2" not in shown

    def test_it_has_a_json_schema(self) -> None:
        properties = NemotronParseReader.model_json_schema()["properties"]
        assert properties["pages"]["description"] == ParseOptions.model_fields["pages"].description

    def test_json_makes_an_equal_reader(self) -> None:
        reader = NemotronParseReader(pages=[1, 3], split="page", max_image_size=(800, 900))
        assert NemotronParseReader.from_json(reader.to_json()).to_dict() == reader.to_dict()

    def test_a_wrong_option_is_refused_at_once_and_shows_no_secret(self) -> None:
        with pytest.raises(ValidationError, match="base_url") as caught:
            NemotronParseReader(base_url="localhost:8000", api_key="hunter2")
        assert "hunter2" not in str(caught.value)
        with pytest.raises(ValidationError):
            NemotronParseReader(split="sentence")

    def test_it_pickles_and_copies_with_its_secrets(
        self, server: ParseServer, pdf: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        reader = NemotronParseReader(base_url=server.base_url, api_key="hunter2", pages="2")
        expected = reader.load_data(pdf)
        for twin in (pickle.loads(pickle.dumps(reader)), copy.deepcopy(reader), reader.model_copy()):
            assert twin.api_key == SecretStr("hunter2")
            assert twin.load_data(pdf) == expected
        assert not caplog.records

    def test_a_changed_field_is_heeded_after_the_first_use(
        self, reader: NemotronParseReader, pdf: Path
    ) -> None:
        reader.split = "page"
        assert len(reader.load_data(pdf)) == 2
        other = reader.model_copy(update={"pages": "2"})
        assert [document.metadata["page_number"] for document in other.load_data(pdf)] == [2]

    def test_a_client_of_ones_own_becomes_a_backend_that_pickles(
        self, server: ParseServer, pdf: Path
    ) -> None:
        import openai

        with openai.OpenAI(base_url=f"{server.base_url}/v1", api_key="hunter2") as client:
            reader = NemotronParseReader(client=client)
        assert "hunter2" not in repr(reader) + reader.to_json()
        assert len(pickle.loads(pickle.dumps(reader)).load_data(pdf)) == 1
        assert server.page_requests[0].headers["Authorization"] == "Bearer hunter2"


@pytest.mark.parametrize("content", ["markdown", "embed_text"])
def test_chunks_hold_what_is_embedded(server: ParseServer, pdf: Path, content: str) -> None:
    def loaded(**options: Any) -> list[Document]:
        return NemotronParseReader(base_url=server.base_url, **options).load_data(pdf)

    chunker = LayoutChunker(48)
    chunks = loaded(split="chunk", content=content, chunker=chunker)
    for chunk in chunks:
        assert chunk.get_content(MetadataMode.EMBED) == chunk.text
        assert chunker.count(chunk.text) == chunk.metadata["n_tokens"] <= 48
        assert "file_name: harbour.pdf" in chunk.get_content(MetadataMode.LLM)
        assert "section_path:" not in chunk.get_content(MetadataMode.LLM)
    assert any("|-|" in chunk.text for chunk in chunks) == (content == "markdown")
    assert any("|" in page.text for page in loaded(split="page", content=content))
    if content == "markdown":
        assert chunks == loaded(split="chunk", chunker=chunker)


def test_chunks_may_hold_markdown_alone(server: ParseServer, pdf: Path) -> None:
    reader = NemotronParseReader(base_url=server.base_url, split="chunk", content="text")
    shown = [chunk.get_content(MetadataMode.EMBED) for chunk in reader.load_data(pdf)]
    assert any("section_path: " in text for text in shown)


def test_parents_are_refused_where_nobody_gets_them() -> None:
    with pytest.raises(ValidationError, match=r"NemotronParseNodeParser\(parents=...\)"):
        NemotronParseReader(base_url="http://127.0.0.1:9", chunker=LayoutChunker(parents="page"))


class TestOneFile:
    def test_a_file_is_one_document(self, reader: NemotronParseReader, pdf: Path) -> None:
        [document] = reader.load_data(pdf)
        assert isinstance(document, NemotronParseDocument)
        assert document.text.count("# Harbour report") == 2
        assert "| 2024 | 310 | 42 |" in document.text
        parsed = document.parsed_document()
        assert [page.number for page in parsed.pages] == [1, 2]
        assert parsed.doc_id == document.id_
        assert parsed.tables[0].grid()[0] == ["Year", "Calls", "Tonnes"]
        assert parsed.elements[0].bbox is not None

    def test_metadata_is_flat_constant_and_small(self, reader: NemotronParseReader, pdf: Path) -> None:
        [document] = reader.load_data(pdf)
        assert set(document.metadata) == set(METADATA_KEYS)
        assert all(isinstance(value, (str, int, float, bool)) for value in document.metadata.values())
        assert len(json.dumps(document.metadata)) < 1024
        assert document.metadata["file_name"] == "harbour.pdf"
        assert document.metadata["source"] == pdf.as_uri()
        assert document.metadata["total_pages"] == 2

    def test_only_the_file_name_is_shown_to_an_llm_and_nothing_embedded(
        self, reader: NemotronParseReader, pdf: Path
    ) -> None:
        [document] = reader.load_data(pdf)
        assert document.get_metadata_str(MetadataMode.EMBED) == ""
        assert document.get_metadata_str(MetadataMode.LLM) == "file_name: harbour.pdf"

    def test_ids_and_hashes_are_the_same_on_every_run(
        self, server: ParseServer, reader: NemotronParseReader, pdf: Path
    ) -> None:
        first = reader.load_data(pdf)
        again = NemotronParseReader(base_url=server.base_url, max_concurrency=1).load_data(pdf)
        assert first == again
        assert [document.hash for document in first] == [document.hash for document in again]

    def test_a_retried_page_leaves_no_trace_in_the_hash(self, server: ParseServer, pdf: Path) -> None:
        [whole] = NemotronParseReader(base_url=server.base_url).load_data(pdf)
        with ParseServer(faults=[HttpError(503, retry_after=0)]) as shaky:
            [retried] = NemotronParseReader(base_url=shaky.base_url).load_data(pdf)
            assert len(shaky.page_requests) == 3
        assert retried == whole

    def test_the_hash_covers_the_layout(self, reader: NemotronParseReader, pdf: Path) -> None:
        [document] = reader.load_data(pdf)
        moved = SAMPLE_PAGE.replace("<y_0.2617>", "<y_0.2600>")
        with ParseServer(replies=moved) as other:
            [changed] = NemotronParseReader(base_url=other.base_url).load_data(pdf)
        assert changed.text == document.text
        assert changed.id_ == document.id_
        assert changed.hash != document.hash

    def test_bytes_and_file_objects(self, reader: NemotronParseReader, pdf: Path) -> None:
        content = pdf.read_bytes()
        [by_name] = reader.load_data(content, file_name="reports/harbour.pdf")
        [stream] = reader.load_data(io.BytesIO(content), file_name="reports/harbour.pdf")
        [nameless] = reader.load_data(content)
        [by_id] = reader.load_data(content, doc_id="my-id")
        assert by_name == stream
        assert by_name.metadata["source"] == "reports/harbour.pdf"
        assert nameless.id_ != by_name.id_
        assert by_id.id_ == by_id.metadata["doc_id"] == "my-id"
        with pdf.open("rb") as opened:
            assert len(reader.load_data(opened)) == 1

    def test_ids_relative_to_a_root(self, server: ParseServer, tmp_path: Path, make_pdf: MakePdf) -> None:
        ids = set()
        for place in ("here", "there"):
            (tmp_path / place).mkdir()
            path = tmp_path / place / "a.pdf"
            path.write_bytes(make_pdf("a"))
            ids.add(
                NemotronParseReader(base_url=server.base_url, root=tmp_path / place).load_data(path)[0].id_
            )
        assert len(ids) == 1

    @pytest.mark.parametrize("split", ["page", "element", "chunk"])
    def test_pieces(self, server: ParseServer, pdf: Path, split: str) -> None:
        pieces = NemotronParseReader(base_url=server.base_url, split=split).load_data(pdf)
        assert len(pieces) >= 2
        assert len({piece.id_ for piece in pieces}) == len(pieces)
        for piece in pieces:
            assert type(piece) is Document
            assert piece.text.strip()
            assert set(piece.metadata) == set(METADATA_KEYS)
            assert piece.metadata["page_number"] in (1, 2)
            assert piece.ref_doc_id is None
            embedded = piece.get_metadata_str(MetadataMode.EMBED).splitlines()
            assert {line.partition(":")[0] for line in embedded} <= {"section_path", "caption"}
            assert not [line for line in embedded if line.endswith(": ")]
            prompt = piece.get_metadata_str(MetadataMode.LLM)
            assert "file_name: harbour.pdf" in prompt
            assert f"page_label: {piece.metadata['page_label']}" in prompt

    def test_pages_chosen(self, server: ParseServer, pdf: Path) -> None:
        [document] = NemotronParseReader(base_url=server.base_url, pages="2").load_data(pdf)
        assert isinstance(document, NemotronParseDocument)
        assert [page.number for page in document.parsed_document().pages] == [2]

    def test_a_file_with_nothing_on_it_gives_no_document(
        self, reader: NemotronParseReader, make_pdf: MakePdf
    ) -> None:
        assert reader.load_data(make_pdf("", "")) == []


class TestMetadataOfTheCaller:
    def test_each_document_has_its_own_deep_copy(self, server: ParseServer, pdf: Path) -> None:
        extra = {"tags": ["x"], "owner": "me"}
        first, second = NemotronParseReader(base_url=server.base_url, split="page").load_data(
            pdf, extra_info=extra
        )
        first.metadata["tags"].append("y")
        assert second.metadata["tags"] == extra["tags"] == ["x"]

    def test_it_is_visible_unlike_our_own(self, reader: NemotronParseReader, pdf: Path) -> None:
        [document] = reader.load_data(pdf, {"owner": "me"})
        assert document.get_metadata_str(MetadataMode.EMBED) == "owner: me"
        assert document.get_metadata_str(MetadataMode.LLM) == "file_name: harbour.pdf\nowner: me"

    def test_it_wins_over_ours(self, reader: NemotronParseReader, pdf: Path) -> None:
        [document] = reader.load_data(pdf, {"title": "Mine"})
        assert document.metadata["title"] == "Mine"
        assert "title: Mine" in document.get_metadata_str(MetadataMode.LLM)

    def test_a_function_of_the_path(self, server: ParseServer, folder: Path) -> None:
        reader = NemotronParseReader(
            base_url=server.base_url, file_metadata=lambda path: {"stem": Path(path).stem, "who": "function"}
        )
        files: list[Any] = [folder / "b.pdf", folder / "a.pdf", (folder / "c.pdf").read_bytes()]
        documents = reader.load_data(files, extra_info={"who": "call"})
        assert [document.metadata.get("stem") for document in documents] == ["b", "a", None]
        assert [document.metadata["who"] for document in documents] == ["function", "function", "call"]


class TestSeveralFiles:
    def test_in_the_order_given(self, reader: NemotronParseReader, folder: Path) -> None:
        with_id = SourceInput(folder / "b.pdf", doc_id="b")
        documents = reader.load_data([folder / "c.pdf", str(folder / "a.pdf"), with_id])
        assert [document.metadata["file_name"] for document in documents] == ["c.pdf", "a.pdf", "b.pdf"]
        assert documents[2].id_ == "b"

    def test_metadata_of_an_input_goes_with_it(self, reader: NemotronParseReader, folder: Path) -> None:
        files = [SourceInput(folder / f"{name}.pdf", metadata={"of": name}) for name in "ab"]
        assert [document.metadata["of"] for document in reader.load_data(files)] == ["a", "b"]

    def test_a_name_for_several_is_refused(self, reader: NemotronParseReader, folder: Path) -> None:
        with pytest.raises(OptionError, match="file_name"):
            reader.load_data([folder / "a.pdf", folder / "b.pdf"], file_name="x.pdf")

    def test_a_bad_file_raises_its_typed_error(self, reader: NemotronParseReader, tmp_path: Path) -> None:
        (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.7\nnothing")
        with pytest.raises(CorruptSourceError, match=r"bad\.pdf"):
            reader.load_data(tmp_path / "bad.pdf")
        with pytest.raises(SourceNotFoundError, match=r"gone\.pdf"):
            reader.load_data(tmp_path / "gone.pdf")

    def test_a_bad_file_comes_after_the_good_ones_before_it(
        self, reader: NemotronParseReader, folder: Path
    ) -> None:
        documents = iter(reader.lazy_load_data([folder / "a.pdf", folder / "gone.pdf", folder / "b.pdf"]))
        assert next(documents).metadata["file_name"] == "a.pdf"
        with pytest.raises(SourceError, match=r"gone\.pdf"):
            next(documents)

    def test_a_bad_file_is_skipped_where_asked(
        self, server: ParseServer, folder: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        reader = NemotronParseReader(base_url=server.base_url, on_file_error="skip")
        files = [folder / "a.pdf", folder / "gone.pdf", folder / "b.pdf"]
        documents = reader.load_data(files, extra_info={"owner": "me"})
        assert [document.metadata["file_name"] for document in documents] == ["a.pdf", "b.pdf"]
        assert "gone.pdf" in caplog.text

    def test_a_server_that_is_not_there_is_no_bad_file(self, folder: Path) -> None:
        reader = NemotronParseReader(base_url="http://127.0.0.1:9", max_retries=0, on_file_error="skip")
        with pytest.raises(BackendError):
            reader.load_data([folder / "a.pdf"])


class TestPageErrors:
    def test_a_failed_page_takes_no_other_along(
        self, pdf: Path, make_pdf: MakePdf, caplog: pytest.LogCaptureFixture
    ) -> None:
        pdf.write_bytes(make_pdf("one", "two", "three"))
        with ParseServer(faults=[None, HttpError(400), None]) as server:
            reader = NemotronParseReader(base_url=server.base_url, split="page", max_concurrency=1)
            with caplog.at_level(logging.WARNING):
                pages = reader.load_data(pdf)
        assert [page.metadata["page_number"] for page in pages] == [1, 3]
        assert "harbour.pdf: page 2" in caplog.text

    def test_failed_pages_can_be_shown(self, pdf: Path) -> None:
        with ParseServer(faults=[HttpError(400), None]) as server:
            reader = NemotronParseReader(
                base_url=server.base_url, split="page", max_concurrency=1, include_failed=True
            )
            pages = reader.load_data(pdf)
        assert [page.metadata["page_number"] for page in pages] == [1, 2]
        assert pages[0].text.strip()


class TestAsync:
    async def test_the_four_methods_agree(self, reader: NemotronParseReader, files: list[Path]) -> None:
        expected = reader.load_data(files)
        assert len(expected) == 3
        assert list(reader.lazy_load_data(files)) == expected
        assert await reader.aload_data(files) == expected
        assert list(await reader.alazy_load_data(files)) == expected
        assert [document async for document in reader.alazy_load_data(files)] == expected

    async def test_lazily_and_with_early_leave(self, reader: NemotronParseReader, folder: Path) -> None:
        stream = aiter(reader.alazy_load_data([folder / "a.pdf", folder / "gone.pdf"]))
        first = await anext(stream)
        assert first.metadata["file_name"] == "a.pdf"
        await stream.aclose()

    def test_as_the_main_coroutine(self, reader: NemotronParseReader, pdf: Path) -> None:
        assert len(list(asyncio.run(reader.alazy_load_data(pdf)))) == 1

    async def test_in_a_task(self, reader: NemotronParseReader, pdf: Path) -> None:
        task = asyncio.create_task(reader.alazy_load_data(pdf))
        assert len(await task) == 1
