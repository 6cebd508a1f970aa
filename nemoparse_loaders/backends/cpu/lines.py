"""Words to lines: pieces of one baseline in one column.

The order of the content says much: a writer sets one column after the other, so two words that follow each
other on a baseline belong together, and two that do not, but stand on the same height, rarely do. Where a
file is written row by row over the columns, white channels that run down over several lines part them.
"""

from __future__ import annotations

import re
from itertools import pairwise

from .geometry import Rect
from .parts import Line, Word, is_rtl

_WIDE_EM = 2.2  # a gap as wide as this is no space between words
_CHANNEL_EM = 0.75  # narrowest channel between columns
_CHANNEL_LINES = 4  # fewest lines that a channel runs along
_ATTACH_EM = 0.35  # a superscript that was drawn later stands as close as this
_MAX_BESIDE = 200  # runs on one height that are compared with each other
_LEVEL_SHARE = 0.5  # share of the lower height that two words of one line have in common
_MARKER = re.compile(
    r"^(?:[•◦▪●○■□‣∙·*–—-]|[(\[]?(?:\d{1,3}|[a-zA-Z]|[ivxlcIVXLC]{1,6})[.)\]]+|(?:\d+\.)+\d*)$"
)


def build_lines(words: list[Word]) -> list[Line]:
    """Group words to lines.

    Args:
        words: In the order of the content, reading from left to right (or right to left for RTL scripts).

    Returns:
        Lines ordered by their top edge, then from left to right.
    """
    runs = _attach(_runs(words))
    channels = _channels(runs)
    lines = [Line(_ordered(piece)) for run in runs for piece in _split(run, channels)]
    return sorted(_join_markers(lines), key=lambda line: (line.box.y0, line.box.x0))


def _level(a: Rect, b: Rect) -> bool:
    lower = min(a.height, b.height)
    return a.down(b) >= _LEVEL_SHARE * lower if lower > 0 else abs(a.middle[1] - b.middle[1]) < 1


def _gap(a: Rect, b: Rect) -> float:
    return max(b.x0 - a.x1, a.x0 - b.x1)


def _runs(words: list[Word]) -> list[list[Word]]:
    """Words that follow each other in the content on one baseline without a wide gap."""
    runs: list[list[Word]] = []
    for word in words:
        last = runs[-1][-1] if runs else None
        if (
            last is not None
            and word.order == last.order + 1
            and _level(last.box, word.box)
            and -0.5 * word.size <= _gap(last.box, word.box) <= _WIDE_EM * max(last.size, word.size)
        ):
            runs[-1].append(word)
        else:
            runs.append([word])
    return runs


def _attach(runs: list[list[Word]]) -> list[list[Word]]:
    """Join runs that touch on one baseline: marks and pieces that were drawn out of order."""
    order = sorted(range(len(runs)), key=lambda index: _top(runs[index]))
    owner = list(range(len(runs)))

    def root(index: int) -> int:
        while owner[index] != index:
            owner[index] = owner[owner[index]]
            index = owner[index]
        return index

    boxes = [Line(tuple(run)).box for run in runs]
    active: list[int] = []
    for index in order:
        box = boxes[index]
        active = [other for other in active if boxes[other].y1 > box.y0][-_MAX_BESIDE:]
        for other in active:
            em = max(runs[index][0].size, runs[other][0].size)
            if _level(boxes[other], box) and -0.3 * em <= _gap(boxes[other], box) <= _ATTACH_EM * em:
                owner[root(index)] = root(other)
        active.append(index)
    groups: dict[int, list[Word]] = {}
    for index in range(len(runs)):
        groups.setdefault(root(index), []).extend(runs[index])
    return list(groups.values())


def _top(run: list[Word]) -> float:
    return min(word.box.y0 for word in run)


def _ordered(words: list[Word]) -> tuple[Word, ...]:
    """From left to right; PDFium gives right-to-left text in the order in which it is read."""
    if is_rtl("".join(word.text for word in words)):
        return tuple(sorted(words, key=lambda word: word.order))
    return tuple(sorted(words, key=lambda word: (word.box.x0, word.order)))


def _channels(runs: list[list[Word]]) -> list[Rect]:
    """White channels that run down between the words of several lines."""
    gaps: list[tuple[Rect, float]] = []
    for run in runs:
        row = sorted(run, key=lambda word: word.box.x0)
        for left, right in pairwise(row):
            em = max(left.size, right.size)
            if right.box.x0 - left.box.x1 < _CHANNEL_EM * em:
                continue
            if left is row[0] and _MARKER.match(left.text):
                continue
            top, bottom = min(left.box.y0, right.box.y0), max(left.box.y1, right.box.y1)
            gaps.append((Rect(left.box.x1, top, right.box.x0, bottom), em))
    gaps.sort(key=lambda item: item[0].y0)
    open_channels: list[tuple[Rect, int]] = []
    done: list[Rect] = []
    for gap, em in gaps:
        grown: list[tuple[Rect, int]] = []
        placed = False
        for channel, count in open_channels:
            near = gap.y0 - channel.y1 < 1.6 * gap.height
            if near and not placed and gap.across(channel) >= 0.6 * em and gap.y0 > channel.y0:
                narrowed = Rect(max(gap.x0, channel.x0), channel.y0, min(gap.x1, channel.x1), gap.y1)
                grown.append((narrowed, count + 1))
                placed = True
            elif near:
                grown.append((channel, count))
            elif count >= _CHANNEL_LINES:
                done.append(channel)
        if not placed:
            grown.append((gap, 1))
        open_channels = grown
    return done + [channel for channel, count in open_channels if count >= _CHANNEL_LINES]


def _split(run: list[Word], channels: list[Rect]) -> list[list[Word]]:
    row = sorted(run, key=lambda word: word.box.x0)
    pieces: list[list[Word]] = [[row[0]]]
    for left, right in pairwise(row):
        middle = (left.box.y0 + left.box.y1) / 2
        parted = any(
            channel.y0 <= middle <= channel.y1
            and left.box.x1 <= channel.x0 + 0.1
            and channel.x1 <= right.box.x0 + 0.1
            for channel in channels
        )
        if parted:
            pieces.append([right])
        else:
            pieces[-1].append(right)
    return pieces


def _join_markers(lines: list[Line]) -> list[Line]:
    """Put a list marker that stands alone before its text on the same line."""
    markers = [line for line in lines if len(line.words) == 1 and _MARKER.match(line.words[0].text)]
    if not markers:
        return lines
    rest = [line for line in lines if not (len(line.words) == 1 and _MARKER.match(line.words[0].text))]
    alone: list[Line] = []
    for marker in markers:
        box, em = marker.box, marker.words[0].size
        nearest: int | None = None
        for index, line in enumerate(rest):
            gap = line.box.x0 - box.x1
            follows = line.words[0].order == marker.words[0].order + 1
            if follows and _level(box, line.box) and 0 <= gap <= 4 * em:
                nearest = index
        if nearest is None:
            alone.append(marker)
        else:
            rest[nearest] = Line(marker.words + rest[nearest].words)
    return rest + alone
