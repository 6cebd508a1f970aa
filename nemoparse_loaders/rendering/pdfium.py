"""PDFium: its one lock, and opening a PDF with errors that say what is wrong.

PDFium is not thread-safe, not even over several documents: every call into it, closing included, is made
while `PDFIUM_LOCK` is held.
"""

from __future__ import annotations

import ctypes
import logging
import os
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from ..document import Issue
from ..errors import CorruptSourceError, EmptySourceError, EncryptedSourceError, SourceError
from ..sources import Source
from ..sources.detection import HEAD_BYTES, find_pdf_header
from .saslprep import saslprep

PDFIUM_LOCK = threading.RLock()

if hasattr(os, "register_at_fork"):
    # A child must neither inherit the lock from a thread that it does not have nor a PDFium cut in mid-call.
    os.register_at_fork(
        before=PDFIUM_LOCK.acquire,
        after_in_parent=PDFIUM_LOCK.release,
        after_in_child=PDFIUM_LOCK.release,
    )

# PDFium finds a header within the first 1,024 bytes by itself, and then also fixes the offsets.
_TOLERATED_JUNK = 1_000
_TOLERATED_LOST_PAGES = 100
_PAGE_OBJECT = re.compile(rb"/Type\s*/Page\b")
_WRAPPER_LOGGER = logging.getLogger("pypdfium2._helpers.document")


@dataclass(frozen=True, slots=True)
class OpenPdf:
    """An open document.

    Attributes:
        document: pypdfium2's handle.
        content: What PDFium reads from: a file, or bytes that must live as long as the handle.
        page_count: Pages, also single ones that cannot be loaded.
        issues: About the file as a whole.
    """

    document: pdfium.PdfDocument
    page_count: int
    content: Path | bytes
    issues: tuple[Issue, ...]


def open_pdf(source: Source, password: str | None) -> OpenPdf:
    """Open a PDF; hold `PDFIUM_LOCK`. Forms are ready before any page is loaded.

    Raises:
        EmptySourceError: It has no pages.
        EncryptedSourceError: A password is needed, or the one given is wrong.
        CorruptSourceError: PDFium cannot read it.
        SourceError: The file cannot be read.
    """
    content = _content(source)
    raw = _load(content, password)
    if not raw and pdfium_c.FPDF_GetLastError() == pdfium_c.FPDF_ERR_PASSWORD and password:
        normal = saslprep(password)
        if normal is not None and normal != password:
            raw = _load(content, normal)
    if not raw:
        raise _open_error(source, pdfium_c.FPDF_GetLastError(), password)
    if pdfium_c.FPDF_GetPageCount(raw) < 1:
        pdfium_c.FPDF_CloseDocument(raw)
        raise _no_pages(source)
    document = pdfium.PdfDocument(raw)
    try:
        forms = _start_forms(document)
        page_count, missing = _count_pages(document, source)
        issues = (*forms, *missing, *_attachments(document))
    except BaseException:
        document.close()
        raise
    return OpenPdf(document, page_count, content, issues)


def document_text(read: Callable[[object, int], int]) -> str:
    """Read one of PDFium's UTF-16 strings, without the characters that databases refuse.

    Args:
        read: Calls PDFium with (buffer or None, its size) and returns the bytes needed.
    """
    size = read(None, 0)
    if size <= 2:
        return ""
    buffer = ctypes.create_string_buffer(size)
    read(buffer, size)
    text = buffer.raw[: size - 2].decode("utf-16-le", "replace")
    return " ".join("".join(char for char in text if char.isprintable() or char.isspace()).split())


def _content(source: Source) -> Path | bytes:
    if source.path is None:
        data = source.read_bytes()
        start = find_pdf_header(data[:HEAD_BYTES])
        return data[start:] if start > _TOLERATED_JUNK else data
    try:
        with source.path.open("rb") as file:
            start = find_pdf_header(file.read(HEAD_BYTES))
    except OSError:
        return source.read_bytes()  # which says what is wrong
    return source.read_bytes()[start:] if start > _TOLERATED_JUNK else source.path


def _load(content: Path | bytes, password: str | None) -> pdfium_c.FPDF_DOCUMENT | None:
    key = password.encode("utf-8", "surrogatepass") + b"\x00" if password else None
    if isinstance(content, Path):
        return pdfium_c.FPDF_LoadDocument(str(content).encode("utf-8", "surrogateescape") + b"\x00", key)
    return pdfium_c.FPDF_LoadMemDocument64(content, len(content), key)


def _open_error(source: Source, code: int, password: str | None) -> SourceError:
    if code == pdfium_c.FPDF_ERR_PASSWORD:
        reason = "the password is wrong" if password else "a password is needed: give password= (--password)"
        return EncryptedSourceError(source.file_name, reason)
    if code == pdfium_c.FPDF_ERR_SECURITY:
        return EncryptedSourceError(source.file_name, "is encrypted by a method that is not supported")
    if code == pdfium_c.FPDF_ERR_FILE:
        source.read_bytes()  # raises with the system's reason, if the file is what is wrong
    return CorruptSourceError(source.file_name, "begins like a PDF, but no PDF can be read from it")


def _no_pages(source: Source) -> SourceError:
    # An empty page tree and one that is damaged look alike to PDFium; page objects tell them apart.
    if _PAGE_OBJECT.search(source.read_bytes()):
        return CorruptSourceError(
            source.file_name, "its page tree is damaged: it holds pages, but none can be found"
        )
    return EmptySourceError(source.file_name, "the PDF has no pages")


def _count_pages(document: pdfium.PdfDocument, source: Source) -> tuple[int, list[Issue]]:
    """How many pages there are, without a long tail that the file only claims.

    A single page that cannot be loaded is for its reader to see. A file that claims a million pages and holds
    one is not to be read a million times.
    """
    claimed = len(document)
    size = pdfium_c.FS_SIZEF()
    found = claimed
    while found and not pdfium_c.FPDF_GetPageSizeByIndexF(document, found - 1, size):
        found -= 1
    if claimed - found <= _TOLERATED_LOST_PAGES:
        return claimed, []
    if not found:
        reason = f"its page tree is damaged: it claims {claimed:,} pages, but none can be loaded"
        raise CorruptSourceError(source.file_name, reason)
    message = f"The file claims {claimed:,} pages, but there is none after page {found:,}"
    return found, [Issue(code="pages_missing", message=message)]


def _start_forms(document: pdfium.PdfDocument) -> list[Issue]:
    kind = document.get_formtype()
    issues = []
    # The wrapper logs a warning on XFA; here it becomes an issue of the document.
    _WRAPPER_LOGGER.addFilter(_drop)
    try:
        document.init_forms()
    except pdfium.PdfiumError as error:
        issues.append(
            Issue(code="forms_failed", message=f"Form fields are not drawn: {error}", severity="info")
        )
    finally:
        _WRAPPER_LOGGER.removeFilter(_drop)
    if kind == pdfium_c.FORMTYPE_XFA_FULL:
        message = (
            "A dynamic XFA form: only its placeholder page can be drawn; print it to PDF in another viewer"
        )
        issues.append(Issue(code="xfa", message=message))
    return issues


def _drop(record: logging.LogRecord) -> bool:
    return "XFA" not in record.getMessage()


def _attachments(document: pdfium.PdfDocument) -> list[Issue]:
    count = document.count_attachments()
    if count < 1:
        return []
    portfolio = document.get_pagemode() == pdfium_c.PAGEMODE_USEATTACHMENTS
    message = f"{count} attached file{'s are' if count > 1 else ' is'} not read"
    if portfolio:
        message += "; the document opens with them (a portfolio), so its pages may be a cover only"
    return [Issue(code="attachments", message=message, severity="warning" if portfolio else "info")]
