"""NemotronParseReader as file_extractor of the real SimpleDirectoryReader."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest
from llama_index.core import SimpleDirectoryReader
from llama_index.core.schema import MetadataMode

from llama_index.readers.nemotron_parse import NemotronParseDocument, NemotronParseReader
from nemoparse_loaders import SourceNotFoundError
from nemoparse_loaders.testing import ParseServer


@pytest.fixture
def reader(server: ParseServer) -> NemotronParseReader:
    return NemotronParseReader(base_url=server.base_url)


@pytest.fixture
def memory(folder: Path) -> Iterator[fsspec.AbstractFileSystem]:
    """The three files in fsspec's memory file system under /reports."""
    fs = fsspec.filesystem("memory")
    for path in folder.iterdir():
        fs.pipe(f"/reports/{path.name}", path.read_bytes())
    yield fs
    fs.rm("/reports", recursive=True)


def test_a_folder(reader: NemotronParseReader, folder: Path) -> None:
    documents = SimpleDirectoryReader(folder, file_extractor={".pdf": reader}).load_data()
    assert [document.metadata["file_name"] for document in documents] == ["a.pdf", "b.pdf", "c.pdf"]
    direct = reader.load_data(sorted(folder.iterdir()))
    assert [document.id_ for document in documents] == [document.id_ for document in direct]
    for document in documents:
        assert isinstance(document, NemotronParseDocument)
        assert document.layout_json
        assert document.metadata["file_type"] == "application/pdf"
        # What the folder reader hides stays hidden, and no absolute path goes into an embedding.
        assert document.get_metadata_str(MetadataMode.EMBED) == ""
        assert document.get_metadata_str(MetadataMode.LLM) == f"file_path: {document.metadata['file_path']}"


async def test_a_folder_async(reader: NemotronParseReader, folder: Path) -> None:
    documents = await SimpleDirectoryReader(folder, file_extractor={".pdf": reader}).aload_data(num_workers=2)
    assert [document.metadata["file_name"] for document in documents] == ["a.pdf", "b.pdf", "c.pdf"]


def test_a_resource(reader: NemotronParseReader, folder: Path) -> None:
    directory = SimpleDirectoryReader(folder, file_extractor={".pdf": reader})
    [document] = SimpleDirectoryReader.load_file(
        Path(directory.list_resources()[0]), directory.file_metadata, {".pdf": reader}
    )
    assert document.get_metadata_str(MetadataMode.EMBED) == ""


def test_worker_processes(folder: Path) -> None:
    with ParseServer(api_key="hunter2") as server:
        reader = NemotronParseReader(base_url=server.base_url, api_key="hunter2")
        directory = SimpleDirectoryReader(folder, file_extractor={".pdf": reader}, raise_on_error=True)
        documents = directory.load_data(num_workers=2)
    assert [document.metadata["file_name"] for document in documents] == ["a.pdf", "b.pdf", "c.pdf"]
    assert all(isinstance(document, NemotronParseDocument) for document in documents)


def test_a_remote_file_system(reader: NemotronParseReader, memory: fsspec.AbstractFileSystem) -> None:
    directory = SimpleDirectoryReader("/reports", fs=memory, file_extractor={".pdf": reader})
    documents = directory.load_data()
    assert [document.metadata["file_name"] for document in documents] == ["a.pdf", "b.pdf", "c.pdf"]
    assert documents[0].metadata["source"].startswith("memory://")
    assert documents[0].metadata["source"].endswith("/reports/a.pdf")
    assert len({document.id_ for document in documents}) == 3
    again = reader.load_data("/reports/a.pdf", fs=memory)
    assert [document.id_ for document in again] == [documents[0].id_]


async def test_a_remote_file_system_async(
    reader: NemotronParseReader, memory: fsspec.AbstractFileSystem
) -> None:
    documents = await reader.aload_data(["/reports/b.pdf", "/reports/a.pdf"], fs=memory)
    assert [document.metadata["file_name"] for document in documents] == ["b.pdf", "a.pdf"]


def test_a_file_that_is_not_on_the_file_system(
    reader: NemotronParseReader, memory: fsspec.AbstractFileSystem
) -> None:
    with pytest.raises(SourceNotFoundError, match=r"gone\.pdf"):
        reader.load_data("/reports/gone.pdf", fs=memory)


def test_the_local_file_system_is_no_other_place(reader: NemotronParseReader, folder: Path) -> None:
    path = folder / "a.pdf"
    assert reader.load_data(path, fs=fsspec.filesystem("file")) == reader.load_data(path)


def test_a_bad_file_is_skipped_by_the_folder_reader(
    reader: NemotronParseReader, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bad.pdf").write_bytes(b"%PDF-1.7\nnothing")
    documents = SimpleDirectoryReader(folder, file_extractor={".pdf": reader}).load_data()
    assert len(documents) == 3
    assert "bad.pdf" in capsys.readouterr().out
