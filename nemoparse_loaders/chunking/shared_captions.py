"""Captions that speak for several floats: a figure in parts side by side, a table in parts below each other.

`captions` gives each caption to one float. The others of its group borrow it: their chunks begin with its
words, as those of later pieces of a cut table do, and its element is in the chunk of its owner alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..document import BBox, ElementType
from .body import Placed
from .captions import is_float

_LABEL = re.compile(
    r"\W*(?:table|tab\.|tabelle|tableau|tabla|tabella|fig(?:ure|\.)?|figura|chart|diagram|plate|graph"
    r"|abb(?:ildung|\.)|exhibit|表|图|圖)\s*(?:[A-Z]?[.-]?\d|[IVX]+\b)",
    re.IGNORECASE,
)
# What names one part of a figure: "(a) Front view".
_PART = re.compile(r"\W*[a-h]\)|\([a-h]\b", re.IGNORECASE)
_LONGEST_PART = 100
_MAY_STAND_BETWEEN = frozenset({ElementType.CAPTION.value, ElementType.TEXT.value})
# Floats of a group are no further apart than this, of the page's sides; a caption may lie so far over their
# edge.
_NEAR = 0.06
_EDGE = 0.02
# A caption of floats side by side stands along so much of their width, or in the middle of it.
_ALONG = 0.6
_MIDDLE = 0.04


@dataclass(slots=True)
class _Group:
    """Floats of one kind next to each other on a page, of which one at most has a caption with a number.

    Attributes:
        members: In reading order.
        box: Around all of them; None if one has none.
        label: The caption with a number.
        is_row: Two that follow each other stand side by side.
    """

    members: list[Placed]
    box: BBox | None
    label: Placed | None
    is_row: bool = False


def share_captions(
    body: Sequence[Placed], captions: Mapping[int, Sequence[Placed]]
) -> dict[int, list[Placed]]:
    """The captions that floats borrow from the one that has them.

    Tables, or pictures and charts, are a group if they stand next to each other on one page with nothing
    between but names of their parts. If there is one caption with a number ("Figure 3") among theirs, and
    beside it nothing but its further lines and names of parts, then it is for all of them, as long as it
    stands above or below them all: along their width or in the middle of it where they stand side by side.

    Args:
        body: In reading order.
        captions: Position of a float -> its captions.

    Returns:
        Position of a float -> the captions that are lent to it, in reading order.
    """
    lent: dict[int, list[Placed]] = {}
    for group in _groups(body, captions):
        if group.label is None or len(group.members) < 2 or not _is_for_all(group, group.label):
            continue
        owners = {
            caption.position: member
            for member in group.members
            for caption in captions.get(member.position, ())
            if not _is_part(caption)
        }
        # Its lines may have gone to several members.
        first = group.label.position
        lines = body[first : first + len(owners)]
        if any(line.position not in owners for line in lines):
            continue
        for member in group.members:
            borrowed = [line for line in lines if owners[line.position] is not member]
            if borrowed:
                lent[member.position] = borrowed
    return lent


def _groups(body: Sequence[Placed], captions: Mapping[int, Sequence[Placed]]) -> list[_Group]:
    groups: list[_Group] = []
    is_open = False
    for placed in body:
        if not is_float(placed):
            is_open = is_open and (placed.element.type == ElementType.CAPTION.value or _is_part(placed))
            continue
        own = captions.get(placed.position, ())
        label = next((caption for caption in own if _LABEL.match(caption.element.text)), None)
        if is_open and _belongs(groups[-1], placed, label):
            _add(groups[-1], placed, label)
        else:
            groups.append(_Group([placed], placed.element.bbox, label))
            is_open = True
    return groups


def _belongs(group: _Group, placed: Placed, label: Placed | None) -> bool:
    last = group.members[-1]
    if placed.page is not last.page or _is_table(placed) is not _is_table(last):
        return False
    if label is not None and group.label is not None:
        return False
    label = label or group.label
    box, other = group.box, placed.element.bbox
    if box is None or other is None:
        return label is None or not last.position < label.position < placed.position
    if max(other.y0 - box.y1, box.y0 - other.y1, other.x0 - box.x1, box.x0 - other.x1) > _NEAR:
        return False
    between = label.element.bbox if label is not None else None
    return between is None or not (between.y0 >= box.y1 - _EDGE and between.y1 <= other.y0 + _EDGE)


def _add(group: _Group, placed: Placed, label: Placed | None) -> None:
    last, box = group.members[-1].element.bbox, placed.element.bbox
    if last is not None and box is not None:
        group.is_row = group.is_row or _shared_width(last, box) <= 0
    group.box = None if group.box is None or box is None else group.box.union(box)
    group.members.append(placed)
    if label is not None:
        group.label = label


def _is_for_all(group: _Group, label: Placed) -> bool:
    box, own = group.box, label.element.bbox
    if box is None or own is None:
        return not group.members[0].position < label.position < group.members[-1].position
    if own.y1 > box.y0 + _EDGE and own.y0 < box.y1 - _EDGE:
        return False
    shared = _shared_width(own, box)
    if not group.is_row:
        return 2 * shared >= own.width
    return shared >= _ALONG * box.width or abs(own.x0 + own.x1 - box.x0 - box.x1) <= 2 * _MIDDLE


def _shared_width(box: BBox, other: BBox) -> float:
    return min(box.x1, other.x1) - max(box.x0, other.x0)


def _is_table(placed: Placed) -> bool:
    return placed.element.type == ElementType.TABLE.value


def _is_part(placed: Placed) -> bool:
    text = placed.element.text
    is_short = placed.element.type in _MAY_STAND_BETWEEN and len(text) <= _LONGEST_PART
    return is_short and _PART.match(text) is not None
