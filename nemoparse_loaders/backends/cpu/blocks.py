"""Lines to blocks: paragraphs, headings, list items, each on its own.

Two lines belong to one block when they stand below each other in one column, in one size, closer than the
column's own leading allows for a break. Indents then part paragraphs, unless the column hangs its entries.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from .geometry import Rect, bounds
from .parts import Block, Line, Region, is_rtl

_SIZE_RATIO = 0.88  # lines whose sizes differ more are of different blocks
_LEADING_SLACK = 1.28  # a step larger than this many times the column's leading is a break
_MAX_LEADING_EM = 2.3  # a step larger than this many font sizes is a break in any case
_INDENT_EM = 0.7
_PROSE = frozenset({"text", "reference", "table_caption", "figure_caption"})
_BOLD = 0.6
_UNSURE = 0.45  # a region with a lower score says nothing

NUMBERED = re.compile(r"^(?:(\d{1,2}(?:\.\d{1,3})*)\.?|([A-Z](?:\.\d{1,3})+)\.?)\s+(?=\S)")
_BULLET = r"[•◦▪●○■□‣∙·➢►▶✓✔❖⁃]|[-–—*](?=\s)"
_COUNTER = (
    r"(?:[(\[]?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]|\((?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})\)|\[\d{1,3}\])(?=\s)"
)
BULLET = re.compile(rf"^(?:{_BULLET})")
LIST_MARKER = re.compile(rf"^(?:{_BULLET}|{_COUNTER})")


def region_of(box: Rect, regions: Sequence[Region]) -> Region | None:
    """The region in which most of the box lies; the surer, then the smaller one wins."""
    best: Region | None = None
    # Boxes of words have air above and below the letters, those of the model have none.
    core = Rect(box.x0, box.y0 + 0.2 * box.height, box.x1, box.y1 - 0.2 * box.height)
    for region in regions:
        if core.share_in(region.box) < 0.6:
            continue
        if region.score < _UNSURE:
            continue
        if best is None or (round(region.score, 1), -region.box.area) > (
            round(best.score, 1),
            -best.box.area,
        ):
            best = region
    return best


def build_blocks(lines: Sequence[Line], regions: Sequence[Region] = ()) -> list[Block]:
    """Group lines to blocks.

    Args:
        lines: Ordered by their top edge.
        regions: What the layout model found; lines of regions of different classes stay apart.

    Returns:
        Blocks in no particular order, their type still "Text".
    """
    blocks: list[Block] = []
    for column in _columns(lines, regions):
        for group in _paragraphs(column):
            box = bounds([line.box for line in group])
            region = region_of(box, regions)
            blocks.append(Block(box, group, region=region.kind if region else None))
    return blocks


def _columns(lines: Sequence[Line], regions: Sequence[Region]) -> list[list[Line]]:
    """Runs of lines below each other, in one style and one region, without a clear break."""
    runs: list[list[Line]] = []
    places: list[Region | None] = []
    for line in lines:
        place = region_of(line.box, regions)
        best: int | None = None
        for index in range(len(runs) - 1, max(-1, len(runs) - 60), -1):
            last = runs[index][-1]
            if not _continues(last, line):
                continue
            if _differs(places[index], place) and not _one_heading(last, line):
                continue
            if best is None or last.box.y1 > runs[best][-1].box.y1:
                best = index
        if best is None:
            runs.append([line])
            places.append(place)
        else:
            runs[best].append(line)
    return runs


def _differs(a: Region | None, b: Region | None) -> bool:
    if a is not None and b is not None and a.kind == b.kind == "title":
        return a is not b and a.box.share_in(b.box) < 0.5 and b.box.share_in(a.box) < 0.5
    return _prose_or_kind(a) != _prose_or_kind(b)


def _one_heading(last: Line, line: Line) -> bool:
    """Two bold or capital lines of one font and size, of which the model saw but one as a heading."""
    alike = last.font == line.font and abs(last.size - line.size) < 0.2
    bold = last.share("bold") > 0.9 and line.share("bold") > 0.9
    return alike and (bold or (last.text.isupper() and line.text.isupper()))


def _prose_or_kind(region: Region | None) -> str:
    # Within one paragraph the model may see text, references and the first line of a caption.
    return "text" if region is None or region.kind in _PROSE else region.kind


def _continues(last: Line, line: Line) -> bool:
    """Whether the line may follow the last one in a block."""
    a, b = last.box, line.box
    size = max(last.size, line.size)
    if min(last.size, line.size) < _SIZE_RATIO * size:
        return False
    if a.across(b) < 0.5 * min(a.width, b.width):
        return False
    if last.font and line.font and _family(last.font) != _family(line.font):
        return False
    if (last.share("mono") > 0.8) != (line.share("mono") > 0.8):
        return False
    step = b.y1 - a.y1
    if not 0.3 * size < step <= _MAX_LEADING_EM * size:
        return False
    if last.share("bold") >= _BOLD and line.share("bold") >= _BOLD:
        # A heading right under another: it has a number of its own, or another slope.
        slopes = last.share("italic") > 0.5, line.share("italic") > 0.5
        return slopes[0] == slopes[1] and not (NUMBERED.match(line.text) and NUMBERED.match(last.text))
    return not _heading_like(last, line)


def _family(font: str) -> str:
    """A font's name without what says weight and slope."""
    return re.split(r"[-,]", font, maxsplit=1)[0]


def _heading_like(last: Line, line: Line) -> bool:
    """A bold line above or below plain text stands alone, unless it merely opens or closes a sentence."""
    bold, plain = (last, line) if last.share("bold") >= _BOLD else (line, last)
    return bold.share("bold") > 0.95 and plain.share("bold") < 0.5


def _paragraphs(column: list[Line]) -> list[list[Line]]:
    """Part a run of lines at wide steps, list markers and indents."""
    if len(column) == 1:
        return [column]
    steps = sorted(b.box.y1 - a.box.y1 for a, b in pairwise(column))
    # The lower quartile: in a list with air between its items the middle step is already a break.
    leading = max(steps[len(steps) // 4], 0.9 * column[0].size)
    starts = [_edges(line)[0] for line in column]
    ends = [_edges(line)[1] for line in column]
    left, right = min(starts), max(ends)
    em = column[0].size
    indented = [
        starts[index] - left > _INDENT_EM * em and not _beside_initial(line, column[:index])
        for index, line in enumerate(column)
    ]
    hanging = _hangs(column, indented)
    groups: list[list[Line]] = [[column[0]]]
    for index in range(1, len(column)):
        last, line = column[index - 1], column[index]
        wide = line.box.y1 - last.box.y1 > _LEADING_SLACK * leading + 0.5
        marked = _opens_item(line, last, full=ends[index - 1] > right - 1.5 * em)
        if hanging:
            begins = not indented[index] and indented[index - 1]
        else:
            begins = indented[index] and not indented[index - 1] and not LIST_MARKER.match(groups[-1][0].text)
        short = ends[index - 1] < right - 0.25 * (right - left) and last.text.rstrip()[-1:] in ".:;!?"
        if wide or marked or begins or (short and not indented[index] and len(column) > 3):
            groups.append([line])
        else:
            groups[-1].append(line)
    return groups


def _beside_initial(line: Line, above: Sequence[Line]) -> bool:
    """Whether a large initial of a line above reaches down beside this line."""
    middle = line.box.middle[1]
    return any(
        word.size > 1.6 * line.size and word.box.y1 > middle
        for other in above[-4:]
        for word in other.words[:1]
    )


def _opens_item(line: Line, last: Line, *, full: bool) -> bool:
    """Whether the line opens a list item: a number at its start may as well go on with a sentence."""
    if BULLET.match(line.text):
        return True
    if not LIST_MARKER.match(line.text):
        return False
    return not full or bool(LIST_MARKER.match(last.text)) or last.text.rstrip()[-1:] in ".:;!?)"


def _edges(line: Line) -> tuple[float, float]:
    """Where the line starts and ends in its reading direction."""
    if is_rtl(line.text):
        return -line.box.x1, -line.box.x0
    return line.box.x0, line.box.x1


def _hangs(column: list[Line], indented: list[bool]) -> bool:
    """Whether entries start flush and go on indented, as bibliographies do."""
    inner = sum(indented)
    return inner >= 0.4 * len(column) and not indented[0] and not LIST_MARKER.match(column[0].text)
