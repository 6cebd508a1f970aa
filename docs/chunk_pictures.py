"""Draws the elements of a page, the tree of sections, and the chunks of the page, from plain values.

All boxes are fractions of the displayed page, origin top left; all sizes are pixels.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageChops, ImageDraw, ImageFont, PngImagePlugin
from pydantic import BaseModel, ConfigDict

Box = tuple[float, float, float, float]
Pixels = tuple[int, int, int, int]
Color = tuple[int, int, int]

# The picture of the whole page; a margin of it is cut off, and room for the labels is put on both sides.
PAGE_SIZE = (780, 1104)
_CUT: Box = (0.075, 0.028, 0.925, 0.966)
_SIDE = 172
_HEAD = 70
_TREE_WIDTH = 1004
_ROW = 34
# How much of its colour the inside of a box gets.
_TINT = 0.17

_INK: Color = (32, 36, 44)
_SOFT: Color = (96, 102, 112)
_GREY: Color = (138, 142, 150)
_WHITE: Color = (255, 255, 255)

# Dark enough for white letters on them, and apart from one another also in a colour-blind eye's lightness.
_OF_CLASS: dict[str, Color] = {
    "Title": (176, 32, 40),
    "Section-header": (200, 48, 44),
    "Text": (40, 98, 172),
    "List-item": (12, 126, 132),
    "Table": (34, 124, 56),
    "Caption": (168, 104, 0),
    "Formula": (124, 62, 158),
    "Footnote": (126, 84, 54),
}
_OF_CHUNK: tuple[Color, ...] = (
    (34, 124, 56),
    (196, 72, 24),
    (40, 98, 172),
    (160, 40, 116),
    (10, 128, 136),
    (150, 108, 0),
    (104, 70, 172),
    (176, 40, 48),
)


class DrawnElement(BaseModel):
    """An element of the page.

    Attributes:
        number: Its place in the reading order of the page, from 1.
        type: Its class.
        box: Where it is.
        chunks: The chunks that hold it; none where it is left out.
    """

    model_config = ConfigDict(frozen=True)

    number: int
    type: str
    box: Box
    chunks: tuple[int, ...]


class DrawnChunk(BaseModel):
    """A chunk.

    Attributes:
        index: ``chunk_index`` of its metadata.
        type: ``chunk_type``.
        tokens: ``n_tokens``.
        pages: ``pages``.
        elements: Numbers of its elements on the page, "5, 6, 25"; empty where it is on other pages.
        classes: Of all its elements, each once.
        boxes: Its boxes on the page.
    """

    model_config = ConfigDict(frozen=True)

    index: int
    type: str
    tokens: int
    pages: str
    elements: str
    classes: str
    boxes: tuple[Box, ...]


class TreeRow(BaseModel):
    """A section or a chunk in the tree.

    Attributes:
        depth: 0 for the sections at the top.
        heading: Of a section; empty for a chunk.
        chunk: Its index; -1 for a section.
    """

    model_config = ConfigDict(frozen=True)

    depth: int
    heading: str = ""
    chunk: int = -1


class Tag(NamedTuple):
    """A label beside the page, with a line to the box that it belongs to."""

    lines: tuple[str, ...]
    color: Color
    box: Pixels


def draw_elements(page: Image.Image, number: int, elements: Sequence[DrawnElement]) -> Image.Image:
    """The page with a box and a label for each element."""
    boxes = [(_pixels(element.box), _class_color(element.type)) for element in elements]
    canvas = _page_canvas(page, boxes)
    pen = ImageDraw.Draw(canvas)
    for box, color in boxes:
        pen.rectangle(box, outline=color, width=2)
    _write_tags(
        pen,
        [
            Tag((f"{element.number}  {element.type}",), color, box)
            for element, (box, color) in zip(elements, boxes, strict=True)
        ],
    )
    _write_head(
        pen, f"1. The elements of page {number}", "Each has a number in reading order, a class and a box."
    )
    return canvas


def draw_chunks(
    page: Image.Image, number: int, elements: Sequence[DrawnElement], chunks: Sequence[DrawnChunk]
) -> Image.Image:
    """The page with the boxes of its chunks in one colour a chunk, and what is left out in grey."""
    dropped = [element for element in elements if not element.chunks]
    boxes = [(_pixels(box), chunk_color(chunk.index)) for chunk in chunks for box in chunk.boxes]
    canvas = _page_canvas(page, boxes, [_pixels(element.box) for element in dropped])
    pen = ImageDraw.Draw(canvas)
    for box, color in boxes:
        pen.rectangle(box, outline=color, width=3)
    tags = [Tag(("left out",), _GREY, _pixels(element.box)) for element in dropped]
    for chunk in chunks:
        color = chunk_color(chunk.index)
        parts = [_pixels(box) for box in chunk.boxes]
        for index, part in enumerate(parts):
            lines = [f"chunk {chunk.index}"]
            if index:
                lines = [f"chunk {chunk.index} goes on"]
                _join(pen, parts[index - 1], part, color)
            else:
                lines.append(f"{chunk.type}, {chunk.tokens} tokens")
            if part is parts[-1] and chunk.pages.split(",")[-1] != str(number):
                lines.append(f"goes on on page {chunk.pages.split(',')[-1]}")
            tags.append(Tag(tuple(lines), color, part))
    _write_tags(pen, tags)
    _write_head(
        pen,
        f"3. The chunks of page {number}",
        "One colour for each chunk. A line joins the parts of one chunk. Grey is left out.",
    )
    return canvas


def draw_tree(number: int, rows: Sequence[TreeRow], chunks: Iterable[DrawnChunk]) -> Image.Image:
    """Sections as indented headings, the chunks in them as boxes; those of other pages without colour."""
    by_index = {chunk.index: chunk for chunk in chunks}
    canvas = Image.new("RGB", (_TREE_WIDTH, _HEAD + _ROW * len(rows) + 14), _WHITE)
    pen = ImageDraw.Draw(canvas)
    last_at: dict[int, int] = {}
    for index, row in enumerate(rows):
        top = _HEAD + _ROW * index
        left = 20 + 40 * row.depth
        middle = top + _ROW // 2
        if row.depth:
            stem = left - 26
            pen.line([(stem, last_at[row.depth - 1]), (stem, middle), (left - 4, middle)], _GREY, 1)
        for depth in [depth for depth in last_at if depth > row.depth]:
            del last_at[depth]
        last_at[row.depth] = top + _ROW - 6
        if row.heading:
            pen.text((left, middle), row.heading, _INK, _font(17), anchor="lm")
        else:
            _write_chunk_row(pen, left, top, by_index[row.chunk])
    _write_head(
        pen,
        "2. The tree: sections, and the chunks in them",
        f"Coloured chunks are those of page {number}, with the numbers of their elements in picture 1.",
    )
    return canvas


def _write_chunk_row(pen: ImageDraw.ImageDraw, left: int, top: int, chunk: DrawnChunk) -> None:
    here = bool(chunk.boxes)
    color = chunk_color(chunk.index) if here else _GREY
    box = (left, top + 4, left + 300, top + _ROW - 4)
    pen.rounded_rectangle(box, 5, fill=color if here else _WHITE, outline=color, width=1)
    middle = top + _ROW // 2
    pen.text(
        (left + 10, middle),
        f"chunk {chunk.index}:  {chunk.type}, {chunk.tokens} tokens",
        _WHITE if here else _SOFT,
        _font(15),
        anchor="lm",
    )
    pages = chunk.pages.split(",")
    where = f"page {pages[0]}"
    if chunk.elements:
        more = f", more on page {pages[-1]}" if len(pages) > 1 else ""
        where = f"elements {chunk.elements}{more}: {chunk.classes}"
    pen.text((left + 316, middle), where, color if here else _SOFT, _font(15), anchor="lm")


def write_picture(picture: Image.Image, path: Path, drawn_from: str) -> None:
    """Write a small PNG that says what it was drawn from."""
    about = PngImagePlugin.PngInfo()
    about.add_text("drawn-from", drawn_from)
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for color in _palette() for part in color])
    small = picture.quantize(palette=palette, dither=Image.Dither.NONE)
    small.save(path, "PNG", optimize=True, pnginfo=about)


def _palette() -> list[Color]:
    """Few colours make small files, and these are the ones that are drawn with.

    Each colour runs to white in four steps, for the edges of letters on labels; each tint runs to black in
    five, for the page's own letters on it.
    """
    colors = dict.fromkeys([_INK, _SOFT])
    for color in dict.fromkeys([_GREY, *_OF_CLASS.values(), *_OF_CHUNK]):
        colors.update(dict.fromkeys(_mixed(color, share / 4) for share in (4, 3, 2, 1)))
        tint = _mixed(color, _TINT)
        colors.update(dict.fromkeys(_shade(tint, share / 5) for share in range(5, 0, -1)))
    colors.update(dict.fromkeys(_shade(_WHITE, share / 8) for share in range(9)))
    return list(colors)


def chunk_color(index: int) -> Color:
    """The same colour for a chunk in all pictures."""
    return _OF_CHUNK[index % len(_OF_CHUNK)]


def _class_color(name: str) -> Color:
    return _OF_CLASS.get(name, _GREY)


def _font(size: int) -> ImageFont.FreeTypeFont:
    """The font that Pillow itself carries, so that pictures are the same everywhere."""
    font = ImageFont.load_default(size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise RuntimeError("Pillow was built without FreeType")
    return font


def _pixels(box: Box) -> Pixels:
    """A box of the page on the canvas, a little wider so that it does not cut into letters."""
    width, height = PAGE_SIZE
    left, top = _SIDE - round(_CUT[0] * width), _HEAD - round(_CUT[1] * height)
    return (
        left + round(box[0] * width) - 3,
        top + round(box[1] * height) - 2,
        left + round(box[2] * width) + 3,
        top + round(box[3] * height) + 2,
    )


def _page_canvas(
    page: Image.Image, boxes: Iterable[tuple[Pixels, Color]], faded: Iterable[Pixels] = ()
) -> Image.Image:
    """The page in the middle of a white picture, the boxes tinted."""
    width, height = PAGE_SIZE
    area = tuple(round(part * side) for part, side in zip(_CUT, (width, height, width, height), strict=True))
    page = page.convert("RGB").resize(PAGE_SIZE, Image.Resampling.LANCZOS)
    page = page.crop((area[0], area[1], area[2], area[3]))
    canvas = Image.new("RGB", (page.width + 2 * _SIDE, page.height + _HEAD + 8), _WHITE)
    canvas.paste(page, (_SIDE, _HEAD))
    tint = Image.new("RGB", canvas.size, _WHITE)
    pen = ImageDraw.Draw(tint)
    for box, color in boxes:
        pen.rectangle(box, fill=_mixed(color, _TINT))
    canvas = ImageChops.multiply(canvas, tint)
    for box in faded:
        region = canvas.crop(box)
        canvas.paste(Image.blend(region, Image.new("RGB", region.size, (226, 228, 232)), 0.7), box)
    return canvas


def _mixed(color: Color, share: float) -> Color:
    red, green, blue = (round(255 - share * (255 - part)) for part in color)
    return red, green, blue


def _shade(color: Color, share: float) -> Color:
    red, green, blue = (round(share * part) for part in color)
    return red, green, blue


def _write_tags(pen: ImageDraw.ImageDraw, tags: Sequence[Tag]) -> None:
    for tag, box in zip(tags, place_tags(tags), strict=True):
        line_at = box[1] + 11
        on_left = box[0] < tag.box[0]
        start, end = (box[2], tag.box[0]) if on_left else (box[0], tag.box[2])
        pen.line([(start, line_at), (end, line_at)], tag.color, 2)
        pen.rounded_rectangle(box, 4, fill=tag.color)
        for index, line in enumerate(tag.lines):
            pen.text((box[0] + 7, line_at + 17 * index), line, _WHITE, _font(14), anchor="lm")


def place_tags(tags: Sequence[Tag]) -> list[Pixels]:
    """Where labels go: left and right of the page, each as high as its box begins, none over another."""
    middle = _SIDE + round((_CUT[2] - _CUT[0]) * PAGE_SIZE[0] / 2)
    edge = 2 * middle - _SIDE
    places: dict[int, Pixels] = {}
    free_from = {True: 0, False: 0}
    for index in sorted(range(len(tags)), key=lambda index: (tags[index].box[1], tags[index].box[0])):
        tag = tags[index]
        on_left = tag.box[0] < middle
        height = 5 + 17 * len(tag.lines)
        width = 14 + round(max(_font(14).getlength(line) for line in tag.lines))
        top = max(tag.box[1], free_from[on_left])
        free_from[on_left] = top + height + 3
        left = _SIDE - 8 - width if on_left else edge + 8
        places[index] = (left, top, left + width, top + height)
    return [places[index] for index in range(len(tags))]


def _join(pen: ImageDraw.ImageDraw, first: Pixels, second: Pixels, color: Color) -> None:
    """A line with an arrow from one part of a chunk to the next, in the gap between the columns."""
    middle = _SIDE + round((_CUT[2] - _CUT[0]) * PAGE_SIZE[0] / 2)
    across = second[0] > middle
    # Room for the point of the arrow: to the right column from the left of the gap, and the other way round.
    at = middle - 6 if across else middle + 4
    start = (first[2] if first[0] < middle else first[0], first[3] - 10)
    end = (second[0] if across else second[2], second[1] + 12)
    pen.line([start, (at, start[1]), (at, end[1]), end], color, 3, joint="curve")
    tip = 7 if across else -7
    pen.polygon([end, (end[0] - tip, end[1] - 6), (end[0] - tip, end[1] + 6)], color)


def _write_head(pen: ImageDraw.ImageDraw, title: str, legend: str) -> None:
    pen.text((20, 22), title, _INK, _font(22), anchor="lm")
    pen.text((20, 48), legend, _SOFT, _font(15), anchor="lm")
