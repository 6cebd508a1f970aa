from __future__ import annotations

import hashlib
import io
import os
import pickle
import tempfile
import uuid
from pathlib import Path

import pytest

from nemoparse_loaders.errors import (
    DirectorySourceError,
    EmptySourceError,
    OptionError,
    SourceError,
    SourceNotFoundError,
    UnsupportedSourceError,
)
from nemoparse_loaders.sources import load_source

PDF = b"%PDF-1.4\nany"
DIGEST = hashlib.sha256(PDF).hexdigest()


@pytest.fixture
def pdf_path(tmp_path: Path) -> Path:
    path = tmp_path / "sub" / "Bericht #1 ü.pdf"
    path.parent.mkdir()
    path.write_bytes(PDF)
    return path


def test_a_path_keeps_no_bytes_and_is_known_by_its_uri(pdf_path: Path) -> None:
    source = load_source(pdf_path)
    assert source.path == pdf_path
    assert source.data is None
    assert source.file_name == "Bericht #1 ü.pdf"
    assert source.uri == pdf_path.as_uri()
    assert source.content_hash == DIGEST
    assert source.doc_id == str(uuid.uuid5(uuid.NAMESPACE_URL, source.uri))
    assert source.read_bytes() == PDF


def test_text_and_relative_paths_are_the_same_source(pdf_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(pdf_path.parent)
    assert load_source(str(pdf_path)) == load_source(pdf_path) == load_source(f"../sub/./{pdf_path.name}")


def test_an_edited_file_keeps_its_id_and_changes_its_hash(pdf_path: Path) -> None:
    before = load_source(pdf_path)
    pdf_path.write_bytes(PDF + b"more")
    after = load_source(pdf_path)
    assert before.doc_id == after.doc_id
    assert before.content_hash != after.content_hash


def test_root_makes_ids_that_do_not_depend_on_the_machine(pdf_path: Path, tmp_path: Path) -> None:
    here = load_source(pdf_path, root=tmp_path)
    elsewhere = tmp_path / "mount" / "sub" / pdf_path.name
    elsewhere.parent.mkdir(parents=True)
    elsewhere.write_bytes(b"%PDF-1.7\nother")
    assert load_source(elsewhere, root=tmp_path / "mount").doc_id == here.doc_id
    assert here.doc_id == str(uuid.uuid5(uuid.NAMESPACE_URL, "sub/Bericht #1 ü.pdf"))
    assert here.uri == pdf_path.as_uri()
    with pytest.raises(OptionError, match="does not lie under"):
        load_source(pdf_path, root=elsewhere.parent)
    with pytest.raises(OptionError, match="root goes with a path"):
        load_source(PDF, root=tmp_path)


def test_composed_and_decomposed_names_have_one_id() -> None:
    assert load_source(PDF, file_name="\u00fc.pdf").doc_id == load_source(PDF, file_name="u\u0308.pdf").doc_id


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, io.BytesIO])
def test_every_kind_of_bytes_is_the_same_source(kind: type) -> None:
    source = load_source(kind(PDF), file_name="a/report.pdf")
    assert source == load_source(PDF, file_name="a/report.pdf")
    assert source.data == PDF
    assert source.uri == source.file_name == "a/report.pdf"
    assert source.doc_id == str(uuid.uuid5(uuid.NAMESPACE_URL, "a/report.pdf"))
    assert source.path is None


def test_bytes_without_a_name_are_known_by_their_content() -> None:
    source = load_source(PDF)
    assert source.file_name == "document.pdf"
    assert source.uri == f"urn:sha256:{DIGEST}"
    assert source.doc_id == str(uuid.uuid5(uuid.NAMESPACE_URL, DIGEST))
    assert load_source(b"GIF89a" + bytes(20)).file_name == "document.gif"


def test_a_given_id_wins() -> None:
    assert load_source(PDF, doc_id="mine").doc_id == "mine"
    with pytest.raises(OptionError, match="doc_id"):
        load_source(PDF, doc_id=" ")


def test_a_stream_is_read_from_its_start_and_left_where_it_was(pdf_path: Path) -> None:
    with pdf_path.open("rb") as stream:
        stream.seek(5)
        source = load_source(stream)
        assert stream.tell() == 5
    assert source.read_bytes() == PDF
    assert source.file_name == pdf_path.name
    assert source.path is None
    # The name of an unnamed temporary file is chance: only a name that was given is an identity.
    assert source.doc_id == load_source(PDF).doc_id


def test_streams_that_cannot_seek_or_have_odd_names() -> None:
    class Pipe(io.RawIOBase):
        def __init__(self) -> None:
            self.rest = [PDF]

        def readable(self) -> bool:
            return True

        def read(self, size: int = -1) -> bytes:
            return self.rest.pop() if self.rest else b""

    assert load_source(Pipe()).data == PDF  # type: ignore[arg-type]
    with tempfile.TemporaryFile() as file:  # its name is a number
        file.write(PDF)
        assert load_source(file).file_name == "document.pdf"
    with tempfile.SpooledTemporaryFile() as spooled:
        spooled.write(PDF)
        assert load_source(spooled).file_name == "document.pdf"  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [io.StringIO("%PDF-1.4"), 7, None, ["a.pdf"], b"x".decode])
def test_what_is_no_input_is_an_option_error(wrong: object) -> None:
    with pytest.raises(OptionError):
        load_source(wrong)  # type: ignore[arg-type]


def test_a_stream_that_fails_is_a_source_error() -> None:
    class Broken(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readall(self) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(SourceError, match=r"scan\.pdf: cannot be read: Input/output error"):
        load_source(Broken(), file_name="scan.pdf")  # type: ignore[arg-type]


def test_a_closed_file_is_named() -> None:
    stream = io.BytesIO(PDF)
    stream.close()
    with pytest.raises(OptionError, match="closed"):
        load_source(stream)


def test_a_path_that_no_file_system_can_hold_is_not_there() -> None:
    with pytest.raises(SourceNotFoundError, match=r"no such file"):
        load_source("/nowhere/half \ud800.pdf")


def test_text_mode_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("x")
    with path.open() as file, pytest.raises(OptionError, match="binary mode"):
        load_source(file)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "url", ["https://example.com/a.pdf", "http://169.254.169.254/", "s3://b/k", "file:///x"]
)
def test_urls_are_not_fetched(url: str) -> None:
    with pytest.raises(UnsupportedSourceError, match="URLs are not fetched"):
        load_source(url)


@pytest.mark.parametrize("path", ["", "a\x00b"])
def test_paths_that_cannot_be(path: str) -> None:
    with pytest.raises(OptionError):
        load_source(path)


def test_typed_errors_name_the_file(tmp_path: Path) -> None:
    empty = tmp_path / "empty.pdf"
    empty.touch()
    with pytest.raises(EmptySourceError, match=r"^empty\.pdf: .*empty"):
        load_source(empty)
    with pytest.raises(EmptySourceError, match=r"^up\.pdf: "):
        load_source(b"", file_name="up.pdf")
    with pytest.raises(SourceNotFoundError, match=r"^none\.pdf: "):
        load_source(tmp_path / "none.pdf")
    with pytest.raises(SourceNotFoundError):
        load_source(empty / "below-a-file.pdf")
    with pytest.raises(DirectorySourceError, match="is a directory") as caught:
        load_source(tmp_path)
    assert isinstance(caught.value, IsADirectoryError)
    assert caught.value.file_name == tmp_path.name
    with pytest.raises(SourceError, match="cannot be read"):
        load_source(tmp_path / ("n" * 300 + ".pdf"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.pdf")
    with pytest.raises(UnsupportedSourceError, match="not a regular file"):
        load_source(tmp_path / "pipe.pdf")


def test_a_file_that_vanishes_is_said_when_it_is_read(pdf_path: Path) -> None:
    source = load_source(pdf_path)
    pdf_path.unlink()
    with pytest.raises(SourceNotFoundError, match="Bericht"):
        source.read_bytes()


def test_names_are_safe_to_store() -> None:
    source = load_source(PDF, file_name="a\x00\udcff.pdf")
    assert "\x00" not in source.file_name
    source.file_name.encode("utf-8")
    source.uri.encode("utf-8")


@pytest.mark.skipif(os.name != "posix", reason="names are bytes on POSIX only")
def test_a_file_name_that_is_not_utf_8(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.pdf"))
    try:
        path.write_bytes(PDF)
    except OSError:
        pytest.skip("the file system wants UTF-8")
    source = load_source(path)
    source.file_name.encode("utf-8")
    assert source.uri.endswith("/caf%E9.pdf")
    assert source.read_bytes() == PDF


def test_pickles_and_hides_its_bytes(pdf_path: Path) -> None:
    for source in (load_source(pdf_path), load_source(PDF)):
        assert pickle.loads(pickle.dumps(source)) == source
        assert "%PDF" not in repr(source)


def test_a_changed_file_is_told_from_one_that_was_only_touched(pdf_path: Path) -> None:
    source = load_source(pdf_path)
    assert source.check_unchanged(source.stamp) == source.stamp
    os.utime(pdf_path, ns=(1, 1))
    touched = source.check_unchanged(source.stamp)
    assert touched != source.stamp
    pdf_path.write_bytes(PDF[::-1])
    for stamp in (source.stamp, touched, None):
        with pytest.raises(SourceError, match=r"Bericht #1 ü.pdf: the file was changed"):
            source.check_unchanged(stamp)
    pdf_path.unlink()
    with pytest.raises(SourceNotFoundError):
        source.check_unchanged(source.stamp)
    assert load_source(PDF).check_unchanged(None) is None
    assert pickle.loads(pickle.dumps(source)).stamp == source.stamp
