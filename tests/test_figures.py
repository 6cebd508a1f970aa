"""Pictures and charts cut out of their pages."""

from __future__ import annotations

import asyncio
import io
import os
import stat
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from nemoparse_loaders import (
    OptionError,
    PageRenderError,
    SourceError,
    acrop_elements,
    crop_element,
    crop_elements,
    crop_figures,
    save_figures,
)
from nemoparse_loaders.document import BBox, Element, ParsedDocument, ParsedPage
from nemoparse_loaders.rendering.pool import RenderPool

RED, BLUE = (255, 0, 0), (0, 0, 255)


def draw_pdf() -> bytes:
    """Two pages of 200 x 100 points: a red square in the top left corner, a blue one in the bottom right."""
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=(200, 100), invariant=1)
    for _ in range(2):
        canvas.setFillColorRGB(1, 0, 0)
        canvas.rect(0, 50, 50, 50, stroke=0, fill=1)
        canvas.setFillColorRGB(0, 0, 1)
        canvas.rect(150, 0, 50, 50, stroke=0, fill=1)
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def rotated(pdf: bytes) -> bytes:
    document = pypdfium2.PdfDocument(pdf)
    for page in document:
        page.set_rotation(90)
    out = io.BytesIO()
    document.save(out)
    document.close()
    return out.getvalue()


def colours(data: bytes) -> set[tuple[int, ...]]:
    with Image.open(io.BytesIO(data)) as picture:
        found = picture.convert("RGB").getcolors(1 << 16)
    assert found is not None
    return {colour for _, colour in found}


def test_a_part_of_a_page() -> None:
    data = crop_element(draw_pdf(), 1, BBox(0.0, 0.0, 0.25, 0.5), dpi=144)

    with Image.open(io.BytesIO(data)) as picture:
        assert picture.format == "PNG"
        assert picture.size == (100, 100)
    assert colours(data) == {RED}
    assert colours(crop_element(draw_pdf(), 2, (0.75, 0.5, 1.0, 1.0), dpi=72)) == {BLUE}


def test_boxes_are_those_of_the_page_as_displayed() -> None:
    assert colours(crop_element(rotated(draw_pdf()), 1, BBox(0.5, 0.0, 1.0, 0.25), dpi=72)) == {RED}


def test_a_box_without_area_is_one_pixel() -> None:
    with Image.open(io.BytesIO(crop_element(draw_pdf(), 1, BBox(1.0, 1.0, 1.0, 1.0)))) as picture:
        assert picture.size == (1, 1)


def test_many_parts_cost_one_opening(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    real = RenderPool.open

    async def counted(self: RenderPool, *args: object) -> object:
        opened.append(args)
        return await real(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(RenderPool, "open", counted)
    red, blue = (0.0, 0.0, 0.25, 0.5), BBox(0.75, 0.5, 1.0, 1.0)
    places = [(2, blue), (1, red), (2, red), (1, blue), (1, blue)]

    pictures = crop_elements(draw_pdf(), places, dpi=72)

    assert [colours(picture) for picture in pictures] == [{BLUE}, {RED}, {RED}, {BLUE}, {BLUE}]
    assert len(opened) == 1
    assert asyncio.run(acrop_elements(draw_pdf(), places, dpi=72)) == pictures
    assert crop_elements(draw_pdf(), []) == []


@pytest.mark.parametrize("box", [(0, 0, 1), (0, 0, 1, 1, 1), None, 3, ("a", 0, 1, 1), (None, 0, 1, 1)])
def test_a_box_that_is_none(box: object) -> None:
    with pytest.raises(OptionError, match="four numbers"):
        crop_element(draw_pdf(), 1, box)  # type: ignore[arg-type]


def test_a_file_with_another_content(document: ParsedDocument) -> None:
    parsed = document.model_copy(update={"content_hash": "0" * 64})

    with pytest.raises(SourceError, match="not what was parsed"):
        crop_figures(draw_pdf(), parsed)
    with pytest.raises(SourceError, match="not what was parsed"):
        crop_elements(draw_pdf(), [(1, BBox(0, 0, 1, 1))], content_hash=parsed.content_hash)


def test_a_figure_is_cut_at_the_edges_of_its_page() -> None:
    around = Element(id="p1e1", type="Picture", bbox=BBox(-3.0, -3.0, 9.0, 9.0))
    pages = (ParsedPage(number=1, elements=(around,)),)

    (figure,) = crop_figures(draw_pdf(), ParsedDocument(doc_id="a", pages=pages), dpi=72)

    assert (figure.width, figure.height) == (200, 100)
    assert figure.bbox == (0, 0, 1, 1)


@pytest.mark.skipif(os.name != "posix", reason="modes of files are those of POSIX")
@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_saved_pictures_have_the_mode_of_other_new_files(
    document: ParsedDocument, tmp_path: Path, umask: int
) -> None:
    figures = crop_figures(draw_pdf(), document.model_copy(update={"pages": document.pages[:1]}), dpi=72)
    before = os.umask(umask)
    try:
        paths = save_figures(figures, tmp_path, doc_id="one").values()
    finally:
        os.umask(before)

    assert {stat.S_IMODE(os.stat(path).st_mode) for path in paths} == {0o666 & ~umask}


def test_a_page_that_is_not_there() -> None:
    with pytest.raises(PageRenderError, match="page 3"):
        crop_element(draw_pdf(), 3, BBox(0, 0, 1, 1))
    with pytest.raises(OptionError, match="dpi"):
        crop_element(draw_pdf(), 1, BBox(0, 0, 1, 1), dpi=0)


@pytest.fixture
def document() -> ParsedDocument:
    box = BBox(0.0, 0.0, 0.25, 0.5)
    kinds = [("Picture", box), ("Chart", box), ("Text", box), ("Picture", None)]
    pages = tuple(
        ParsedPage(
            number=number,
            elements=tuple(
                Element(id=f"p{number}e{index}", type=name, bbox=place)
                for index, (name, place) in enumerate(kinds, start=1)
            ),
        )
        for number in (1, 2, 3)
    )
    return ParsedDocument(doc_id="a/b", pages=pages)


def test_figures_of_a_document(document: ParsedDocument, caplog: pytest.LogCaptureFixture) -> None:
    figures = crop_figures(draw_pdf(), document, dpi=72)

    assert [figure.element_id for figure in figures] == ["p1e1", "p1e2", "p2e1", "p2e2"]
    assert {(figure.width, figure.height) for figure in figures} == {(50, 50)}
    # The parsed document has one page more than the file.
    assert "page 3" in caplog.text


def test_equal_pictures_have_files_of_their_own(document: ParsedDocument, tmp_path: Path) -> None:
    figures = crop_figures(draw_pdf(), document.model_copy(update={"pages": document.pages[:2]}), dpi=72)
    here = save_figures(figures, tmp_path / "figures", doc_id="one")
    there = save_figures(figures, tmp_path / "figures", doc_id="../two")

    assert set(here) == set(there) == {"p1e1", "p1e2", "p2e1", "p2e2"}
    paths = [Path(path) for path in [*here.values(), *there.values()]]
    assert len(set(paths)) == 8
    assert {path.parent for path in paths} == {tmp_path / "figures"}
    assert sorted(paths) == sorted((tmp_path / "figures").iterdir())
    assert here["p2e1"].endswith("one-p2e1.png")
    assert save_figures(figures, tmp_path / "figures", doc_id="one") == here
