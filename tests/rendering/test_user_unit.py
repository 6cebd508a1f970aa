"""UserUnit in files that mean harm; what it does to pages is tested with the pages."""

from __future__ import annotations

import io
import zlib

from nemoparse_loaders.rendering.user_unit import mentions_user_unit


class CountingStream(io.BytesIO):
    """Counts how often a place in it is looked up."""

    seeks = 0

    def seek(self, offset: int, whence: int = 0, /) -> int:
        self.seeks += 1
        return super().seek(offset, whence)


def object_stream(content: bytes) -> bytes:
    return b"1 0 obj\n<</Type/ObjStm>>\nstream\n" + zlib.compress(content) + b"\nendstream\nendobj\n"


def test_the_word_may_stand_in_the_last_of_many_streams() -> None:
    streams = [object_stream(b"<<>>" * 1000)] * 200
    assert not mentions_user_unit(io.BytesIO(b"".join(streams)))
    assert mentions_user_unit(io.BytesIO(b"".join([*streams, object_stream(b"<</UserUnit 2>>")])))


def test_a_file_full_of_bombs_is_not_unpacked_to_its_end() -> None:
    stream = CountingStream(object_stream(bytes(16 << 20)) * 100)
    assert not mentions_user_unit(stream)
    assert 2 <= stream.seeks < 20, "sixteen of them are as much as is looked at"
