"""PDFs written by hand, a few hundred bytes each, and how to open what is drawn."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Protocol

import pytest
from PIL import Image

from nemoparse_loaders.rendering import PageImage


class MakePdf(Protocol):
    def __call__(
        self,
        pages: Sequence[bytes] = ...,
        content: bytes = ...,
        catalog: bytes = ...,
        extra: Sequence[bytes] = ...,
        trailer: bytes = ...,
    ) -> bytes: ...


def _write(objects: Sequence[bytes], trailer: bytes) -> bytes:
    out = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    at = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<</Size %d/Root 1 0 R%b>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, at)
    return bytes(out)


@pytest.fixture
def make_pdf() -> MakePdf:
    """Make a PDF: each page is the inside of its dictionary; all show the same content, with a font /F.

    Objects: 1 catalog, 2 pages, 3 font, 4 content, then those of ``extra``, then the pages.
    """

    def make(
        pages: Sequence[bytes] = (b"/MediaBox[0 0 300 400]",),
        content: bytes = b"BT /F 24 Tf 40 300 Td (Hello) Tj ET 1 0 0 rg 20 20 100 50 re f",
        catalog: bytes = b"",
        extra: Sequence[bytes] = (),
        trailer: bytes = b"",
    ) -> bytes:
        first = 5 + len(extra)
        kids = b" ".join(b"%d 0 R" % (first + index) for index in range(len(pages)))
        shared = b"/Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 3 0 R>>>>"
        return _write(
            [
                b"<</Type/Catalog/Pages 2 0 R%b>>" % catalog,
                b"<</Type/Pages/Kids[%b]/Count %d>>" % (kids, len(pages)),
                b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
                b"<</Length %d>>\nstream\n%b\nendstream" % (len(content), content),
                *extra,
                *(b"<<%b%b>>" % (shared, page) for page in pages),
            ],
            trailer,
        )

    return make


@pytest.fixture
def decoded() -> Callable[[PageImage], Image.Image]:
    """Open what was drawn with Pillow and check that it is what it says."""

    def open_it(page: PageImage) -> Image.Image:
        image = Image.open(io.BytesIO(page.data))
        image.load()
        assert f"image/{(image.format or '').lower()}" == page.media_type
        assert image.size == (page.width, page.height)
        assert image.mode == "RGB"
        return image

    return open_it
