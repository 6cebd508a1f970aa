"""Words to a grid of cells where ruling lines do not draw one: by their rows and by white channels.

Columns are the white channels that the fuller rows have in common; rules, where there are some, say where
rows end, how far a heading spans, and which rows are headings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from .geometry import Rect, bounds
from .parts import Word

_MAX_ROWS = 400
_PHRASE_EM = 0.8  # words of one row closer than this are one phrase
_DENSE_EM = 0.45  # narrowest channel where six rows or more agree on it
_MANY_ROWS = 6
_HEADING_ROWS = 3
_FULL_ROW = 0.6  # a row with this share of the largest number of phrases helps to find the channels
NUMERIC = re.compile(r"^[^A-Za-z]*\d[^A-Za-z]*%?$|^[-–—*.]+$")

_CROSSED = 0.34  # a channel crossed by a larger share of the other rows is none


@dataclass(frozen=True, slots=True)
class WordCell:
    """One cell with its words."""

    row: int
    col: int
    rowspan: int
    colspan: int
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class WordGrid:
    """Cells of a table, their words, and how many rows at the top are headings (0: not known)."""

    cells: tuple[WordCell, ...]
    n_rows: int
    n_cols: int
    header_rows: int = 0


def aligned_grid(words: Sequence[Word], rules: Sequence[Rect] = ()) -> WordGrid | None:
    """Find rows and columns from the places of words.

    Args:
        words: Those of the table.
        rules: Ruling lines inside of the table or at its edge, in points.

    Returns:
        The grid; None where there are fewer than two rows or two columns.
    """
    if not words:
        return None
    box = bounds([word.box for word in words])
    rows = text_rows(words)
    if not 2 <= len(rows) <= _MAX_ROWS:
        return None
    upright = [rule.x0 for rule in rules if rule.height > rule.width and rule.height > 0.5 * box.height]
    level = [rule for rule in rules if rule.width >= rule.height]
    phrases = [_phrases(row, upright) for row in rows]
    channels = find_channels(phrases, upright)
    if not channels:
        return None
    full = sorted(rule.y0 for rule in level if rule.width > 0.8 * box.width)
    phrases = [_at_channels(row, channels) for row in phrases]
    bands = _bands(phrases, channels, full)
    headers = _header_rows(bands, full)
    if headers > 1 and not _has_spans(bands[:headers], channels, level):
        # Without a heading over several columns these are the lines of one heading row.
        bands = [[row for band in bands[:headers] for row in band], *bands[headers:]]
        headers = 1
    if len(bands) < 2:
        return None
    cells: list[WordCell] = []
    for index, band in enumerate(bands):
        # Rules that span some columns belong to headings; further down they are the edges of shaded cells.
        cells.extend(_cells(index, band, channels, level if index < _HEADING_ROWS else ()))
    return WordGrid(tuple(cells), len(bands), len(channels) + 1, headers)


def text_rows(words: Sequence[Word]) -> list[list[Word]]:
    """Words on one height, each row from left to right, rows from top to bottom."""
    rows: list[list[Word]] = []
    spans: list[tuple[float, float]] = []
    tallest = 0.0
    for word in sorted(words, key=lambda word: (word.box.middle[1], word.box.x0)):
        middle = word.box.middle[1]
        if rows and spans[-1][0] <= middle <= spans[-1][1]:
            rows[-1].append(word)
            if word.box.height > tallest:
                tallest = word.box.height
                spans[-1] = (word.box.y0, word.box.y1)
            continue
        rows.append([word])
        tallest = word.box.height
        # A tall box at the edge of a row would swallow the next: the middle of the height decides.
        inset = 0.2 * word.box.height
        spans.append((word.box.y0 + inset, word.box.y1 - inset))
    return [sorted(row, key=lambda word: word.box.x0) for row in rows]


Phrase = tuple[Word, ...]


def _phrases(row: Sequence[Word], upright: Sequence[float]) -> list[Phrase]:
    """Words that stand together; a vertical rule always parts them."""
    phrases: list[list[Word]] = [[row[0]]]
    for left, right in pairwise(row):
        gap = right.box.x0 - left.box.x1
        ruled = any(left.box.middle[0] < x < right.box.middle[0] for x in upright)
        if ruled or gap >= _PHRASE_EM * max(left.size, right.size):
            phrases.append([right])
        else:
            phrases[-1].append(right)
    return [tuple(phrase) for phrase in phrases]


def _at_channels(row: Sequence[Phrase], channels: Sequence[Rect]) -> list[Phrase]:
    """Part phrases at the channels that run through one of their wider gaps, or beside a number."""
    parted: list[Phrase] = []
    columnar = _is_columnar(row, channels)
    for phrase in row:
        start = 0
        for index in range(1, len(phrase)):
            left, right = phrase[index - 1], phrase[index]
            between = any(
                left.box.x1 - 0.5 <= channel.middle[0] <= right.box.x0 + 0.5 for channel in channels
            )
            wide = right.box.x0 - left.box.x1 >= _DENSE_EM * max(left.size, right.size)
            if between and (columnar or wide or NUMERIC.match(left.text) or NUMERIC.match(right.text)):
                parted.append(phrase[start:index])
                start = index
        parted.append(phrase[start:])
    return parted


def _is_columnar(row: Sequence[Phrase], channels: Sequence[Rect]) -> bool:
    """Whether the words of a row leave the channels white: a phrase that spans columns would cross them."""
    words = [word for phrase in row for word in phrase]
    left, right = min(word.box.x0 for word in words), max(word.box.x1 for word in words)
    middles = [channel.middle[0] for channel in channels if left < channel.middle[0] < right]
    white = sum(not any(word.box.x0 < x < word.box.x1 for word in words) for x in middles)
    return len(middles) >= 2 and white >= 0.8 * len(middles)


def find_channels(rows: Sequence[Sequence[Phrase]], upright: Sequence[float] = ()) -> list[Rect]:
    """The white channels between columns, from left to right.

    Args:
        rows: Each row's phrases.
        upright: x of vertical rules, each of which is a channel in any case.
    """
    most = max(len(row) for row in rows)
    if most < 2:
        return []
    full = [row for row in rows if len(row) >= max(2, _FULL_ROW * most)]
    others = [row for row in rows if len(row) < max(2, _FULL_ROW * most)]
    sizes = sorted(word.size for row in rows for phrase in row for word in phrase)
    em = sizes[len(sizes) // 2]
    # In few rows a gap between words may line up by chance, so whole phrases count; many rows do not agree
    # by chance, and then narrower channels are real.
    if len(full) >= _MANY_ROWS:
        pieces = [[word.box for phrase in row for word in phrase] for row in full]
        narrowest = _DENSE_EM * em
    else:
        pieces = [[bounds([word.box for word in phrase]) for phrase in row] for row in full]
        narrowest = _PHRASE_EM * em
    top = min(box.y0 for row in pieces for box in row)
    bottom = max(box.y1 for row in pieces for box in row)
    channels = [
        Rect(start, top, end, bottom)
        for start, end in _white([(box.x0, box.x1) for row in pieces for box in row])
        if end - start >= narrowest
    ]
    crossing = [[(phrase[0].box.x0, phrase[-1].box.x1) for phrase in row] for row in others]
    channels = [channel for channel in channels if not _too_often_crossed(channel, crossing)]
    for x in upright:
        inside = (
            min(box.x0 for row in pieces for box in row) < x < max(box.x1 for row in pieces for box in row)
        )
        if inside and not any(channel.x0 - 1 <= x <= channel.x1 + 1 for channel in channels):
            channels.append(Rect(x, top, x, bottom))
    return sorted(channels)


def _white(spans: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    reached: float | None = None
    for start, end in sorted(spans):
        if reached is not None and start > reached:
            found.append((reached, start))
        reached = end if reached is None else max(reached, end)
    return found


def _too_often_crossed(channel: Rect, others: Sequence[Sequence[tuple[float, float]]]) -> bool:
    middle = channel.middle[0]
    crossed = sum(any(start < middle < end for start, end in row) for row in others)
    return crossed > 2 and crossed > _CROSSED * max(len(others), 1) and crossed > 0.25 * len(others) + 2


Band = list[list[Phrase]]


def _bands(rows: list[list[Phrase]], channels: Sequence[Rect], full: Sequence[float]) -> list[Band]:
    """Text rows to table rows: by the rules between them, or by their distances and how full they are."""
    tops = [min(phrase[0].box.y0 for phrase in row) for row in rows]
    bottoms = [max(phrase[0].box.y1 for phrase in row) for row in rows]
    middles = [(top + bottom) / 2 for top, bottom in zip(tops, bottoms, strict=True)]
    ruled = [any(upper < y < lower for y in full) for upper, lower in pairwise(middles)]
    by_rule = sum(ruled) >= max(2, 0.3 * len(rows)) or (sum(ruled) >= 2 and sum(ruled) + 1 >= 0.6 * len(rows))
    steps = [lower - upper for upper, lower in pairwise(middles)]
    tight = _tight_step(steps)
    bands: list[Band] = [[rows[0]]]
    for index in range(1, len(rows)):
        filled = _filled(rows[index], channels)
        before = _filled(rows[index - 1], channels)
        if ruled[index - 1]:
            goes_on = False
        elif by_rule:
            goes_on = not _repeats(rows[index], bands[-1], channels)
        else:
            goes_on = (
                tight is not None
                and steps[index - 1] <= tight
                and len(filled) < len(channels) + 1
                and not _repeats(rows[index], bands[-1], channels)
                and filled <= set().union(*(_filled(row, channels) for row in bands[-1]), before)
            )
        if goes_on:
            bands[-1].append(rows[index])
        else:
            bands.append([rows[index]])
    return bands


def _repeats(row: list[Phrase], band: Band, channels: Sequence[Rect]) -> bool:
    """Whether the row fills the columns that the band fills with numbers: then it is no second line."""
    first = set().union(*(_filled(other, channels) for other in band))
    shared = len(_filled(row, channels) & first)
    texts = ["".join(word.text for word in phrase) for phrase in row]
    numbers = sum(bool(NUMERIC.match(text)) for text in texts)
    return len(first) > 1 and shared >= 0.6 * len(first) and numbers >= 0.5 * len(texts)


def _tight_step(steps: Sequence[float]) -> float | None:
    """The largest distance between two lines of one cell, where distances are of two kinds; else None."""
    ordered = sorted(steps)
    if len(ordered) < 3:
        return None
    jumps = [(b - a, a) for a, b in pairwise(ordered) if b > 1.2 * a]
    if not jumps:
        return None
    _, edge = max(jumps)
    below = sum(step <= edge for step in ordered)
    return edge if below >= 1 and len(ordered) - below >= 2 else None


def _filled(row: Sequence[Phrase], channels: Sequence[Rect]) -> set[int]:
    return {column for phrase in row for column in _columns(phrase, channels)}


def _columns(phrase: Phrase, channels: Sequence[Rect]) -> range:
    """The columns over which a phrase reaches."""
    start, end = phrase[0].box.x0, max(word.box.x1 for word in phrase)
    first = sum(channel.middle[0] <= start + 0.5 for channel in channels)
    last = sum(channel.middle[0] < end - 0.5 for channel in channels)
    return range(first, max(first, last) + 1)


def _cells(index: int, band: Band, channels: Sequence[Rect], level: Sequence[Rect]) -> list[WordCell]:
    """The cells of one table row."""
    spans: list[list[int]] = []  # [first column, last column]
    for row in band:
        for phrase in row:
            columns = _columns(phrase, channels)
            first, last = columns[0], columns[-1]
            ruled = _ruled_span(phrase, channels, level)
            if ruled is not None:
                first, last = min(first, ruled[0]), max(last, ruled[1])
            spans.append([first, last])
    spans.sort()
    merged: list[list[int]] = []
    for first, last in spans:
        if merged and first <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], last)
        else:
            merged.append([first, last])
    cells = []
    for first, last in merged:
        words = [
            word
            for row in band
            for phrase in row
            if first <= _columns(phrase, channels)[0] <= last
            for word in phrase
        ]
        cells.append(WordCell(index, first, 1, last - first + 1, tuple(words)))
    return cells


def _ruled_span(phrase: Phrase, channels: Sequence[Rect], level: Sequence[Rect]) -> tuple[int, int] | None:
    """The columns over which a rule right under a heading reaches, where it reaches over some but not all."""
    box = bounds([word.box for word in phrase])
    for rule in level:
        under = 0 <= rule.y0 - box.y1 + 0.3 * box.height <= 0.9 * box.height
        if not under or not rule.x0 - 2 <= box.middle[0] <= rule.x1 + 2:
            continue
        first = sum(channel.middle[0] <= rule.x0 + 1 for channel in channels)
        last = sum(channel.middle[0] < rule.x1 - 1 for channel in channels)
        if last > first and last - first < len(channels):
            return first, last
    return None


def _has_spans(bands: Sequence[Band], channels: Sequence[Rect], level: Sequence[Rect]) -> bool:
    """Whether a phrase reaches over several columns, by itself or by the rule below it."""
    return any(
        len(_columns(phrase, channels)) > 1 or _ruled_span(phrase, channels, level) is not None
        for band in bands
        for row in band
        for phrase in row
    )


def _header_rows(bands: Sequence[Band], full: Sequence[float]) -> int:
    """Rows above the first full rule inside of the table; 0 where no rule says it."""
    tops = [min(phrase[0].box.y0 for row in band for phrase in row) for band in bands]
    bottoms = [max(phrase[0].box.y1 for row in band for phrase in row) for band in bands]
    for y in full:
        above = sum(bottom <= y + 2 for bottom in bottoms)
        if 0 < above < len(bands) and tops[above] >= y - 2:
            return above if above <= 4 else 0
    return 0
