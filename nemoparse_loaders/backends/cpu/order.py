"""Reading order: a recursive cut of the page at its white gutters.

Where two columns stand side by side, what reaches over both (a title, a wide figure) parts the page into
bands; in each band the columns are read one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from .geometry import Rect

_MAX_DEPTH = 24
_MIN_GUTTER_PT = 4.0
_TOUCH_PT = 1.5
_MIN_BESIDE_PT = 4.0
_CROSSING_COST = 0.5
_FULL_WIDTH = 0.75


def reading_order(boxes: Sequence[Rect], *, rtl: bool = False) -> list[int]:
    """The order in which a reader takes the boxes.

    Args:
        boxes: In points.
        rtl: Columns go from right to left.

    Returns:
        A permutation of the indices.
    """
    return _order(boxes, list(range(len(boxes))), rtl, 0)


def _order(boxes: Sequence[Rect], members: list[int], rtl: bool, depth: int) -> list[int]:
    if len(members) < 2:
        return members
    bands = _wide_bands(boxes, members) if depth < _MAX_DEPTH else []
    if bands:
        return [index for band in bands for index in _order(boxes, band, rtl, depth + 1)]
    gutter = _best_gutter(boxes, members) if depth < _MAX_DEPTH else None
    if gutter is None:
        return _rows(boxes, members, rtl)
    left = [index for index in members if boxes[index].x1 <= gutter]
    right = [index for index in members if boxes[index].x0 >= gutter]
    sides = {*left, *right}
    over = sorted((index for index in members if index not in sides), key=lambda index: boxes[index].y0)
    ordered: list[int] = []
    for columns, spanning in _bands(boxes, over, left, right, rtl):
        for column in columns:
            ordered.extend(_order(boxes, column, rtl, depth + 1))
        ordered.extend(spanning)
    return ordered


def _wide_bands(boxes: Sequence[Rect], members: list[int]) -> list[list[int]]:
    """Part the page at boxes of its full width that stand alone on their height; empty where none does."""
    width = max(boxes[index].x1 for index in members) - min(boxes[index].x0 for index in members)
    wide = [
        index
        for index in members
        if boxes[index].width >= _FULL_WIDTH * width
        and all(other == index or boxes[index].down(boxes[other]) <= _TOUCH_PT for other in members)
    ]
    if not wide:
        return []
    bands: list[list[int]] = []
    rest = [index for index in members if index not in wide]
    for index in sorted(wide, key=lambda index: boxes[index].y0):
        middle = boxes[index].middle[1]
        bands.append([other for other in rest if boxes[other].middle[1] < middle])
        bands.append([index])
        rest = [other for other in rest if boxes[other].middle[1] >= middle]
    bands.append(rest)
    return [band for band in bands if band]


def _bands(
    boxes: Sequence[Rect], over: list[int], left: list[int], right: list[int], rtl: bool
) -> list[tuple[list[list[int]], list[int]]]:
    """What stands above the first spanning box as columns, then that box, and so on; the rest at the end."""
    columns = [right, left] if rtl else [left, right]
    bands: list[tuple[list[list[int]], list[int]]] = []
    for index in over:
        middle = boxes[index].middle[1]
        above = [[other for other in column if boxes[other].middle[1] < middle] for column in columns]
        columns = [[other for other in column if boxes[other].middle[1] >= middle] for column in columns]
        bands.append((above, [index]))
    bands.append((columns, []))
    return bands


def _best_gutter(boxes: Sequence[Rect], members: list[int]) -> float | None:
    """The x of the gutter with most on both sides and least across; None where there is none."""
    best: tuple[float, float] | None = None
    chosen: float | None = None
    for left_edge, right_edge in _gaps(boxes, members):
        x = (left_edge + right_edge) / 2
        left = [index for index in members if boxes[index].x1 <= x]
        right = [index for index in members if boxes[index].x0 >= x]
        beside = _side_by_side(boxes, left, right)
        if beside < _MIN_BESIDE_PT:
            continue
        crossed = sum(boxes[index].height for index in members if boxes[index].x0 < x < boxes[index].x1)
        rank = (beside - _CROSSING_COST * crossed, right_edge - left_edge)
        if best is None or rank > best:
            best, chosen = rank, x
    return chosen


def _gaps(boxes: Sequence[Rect], members: list[int]) -> list[tuple[float, float]]:
    """Candidate gutters: from a right edge to the next left edge."""
    rights = sorted({round(boxes[index].x1, 1) for index in members})
    lefts = sorted({round(boxes[index].x0, 1) for index in members})
    found: set[tuple[float, float]] = set()
    for left_edge in lefts:
        before = [edge for edge in rights if edge <= left_edge + _TOUCH_PT]
        if before and left_edge - before[-1] >= _MIN_GUTTER_PT:
            found.add((before[-1], left_edge))
    return sorted(found)[:200]


def _side_by_side(boxes: Sequence[Rect], left: list[int], right: list[int]) -> float:
    """Over how many points of height both sides hold something."""
    return _overlap(_spans(boxes, left), _spans(boxes, right))


def _spans(boxes: Sequence[Rect], members: list[int]) -> list[tuple[float, float]]:
    spans: list[tuple[float, float]] = []
    for top, bottom in sorted((boxes[index].y0, boxes[index].y1) for index in members):
        if spans and top <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], bottom))
        else:
            spans.append((top, bottom))
    return spans


def _overlap(a: list[tuple[float, float]], b: list[tuple[float, float]]) -> float:
    total, i, j = 0.0, 0, 0
    while i < len(a) and j < len(b):
        total += max(0.0, min(a[i][1], b[j][1]) - max(a[i][0], b[j][0]))
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
    return total


def _rows(boxes: Sequence[Rect], members: list[int], rtl: bool) -> list[int]:
    """Top to bottom; boxes on one height from left to right."""
    rows: list[list[int]] = []
    for index in sorted(members, key=lambda index: (boxes[index].y0, boxes[index].x0)):
        box = boxes[index]
        if rows and box.middle[1] < boxes[rows[-1][0]].y1 and boxes[rows[-1][0]].middle[1] > box.y0:
            rows[-1].append(index)
        else:
            rows.append([index])
    return [
        index
        for row in rows
        for index in sorted(row, key=lambda index: -boxes[index].x1 if rtl else boxes[index].x0)
    ]
