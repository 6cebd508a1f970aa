"""Pages cut into bands: all of the page, no more, and not through the ink where that can be."""

from __future__ import annotations

import io
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from nemoparse_loaders.errors import PageRenderError
from nemoparse_loaders.rendering import PageBand, PageGeometry, PageImage, PageRenderer, RenderSettings
from nemoparse_loaders.rendering.bands import MIN_BAND, REACH, cut_page, find_cuts
from nemoparse_loaders.rendering.pages import DrawnPage
from nemoparse_loaders.rendering.png import Scanlines
from nemoparse_loaders.sources import load_source

MakePdf = Callable[..., bytes]
Decoded = Callable[[PageImage], Image.Image]
WIDTH = 40

colours = st.tuples(*(st.integers(0, 255),) * 3)


def page_of(rows: list[bytes]) -> DrawnPage:
    buffer = bytearray().join(b"\x00" + row for row in rows)
    lines = Scanlines(len(rows[0]) // 3, len(rows), buffer + b"\xff")
    return DrawnPage(lines, PageGeometry(1, "1", 100.0, 100.0), is_blank=False)


@st.composite
def striped_pages(draw: st.DrawFn) -> tuple[list[bytes], bytes]:
    """Rows in stripes, blank or inked, and the colour of the paper."""
    paper = bytes(draw(colours))
    ink = bytes((value + 128) % 256 for value in paper)
    rows: list[bytes] = []
    for height, marks in draw(
        st.lists(st.tuples(st.integers(1, 90), st.integers(0, WIDTH // 3)), min_size=1, max_size=25)
    ):
        rows += [ink * marks + paper * (WIDTH - marks)] * height
    return rows, paper


@settings(deadline=None)
@given(striped_pages(), st.integers(1, 8))
def test_bands_are_the_page_again(striped: tuple[list[bytes], bytes], count: int) -> None:
    rows, _ = striped
    page = page_of(rows)
    bands = list(cut_page(page, count))
    assert 1 <= len(bands) <= count
    top = 0
    for band, start, end in bands:
        assert start * len(rows) == pytest.approx(top)
        assert (end - start) * len(rows) == pytest.approx(band.lines.height)
        assert band.lines.width == WIDTH
        assert bytes(band.lines.buffer) == b"".join(
            b"\x00" + row for row in rows[top : top + band.lines.height]
        )
        assert len(bands) == 1 or band.lines.height >= MIN_BAND
        top += band.lines.height
    assert top == len(rows)


@settings(deadline=None)
@given(striped_pages(), st.integers(2, 5))
def test_cuts_go_through_blank_rows_where_there_is_one_within_reach(
    striped: tuple[list[bytes], bytes], count: int
) -> None:
    rows, paper = striped
    cuts = find_cuts(page_of(rows).lines, count)
    share = len(rows) / (len(cuts) + 1)
    for index, cut in enumerate(cuts, 1):
        assert abs(cut - share * index) <= share * REACH + 1
        ideal, reach = round(share * index), int(share * REACH)
        if any(row == paper * WIDTH for row in rows[ideal - reach : ideal + reach + 1]):
            assert rows[cut] == rows[cut][:3] * WIDTH


def test_the_tallest_gap_is_cut_in_its_middle() -> None:
    blank, ink = b"\xff" * 3 * WIDTH, (b"\xff\x00" * 2 * WIDTH)[: 3 * WIDTH]
    rows = [ink] * 400
    rows[185:188] = [blank] * 3
    rows[202:212] = [blank] * 10
    rows[300:350] = [blank] * 50  # out of reach
    assert find_cuts(page_of(rows).lines, 2) == [207]


def test_table_rules_do_not_hide_the_gaps_between_rows() -> None:
    rule, text = b"\x00" * 3 + b"\xff" * 3 * (WIDTH - 1), b"\x00" * 3 * 20 + b"\xff" * 3 * (WIDTH - 20)
    rows = [text] * 400
    rows[190:196] = [rule] * 6
    assert find_cuts(page_of(rows).lines, 2) == [193]


def test_a_page_of_ink_is_cut_all_the_same() -> None:
    rows = [bytes((index * 7 + row * 13) % 256 for index in range(3 * WIDTH)) for row in range(400)]
    assert len(find_cuts(page_of(rows).lines, 4)) == 3


def shown(bands: tuple[PageBand, ...]) -> list[tuple[int, int]]:
    return [(band.image.width, band.image.height) for band in bands]


def test_a_long_page_is_drawn_larger_in_bands(make_pdf: MakePdf, decoded: Decoded) -> None:
    box = RenderSettings(max_image_size=(400, 400))
    with PageRenderer(load_source(make_pdf([b"/MediaBox[0 0 100 1000]"]))) as renderer:
        whole = renderer.render(1, box)
        bands = renderer.render_bands(1, box, 4)
    assert len(bands) == 4
    assert (bands[0].top, bands[-1].bottom) == (0.0, 1.0)
    for band, following in pairwise(bands):
        assert band.bottom == following.top
    for band in bands:
        assert decoded(band.image).height <= 400
        assert band.image.width > 2 * whole.width
        assert band.image.geometry == whole.geometry


def test_bands_keep_to_the_box_however_small(make_pdf: MakePdf) -> None:
    with PageRenderer(load_source(make_pdf([b"/MediaBox[0 0 30 900]"]))) as renderer:
        for height in (16, 40, 70, 100, 333):
            for count in (1, 2, 3, 7, 50):
                bands = renderer.render_bands(1, RenderSettings(max_image_size=(200, height)), count)
                assert all(high <= height for _, high in shown(bands)), (height, count)


def test_blank_bands_say_so(make_pdf: MakePdf) -> None:
    with PageRenderer(load_source(make_pdf())) as renderer:
        bands = renderer.render_bands(1, RenderSettings(max_image_size=(600, 800)), 3)
        assert [band.image.is_blank for band in bands] == [False, True, False]
        with pytest.raises(PageRenderError, match="no such page"):
            renderer.render_bands(2, RenderSettings(), 3)


@pytest.mark.data
def test_real_pages_are_cut_between_lines(data_dir: Path) -> None:
    with PageRenderer(load_source(data_dir / "pages" / "memoir_book.pdf")) as renderer:
        for number in (30, 60):
            whole = renderer.render(number)
            picture = Image.open(io.BytesIO(whole.data)).convert("L")
            for band in renderer.render_bands(number, RenderSettings(), 3)[1:]:
                at = round(band.top * whole.height)
                row = picture.crop((0, at, picture.width, at + 1))
                assert min(row.tobytes()) > 200
