"""UserUnit: how many points one unit of a page's space is. PDFium neither uses it nor tells it.

Hardly any file has one, so the file is searched for the word first; only then is a page written out by
itself, whose dictionary then stands in plain sight.
"""

from __future__ import annotations

import ctypes
import io
import math
import re
import zlib
from collections.abc import Iterator
from typing import BinaryIO

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

_WORD = b"/UserUnit"
_VALUE = re.compile(rb"/UserUnit\s*([0-9]*\.?[0-9]+)")
_OBJECT_STREAM = b"/ObjStm"
_BLOCK = 1 << 20
# An object stream of a real file has some 100 kB, and all of them together may have some 10 MB. A bomb is not
# unpacked further than this, nor a file full of them.
_MAX_UNPACKED = 16 << 20
_MAX_UNPACKED_TOTAL = 256 << 20
_DICTIONARY_BYTES = 1_024


def mentions_user_unit(stream: BinaryIO) -> bool:
    """Whether the word is in the file, plainly or in an object stream; encrypted ones stay unread."""
    packed: list[int] = []
    for offset, block in _blocks(stream):
        if _WORD in block:
            return True
        at = block.find(_OBJECT_STREAM)
        while at >= 0:
            packed.append(offset + at)
            at = block.find(_OBJECT_STREAM, at + 1)
    left = _MAX_UNPACKED_TOTAL
    for offset in packed:
        found, cost = _unpacks_to_it(stream, offset)
        left -= cost
        if found or left < 0:
            return found
    return False


def user_unit(document: pdfium.PdfDocument, index: int) -> float:
    """The UserUnit of a page, 1.0 where it has none; hold PDFium's lock.

    Args:
        document: The document.
        index: 0-based.
    """
    alone = pdfium.PdfDocument.new()
    try:
        copied = pdfium_c.FPDF_ImportPagesByIndex(alone, document, (ctypes.c_int * 1)(index), 1, 0)
        if not copied:
            return 1.0
        written = io.BytesIO()
        alone.save(written)
    finally:
        alone.close()
    match = _VALUE.search(written.getbuffer())
    value = float(match.group(1)) if match else 1.0
    return value if 0 < value < math.inf else 1.0


def _blocks(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The file in blocks that overlap by one word, with their offsets."""
    offset, kept = 0, b""
    stream.seek(0)
    while block := stream.read(_BLOCK):
        whole = kept + block
        yield offset - len(kept), whole
        offset += len(block)
        kept = whole[-len(_WORD) + 1 :]


def _unpacks_to_it(stream: BinaryIO, offset: int) -> tuple[bool, int]:
    """Whether the object stream that begins there holds the word, and how many bytes were looked at."""
    stream.seek(offset)
    start = stream.read(_DICTIONARY_BYTES)
    at = start.find(b"stream")
    if at < 0:
        return False, len(start)
    packed = start[at + len(b"stream") :].lstrip(b"\r\n")
    unpacker = zlib.decompressobj()
    kept, unpacked = b"", 0
    try:
        while packed and unpacked < _MAX_UNPACKED and not unpacker.eof:
            text = kept + unpacker.decompress(packed, _BLOCK)
            if _WORD in text:
                return True, len(start) + unpacked
            unpacked += len(text) - len(kept)
            kept = text[-len(_WORD) + 1 :]
            packed = unpacker.unconsumed_tail or stream.read(_BLOCK // 16)
    except zlib.error:
        pass  # encrypted, or not deflated: then the word cannot be seen
    return False, len(start) + unpacked
