"""Streams that are read twice: for the parser, and for the pictures of figures."""

from __future__ import annotations

from dataclasses import replace
from typing import BinaryIO, cast

from nemoparse_loaders import SourceInput


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
    if not hasattr(data, "read"):
        return given
    seekable = getattr(data, "seekable", None)
    if seekable() if callable(seekable) else hasattr(data, "seek"):
        return given
    return replace(given, data=cast("BinaryIO", ReadOnce(cast("BinaryIO", data))))
