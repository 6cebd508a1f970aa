"""Source: one input with its identity and type, and how it is loaded."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tempfile
import unicodedata
import uuid
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import BinaryIO

from ..errors import (
    DirectorySourceError,
    EmptySourceError,
    OptionError,
    SourceError,
    SourceNotFoundError,
    UnsupportedSourceError,
)
from .detection import EXTENSIONS, SUPPORTED_TYPES, RandomAccess, detect_type

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_CHUNK = 1 << 20

FileStamp = tuple[int, int, int]
"""Size, time of change and number of a file: while it stays the same, so does the content."""


@dataclass(frozen=True, slots=True)
class Source:
    """One input: what it is and where its bytes are. It holds no open handle, and it pickles.

    Attributes:
        file_name: Name for people.
        uri: File URI; for bytes the name given, or ``urn:sha256:...`` where none was.
        doc_id: UUIDv5 of where it stands, or as the caller gave it.
        content_hash: SHA-256 of the bytes, hex.
        media_type: What the content is.
        path: The file, absolute; None for bytes.
        data: The bytes; None for a file.
        stamp: The file's when its content was looked at; None for bytes.
    """

    file_name: str
    uri: str
    doc_id: str
    content_hash: str
    media_type: str
    path: Path | None = None
    data: bytes | None = field(default=None, repr=False)
    stamp: FileStamp | None = field(default=None, repr=False, compare=False)

    def check_unchanged(self, stamp: FileStamp | None) -> FileStamp | None:
        """See that the file still has the content that `content_hash` tells of.

        A file that was only touched or copied over passes; it is read for that.

        Args:
            stamp: With which it is known to have that content; None where that is not known.

        Returns:
            Its stamp now; None for bytes.

        Raises:
            SourceError: It has another content, or can no longer be read.
        """
        if self.path is None:
            return None
        try:
            if _stamp(os.stat(self.path)) == stamp:
                return stamp
            with _FileContent(self.path) as content:
                if content.sha256() != self.content_hash:
                    raise SourceError(
                        self.file_name, "the file was changed while it was being read; read it again"
                    )
                return content.stamp
        except OSError as error:
            raise _os_error(self.file_name, error) from error

    def read_bytes(self) -> bytes:
        """All of its bytes.

        Raises:
            SourceError: The file can no longer be read.
        """
        if self.data is not None:
            return self.data
        if self.path is None:
            raise SourceError(self.file_name, "has neither a path nor data")
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise _os_error(self.file_name, error) from error


def load_source(
    data: str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO,
    *,
    file_name: str | None = None,
    doc_id: str | None = None,
    root: str | os.PathLike[str] | None = None,
) -> Source:
    """Look at an input: its type, told by the content and never by the name, and its identity.

    The id is a UUIDv5 of where the input stands, so an edited file keeps it: of the absolute file URI; with
    ``root`` of the path relative to it, which is the same on every machine; of ``file_name`` for bytes and
    file objects; of the content where those have no name.

    Args:
        data: A path, bytes, or a file opened in binary mode. A file object is read whole from its start and
            its position is restored; it is not kept and not closed.
        file_name: Name for people; for bytes and file objects also their identity.
        doc_id: The id to use instead.
        root: A folder that holds the path.

    Raises:
        OptionError: An argument cannot work, such as a file opened in text mode.
        SourceError: One of its subclasses: not found, a directory, empty, not supported, not readable.
    """
    for name, value in (("file_name", file_name), ("doc_id", doc_id)):
        if value is not None and not isinstance(value, str):
            raise OptionError(f"{name} is text, not {type(value).__name__}")
    doc_id = doc_id if doc_id is None else _clean(doc_id)
    if doc_id is not None and not doc_id.strip():
        raise OptionError("doc_id is empty; leave it out to have one made")
    if isinstance(data, (str, os.PathLike)):
        return _from_path(data, file_name=file_name, doc_id=doc_id, root=root)
    if root is not None:
        raise OptionError("root goes with a path; for bytes and file objects give file_name or doc_id")
    if isinstance(data, (bytes, bytearray, memoryview)):
        return _from_bytes(bytes(data), name=file_name, shown=file_name, doc_id=doc_id)
    try:
        content, stream_name = _read_stream(data)
    except OSError as error:
        raise _os_error(_clean(file_name or "document"), error) from error
    return _from_bytes(content, name=file_name, shown=file_name or stream_name, doc_id=doc_id)


def _from_path(
    data: str | os.PathLike[str],
    *,
    file_name: str | None,
    doc_id: str | None,
    root: str | os.PathLike[str] | None,
) -> Source:
    text = os.fspath(data)
    if not isinstance(text, str):
        raise OptionError(f"a path is text, not {type(text).__name__}")
    if not text or "\x00" in text:
        raise OptionError("the path is empty" if not text else "the path holds a NUL character")
    if _URL.match(text):
        raise UnsupportedSourceError(
            _clean(text), "is a URL, and URLs are not fetched; download it and pass its path or its bytes"
        )
    path = Path(os.path.abspath(text))
    shown = _clean(file_name or path.name or text)
    try:
        _check_regular_file(path, shown)
        with _FileContent(path) as content:
            media_type = _supported_type(content, shown)
            stamp = content.stamp
            digest = content.sha256()
    except OSError as error:
        if isinstance(error, SourceError):
            raise
        raise _os_error(shown, error) from error
    except UnicodeEncodeError:
        # Half a surrogate pair, which no file system can hold.
        raise SourceNotFoundError(shown, "there is no such file") from None
    identity = path.as_uri() if root is None else _relative_to(path, root)
    return Source(
        file_name=shown,
        uri=path.as_uri(),
        doc_id=doc_id or _make_id(identity),
        content_hash=digest,
        media_type=media_type,
        path=path,
        stamp=stamp,
    )


def _from_bytes(content: bytes, *, name: str | None, shown: str | None, doc_id: str | None) -> Source:
    label = _clean(shown) if shown else "document"
    media_type = _supported_type(_MemoryContent(content), label)
    digest = hashlib.sha256(content).hexdigest()
    uri = _clean(name) if name else f"urn:sha256:{digest}"
    return Source(
        file_name=label if shown else label + EXTENSIONS[media_type],
        uri=uri,
        doc_id=doc_id or _make_id(name or digest),
        content_hash=digest,
        media_type=media_type,
        data=content,
    )


def _read_stream(stream: object) -> tuple[bytes, str | None]:
    read = getattr(stream, "read", None)
    if not callable(read):
        raise OptionError(
            f"expected a path, bytes or a file opened in binary mode, not {type(stream).__name__}"
        )
    if getattr(stream, "closed", False):
        raise OptionError("the file is closed; pass it while it is open, or its path")
    seekable = getattr(stream, "seekable", None)
    # Before Python 3.11 a SpooledTemporaryFile can seek and does not say so.
    can_seek = seekable() if callable(seekable) else isinstance(stream, tempfile.SpooledTemporaryFile)
    if can_seek:
        position = stream.tell()  # type: ignore[attr-defined]
        stream.seek(0)  # type: ignore[attr-defined]
        try:
            content = read()
        finally:
            stream.seek(position)  # type: ignore[attr-defined]
    else:
        content = read()
    if isinstance(content, str):
        raise OptionError("the file is opened in text mode; open it in binary mode ('rb')")
    if not isinstance(content, (bytes, bytearray, memoryview)):
        raise OptionError(f"read() of {type(stream).__name__} gives {type(content).__name__}, not bytes")
    name = getattr(stream, "name", None)
    return bytes(content), PurePath(name).name if isinstance(name, str) else None


def _check_regular_file(path: Path, shown: str) -> None:
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise DirectorySourceError(shown, "is a directory; give the files in it")
    if not stat.S_ISREG(mode):
        raise UnsupportedSourceError(shown, "is not a regular file; read it and pass its bytes")


def _supported_type(content: RandomAccess, shown: str) -> str:
    if content.size == 0:
        raise EmptySourceError(shown, "the file is empty (0 bytes)")
    found = detect_type(content)
    if found.media_type is None:
        supported = ", ".join(SUPPORTED_TYPES.values())
        raise UnsupportedSourceError(shown, f"is {found.label}; supported are {supported}")
    return found.media_type


def _relative_to(path: Path, root: str | os.PathLike[str]) -> str:
    base = Path(os.path.abspath(root))
    if not path.is_relative_to(base):
        raise OptionError(f"{path} does not lie under root={str(base)!r}")
    return path.relative_to(base).as_posix()


def _make_id(identity: str) -> str:
    # macOS hands out decomposed file names: the same name must give the same id everywhere.
    return str(uuid.uuid5(uuid.NAMESPACE_URL, unicodedata.normalize("NFC", _clean(identity))))


def _clean(name: str) -> str:
    """Without NUL and lone surrogates, which databases and JSON writers refuse."""
    return name.replace("\x00", "").encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _os_error(shown: str, error: OSError) -> SourceError:
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return SourceNotFoundError(shown, "there is no such file")
    if isinstance(error, IsADirectoryError):
        return DirectorySourceError(shown, "is a directory; give the files in it")
    return SourceError(shown, f"cannot be read: {error.strerror or error}")


def _stamp(status: os.stat_result) -> FileStamp:
    return status.st_size, status.st_mtime_ns, status.st_ino


class _MemoryContent:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)

    def read_at(self, offset: int, length: int) -> bytes:
        return self._data[offset : offset + length]


class _FileContent:
    """A file read in pieces, so that its size does not matter."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        # Taken before anything is read: what changes later has another one.
        self.stamp = _stamp(os.fstat(self._file.fileno()))
        self.size = self.stamp[0]

    def __enter__(self) -> _FileContent:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def read_at(self, offset: int, length: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(length)

    def sha256(self) -> str:
        digest = hashlib.sha256()
        self._file.seek(0)
        while block := self._file.read(_CHUNK):
            digest.update(block)
        return digest.hexdigest()
