"""What a caller says about a document is checked before any page is read."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from nemoparse_loaders import DocumentParser, OptionError, ParsedDocument, SourceInput
from nemoparse_loaders.backends.base import ModelReply
from nemoparse_loaders.profiles import PROFILES
from nemoparse_loaders.rendering.page_image import PageImage


class Unused:
    """An engine that must not be opened, unless ``reply`` says otherwise."""

    name, max_concurrency, needs_text_layer = "unused", 1, False
    model, profile = "", PROFILES["3.5"]

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Unused]:
        yield self

    async def read(self, image: PageImage) -> ModelReply:
        pytest.fail(f"page {image.geometry.number} was sent")


CIRCLE: dict[str, Any] = {}
CIRCLE["itself"] = CIRCLE


@pytest.mark.parametrize(
    "about",
    [
        {"metadata": {"when": dt.date(2026, 11, 30)}},
        {"metadata": {"where": Path("here")}},
        {"metadata": {1: "one"}},
        {"metadata": {"half": "\ud800"}},
        {"metadata": CIRCLE},
        {"metadata": "text"},
        {"metadata": 5},
        {"file_name": Path("report.pdf")},
        {"doc_id": uuid.UUID(int=0)},
        {"doc_id": 7},
        {"doc_id": "\x00"},
    ],
)
def test_what_no_document_can_hold_is_refused_at_once(make_pdf: Any, about: dict[str, Any]) -> None:
    parser = DocumentParser(backend=Unused())
    name = next(iter(about))
    with pytest.raises(OptionError, match=name):
        parser.parse(make_pdf("text"), **about)
    with pytest.raises(OptionError, match=name):
        parser.parse(SourceInput(make_pdf("text"), **about))


def test_ids_lose_what_databases_refuse(make_pdf: Any) -> None:
    document = DocumentParser(backend=Unused()).parse(
        make_pdf(""), doc_id="a\x00b\ud800", file_name="c\x00.pdf"
    )
    assert (document.doc_id.strip("\ufffd"), document.file_name) == ("ab", "c.pdf")
    assert ParsedDocument.from_json(document.to_json()) == document
