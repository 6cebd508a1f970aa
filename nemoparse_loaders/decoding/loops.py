"""Signs that a reply runs in circles, found in linear time.

Legal repetition exists: forty equal ledger lines with boxes of their own, thirty empty table rows, dotted
lines. So a loop is only what no page holds: the same block again and again at the same place, one short
piece of text some hundreds of times, a run of broken tokens.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..document import BBox

_WINDOW = 256
_LONGEST_PERIOD = 64
# A line of dots or underscores over a wide page is shorter than this.
_SHORTEST_RUN = 1_024
# Rows of a table repeat legally; this often they do not.
_MOST_EQUAL_ROWS = 200
_MOST_BROKEN_TOKENS = 20
_FEWEST_BLOCKS = 4
_LONGEST_BLOCK_PERIOD = 4
_ROW_END = re.compile(r"\\\\\s?|\n|</tr>")


def repeats_itself(body: str) -> bool:
    """Whether a long stretch of a body is one short piece repeated."""
    if len(body) < _SHORTEST_RUN:
        return False
    run = 0
    unit = ""
    for start in range(0, len(body) - _WINDOW + 1, _WINDOW):
        window = body[start : start + _WINDOW]
        period = _period(window)
        if period and (not run or period == len(unit)):
            unit = unit or window[:period]
            run += _WINDOW
            if run >= _run_limit(unit):
                return True
        else:
            run, unit = (_WINDOW, window[:period]) if period else (0, "")
    return False


def _period(window: str) -> int:
    """The length of the piece that a window repeats, or 0."""
    period = window.find(window[:_LONGEST_PERIOD], 1)
    if 0 < period <= _LONGEST_PERIOD and window[period:] == window[:-period]:
        return period
    return 0


def _run_limit(unit: str) -> int:
    # A window begins anywhere, so a row end may be cut in one unit; not in most of several.
    rows = round(len(_ROW_END.findall(unit * 8)) / 8)
    return max(_SHORTEST_RUN, _MOST_EQUAL_ROWS * len(unit) // rows) if rows else _SHORTEST_RUN


def is_token_stutter(noise_run: int) -> bool:
    """Whether broken or stray tokens follow each other too often for an accident."""
    return noise_run >= _MOST_BROKEN_TOKENS


def repeated_blocks(blocks: Sequence[tuple[str, str, BBox | None]]) -> list[int]:
    """The blocks that repeat an earlier one at nearly the same place, in runs of four or more.

    Args:
        blocks: Class, body and box of each, in order.

    Returns:
        Indices, in order; the first round of a run is not in it.
    """
    repeated: set[int] = set()
    for period in range(1, _LONGEST_BLOCK_PERIOD + 1):
        run: list[int] = []
        for index in range(period, len(blocks) + 1):
            if index < len(blocks) and _is_again(blocks[index - period], blocks[index]):
                run.append(index)
                continue
            if len(run) >= max(_FEWEST_BLOCKS - 1, 2 * period):
                repeated.update(run)
            run = []
    return sorted(repeated)


def _is_again(earlier: tuple[str, str, BBox | None], later: tuple[str, str, BBox | None]) -> bool:
    if earlier[:2] != later[:2] or not later[1].strip():
        return False
    a, b = earlier[2], later[2]
    if a is None or b is None:
        return a is b
    shared = a.overlap(b)
    return a == b or 2.0 * shared > min(a.area, b.area) > 0.0
