from __future__ import annotations

import contextlib
import io
import math
import struct
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import PIL
import pytest
from PIL import Image, ImageDraw, TiffImagePlugin

from nemoparse_loaders.errors import (
    CorruptSourceError,
    PageRenderError,
    SourceError,
    UnsupportedSourceError,
)
from nemoparse_loaders.rendering import PageImage, PageRenderer, RenderSettings
from nemoparse_loaders.sources import load_source

Decoded = Callable[[PageImage], Image.Image]

WHITE, BLACK, RED = (255, 255, 255), (0, 0, 0), (255, 0, 0)


def saved(image: Image.Image, kind: str, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def draw(data: bytes, number: int = 1, **options: Any) -> PageImage:
    with PageRenderer(load_source(data)) as renderer:
        return renderer.render(number, RenderSettings(**options))


def codes(page: PageImage) -> list[str]:
    return [issue.code for issue in page.issues]


def marked(mode: str = "RGB", size: tuple[int, int] = (60, 40)) -> Image.Image:
    """White with a red mark at the top left (black where there are no colours)."""
    image = Image.new("RGB", size, WHITE)
    image.paste(RED, (0, 0, size[0] // 3, size[1] // 2))
    return image.convert(mode)


def close_to(pixel: object, colour: tuple[int, ...], by: int = 12) -> bool:
    assert isinstance(pixel, tuple)
    return all(abs(a - b) <= by for a, b in zip(pixel, colour, strict=True))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "TIFF", "GIF", "BMP"])
def test_every_kind_is_drawn_as_it_is(kind: str, decoded: Decoded, tmp_path: Path) -> None:
    data = saved(marked(), kind)
    path = tmp_path / "no-extension"
    path.write_bytes(data)
    for source in (load_source(data), load_source(path)):
        with PageRenderer(source) as renderer:
            assert renderer.page_count == 1
            assert renderer.title == ""
            page = renderer.render(1)
        image = decoded(page)
        assert image.size == (60, 40)
        assert close_to(image.getpixel((5, 5)), RED, 40)
        assert close_to(image.getpixel((55, 35)), WHITE)
        assert codes(page) == []
        assert page.geometry.pdf_box is None
        assert page.geometry.label == "1"


def test_scaled_down_to_fit_and_never_up(decoded: Decoded) -> None:
    assert decoded(draw(saved(marked(size=(1664, 2048)), "PNG"))).size == (1664, 2048)
    assert decoded(draw(saved(marked(size=(3328, 1000)), "PNG"))).size == (1664, 500)
    image = decoded(draw(saved(marked(size=(3000, 4000)), "JPEG"), max_image_size=(300, 300)))
    assert image.size == (225, 300)
    assert close_to(image.getpixel((30, 60)), RED, 20)


@pytest.mark.parametrize(("size", "drawn"), [((1, 1), (16, 16)), ((10, 12), (16, 20)), ((400, 1), (400, 16))])
def test_slivers_and_specks_are_enlarged_to_the_least_side(
    size: tuple[int, int], drawn: tuple[int, int], decoded: Decoded
) -> None:
    assert decoded(draw(saved(Image.new("RGB", size), "PNG"))).size == drawn


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_exif_orientation_is_applied_once(orientation: int, kind: str, decoded: Decoded) -> None:
    stored = marked(size=(60, 40))
    exif = Image.Exif()
    exif[274] = orientation
    page = draw(saved(stored, kind, exif=exif, dpi=(100, 100)))
    expected = stored.transpose(ORIENTED[orientation]) if orientation > 1 else stored
    image = decoded(page)
    assert image.size == expected.size
    for spot in [(5, 5), (5, image.height - 5), (image.width - 5, 5), (image.width - 5, image.height - 5)]:
        assert close_to(image.getpixel(spot), expected.getpixel(spot), 60)  # type: ignore[arg-type]


# What each EXIF value asks for, from its definition.
ORIENTED = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


def test_density_gives_points(decoded: Decoded) -> None:
    def points(**options: Any) -> tuple[float, float]:
        geometry = draw(saved(marked(size=(300, 600)), "PNG", **options)).geometry
        return round(geometry.width_pt), round(geometry.height_pt)

    assert points() == (300, 600)
    assert points(dpi=(300, 300)) == (72, 144)
    assert points(dpi=(1, 1)) == (300, 600)  # no scanner has that
    assert points(dpi=(100_000, 100_000)) == (300, 600)


def test_pixels_that_are_not_square_are_drawn_in_true_shape(decoded: Decoded) -> None:
    fax = Image.new("1", (1728, 1100), 1)
    page = draw(saved(fax, "TIFF", compression="group4", dpi=(204, 98)))
    assert page.geometry.width_pt == pytest.approx(1728 * 72 / 204, rel=1e-3)
    assert page.geometry.height_pt == pytest.approx(1100 * 72 / 98, rel=1e-3)
    assert page.height / page.width == pytest.approx(1100 / 98 * 204 / 1728, rel=1e-2)


# Before Pillow 13, the last for Python 3.10, a YCbCr TIFF that Pillow itself has written cannot be read.
TIFF_MODES = ["1", "L", "P", "RGB", "CMYK", "LAB"] + ["YCbCr"] * (int(PIL.__version__.split(".")[0]) >= 13)


@pytest.mark.parametrize("mode", TIFF_MODES)
def test_modes_of_a_tiff(mode: str, decoded: Decoded) -> None:
    image = Image.new("RGB", (60, 40), WHITE)
    image.paste(BLACK, (0, 0, 20, 20))
    if mode == "LAB":
        lab = Image.new("LAB", (60, 40), (255, 128, 128))
        lab.paste((0, 128, 128), (0, 0, 20, 20))
        data = saved(lab, "TIFF")
    else:
        data = saved(image.convert(mode), "TIFF")
    drawn = decoded(draw(data))
    assert close_to(drawn.getpixel((5, 5)), BLACK, 40)
    assert close_to(drawn.getpixel((55, 35)), WHITE, 5)


@pytest.mark.parametrize("mode", ["RGBA", "LA", "PA", "P"])
def test_transparent_paper_is_white(mode: str, decoded: Decoded) -> None:
    image = Image.new("RGBA", (60, 40), (0, 0, 0, 0))
    image.paste((0, 0, 0, 255), (0, 0, 20, 20))
    if mode == "P":
        palette = Image.new("P", (60, 40), 1)
        palette.putpalette([0, 0, 0, 0, 0, 0])
        palette.paste(0, (0, 0, 20, 20))
        data = saved(palette, "PNG", transparency=1)
    elif mode == "PA":
        data = saved(image.convert("P"), "GIF", transparency=image.convert("P").getpixel((50, 30)))
        data = saved(image.quantize(2), "PNG")
    else:
        data = saved(image.convert(mode), "PNG")
    drawn = decoded(draw(data))
    assert close_to(drawn.getpixel((5, 5)), BLACK, 5)
    assert close_to(drawn.getpixel((55, 35)), WHITE, 5)


def test_white_ink_on_transparent_paper_stays_visible(decoded: Decoded) -> None:
    image = Image.new("RGBA", (60, 40), (255, 255, 255, 0))
    ImageDraw.Draw(image).rectangle((0, 0, 20, 20), fill=(255, 255, 255, 255))
    page = draw(saved(image, "PNG"))
    assert not page.is_blank
    assert decoded(page).getpixel((5, 5)) != decoded(page).getpixel((55, 35))


def test_a_transparent_colour_of_an_rgb_png_is_paper(decoded: Decoded) -> None:
    image = Image.new("RGB", (60, 40), (1, 2, 3))
    image.paste(BLACK, (0, 0, 20, 20))
    drawn = decoded(draw(saved(image, "PNG", transparency=(1, 2, 3))))
    assert close_to(drawn.getpixel((55, 35)), WHITE, 5)
    assert close_to(drawn.getpixel((5, 5)), BLACK, 5)


def tiff_16_bit(low: int, high: int, *, big_endian: bool = False, white_is_zero: bool = False) -> bytes:
    """Left half ``low``, right half ``high``, written by hand: Pillow writes only some of these."""
    order = ">" if big_endian else "<"
    pixels = struct.pack(f"{order}64H", *([low] * 4 + [high] * 4) * 8)
    entries = [(256, 8), (257, 8), (258, 16), (259, 1), (262, 0 if white_is_zero else 1), (273, 8), (277, 1)]
    entries += [(278, 8), (279, len(pixels))]
    head = (b"MM" if big_endian else b"II") + struct.pack(f"{order}HI", 42, 8 + len(pixels))
    directory = struct.pack(f"{order}H", len(entries))
    for tag, value in entries:
        kind = "I" if tag in (273, 279) else "H2x"
        directory += struct.pack(f"{order}HHI{kind}", tag, 4 if kind == "I" else 3, 1, value)
    return head + pixels + directory + bytes(4)


@pytest.mark.parametrize("big_endian", [False, True])
@pytest.mark.parametrize(("low", "high"), [(0, 65_535), (291, 694), (100, 4_095), (30_000, 60_000)])
def test_16_bits_are_spread_over_the_range_they_use(
    low: int, high: int, big_endian: bool, decoded: Decoded
) -> None:
    image = decoded(draw(tiff_16_bit(low, high, big_endian=big_endian)))
    assert close_to(image.getpixel((1, 8)), BLACK, 1)
    assert close_to(image.getpixel((14, 8)), WHITE, 1)


def test_16_bits_where_zero_is_white(decoded: Decoded) -> None:
    image = decoded(draw(tiff_16_bit(0, 65_535, white_is_zero=True)))
    assert close_to(image.getpixel((1, 8)), WHITE, 1)
    assert close_to(image.getpixel((14, 8)), BLACK, 1)


@pytest.mark.parametrize(("value", "grey"), [(65_535, 255), (0, 0), (200, 200)])
def test_16_bits_of_one_value_are_blank(value: int, grey: int, decoded: Decoded) -> None:
    page = draw(tiff_16_bit(value, value))
    assert page.is_blank
    assert decoded(page).getpixel((3, 3)) == (grey,) * 3


def test_16_bit_png_and_float_tiff(decoded: Decoded) -> None:
    grey = Image.new("I;16", (60, 40), 65_535)
    grey.paste(0, (0, 0, 20, 20))
    values = Image.new("F", (60, 40), 1.0)
    values.paste(0.0, (0, 0, 20, 20))
    for data in (saved(grey, "PNG"), saved(values, "TIFF")):
        image = decoded(draw(data))
        assert close_to(image.getpixel((5, 5)), BLACK, 1)
        assert close_to(image.getpixel((55, 35)), WHITE, 1)
    values.putpixel((0, 0), math.nan)
    try:
        page = draw(saved(values, "TIFF"))
    except PageRenderError as error:
        assert "finite" in str(error)  # noqa: PT017 - either is right: Pillow's extrema may pass over NaN
    else:
        assert not page.is_blank


def frames(*sizes: tuple[int, int], **options: Any) -> bytes:
    images = [marked(size=size) for size in sizes]
    return saved(images[0], "TIFF", save_all=True, append_images=images[1:], **options)


@pytest.mark.parametrize("compression", ["raw", "tiff_lzw", "tiff_adobe_deflate", "jpeg"])
def test_every_frame_of_a_tiff_is_a_page(compression: str, decoded: Decoded, tmp_path: Path) -> None:
    sizes = [(60, 40), (40, 60), (80, 80)]
    path = tmp_path / "frames.tiff"
    path.write_bytes(frames(*sizes, compression=compression))
    with PageRenderer(load_source(path)) as renderer:
        assert renderer.page_count == 3
        for number in (3, 1, 2, 2, 1):
            page = renderer.render(number)
            assert decoded(page).size == sizes[number - 1]
            assert page.geometry.number == number
            assert page.geometry.label == str(number)
            assert close_to(decoded(page).getpixel((5, 5)), RED, 40)
        assert renderer.issues == ()


def test_thumbnails_in_a_tiff_are_no_pages() -> None:
    with io.BytesIO() as out:
        with TiffImagePlugin.AppendingTiffWriter(out, True) as writer:
            for index, size in enumerate([(60, 40), (20, 20), (70, 40)]):
                marked(size=size).save(writer, "TIFF", tiffinfo={254: 1 if index == 1 else 0})
                writer.newFrame()
        data = out.getvalue()
    with PageRenderer(load_source(data)) as renderer:
        assert renderer.page_count == 2
        assert renderer.render(2).width == 70
        assert [issue.code for issue in renderer.issues] == ["frames_skipped"]


def test_a_circle_of_frames_ends() -> None:
    data = bytearray(frames((60, 40), (40, 60)))
    second = struct.unpack_from("<I", data, 4)[0]
    entries = struct.unpack_from("<H", data, second)[0]
    at = struct.unpack_from("<I", data, second + 2 + 12 * entries)[0]
    entries = struct.unpack_from("<H", data, at)[0]
    struct.pack_into("<I", data, at + 2 + 12 * entries, second)
    with PageRenderer(load_source(bytes(data))) as renderer:
        assert renderer.page_count == 2


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP"])
def test_only_the_first_frame_of_an_animation(kind: str, decoded: Decoded) -> None:
    data = saved(
        marked(), kind, save_all=True, append_images=[Image.new("RGB", (60, 40), BLACK)], lossless=True
    )
    with PageRenderer(load_source(data)) as renderer:
        assert renderer.page_count == 1
        page = renderer.render(1)
    assert [(issue.code, issue.severity, issue.page) for issue in page.issues] == [("animation", "info", 1)]
    assert close_to(decoded(page).getpixel((55, 35)), WHITE, 5)


def test_an_mpo_is_its_first_picture(decoded: Decoded) -> None:
    data = saved(marked(), "MPO", save_all=True, append_images=[Image.new("RGB", (60, 40), BLACK)])
    assert load_source(data).media_type == "image/jpeg"
    page = draw(data)
    assert decoded(page).size == (60, 40)
    assert codes(page) == []


def textured(size: tuple[int, int] = (400, 400)) -> Image.Image:
    return Image.effect_noise(size, 80).convert("RGB")


@pytest.mark.parametrize("progressive", [False, True])
def test_a_jpeg_cut_short_is_drawn_as_far_as_it_goes(progressive: bool, decoded: Decoded) -> None:
    whole = saved(textured(), "JPEG", progressive=progressive, quality=95)
    page = draw(whole[: len(whole) // 2])
    assert [(issue.code, issue.severity, issue.page) for issue in page.issues] == [
        ("truncated_image", "warning", 1)
    ]
    top = decoded(page).crop((0, 0, 400, 100)).convert("L").getextrema()
    assert top[1] - top[0] > 100  # type: ignore[operator]
    assert not page.is_blank


@pytest.mark.parametrize(("kind", "options"), [("PNG", {}), ("BMP", {}), ("TIFF", {"compression": "raw"})])
def test_other_pictures_cut_short_end_in_white(kind: str, options: dict[str, Any], decoded: Decoded) -> None:
    whole = saved(textured(), kind, **options)
    page = draw(whole[: len(whole) // 2])
    assert codes(page) == ["truncated_image"]
    image = decoded(page)
    halves = [image.crop(box).convert("L").getextrema() for box in [(0, 0, 400, 150), (0, 250, 400, 400)]]
    there, missing = reversed(halves) if kind == "BMP" else halves
    assert there[0] < 50  # type: ignore[operator]
    assert missing == (255, 255)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "TIFF", "GIF", "BMP"])
def test_damage_is_typed(kind: str) -> None:
    whole = saved(textured((50, 50)), kind)
    for end in sorted({9, 30, 60, len(whole) // 3, len(whole) - 40}):
        for data in (whole[:end], whole[:end] + b"\xff" * 50 + whole[end + 50 :]):
            with contextlib.suppress(SourceError, PageRenderError):
                assert draw(data).width >= 16


def test_a_header_alone_is_corrupt() -> None:
    with pytest.raises(CorruptSourceError, match=r"x\.png: begins like a PNG image, but cannot be read"):
        PageRenderer(load_source(b"\x89PNG\r\n\x1a\n" + bytes(40), file_name="x.png")).__enter__()


def png_header(width: int, height: int) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(b"\x00" * 100))
        + chunk(b"IEND", b"")
    )


def test_bombs_are_refused_by_their_header() -> None:
    limit = Image.MAX_IMAGE_PIXELS
    with pytest.raises(UnsupportedSourceError, match="60,000 x 60,000 pixels"):
        draw(png_header(60_000, 60_000))
    assert limit == Image.MAX_IMAGE_PIXELS


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_posters_are_drawn_without_a_warning(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = saved(Image.new("1", (400, 300), 1), kind)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 70_000)  # as if this were a poster
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert draw(data).width == 400


def test_a_picture_scaled_down_a_lot_is_said() -> None:
    assert codes(draw(saved(marked(size=(300, 200)), "PNG"), max_image_size=(100, 100))) == []
    assert codes(draw(saved(marked(size=(1000, 900)), "PNG"), max_image_size=(100, 100))) == ["scale_capped"]
    assert codes(draw(saved(marked(size=(3000, 300)), "PNG", dpi=(300, 300)), max_image_size=(200, 200))) == [
        "scale_capped"
    ]


def test_blank_pictures() -> None:
    assert draw(saved(Image.new("L", (100, 100), 255), "PNG")).is_blank
    assert not draw(saved(marked(), "PNG")).is_blank


def test_files_are_closed(tmp_path: Path) -> None:
    path = tmp_path / "frames.tiff"
    path.write_bytes(frames((60, 40), (40, 60)))
    renderer = PageRenderer(load_source(path))
    with renderer:
        renderer.render(2)
    path.write_bytes(b"II*\x00broken")
    with pytest.raises(CorruptSourceError), PageRenderer(load_source(path)):
        pass
    # An unclosed file would be a ResourceWarning, which the tests make an error.
