"""Figures of a page: pictures and charts, with the words inside of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .geometry import Rect, bounds
from .parts import Block, Line, Region, Word
from .ruling_grid import touching
from .tables import inside

_SURE = 0.5
_SMALLEST = 0.004  # share of the page below which an image is an ornament
_BACKGROUND = 0.5  # share of the page from which an image under text is its ground
_PROSE_LINES = 3
_PROSE_WORDS = 7
_DRAWING_LINES = 8  # fewest touching lines that make a drawing
_SMALLEST_DRAWING = 0.015  # share of the page
_DRAWN = 0.012  # share of a box that is inked outside of words, at least, if it is a figure
_NUMBERS_IN_CHART = 0.2  # share of a chart's words that are numbers, at least
_FORM_WORDS, _FORM_SHARE = 60, 0.3  # a "figure" of so many words on so much of the page is a form
_NUMBER = re.compile(r"^[-−+$€£]?[\d.,]+\s?[%kKMBn]?$")


def without_forms(regions: Sequence[Region], words: Sequence[Word], page: Rect) -> list[Region]:
    """The regions without figures that are forms: the model takes ruled pages of words for one figure.

    Args:
        regions: What the layout model found.
        words: All words of the page.
        page: The whole page.
    """
    return [
        region
        for region in regions
        if region.kind != "figure"
        or region.box.area < _FORM_SHARE * page.area
        or len(inside(words, region.box)) < _FORM_WORDS
    ]


def find_figures(
    words: Sequence[Word],
    lines: Sequence[Line],
    images: Sequence[Rect],
    rulings: Sequence[Rect],
    regions: Sequence[Region],
    taken: Sequence[Block],
    page: Rect,
    drawn: Callable[[Rect], float],
) -> list[Block]:
    """All figures of a page.

    Args:
        words: Words that belong to no table.
        lines: Lines of these words.
        images: Boxes of raster images.
        rulings: Ruling lines.
        regions: What the layout model found.
        taken: Tables.
        page: The whole page.
        drawn: Which part of a rectangle is inked outside of words.

    Returns:
        Blocks of type Picture or Chart, with the lines inside of them; none overlap.
    """
    seen = [region.box for region in regions if region.kind == "figure" and region.score >= _SURE]
    drawings = [_drawing_box(figure, words) for figure in touching(rulings) if len(figure) >= _DRAWING_LINES]
    smallest, largest = _SMALLEST_DRAWING * page.area, _BACKGROUND * page.area
    seen.extend(box for box in drawings if smallest < box.area < largest)
    # Running text in a coloured or framed box is no figure, whatever the model says.
    boxes = [
        box for box in seen if not _is_prose(box, lines) and (drawn(box) > _DRAWN or not inside(words, box))
    ]
    for image in images:
        small = image.area < _SMALLEST * page.area
        ground = image.area > _BACKGROUND * page.area and len(inside(words, image)) > 5
        if not small and not ground:
            boxes.append(image)
    boxes = [
        box
        for box in boxes
        if all(box.share_in(table.box) < 0.5 and table.box.share_in(box) < 0.5 for table in taken)
    ]
    boxes = _united([_to_frame(box, rulings) for box in boxes])
    figures = []
    for box in boxes:
        held = inside(words, box)
        figures.append(Block(box, type="Chart" if is_chart(held) else "Picture"))
    return figures


def _drawing_box(figure: Sequence[Rect], words: Sequence[Word]) -> Rect:
    """Around touching lines and the labels that stand at their edge."""
    box = bounds(list(figure))
    labels = [word.box for word in words if len(word.text) <= 4 and word.box.share_in(box.grown(12.0)) == 1.0]
    return bounds([box, *labels])


def _is_prose(box: Rect, lines: Sequence[Line]) -> bool:
    """Whether running text fills the box: the model takes some slides and forms for one figure."""
    held = [line for line in lines if box.holds(*line.box.middle)]
    long = [line for line in held if len(line.words) >= _PROSE_WORDS]
    return (
        len(long) >= _PROSE_LINES and sum(line.box.height * line.box.width for line in held) > 0.25 * box.area
    )


def _to_frame(box: Rect, rulings: Sequence[Rect]) -> Rect:
    """The box, grown to lines that cross its edge: the frame or the axes of the figure."""
    grown = box
    for figure in touching(rulings):
        around = bounds(figure)
        crossed = around.share_in(box) > 0.7 if around.area else False
        if crossed and around.area < 1.6 * box.area:
            grown = grown.union(around)
    return grown


def _united(boxes: Sequence[Rect]) -> list[Rect]:
    """Boxes of which one lies mostly in another, put together."""
    left = sorted(boxes, key=lambda box: -box.area)
    found: list[Rect] = []
    for box in left:
        for index, other in enumerate(found):
            if box.share_in(other) > 0.5 or other.share_in(box) > 0.5:
                found[index] = other.union(box)
                break
        else:
            found.append(box)
    return found


def is_chart(words: Sequence[Word]) -> bool:
    """Whether the words of a figure look like the labels of axes: numbers in a row or in a column."""
    numbers = [word for word in words if _NUMBER.match(word.text)]
    if len(numbers) < max(4, _NUMBERS_IN_CHART * len(words)):
        return False
    columns = _aligned([word.box.x1 for word in numbers]), _aligned([word.box.x0 for word in numbers])
    rows = _aligned([word.box.y1 for word in numbers])
    return max(*columns, rows) >= 4 or (max(*columns) >= 3 and rows >= 3)


def _aligned(values: Sequence[float]) -> int:
    """How many of the values lie within two points of each other, at most."""
    ordered = sorted(values)
    best = start = 0
    for end, value in enumerate(ordered):
        while value - ordered[start] > 2.0:
            start += 1
        best = max(best, end - start + 1)
    return best
