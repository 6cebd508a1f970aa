"""Parts of a page as pictures of their own: the right part, larger, within all limits."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageDraw

from nemoparse_loaders.document import BBox
from nemoparse_loaders.errors import PageRenderError
from nemoparse_loaders.rendering import PageImage, PageRegion, PageRenderer, RenderSettings
from nemoparse_loaders.rendering.pool import RenderPool
from nemoparse_loaders.rendering.region import MARGIN, MOST_DPI, MOST_TIMES_LARGER, place_region, with_margin
from nemoparse_loaders.rendering.settings import MIN_SIDE
from nemoparse_loaders.sources import load_source

MakePdf = Callable[..., bytes]
Decoded = Callable[[PageImage], Image.Image]

CONTENT = (
    b"BT /F 24 Tf 40 300 Td (Hello) Tj 60 -60 Td /F 9 Tf (small print in the middle) Tj ET "
    b"1 0 0 rg 20 20 100 50 re f 0 0 1 RG 3 w 150 120 m 280 380 l S"
)
SOME = BBox(0.2, 0.3, 0.7, 0.6)


def region(data: bytes, box: BBox, chosen: RenderSettings | None = None) -> PageRegion:
    with PageRenderer(load_source(data)) as renderer:
        return renderer.render_region(1, chosen or RenderSettings(), box)


def whole(data: bytes, chosen: RenderSettings) -> PageImage:
    with PageRenderer(load_source(data)) as renderer:
        return renderer.render(1, chosen)


def photograph(size: tuple[int, int], form: str = "PNG", **how: object) -> tuple[bytes, Image.Image]:
    image = Image.linear_gradient("L").resize(size).convert("RGB")
    pen = ImageDraw.Draw(image)
    for at in range(0, max(size), 37):
        pen.line((at, 0, 0, at), fill=(200, 30, 90), width=3)
    stream = io.BytesIO()
    image.save(stream, form, **how)
    return stream.getvalue(), image


def apart(one: Image.Image, other: Image.Image, levels: int = 0) -> float:
    """Share of the pixels that are more than so many levels apart."""
    assert one.size == other.size
    histogram = ImageChops.difference(one, other).convert("L").histogram()
    return sum(histogram[levels + 1 :]) / (one.width * one.height)


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("rest", ["", "/CropBox[20 30 280 350]", "/UserUnit 2", "/MediaBox[-50 -20 250 380]"])
@pytest.mark.parametrize("box", [SOME, BBox(0.0, 0.0, 0.3, 0.2), BBox(0.8, 0.9, 1.0, 1.0)])
def test_shows_what_the_same_part_of_a_large_render_shows(
    make_pdf: MakePdf, decoded: Decoded, rotation: int, rest: str, box: BBox
) -> None:
    data = make_pdf([f"/MediaBox[0 0 300 400]/Rotate {rotation}{rest}".encode()], content=CONTENT)
    small = RenderSettings(max_image_size=(500, 400), evidence=True)
    part = region(data, box, small)
    geometry = part.image.geometry
    across, down = part.image.width / part.box.width, part.image.height / part.box.height
    large = decoded(whole(data, RenderSettings(max_image_size=(round(across), round(down)))))
    assert large.size == (round(across), round(down))
    left, top = round(part.box.x0 * across), round(part.box.y0 * down)
    right, bottom = left + part.image.width, top + part.image.height
    drawn = decoded(part.image)
    # PDFium smooths edges a little differently where they reach out of what it draws.
    assert apart(drawn, large.crop((left, top, right, bottom)), 16) < 0.002
    if box == SOME:
        assert apart(drawn, large.crop((left + 1, top, right + 1, bottom)), 16) > 0.003
        assert apart(drawn, large.crop((left, top + 1, right, bottom + 1)), 16) > 0.003
    assert geometry == whole(data, small).geometry
    assert part.image.evidence is None
    asked = with_margin(box, geometry.width_pt, geometry.height_pt)
    assert part.box.x0 <= asked.x0 < asked.x1 <= part.box.x1
    assert part.box.y0 <= asked.y0 < asked.y1 <= part.box.y1


def test_is_as_large_as_the_limits_allow(make_pdf: MakePdf) -> None:
    data = make_pdf(content=CONTENT)
    # Half of the page either way fits at about twice the size.
    image = region(data, BBox(0.25, 0.25, 0.75, 0.75)).image
    assert 0.98 < max(image.width / 1664, image.height / 2048) <= 1
    # A tenth of a page on a small picture would be ten times as large.
    small = RenderSettings(max_image_size=(150, 200))
    page = whole(data, small)
    part = region(data, BBox(0.45, 0.45, 0.55, 0.55), small)
    assert part.image.width / part.box.width == pytest.approx(MOST_TIMES_LARGER * page.width, rel=0.02)
    # Its letters have all their detail before that.
    fine = region(data, BBox(0.45, 0.45, 0.55, 0.55))
    assert fine.image.height / fine.box.height == pytest.approx(842 * MOST_DPI / 72, rel=0.01)


def test_a_page_in_more_than_the_highest_resolution_keeps_it(make_pdf: MakePdf) -> None:
    data = make_pdf([b"/MediaBox[0 0 600 842]"], content=CONTENT)
    sharp = RenderSettings(max_image_size=(5_000, 7_000))
    page = whole(data, sharp)
    part = region(data, SOME, sharp)
    assert page.height / 842 * 72 > MOST_DPI
    assert part.image.width / part.box.width == pytest.approx(page.width, rel=0.01)


def test_an_image_is_cut_out_of_its_own_pixels(decoded: Decoded) -> None:
    data, image = photograph((3000, 2000))
    part = region(data, BBox(0.4, 0.4, 0.6, 0.6))
    left, top = round(part.box.x0 * 3000), round(part.box.y0 * 2000)
    cut = image.crop((left, top, left + part.image.width, top + part.image.height))
    assert apart(decoded(part.image), cut) == 0
    assert part.image.width == pytest.approx((0.2 + 2 * MARGIN) * 3000, abs=2)


def test_a_part_of_an_image_that_is_too_large_is_scaled_down(decoded: Decoded) -> None:
    data, image = photograph((3000, 2000))
    part = region(data, BBox(0.0, 0.0, 0.9, 0.9), RenderSettings(max_image_size=(600, 600)))
    assert 590 < part.image.width <= 600
    box = (part.box.x0 * 3000, part.box.y0 * 2000, part.box.x1 * 3000, part.box.y1 * 2000)
    scaled = image.resize((part.image.width, part.image.height), Image.Resampling.LANCZOS, box=box)
    assert apart(decoded(part.image), scaled, 24) < 0.01


@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_an_image_that_lies_on_its_side_is_turned_first(decoded: Decoded, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    data, _ = photograph((900, 600), "JPEG", quality=95, exif=exif)
    full = RenderSettings(max_image_size=(900, 900))
    page = decoded(whole(data, full))
    part = region(data, BBox(0.1, 0.2, 0.5, 0.4), full)
    left, top = round(part.box.x0 * page.width), round(part.box.y0 * page.height)
    cut = page.crop((left, top, left + part.image.width, top + part.image.height))
    assert apart(decoded(part.image), cut) == 0


def test_pixels_that_are_not_square_come_out_in_shape() -> None:
    data, _ = photograph((1728, 1100), "TIFF", dpi=(204, 98))
    part = region(data, SOME)
    width, height = 1728 / 204, 1100 / 98
    shape = part.box.width * width / (part.box.height * height)
    assert part.image.width / part.image.height == pytest.approx(shape, rel=0.01)


def test_slivers_and_points_get_the_least_side(make_pdf: MakePdf) -> None:
    data = make_pdf(content=CONTENT)
    small = RenderSettings(max_image_size=(64, 64))
    for box in (BBox(0.5, 0.5, 0.5, 0.5), BBox(0.0, 0.5, 1.0, 0.5), BBox(1.0, 1.0, 1.0, 1.0)):
        part = region(data, box, small)
        assert min(part.image.width, part.image.height) >= MIN_SIDE
        assert part.box.overlap(with_margin(box, 300, 400)) > 0


def test_keeps_to_the_bytes_allowed() -> None:
    noise = Image.effect_noise((1200, 900), 90).convert("RGB")
    stream = io.BytesIO()
    noise.save(stream, "PNG")
    part = region(stream.getvalue(), SOME, RenderSettings(max_image_bytes=60_000))
    assert part.image.media_type == "image/jpeg"
    assert len(part.image.data) <= 60_000
    assert [issue.code for issue in part.image.issues] == ["image_reduced"]


def test_no_such_page(make_pdf: MakePdf) -> None:
    with (
        PageRenderer(load_source(make_pdf())) as renderer,
        pytest.raises(PageRenderError, match="no such page"),
    ):
        renderer.render_region(2, RenderSettings(), SOME)


async def test_the_pool_draws_regions(make_pdf: MakePdf) -> None:
    data = make_pdf(content=CONTENT)
    async with RenderPool(1) as pool:
        opened = await pool.open(load_source(data))
        part = await pool.render_region(opened, 1, RenderSettings(), SOME)
        with pytest.raises(PageRenderError, match="no such page"):
            await pool.render_region(opened, 2, RenderSettings(), SOME)
    assert part == region(data, SOME)


sides = st.floats(1, 5000)
boxes = st.builds(BBox.clamped, *(st.floats(0, 1),) * 4)


@settings(deadline=None)
@given(boxes, sides, sides, st.tuples(st.integers(16, 3000), st.integers(16, 3000)), st.floats(0.01, 40))
def test_windows_fit_and_hold_what_is_asked_for(
    box: BBox, width: float, height: float, limit: tuple[int, int], scale: float
) -> None:
    window = place_region(box, width, height, limit, scale)
    assert MIN_SIDE <= window.width <= min(limit[0], window.page_width)
    assert MIN_SIDE <= window.height <= min(limit[1], window.page_height)
    assert 0 <= window.left <= window.page_width - window.width
    assert 0 <= window.top <= window.page_height - window.height
    shown = window.box
    # All of it, or as much as fits where the page had to be stretched.
    if window.width < limit[0]:
        assert shown.x0 <= box.x0 + 1e-9
        assert box.x1 <= shown.x1 + 1e-9
    if window.height < limit[1]:
        assert shown.y0 <= box.y0 + 1e-9
        assert box.y1 <= shown.y1 + 1e-9


@pytest.mark.data
def test_a_region_of_a_scan_has_more_pixels_than_on_the_page(data_dir: Path) -> None:
    data = (data_dir / "pages" / "congress_scan.pdf").read_bytes()
    page = whole(data, RenderSettings())
    part = region(data, BBox(0.2, 0.3, 0.7, 0.5))
    assert part.image.width / part.box.width > 1.5 * page.width
