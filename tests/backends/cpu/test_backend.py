from __future__ import annotations

import asyncio
import copy
import json
import pickle
from collections.abc import Callable
from importlib import metadata
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas

from nemoparse_loaders import DocumentParser
from nemoparse_loaders.backends.base import Backend, CacheableSession, RereadingSession
from nemoparse_loaders.backends.cpu import CpuBackend
from nemoparse_loaders.backends.cpu.backend import CpuSession
from nemoparse_loaders.decoding import decode_page
from nemoparse_loaders.errors import BackendError
from nemoparse_loaders.rendering.page_image import PageImage

DrawPage = Callable[..., PageImage]


def paint(canvas: Canvas) -> None:
    canvas.setFont("Helvetica-Bold", 20)
    canvas.drawString(60, 760, "A short report")
    canvas.setFont("Helvetica", 11)
    for row in range(8):
        canvas.drawString(
            60, 700 - 14 * row, "The stream is weak at slack water, and the rotor stands still for a while,"
        )


def test_is_a_backend_and_plain_configuration() -> None:
    backend = CpuBackend()
    assert isinstance(backend, Backend)
    assert (backend.name, backend.needs_text_layer) == ("cpu", True)
    assert backend.max_concurrency >= 1
    assert pickle.loads(pickle.dumps(backend)) == copy.deepcopy(backend) == backend


async def test_its_replies_depend_on_versions_and_can_be_kept() -> None:
    async with CpuBackend().session() as session, CpuBackend().session() as other:
        assert isinstance(session, CacheableSession)
        assert not isinstance(session, RereadingSession)
        assert session.fingerprint == other.fingerprint
    versions = json.loads(session.fingerprint)
    assert versions["rapidocr"] == metadata.version("rapidocr")
    assert versions["rapid-layout"] == metadata.version("rapid-layout")
    assert versions["nemoparse-loaders"] == metadata.version("nemoparse-loaders")


async def test_prints_the_grammar_of_the_model(draw_page: DrawPage) -> None:
    image = draw_page(paint)
    async with CpuBackend().session() as session:
        assert (session.profile.name, session.model) == ("3.5", "")
        first, second = await asyncio.gather(session.read(image), session.read(image))
    assert first == second
    assert (first.finish_reason, first.model) == ("stop", "")
    page = decode_page(first.text, first.finish_reason)
    assert [element.type for element in page.elements] == ["Title", "Text"]
    assert page.elements[0].text == "A short report"
    assert page.elements[1].text.count("slack water") == 8
    assert page.status == "ok"
    assert page.elements[0].bbox is not None
    assert page.elements[0].bbox.y0 == pytest.approx(1 - 778 / 842, abs=0.01)


async def test_an_empty_page_is_an_empty_reply(draw_page: DrawPage) -> None:
    async with CpuBackend().session() as session:
        assert (await session.read(draw_page(lambda canvas: None))).text == ""


async def test_any_failure_is_that_pages_own_typed_error(draw_page: DrawPage, seeing: Any) -> None:
    class Broken(seeing):  # type: ignore[misc]
        def regions(self, picture: object) -> list[Any]:
            raise RuntimeError("the model has a bad day")

    session = CpuSession(Broken())
    with pytest.raises(BackendError, match=r"page 1: RuntimeError: the model has a bad day") as caught:
        await session.read(draw_page(paint))
    assert isinstance(caught.value.__cause__, RuntimeError)
    assert not caught.value.retryable


async def test_a_broken_picture_is_a_typed_error(draw_page: DrawPage, seeing: Any) -> None:
    image = draw_page(paint)
    broken = PageImage(b"\x89PNG", image.media_type, image.width, image.height, image.geometry)
    with pytest.raises(BackendError, match="cannot be decoded"):
        await CpuSession(seeing()).read(broken)


def test_the_parser_reads_with_it(make_pdf: Callable[..., bytes]) -> None:
    document = DocumentParser(backend="cpu").parse(make_pdf("One line of text\nand another line", ""))
    assert (document.parser, document.profile) == ("cpu", "3.5")
    assert [page.status for page in document.pages] == ["ok", "blank"]
    assert "One line of text" in document.to_markdown()
