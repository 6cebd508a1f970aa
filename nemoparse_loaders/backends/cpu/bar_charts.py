"""Bar charts that are drawn with lines: the bars back to a table of numbers.

A bar is a short level line from whose ends two upright lines go down to the base line. Its value is the
number written above it, else what the axis says at its height; its group is the word below it, and its series
the word beside the swatch of the same colour. Other kinds of charts are left as the words inside of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...document import Chart, Table, TableCell
from .geometry import Rect
from .lines import build_lines
from .parts import Line, Word

Colour = tuple[int, int, int]
ColourAt = Callable[[Rect], Colour]

_FEWEST_BARS = 3
_MAX_BARS = 400
_TOUCH = 1.5  # points
_NUMBER = re.compile(r"^[-−+]?\d[\d,]*\.?\d*\s?%?$")
_SAME_COLOUR = 40  # distance between two colours, summed over the channels, up to which they are one
_LABEL_EM = 1.6  # how far above a bar its number stands, in font sizes


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar, from its top to the base line."""

    box: Rect
    colour: Colour


def read_bar_chart(words: Sequence[Word], rulings: Sequence[Rect], colour_at: ColourAt) -> Chart | None:
    """Read a chart of upright bars.

    Args:
        words: Those inside of the figure.
        rulings: The lines inside of the figure.
        colour_at: The colour that most of a rectangle has.

    Returns:
        The chart with one table: a row a group, a column a series. None where the lines are no bars, or the
        bars have neither numbers nor a labelled axis.
    """
    boxes = find_bars(rulings)
    if len(boxes) < _FEWEST_BARS:
        return None
    bars = [Bar(box, _inner_colour(box, colour_at)) for box in boxes]
    bars += _on_grid_lines(bars, rulings, colour_at)
    bars.sort(key=lambda bar: bar.box.x0)
    boxes = [bar.box for bar in bars]
    base, top = bars[0].box.y1, min(bar.box.y0 for bar in bars)
    lines = build_lines(list(words))
    groups = _groups(bars, [line for line in lines if base - 2 < line.box.y0], base)
    if groups is None:
        return None
    values = [_value(bar, words, base) for bar in bars]
    if any(value is None for value in values):
        return None
    series = _series(bars)
    names = _legend(series, rulings, words, colour_at, boxes)
    title = next((line.text for line in lines if line.box.y1 < top and not _NUMBER.match(line.text)), "")
    table = _table(bars, groups, [value or "" for value in values], series, names)
    return None if table is None else Chart(type="bar", title=title, tables=(table,))


def find_bars(rulings: Sequence[Rect]) -> list[Rect]:
    """The bars that lines draw, from left to right; all stand on one base line.

    Args:
        rulings: Horizontal and vertical lines, in points.
    """
    upright = [line for line in rulings if line.height > line.width]
    found: list[Rect] = []
    for line in rulings:
        if line.width <= line.height:
            continue
        left = [u for u in upright if abs(u.x0 - line.x0) <= _TOUCH and u.y0 <= line.y0 + _TOUCH < u.y1]
        right = [u for u in upright if abs(u.x0 - line.x1) <= _TOUCH and u.y0 <= line.y0 + _TOUCH < u.y1]
        if left and right:
            foot = min(max(u.y1 for u in left), max(u.y1 for u in right))
            found.append(Rect(line.x0, line.y0, line.x1, foot))
    bases = sorted(box.y1 for box in found)
    if not bases:
        return []
    base = max(bases, key=lambda y: sum(abs(y - other) <= _TOUCH for other in bases))
    standing = [box for box in found if abs(box.y1 - base) <= _TOUCH and box.height > _TOUCH]
    # The frame of the plot stands on the same line; bars are many and narrow.
    widths = sorted(box.width for box in standing)
    narrow = [box for box in standing if box.width <= 1.3 * widths[len(widths) // 2]] if widths else []
    bars = [Rect(box.x0, box.y0, box.x1, base) for box in sorted(narrow)]
    return bars if len(bars) <= _MAX_BARS else []


def _inner_colour(box: Rect, colour_at: ColourAt) -> Colour:
    return colour_at(box.grown(-0.25 * min(box.width, box.height)))


def _on_grid_lines(bars: Sequence[Bar], rulings: Sequence[Rect], colour_at: ColourAt) -> list[Bar]:
    """Bars whose top lies on a line of the grid: it is longer, but their sides and colour show them."""
    width = sorted(bar.box.width for bar in bars)[len(bars) // 2]
    base = bars[0].box.y1
    upright = [line for line in rulings if line.height > line.width and abs(line.y1 - base) <= _TOUCH]
    level = [line for line in rulings if line.width > 1.3 * width]
    found: list[Bar] = []
    for side in upright:
        for x0 in (side.x0, side.x0 - width):
            box = Rect(x0, side.y0, x0 + width, base)
            opposite = 2 * box.middle[0] - side.x0
            covered = any(
                abs(line.y0 - box.y0) <= _TOUCH and line.across(box) >= 0.9 * width for line in level
            )
            closed = any(abs(u.x0 - opposite) <= _TOUCH and u.y0 <= box.y0 + _TOUCH for u in upright)
            taken = any(box.across(bar.box) > 0.3 * width for bar in (*bars, *found))
            if box.height > _TOUCH and covered and closed and not taken:
                colour = _inner_colour(box, colour_at)
                if any(_near(colour, bar.colour) for bar in bars):
                    found.append(Bar(box, colour))
    return found


def _groups(bars: Sequence[Bar], below: Sequence[Line], base: float) -> list[str] | None:
    """The label under each bar: the nearest word of the first row below the base line."""
    if not below:
        return None
    first = min(line.box.y0 for line in below)
    labels = [
        line for line in below if line.box.y0 < first + 0.5 * line.box.height and first - base < 3 * line.size
    ]
    if not labels:
        return None
    return [min(labels, key=lambda line: abs(line.box.middle[0] - bar.box.middle[0])).text for bar in bars]


def _value(bar: Bar, words: Sequence[Word], base: float) -> str | None:
    """The number above the bar, else what the axis says."""
    above = [
        word
        for word in words
        if _NUMBER.match(word.text)
        and bar.box.x0 - 2 <= word.box.middle[0] <= bar.box.x1 + 2
        and -0.5 * word.size <= bar.box.y0 - word.box.y1 <= _LABEL_EM * word.size
    ]
    if above:
        return max(above, key=lambda word: word.box.y1).text
    return _on_axis(bar, words, base)


def _on_axis(bar: Bar, words: Sequence[Word], base: float) -> str | None:
    """The height of a bar between two labels of the axis left of it."""
    ticks = sorted(
        (word.box.middle[1], float(word.text.replace(",", "").replace("−", "-").rstrip("% ")))
        for word in words
        if _NUMBER.match(word.text) and word.box.x1 < bar.box.x0 and word.box.middle[1] <= base + word.size
    )
    if len(ticks) < 2:
        return None
    (y0, high), (y1, low) = ticks[0], ticks[-1]
    if y1 - y0 < 10 or high <= low:
        return None
    value = low + (high - low) * (y1 - bar.box.y0) / (y1 - y0)
    step = (high - low) / (len(ticks) - 1) / 10
    return f"{value:.0f}" if step >= 0.5 else f"{value:.2g}"


def _series(bars: Sequence[Bar]) -> list[int]:
    """The number of each bar's series, by colour, in order of first appearance."""
    colours: list[Colour] = []
    numbers = []
    for bar in bars:
        known = next((n for n, colour in enumerate(colours) if _near(colour, bar.colour)), None)
        if known is None:
            colours.append(bar.colour)
            known = len(colours) - 1
        numbers.append(known)
    return numbers


def _near(a: Colour, b: Colour) -> bool:
    return sum(abs(x - y) for x, y in zip(a, b, strict=True)) <= _SAME_COLOUR


def _legend(
    series: Sequence[int],
    rulings: Sequence[Rect],
    words: Sequence[Word],
    colour_at: ColourAt,
    boxes: Sequence[Rect],
) -> list[str]:
    """The names of the series: the words beside small boxes of their colour."""
    names = [f"Series {number + 1}" if max(series) else "Value" for number in range(max(series) + 1)]
    colours = {number: _inner_colour(box, colour_at) for number, box in zip(series, boxes, strict=True)}
    lines = build_lines(list(words))
    for box in _swatches(rulings):
        beside = [
            line
            for line in lines
            if box.y0 - 3 <= line.box.middle[1] <= box.y1 + 3 and -1 <= line.box.x0 - box.x1 <= 3 * line.size
        ]
        if not beside:
            continue
        colour = colour_at(box.grown(-0.2 * min(box.width, box.height)))
        for number, known in colours.items():
            if _near(colour, known):
                names[number] = min(beside, key=lambda line: line.box.x0).text
    return names


def _swatches(rulings: Sequence[Rect]) -> list[Rect]:
    """Small closed boxes."""
    level = [line for line in rulings if line.width > line.height and line.width < 30]
    found = []
    for top in level:
        for bottom in level:
            same = abs(top.x0 - bottom.x0) <= _TOUCH and abs(top.x1 - bottom.x1) <= _TOUCH
            if same and 3 <= bottom.y0 - top.y0 <= 20:
                found.append(Rect(top.x0, top.y0, top.x1, bottom.y0))
    return found[:50]


def _table(
    bars: Sequence[Bar],
    groups: Sequence[str],
    values: Sequence[str],
    series: Sequence[int],
    names: Sequence[str],
) -> Table | None:
    """One row a group; None where two bars claim one place."""
    rows = list(dict.fromkeys(groups))
    places: dict[tuple[int, int], str] = {}
    for group, number, value in zip(groups, series, values, strict=True):
        place = (rows.index(group), number)
        if place in places:
            return None
        places[place] = value
    header = [TableCell(row=0, col=col, text=text, is_header=True) for col, text in enumerate(["", *names])]
    body = [
        TableCell(row=row + 1, col=col, text=group if col == 0 else places.get((row, col - 1), ""))
        for row, group in enumerate(rows)
        for col in range(len(names) + 1)
    ]
    return Table(cells=(*header, *body), n_rows=len(rows) + 1, n_cols=len(names) + 1, header_rows=1)
