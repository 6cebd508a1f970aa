from __future__ import annotations

import io
import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from nemoparse_loaders.errors import SourceError, UnsupportedSourceError
from nemoparse_loaders.sources import SUPPORTED_TYPES, load_source

MINI_PDF = b"%PDF-1.4\n1 0 obj\n<</Type/Catalog>>\nendobj\ntrailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF"


def picture(kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (20, 20), "white").save(out, kind, **options)
    return out.getvalue()


def zipped(*names: str, first: tuple[str, bytes] | None = None) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        if first:
            archive.writestr(*first)
        for name in names:
            archive.writestr(name, "x")
    return out.getvalue()


def ole(stream: str) -> bytes:
    head = bytearray(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504))
    struct.pack_into("<H", head, 30, 9)
    struct.pack_into("<I", head, 48, 1)
    return bytes(head) + bytes(512) + stream.encode("utf-16-le").ljust(512, b"\x00")


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (MINI_PDF, "application/pdf"),
        (b"\xef\xbb\xbf\r\n" + MINI_PDF, "application/pdf"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n" + MINI_PDF, "application/pdf"),
        (b"x" * 5_000 + MINI_PDF, "application/pdf"),
        (b"%PDF-1.3\nThis is not a valid PDF file\n", "application/pdf"),
        (picture("PNG"), "image/png"),
        (picture("JPEG"), "image/jpeg"),
        (picture("WEBP"), "image/webp"),
        (picture("GIF"), "image/gif"),
        (picture("BMP"), "image/bmp"),
        (picture("TIFF"), "image/tiff"),
        (picture("TIFF", big_tiff=True), "image/tiff"),
        (b"MM\x00*\x00\x00\x00\x08" + bytes(20), "image/tiff"),
        (b"MM\x00+\x00\x08\x00\x00" + bytes(20), "image/tiff"),
    ],
)
@pytest.mark.parametrize("name", ["report.docx", "picture.txt", "PDF", "noextension"])
def test_the_content_decides_and_never_the_name(content: bytes, media_type: str, name: str) -> None:
    assert load_source(content, file_name=name).media_type == media_type


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (zipped("[Content_Types].xml", "_rels/.rels", "word/document.xml"), "DOCX"),
        (zipped("ppt/presentation.xml", "[Content_Types].xml"), "PPTX"),
        (zipped("[Content_Types].xml", "xl/workbook.xml"), "XLSX"),
        (zipped(first=("mimetype", b"application/vnd.oasis.opendocument.text")), "ODT"),
        (zipped(first=("mimetype", b"application/epub+zip")), "EPUB"),
        (zipped("word/list.txt", "a.pdf"), "a zip archive"),
        (zipped(first=("inner.pdf", MINI_PDF)), "a zip archive"),
        (b"PK\x03\x04" + bytes(100), "a zip archive"),
        (ole("WordDocument"), "DOC"),
        (ole("Workbook"), "XLS"),
        (ole("PowerPoint Document"), "PPT"),
        (ole("EncryptedPackage"), "Office document with a password"),
        (ole("Something"), "an old Office document"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document"),
        (b"<!DOCTYPE html>\n<html><body>404</body></html>", "an HTML page"),
        (b"  \n<HTML lang='en'>", "an HTML page"),
        (b"<?xml version='1.0'?><root/>", "an XML document"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "an SVG image"),
        (b"{\\rtf1\\ansi Hello}", "an RTF document"),
        (b"\x1f\x8b\x08\x00abc", "a gzip archive"),
        (b"%!PS-Adobe-3.0\n", "a PostScript document"),
        (b"BMW sells cars.\nSecond line of a text that begins with BM.", "plain text"),
        (b"BM", "plain text"),
        (b"A text about PDF: a file begins with %PDF-1.7 and has objects.", "plain text"),
        ("\ufeffname,value\r\n".encode("utf-16"), "plain text"),
        ("Überschrift".encode(), "plain text"),
        (b"Return-Path: <a@b.c>\r\n\r\nHello", "a mail message"),
        (b"\x00\x01\x02\x03" * 10, "an unknown type"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "a video or audio file"),
        (b"\x00\x00\x00\x18ftypheic", "a HEIC image"),
    ],
)
def test_what_is_not_read_here_is_named(content: bytes, found: str) -> None:
    with pytest.raises(UnsupportedSourceError) as caught:
        load_source(content, file_name="upload.pdf")
    message = str(caught.value)
    assert message.startswith("upload.pdf: is ")
    assert found in message
    assert all(name in message for name in SUPPORTED_TYPES.values())


def test_a_directory_of_a_zip_that_points_nowhere_is_no_trouble() -> None:
    archive = bytearray(zipped("[Content_Types].xml", "word/document.xml"))
    struct.pack_into("<II", archive, len(archive) - 22 + 12, 0xFFFFFFF0, 0xFFFFFF00)
    with pytest.raises(UnsupportedSourceError, match="a zip archive"):
        load_source(bytes(archive))


@given(
    st.sampled_from(
        [b"", b"%PDF-", b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"BM", b"RIFF", b"II*\x00"]
    ),
    st.binary(min_size=1, max_size=600),
)
def test_any_bytes_give_a_source_or_a_typed_error(magic: bytes, rest: bytes) -> None:
    try:
        source = load_source(magic + rest)
    except SourceError:
        return
    assert source.media_type in SUPPORTED_TYPES
