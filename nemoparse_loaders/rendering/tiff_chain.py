"""How many directories a TIFF chains together, counted without trusting a word of it."""

from __future__ import annotations

import os
import struct
from typing import BinaryIO


def count_directories(stream: BinaryIO) -> int:
    """Follow the chain to its end, to a directory seen before, or out of the file.

    Real directories lie side by side, so together they are smaller than the file. Ones that overlap could
    make a small file keep a reader busy for hours.

    Args:
        stream: The file; its position changes.

    Raises:
        ValueError: The directories overlap, or there is no TIFF header.
    """
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    header = stream.read(16).ljust(16, b"\x00")
    order = {b"II": "<", b"MM": ">"}.get(header[:2])
    if order is None:
        raise ValueError("no TIFF header")
    (version,) = struct.unpack_from(f"{order}H", header, 2)
    is_big = version == 43
    word, counter, entry_bytes = (f"{order}Q", f"{order}Q", 20) if is_big else (f"{order}I", f"{order}H", 12)
    (offset,) = struct.unpack_from(word, header, 8 if is_big else 4)
    seen: set[int] = set()
    directory_bytes = 0
    while 0 < offset < size and offset not in seen:
        seen.add(offset)
        stream.seek(offset)
        count = _read(stream, counter)
        if count is None:
            break
        length = struct.calcsize(counter) + count * entry_bytes
        directory_bytes += length
        if directory_bytes > size:
            raise ValueError("its directories overlap or reach beyond the file")
        stream.seek(offset + length)
        following = _read(stream, word)
        if following is None:
            break
        offset = following
    return len(seen)


def _read(stream: BinaryIO, form: str) -> int | None:
    data = stream.read(struct.calcsize(form))
    return int(struct.unpack(form, data)[0]) if len(data) == struct.calcsize(form) else None
