from __future__ import annotations

import io
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders.errors import CorruptSourceError
from nemoparse_loaders.rendering import PageRenderer
from nemoparse_loaders.rendering.tiff_chain import count_directories
from nemoparse_loaders.sources import load_source


def chain(*following: int, entries: int = 1, order: str = "<", big: bool = False) -> bytes:
    """Directories of zeros, each naming the place of its follower (0-based; -1 is the end)."""
    word, count, entry, start = ("Q", "Q", 20, 16) if big else ("I", "H", 12, 8)
    length = struct.calcsize(count) + entries * entry + struct.calcsize(word)
    out = {"<": b"II", ">": b"MM"}[order] + struct.pack(f"{order}H", 43 if big else 42)
    out += struct.pack(f"{order}HHQ", 8, 0, start) if big else struct.pack(f"{order}I", start)
    for index in following:
        out += struct.pack(f"{order}{count}", entries) + bytes(entries * entry)
        out += struct.pack(f"{order}{word}", start + index * length if index >= 0 else 0)
    return out


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("big", [False, True])
def test_counts_to_the_end_or_to_one_seen_before(order: str, big: bool) -> None:
    for following, expected in [((-1,), 1), ((1, 2, -1), 3), ((2, -1, 1), 3), ((0,), 1), ((1, 2, 1), 3)]:
        assert count_directories(io.BytesIO(chain(*following, order=order, big=big))) == expected


def test_a_chain_that_leaves_the_file_ends() -> None:
    assert count_directories(io.BytesIO(chain(1, 50_000))) == 2


def test_directories_that_overlap_are_refused() -> None:
    # Each directory claims a thousand entries and follows the one before by four bytes.
    out = bytearray(b"II*\x00" + struct.pack("<I", 8) + bytes(20_000))
    for index in range(100):
        at = 8 + 4 * index
        struct.pack_into("<H", out, at, 1_000)
        struct.pack_into("<I", out, at + 2 + 12_000, at + 4)
    with pytest.raises(ValueError, match="overlap"):
        count_directories(io.BytesIO(bytes(out)))
    with pytest.raises(CorruptSourceError, match="overlap"), PageRenderer(load_source(bytes(out))):
        pass


@given(
    st.sampled_from([b"II*\x00", b"MM\x00*", b"II+\x00\x08\x00\x00\x00", b"MM\x00+\x00\x08\x00\x00"]),
    st.binary(),
)
def test_any_bytes_end(magic: bytes, rest: bytes) -> None:
    try:
        count = count_directories(io.BytesIO(magic + rest))
    except ValueError:
        return
    assert 0 <= count <= len(magic + rest)
