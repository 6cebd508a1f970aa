"""What kind of document a zip or an OLE container holds, told from its directory; nothing is unpacked."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .detection import RandomAccess

# Enough for the directories of real documents; a hostile one is only read this far.
_MAX_DIRECTORY_BYTES = 1 << 20
_END_RECORD = b"PK\x05\x06"
_ENTRY = b"PK\x01\x02"

_ZIP_MIMETYPES = (
    (b"application/vnd.oasis.opendocument.text", "an ODT document"),
    (b"application/vnd.oasis.opendocument.spreadsheet", "an ODS spreadsheet"),
    (b"application/vnd.oasis.opendocument.presentation", "an ODP presentation"),
    (b"application/epub+zip", "an EPUB book"),
)
# Only next to "[Content_Types].xml": any archive may hold a folder of these names.
_OFFICE_FOLDERS = (
    ("word/", "a DOCX document"),
    ("ppt/", "a PPTX presentation"),
    ("xl/", "an XLSX spreadsheet"),
    ("visio/", "a Visio drawing"),
)
_ZIP_ENTRIES = (
    ("FixedDocSeq.fdseq", "an XPS document"),
    ("META-INF/MANIFEST.MF", "a Java archive"),
)
_OLE_STREAMS = (
    ("EncryptedPackage", "an Office document with a password"),
    ("WordDocument", "an old Word document (DOC)"),
    ("PowerPoint Document", "an old PowerPoint presentation (PPT)"),
    ("Workbook", "an old Excel spreadsheet (XLS)"),
    ("Book", "an old Excel spreadsheet (XLS)"),
    ("__properties_version1.0", "an Outlook message (MSG)"),
)


def zip_kind(head: bytes, content: RandomAccess) -> str:
    """Name what a zip file holds; "a zip archive" where nothing is recognised.

    Args:
        head: Its beginning.
        content: All of it.
    """
    # OpenDocument and EPUB store their media type, uncompressed, as the first entry.
    if head[30:38] == b"mimetype":
        for media_type, label in _ZIP_MIMETYPES:
            if head[38:].startswith(media_type):
                return label
    names = _zip_names(content)
    if "[Content_Types].xml" in names:
        for folder, label in _OFFICE_FOLDERS:
            if any(name.startswith(folder) for name in names):
                return label
    for name, label in _ZIP_ENTRIES:
        if name in names:
            return label
    return "a zip archive"


def _zip_names(content: RandomAccess) -> set[str]:
    tail_at = max(0, content.size - 65_557)  # the end record, with the longest comment there can be
    tail = content.read_at(tail_at, content.size - tail_at)
    end = tail.rfind(_END_RECORD)
    if end < 0 or len(tail) < end + 22:
        return set()
    size, offset = struct.unpack_from("<II", tail, end + 12)
    directory = content.read_at(offset, min(size, _MAX_DIRECTORY_BYTES))
    names: set[str] = set()
    at = 0
    while directory[at : at + 4] == _ENTRY and len(directory) >= at + 46:
        name_length, extra_length, comment_length = struct.unpack_from("<HHH", directory, at + 28)
        names.add(directory[at + 46 : at + 46 + name_length].decode("utf-8", "replace"))
        at += 46 + name_length + extra_length + comment_length
    return names


def ole_kind(head: bytes, content: RandomAccess) -> str:
    """Name what an OLE container (the Office format before 2007) holds.

    Args:
        head: Its beginning.
        content: All of it.
    """
    if len(head) >= 52:
        (shift,) = struct.unpack_from("<H", head, 30)
        (first_sector,) = struct.unpack_from("<I", head, 48)
        if shift in (9, 12):
            # The directory is a chain of sectors; its first ones hold the streams that tell the kind.
            directory = content.read_at((first_sector + 1) << shift, 4096)
            for name, label in _OLE_STREAMS:
                if name.encode("utf-16-le") in directory:
                    return label
    return "an old Office document"
