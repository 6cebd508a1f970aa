from __future__ import annotations

from collections.abc import Callable

import pytest
from PIL import Image, ImageDraw

from nemoparse_loaders.backends.cpu.geometry import Frame, Rect
from nemoparse_loaders.backends.cpu.picture import Picture, decode_picture
from nemoparse_loaders.backends.cpu.raster_lines import raster_rulings
from nemoparse_loaders.backends.cpu.ruling_grid import ruled_grids
from nemoparse_loaders.rendering.page_image import PageImage

AsPage = Callable[..., PageImage]
FRAME = Frame(600, 800)


def table_picture(as_page: AsPage, *, turn: float = 0) -> Picture:
    image = Image.new("L", (1200, 1600), 250)
    draw = ImageDraw.Draw(image)
    for y in (200, 260, 320):
        draw.line((100, y, 1000, y), fill=40, width=3)
    for x in (100, 400, 1000):
        draw.line((x, 200, x, 320), fill=40, width=3)
    draw.line((400, 260, 400, 262), fill=40, width=3)
    draw.text((150, 220), "words in a cell", fill=0, font_size=28)
    return decode_picture(as_page(image.rotate(turn, fillcolor=250)).data)


def test_lines_of_a_scan_draw_its_table(as_page: AsPage) -> None:
    (grid,) = ruled_grids(raster_rulings(table_picture(as_page), FRAME))
    assert (grid.n_rows, grid.n_cols) == (2, 2)
    assert grid.box == pytest.approx(Rect(50, 100, 500, 160), abs=1.5)


def test_nearly_level_lines_stay_whole(as_page: AsPage) -> None:
    (grid,) = ruled_grids(raster_rulings(table_picture(as_page, turn=0.15), FRAME))
    assert (grid.n_rows, grid.n_cols) == (2, 2)


def test_letters_and_filled_boxes_are_no_lines(as_page: AsPage) -> None:
    image = Image.new("L", (1200, 1600), 255)
    draw = ImageDraw.Draw(image)
    draw.text((100, 300), "Illegible HILT EIFEL", fill=0, font_size=40)
    draw.rectangle((100, 700, 600, 900), fill=0)
    lines = raster_rulings(decode_picture(as_page(image).data), FRAME)
    assert not [line for line in lines if line.y0 < 300]
    assert len(lines) <= 4


def test_a_picture_is_straightened(as_page: AsPage) -> None:
    picture = table_picture(as_page, turn=-2)
    assert ruled_grids(raster_rulings(picture, FRAME)) == []
    (grid,) = ruled_grids(raster_rulings(picture.straightened(2), FRAME))
    assert (grid.n_rows, grid.n_cols) == (2, 2)


def test_turning_a_picture_turns_its_pixels(as_page: AsPage) -> None:
    image = Image.new("L", (40, 20), 255)
    image.putpixel((39, 0), 0)
    picture = decode_picture(as_page(image).data)
    turned = picture.turned(90)
    assert (turned.width, turned.height) == (20, 40)
    assert turned.grey[0, 0] == 0
    assert picture.turned(180).grey[19, 0] == 0
    assert picture.turned(270).grey[39, 19] == 0
