from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from nemoparse_loaders.rendering.png import Scanlines, encode_png


def lines_of(image: Image.Image) -> Scanlines:
    return Scanlines.from_rgb(*image.size, image.tobytes("raw", "RGB", 3 * image.width + 1, 1))


@given(st.integers(1, 40), st.integers(1, 40), st.data())
def test_other_readers_see_the_same_pixels(width: int, height: int, data: st.DataObject) -> None:
    pixels = data.draw(st.binary(min_size=3 * width * height, max_size=3 * width * height))
    image = Image.frombytes("RGB", (width, height), pixels)
    with Image.open(io.BytesIO(encode_png(lines_of(image)))) as read:
        read.load()
        assert read.format == "PNG"
        assert read.mode == "RGB"
        assert read.size == (width, height)
        assert read.tobytes() == pixels


def test_white_is_white_and_uniform() -> None:
    lines = Scanlines.white(7, 5)
    assert lines.is_uniform()
    with Image.open(io.BytesIO(encode_png(lines))) as read:
        assert read.getextrema() == ((255, 255),) * 3


@given(st.integers(1, 30), st.integers(1, 30), st.data())
def test_one_pixel_is_enough_not_to_be_uniform(width: int, height: int, data: st.DataObject) -> None:
    image = Image.new("RGB", (width, height), (10, 20, 30))
    assert lines_of(image).is_uniform()
    if width * height == 1:
        return
    x, y = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    image.putpixel((x, y), (10, 20, 31))
    assert not lines_of(image).is_uniform()
