"""Signs that a reply runs in circles, found in linear time.

Legal repetition exists: forty equal ledger lines with boxes of their own, thirty empty table rows, dotted
lines. So a loop is only what no page holds: the same block again and again at the same place, one short
piece of text some hundreds of times, a run of broken tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..document import BBox

_WINDOW = 512
_LONGEST_PERIOD = 128
# A line of dots or underscores over a wide page is shorter than this.
_SHORTEST_RUN = 1_024
_FEWEST_ROUNDS = 16
# Rows of a table repeat legally; this often they do not.
_MOST_EQUAL_ROWS = 200
# Of a run that is far beyond that, so much of the limit is kept: well below it, so that what is kept is no
# loop when it is printed and read again.
_LEFT_OUT_BEYOND = 4_096
_KEPT = 0.25
_MOST_BROKEN_TOKENS = 20
_FEWEST_BLOCKS = 4
_LONGEST_BLOCK_PERIOD = 4
_ROW_END = re.compile(r"\\\\\s?|\n|</tr>")


class Shortened(NamedTuple):
    """A body without endless repetition.

    Attributes:
        text: The body; of a very long run its first rounds.
        loops: There is a run at all.
        left_out: Characters that are not in the text.
    """

    text: str
    loops: bool = False
    left_out: int = 0


def shorten_loops(body: str) -> Shortened:
    """Find the stretches of a body that are one short piece repeated, and shorten the very long ones."""
    if len(body) < _SHORTEST_RUN:
        return Shortened(body)
    loops = False
    pieces: list[str] = []
    position = 0
    for start, end, period in _runs(body):
        limit = _run_limit(body[start : start + period])
        if end - start < limit:
            continue
        loops = True
        if end - start >= _LEFT_OUT_BEYOND:
            spare = (end - start - int(_KEPT * limit)) // period * period
            pieces.append(body[position : end - spare])
            position = end
    if not position:
        return Shortened(body, loops)
    pieces.append(body[position:])
    text = "".join(pieces)
    return Shortened(text, loops, len(body) - len(text))


def _runs(body: str) -> Iterator[tuple[int, int, int]]:
    """Start, end and period of each stretch of at least two windows that repeats itself."""
    start = period = 0
    for position in range(0, len(body) - _WINDOW + 1, _WINDOW):
        if period and body.startswith(body[position - period : position - period + _WINDOW], position):
            continue
        if period and position - start > _WINDOW:
            yield start, position, period
        start = position
        period = _period(body[position : position + _WINDOW])
    end = len(body) // _WINDOW * _WINDOW
    if period and end - start > _WINDOW:
        # The rest behind the last window may go on with it.
        while end < len(body) and body[end] == body[end - period]:
            end += 1
        yield start, end, period


def _period(window: str) -> int:
    """The length of the piece that a window repeats, or 0."""
    period = window.find(window[:_LONGEST_PERIOD], 1)
    if 0 < period <= _LONGEST_PERIOD and window[period:] == window[:-period]:
        return period
    return 0


def _run_limit(unit: str) -> int:
    """From how many characters on a run of this piece is a loop."""
    # A run begins anywhere, so a row end may be cut in one round; not in most of several.
    rows = round(len(_ROW_END.findall(unit * 8)) / 8)
    limit = max(_SHORTEST_RUN, _FEWEST_ROUNDS * len(unit))
    return max(limit, _MOST_EQUAL_ROWS * len(unit) // rows) if rows else limit


def is_token_stutter(noise_run: int) -> bool:
    """Whether broken or stray tokens follow each other too often for an accident."""
    return noise_run >= _MOST_BROKEN_TOKENS


def repeated_blocks(names: Sequence[str], bodies: Sequence[str], boxes: Sequence[BBox | None]) -> set[int]:
    """The blocks that repeat an earlier one at nearly the same place, in runs of four or more.

    Args:
        names: The class of each block, in order.
        bodies: What each says.
        boxes: Where each is.

    Returns:
        Indices; the first round of a run is not in it.
    """
    repeated: set[int] = set()
    if len(bodies) - len(set(bodies)) < _FEWEST_BLOCKS - 1:
        # Too few say what an earlier one says, as on nearly all pages.
        return repeated
    # Numbers in place of texts, so that comparing is cheap.
    numbers: dict[tuple[str, str], int] = {}
    kinds = [numbers.setdefault(key, len(numbers)) for key in zip(names, bodies, strict=True)]
    for period in range(1, _LONGEST_BLOCK_PERIOD + 1):
        run: list[int] = []
        for index in range(period, len(kinds) + 1):
            if (
                index < len(kinds)
                and kinds[index - period] == kinds[index]
                and bodies[index].strip()
                and _is_again(boxes[index - period], boxes[index])
            ):
                run.append(index)
                continue
            if len(run) >= max(_FEWEST_BLOCKS - 1, 2 * period):
                repeated.update(run)
            run = []
    return repeated


def _is_again(a: BBox | None, b: BBox | None) -> bool:
    if a is None or b is None or a == b:
        return a == b
    return 2.0 * a.overlap(b) > min(a.area, b.area) > 0.0
