"""Body: its pieces are the body, and its length is what is sent."""

from __future__ import annotations

import asyncio
import base64

from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders.backends.body import Body


@given(st.binary(max_size=50), st.integers(0, 200_000), st.binary(max_size=50), st.booleans())
def test_the_pieces_make_the_body(before: bytes, size: int, after: bytes, is_base64: bool) -> None:
    async def sent(body: Body) -> bytes:
        return b"".join([piece async for piece in body.pieces()])

    picture = bytes(index % 251 for index in range(size))
    body = Body(before, picture, after, is_base64=is_base64)
    expected = before + (base64.b64encode(picture) if is_base64 else picture) + after
    assert asyncio.run(sent(body)) == expected
    assert asyncio.run(sent(body)) == expected  # for a second sending
    assert len(body) == len(expected)
