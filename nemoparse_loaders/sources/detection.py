"""What a file is, told by its content alone."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import Protocol

from .containers import ole_kind, zip_kind

PDF = "application/pdf"
SUPPORTED_TYPES: dict[str, str] = {
    PDF: "PDF",
    "image/png": "PNG",
    "image/jpeg": "JPEG",
    "image/webp": "WEBP",
    "image/tiff": "TIFF",
    "image/gif": "GIF",
    "image/bmp": "BMP",
}
"""Media type to the name for people, of all that is read here."""

EXTENSIONS: dict[str, str] = {
    PDF: ".pdf",
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/webp": ".webp",
    "image/tiff": ".tiff",
    "image/gif": ".gif",
    "image/bmp": ".bmp",
}

HEAD_BYTES = 65_536
"""How much of the beginning is looked at; a PDF header may stand anywhere in it."""
TAIL_BYTES = 4_096

_IMAGE_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"II+\x00\x08\x00\x00\x00", "image/tiff"),  # BigTIFF
    (b"MM\x00+\x00\x08\x00\x00", "image/tiff"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
_OTHER_MAGIC = (
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"{\\rtf", "an RTF document"),
    (b"%!PS", "a PostScript document"),
    (b"\xc5\xd0\xd3\xc6", "a PostScript document"),
    (b"AT&TFORM", "a DjVu document"),
    (b"8BPS", "a Photoshop image"),
    (b"\x00\x00\x01\x00", "an icon"),
    (b"\x00\x00\x00\x0cjP  ", "a JPEG 2000 image"),
    (b"\xff\x4f\xff\x51", "a JPEG 2000 image"),
    (b"\xff\x0a", "a JPEG XL image"),
    (b"\x00\x00\x00\x0cJXL ", "a JPEG XL image"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"PAR1", "a Parquet table"),
)
_FTYP_BRANDS = {
    b"heic": "a HEIC image",
    b"heix": "a HEIC image",
    b"mif1": "a HEIF image",
    b"avif": "an AVIF image",
}
# Sizes of the header that follows the 14 bytes of the file header, one a version of the format.
_BMP_HEADER_SIZES = frozenset((12, 16, 40, 52, 56, 64, 108, 124))
_PDF_HEADER = re.compile(rb"%PDF-")
_PDF_OBJECT = re.compile(rb"[0-9]{1,10}\s+[0-9]{1,5}\s+obj\b")
_HTML = re.compile(rb"<(?:!doctype\s+html|html[\s>]|head[\s>]|body[\s>])", re.IGNORECASE)
_MAIL = re.compile(rb"(?:Return-Path|Received|Message-ID|MIME-Version|Delivered-To): ", re.IGNORECASE)
_CONTROL = frozenset(range(32)) - frozenset(b"\t\n\x0b\x0c\r\x1b")


class RandomAccess(Protocol):
    """Bytes that can be read at any place, so that a large file need not be in memory."""

    @property
    def size(self) -> int:
        """Length in bytes."""
        ...

    def read_at(self, offset: int, length: int) -> bytes:
        """At most ``length`` bytes from ``offset``."""
        ...


@dataclass(frozen=True, slots=True)
class Detected:
    """What was found.

    Attributes:
        media_type: One of `SUPPORTED_TYPES`, or None where it is not read here.
        label: For people, with its article where it is not supported ("a DOCX document").
    """

    media_type: str | None
    label: str


def detect_type(content: RandomAccess) -> Detected:
    """Tell the type; the content must not be empty.

    Whoever begins with a signature of its own is that. A PDF header counts at the very beginning, or later
    within `HEAD_BYTES` where PDF objects follow it: some tools put mail or HTTP headers before it, and a text
    about PDF mentions it too.
    """
    head = content.read_at(0, HEAD_BYTES)
    media_type = _image_type(head, content.size)
    if media_type is not None:
        return Detected(media_type, SUPPORTED_TYPES[media_type])
    binary = _other_binary(head, content)
    if binary is not None:
        return Detected(None, binary)
    if _is_pdf(head, content):
        return Detected(PDF, SUPPORTED_TYPES[PDF])
    return Detected(None, _text_kind(head) or "data of an unknown type")


def find_pdf_header(head: bytes) -> int:
    """Offset of ``%PDF-`` in the beginning of a file, or 0 where there is none."""
    match = _PDF_HEADER.search(head)
    return match.start() if match else 0


def _image_type(head: bytes, size: int) -> str | None:
    for magic, media_type in _IMAGE_MAGIC:
        if head.startswith(magic):
            return media_type
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return "image/bmp" if _is_bmp(head, size) else None


def _is_bmp(head: bytes, size: int) -> bool:
    # Two letters prove nothing: many a text begins with "BM". The fields that follow them do.
    if head[:2] != b"BM" or len(head) < 26:
        return False
    pixels_at, header_size = struct.unpack_from("<II", head, 10)
    return header_size in _BMP_HEADER_SIZES and 14 + header_size <= pixels_at <= max(size, 26)


def _other_binary(head: bytes, content: RandomAccess) -> str | None:
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return zip_kind(head, content)
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return ole_kind(head, content)
    for magic, label in _OTHER_MAGIC:
        if head.startswith(magic):
            return label
    if head[4:8] == b"ftyp":
        return _FTYP_BRANDS.get(head[8:12], "a video or audio file")
    if head[:4] == b"RIFF":
        return "a video or audio file"
    return "a tar archive" if head[257:262] == b"ustar" else None


def _is_pdf(head: bytes, content: RandomAccess) -> bool:
    match = _PDF_HEADER.search(head)
    if match is None:
        return False
    if not head[: match.start()].strip(b"\xef\xbb\xbf\x00 \t\r\n\x0c"):
        return True
    tail = content.read_at(max(0, content.size - TAIL_BYTES), TAIL_BYTES)
    return bool(_PDF_OBJECT.search(head, match.end())) or b"startxref" in tail


def _text_kind(head: bytes) -> str | None:
    text = _as_text(head)
    if text is None:
        return None
    start = text.lstrip()[:1024]
    if _HTML.search(start):
        return "an HTML page"
    if b"<svg" in start:
        return "an SVG image"
    if start.startswith(b"<?xml"):
        return "an XML document"
    return "a mail message" if _MAIL.match(start) else "plain text"


def _as_text(head: bytes) -> bytes | None:
    """The bytes as UTF-8 if they look like text at all."""
    for mark, encoding in (
        (b"\xef\xbb\xbf", "utf-8"),
        (b"\xff\xfe", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be"),
    ):
        if head.startswith(mark):
            return head[len(mark) :].decode(encoding, "replace").encode("utf-8", "replace")
    return None if _CONTROL.intersection(head[:4096]) else head
