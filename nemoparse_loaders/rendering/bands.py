"""A drawn page cut into bands along its white space; pure.

A model that loses its way on a crowded page often reads the same page well in parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby, pairwise

from .pages import DrawnPage
from .png import Scanlines

MIN_BAND = 64
"""Least height of a band in pixels."""

REACH = 0.1
"""How far from an equal share a cut may lie, in heights of an equal band."""

# Colours this near to the paper's are paper: noise of a scan, halos of JPEG.
_NEAR = 48
# Where no row is free, rows with this many more inked pixels than the emptiest are as good.
_AS_GOOD = 2
_SAMPLED_ROWS, _SAMPLED_COLUMNS = 64, 128


def box_for_bands(box: tuple[int, int], count: int) -> tuple[int, int]:
    """The size for a whole page whose bands are each to fit in ``box``, however its cuts fall."""
    return box[0], max(box[1], int((box[1] - 2) * max(1, count) / (1 + 2 * REACH)))


def bands_that_fit(height: int, count: int) -> int:
    """How many of the bands wanted a page of that height has room for; at least 1."""
    return max(1, min(count, int(height * (1 - 2 * REACH)) // MIN_BAND))


def cut_page(page: DrawnPage, count: int) -> Iterator[tuple[DrawnPage, float, float]]:
    """Cut a page into bands.

    Args:
        page: The whole page.
        count: Bands wanted.

    Yields:
        (band, top, bottom) from top to bottom: without text layer and issues, on the page's geometry; its
        edges as fractions of the page, of which there are none between two bands.
    """
    lines = page.lines
    edges = [0, *find_cuts(lines, count), lines.height]
    for top, bottom in pairwise(edges):
        part = Scanlines(lines.width, bottom - top, lines.buffer[top * lines.stride : bottom * lines.stride])
        band = DrawnPage(part, page.geometry, part.is_uniform())
        yield band, top / lines.height, bottom / lines.height


def find_cuts(lines: Scanlines, count: int) -> list[int]:
    """Rows at which bands below the first begin, from top to bottom.

    Near each place that would make equal bands the tallest run of free rows is cut in its middle; where no
    row within `REACH` is free, the row with the least ink.

    Args:
        lines: The page's pixels.
        count: Bands wanted; fewer where they would be lower than `MIN_BAND`.
    """
    count = bands_that_fit(lines.height, count)
    share = lines.height / count
    paper = _paper(lines)
    reach = int(share * REACH)
    return [_cut_near(lines, round(share * index), reach, paper) for index in range(1, count)]


def row_ink(lines: Scanlines, row: int, paper: tuple[int, int, int]) -> int:
    """How many samples of a row differ from the paper; 0 where all its pixels are alike.

    Args:
        lines: The page's pixels.
        row: From 0.
        paper: Its colour.
    """
    start = row * lines.stride + 1
    pixels = bytes(lines.buffer[start : start + 3 * lines.width])
    if pixels == pixels[:3] * lines.width:
        return 0
    return sum(pixels[channel::3].translate(_differs(level)).count(1) for channel, level in enumerate(paper))


def _cut_near(lines: Scanlines, ideal: int, reach: int, paper: tuple[int, int, int]) -> int:
    rows = range(max(1, ideal - reach), min(lines.height - 1, ideal + reach) + 1)
    inks = [row_ink(lines, row, paper) for row in rows]
    least = min(inks)
    limit = least + _AS_GOOD if least else 0
    best, best_score = ideal, (-1, 0)
    at = rows.start
    for free, run in groupby(ink <= limit for ink in inks):
        length = len(list(run))
        middle = at + length // 2
        score = (length, -abs(middle - ideal))
        if free and score > best_score:
            best, best_score = middle, score
        at += length
    return best


def _paper(lines: Scanlines) -> tuple[int, int, int]:
    """The most frequent colour of a page, from a sample."""
    seen: Counter[bytes] = Counter()
    for row in range(0, lines.height, max(1, lines.height // _SAMPLED_ROWS)):
        start = row * lines.stride + 1
        for column in range(0, lines.width, max(1, lines.width // _SAMPLED_COLUMNS)):
            at = start + 3 * column
            seen[bytes(lines.buffer[at : at + 3])] += 1
    red, green, blue = seen.most_common(1)[0][0]
    return red, green, blue


def _differs(level: int) -> bytes:
    """A table that turns samples into 1 where they are far from that level, else into 0."""
    return bytes(abs(value - level) > _NEAR for value in range(256))
