"""Body: the bytes of a request around a picture, made piece by piece while they are sent."""

from __future__ import annotations

import binascii
from collections.abc import AsyncGenerator
from dataclasses import dataclass

# A multiple of three, so that pieces of base64 follow each other without padding in between. With pieces of
# this size 96 requests that wait for replies hold 105 MB in place of 210, at the same cost.
_PIECE_BYTES = 48 * 1024


@dataclass(frozen=True, slots=True)
class Body:
    """A request's body. Nothing of it is joined: while a reply is waited for only the picture is kept.

    Attributes:
        before: What comes before the picture.
        picture: The picture, which may be empty.
        after: What comes after it.
        is_base64: Whether the picture goes as base64.
    """

    before: bytes
    picture: bytes = b""
    after: bytes = b""
    is_base64: bool = False

    def __len__(self) -> int:
        """Bytes on the wire."""
        picture = len(self.picture)
        return len(self.before) + ((picture + 2) // 3 * 4 if self.is_base64 else picture) + len(self.after)

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """The body from its beginning; for each sending anew."""
        yield self.before
        for start in range(0, len(self.picture), _PIECE_BYTES):
            piece = self.picture[start : start + _PIECE_BYTES]
            yield binascii.b2a_base64(piece, newline=False) if self.is_base64 else piece
        yield self.after
