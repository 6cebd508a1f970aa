"""What a caller may hand to the reader, as inputs of the parser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike, fspath
from typing import Any, BinaryIO, Protocol, cast

from nemoparse_loaders import OptionError, SourceError, SourceInput, SourceNotFoundError


class FileSystem(Protocol):
    """What is used of an ``fsspec.AbstractFileSystem``."""

    def open(self, path: str, mode: str) -> Any:
        """A binary file object, as a context manager."""

    def unstrip_protocol(self, name: str) -> str:
        """The path with the protocol in front."""


FileInput = str | PathLike[str] | bytes | bytearray | memoryview | BinaryIO | SourceInput


def as_inputs(
    file: FileInput | Sequence[FileInput], *, fs: FileSystem | None, root: str | None, **about: Any
) -> list[SourceInput]:
    """One input a file.

    Args:
        file: One file or several.
        fs: Where paths are to be opened; None for the local file system.
        root: Folder that the ids of local paths are relative to.
        **about: ``file_name`` and ``doc_id`` of a single file.

    Raises:
        OptionError: A name or an id is given for several files.
    """
    files = list(file) if isinstance(file, (list, tuple)) else [cast("FileInput", file)]
    about = {key: value for key, value in about.items() if value is not None}
    if about and (len(files) != 1 or isinstance(files[0], SourceInput)):
        raise OptionError(f"{' and '.join(about)}: for one file; give SourceInput(...) for each of several")
    given = [one if isinstance(one, SourceInput) else SourceInput(one, **about) for one in files]
    return [_placed(one, fs, root) for one in given]


def path_of(given: SourceInput) -> str | None:
    """The path, as the caller wrote it; None for bytes and file objects."""
    if isinstance(given.data, RemoteFile):
        return given.data.path
    return fspath(given.data) if isinstance(given.data, (str, PathLike)) else None


def _placed(given: SourceInput, fs: FileSystem | None, root: str | None) -> SourceInput:
    if not isinstance(given.data, (str, PathLike)):
        return given
    if fs is not None:
        remote = RemoteFile(fs, fspath(given.data))
        if not remote.uri.startswith("file:"):
            # The parser asks a file object for no more than read().
            return replace(given, data=cast("BinaryIO", remote), file_name=given.file_name or remote.uri)
    return replace(given, root=given.root or root)


class RemoteFile:
    """A file of an fsspec file system that is opened when the parser comes to read it.

    Attributes:
        path: As the caller wrote it.
        uri: With the protocol of the file system: the identity of the file.
    """

    def __init__(self, fs: FileSystem, path: str) -> None:
        self._fs = fs
        self.path = path
        self.uri = fs.unstrip_protocol(path)

    def read(self) -> bytes:
        """All of it.

        Raises:
            SourceError: The file system does not give it.
        """
        try:
            with self._fs.open(self.path, "rb") as stream:
                content: bytes = stream.read()
        except FileNotFoundError as error:
            raise SourceNotFoundError(self.uri, "there is no such file") from error
        except OSError as error:
            raise SourceError(self.uri, f"cannot be read: {error.strerror or error}") from error
        return content


class ReadOnce:
    """A stream that cannot seek: read when it is first asked for, and kept for whoever reads it again.

    Attributes:
        name: Of the stream, if it has one.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._content: bytes | None = None
        self.name = getattr(stream, "name", None)

    @property
    def closed(self) -> bool:
        """Whether it can no longer be read."""
        return self._content is None and bool(getattr(self._stream, "closed", False))

    def read(self) -> bytes:
        """All of it."""
        if self._content is None:
            self._content = self._stream.read()
        return self._content


def readable_again(given: SourceInput) -> SourceInput:
    """The input itself, unless it is a stream that can be read once only."""
    data = given.data
    if isinstance(data, RemoteFile) or not hasattr(data, "read"):
        return given
    seekable = getattr(data, "seekable", None)
    if seekable() if callable(seekable) else hasattr(data, "seek"):
        return given
    return replace(given, data=cast("BinaryIO", ReadOnce(cast("BinaryIO", data))))
