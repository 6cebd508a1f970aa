"""Tables of a page: where they are, their cells, their heading rows.

Ruling lines come first, since they leave no doubt; then the regions in which the layout model sees a table,
read by the alignment of their words with the rules as hints; then groups of long rules of one width, as
printed tables without vertical lines have them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence

from ...document import Table, TableCell
from .aligned_grid import NUMERIC, WordCell, WordGrid, aligned_grid, text_rows
from .geometry import Rect, bounds
from .markup import markdown
from .parts import Block, Line, Region, Word
from .ruling_grid import Grid, GridCell, ruled_grids
from .table_repair import split_stacked, without_slivers

Ground = Callable[[Rect], int]

_SURE = 0.5
_MIN_FILLED = 0.3  # share of a ruled grid's cells that hold words, at least
_MAX_STRADDLING = 0.12  # share of words that a cell's side may cut
_COVERS = 0.6
_RULE_EDGE_PT = 4.0
_MAX_HEADERS = 4
_LEADERS = re.compile(r"(?<=\S)\s*(?:\.\s?){4,}$")
_SHADE = 5  # grey levels by which a shaded heading differs from the body


def find_tables(
    words: Sequence[Word], rulings: Sequence[Rect], regions: Sequence[Region], ground: Ground
) -> list[Block]:
    """All tables of a page.

    Args:
        words: In points of the frame.
        rulings: Horizontal and vertical lines, in points of the frame.
        regions: What the layout model found.
        ground: The grey level of the paper in a rectangle.

    Returns:
        One block of type Table each, with its grid; none overlap.
    """
    found: list[Block] = []
    for grid in ruled_grids(rulings):
        if _free(grid.box, found) and (block := _ruled_table(grid, words, rulings, regions, ground)):
            found.append(block)
    seen = [region for region in regions if region.kind == "table" and region.score >= _SURE]
    for region in sorted(seen, key=lambda region: -region.score):
        if _free(region.box, found) and (block := _aligned_table(region.box, words, rulings, ground)):
            found.append(block)
    for box in _rule_groups(rulings):
        figure = any(region.kind == "figure" and box.share_in(region.box) > _COVERS for region in regions)
        if (
            _free(box, found)
            and not figure
            and (block := _aligned_table(box, words, rulings, ground, strict=True))
        ):
            found.append(block)
    return found


def _free(box: Rect, found: Sequence[Block]) -> bool:
    return all(box.share_in(block.box) < 0.5 and block.box.share_in(box) < 0.5 for block in found)


def inside(words: Sequence[Word], box: Rect) -> list[Word]:
    """The words whose centre lies in the box."""
    return [word for word in words if box.holds(*word.box.middle)]


def _ruled_table(
    grid: Grid, words: Sequence[Word], rulings: Sequence[Rect], regions: Sequence[Region], ground: Ground
) -> Block | None:
    held = inside(words, grid.box)
    if not held:
        return None
    figure = max(
        (r.score for r in regions if r.kind == "figure" and grid.box.share_in(r.box) > _COVERS), default=0
    )
    table = max((r.score for r in regions if r.kind == "table" and grid.box.share_in(r.box) > 0.4), default=0)
    if figure > table:
        return None
    larger = [
        region
        for region in regions
        if region.kind == "table" and region.score >= _SURE and grid.box.area < _COVERS * region.box.area
        and grid.box.share_in(region.box) > 0.8
    ]  # fmt: skip
    grid = without_slivers(grid, held)
    cells = _fill(grid, held)
    if larger and not _is_coarse(WordGrid(tuple(cells), grid.n_rows, grid.n_cols)):
        # The rules draw a part of the table only, such as its heading.
        block = _aligned_table(larger[0].box, words, rulings, ground)
        if block is not None:
            return block
    filled = sum(bool(cell.words) for cell in cells)
    if filled < 2 or (filled < _MIN_FILLED * len(cells) and not table):
        return None
    if _straddling(grid, held) > _MAX_STRADDLING * len(held):
        return None
    word_grid = split_stacked(WordGrid(tuple(cells), grid.n_rows, grid.n_cols))
    if _is_coarse(word_grid):
        box = bounds(
            [grid.box, *(r.box for r in regions if r.kind == "table" and grid.box.share_in(r.box) > 0.8)]
        )
        box = _to_rules(box, rulings)
        split = aligned_grid(inside(words, box), [*_level_within(box, rulings), *_column_lines(grid)])
        if split is not None and split.n_rows > grid.n_rows:
            return Block(box, type="Table", table=_table(split, {}, ground))
    if word_grid.n_rows * word_grid.n_cols < 2 or (word_grid.n_cols == 1 and not table):
        return None
    shades = (
        {(cell.row, cell.col): cell.box for cell in grid.cells} if word_grid.cells == tuple(cells) else {}
    )
    return Block(grid.box, type="Table", table=_table(word_grid, shades, ground))


def _level_within(box: Rect, rulings: Sequence[Rect]) -> list[Rect]:
    return [rule for rule in rulings if rule.width > rule.height and rule.share_in(box.grown(3)) > 0]


def _column_lines(grid: Grid) -> list[Rect]:
    """The inner sides of the columns, drawn from top to bottom: what the heading rules holds for the rows."""
    inner = {cell.box.x0 for cell in grid.cells if cell.box.x0 > grid.box.x0 + 1}
    return [Rect(x, grid.box.y0, x, grid.box.y1) for x in sorted(inner)]


def _fill(grid: Grid, words: Sequence[Word]) -> list[WordCell]:
    """Give each word to the cell that holds its centre."""
    bands: dict[int, list[GridCell]] = {}
    for cell in grid.cells:
        for band in range(int(cell.box.y0 // 20), int(cell.box.y1 // 20) + 1):
            bands.setdefault(band, []).append(cell)
    held: dict[tuple[int, int], list[Word]] = {}
    for word in words:
        x, y = word.box.middle
        for cell in bands.get(int(y // 20), ()):
            if cell.box.holds(x, y):
                held.setdefault((cell.row, cell.col), []).append(word)
                break
    return [
        WordCell(cell.row, cell.col, cell.rowspan, cell.colspan, tuple(held.get((cell.row, cell.col), ())))
        for cell in grid.cells
    ]


def _straddling(grid: Grid, words: Sequence[Word]) -> int:
    """How many words a vertical side of a cell cuts clearly: in a chart the lines run through them."""
    sides = sorted({(cell.box.x0, cell.box.y0, cell.box.y1) for cell in grid.cells})
    xs = [side[0] for side in sides]
    count = 0
    for word in words:
        inset = 0.25 * word.box.width
        start = bisect_left(xs, word.box.x0 + inset)
        for x, top, bottom in sides[start:]:
            if x >= word.box.x1 - inset:
                break
            if top <= word.box.middle[1] <= bottom and x > grid.box.x0:
                count += 1
                break
    return count


def _is_coarse(grid: WordGrid) -> bool:
    """Whether rows stand in the cells below each other without rules between them."""
    by_row: dict[int, list[WordCell]] = {}
    for cell in grid.cells:
        if cell.colspan > 1 and _holds_a_table(cell):
            return True
        if cell.rowspan == 1 and cell.words:
            by_row.setdefault(cell.row, []).append(cell)
    for cells in by_row.values():
        if len(cells) < 2:
            continue
        rows = text_rows([word for cell in cells for word in cell.words])
        if len(rows) < 3:
            continue
        columns = [[_text_in(row, cell) for row in rows] for cell in cells]
        full = [all(column[index] for column in columns) for index in range(len(rows))]
        numeric = any(
            sum(bool(NUMERIC.match(text)) for text in column) >= 0.6 * len(rows) for column in columns
        )
        if numeric and sum(full) >= 0.6 * len(rows):
            return True
    return False


def _holds_a_table(cell: WordCell) -> bool:
    """Whether a cell over several columns holds rows and columns of its own."""
    if len(cell.words) < 12:
        return False
    inner = aligned_grid(cell.words)
    return inner is not None and inner.n_rows >= 5 and inner.n_cols >= 3


def _text_in(row: Sequence[Word], cell: WordCell) -> str:
    return "".join(word.text for word in row if word in cell.words)


def _aligned_table(
    region: Rect, words: Sequence[Word], rulings: Sequence[Rect], ground: Ground, *, strict: bool = False
) -> Block | None:
    box = _to_rules(region, rulings)
    held = inside(words, box.grown(1.0))
    rules = [rule for rule in rulings if rule.share_in(box.grown(3.0)) > 0 and rule.across(box) >= -3]
    grid = aligned_grid(held, rules)
    if grid is None:
        return None
    if strict and sum(len(cell.words) > 0 for cell in grid.cells) < 0.5 * grid.n_rows * grid.n_cols:
        return None
    box = bounds([box if rules else held[0].box, *(word.box for word in held)])
    return Block(box, type="Table", table=_table(grid, {}, ground))


def _to_rules(region: Rect, rulings: Sequence[Rect]) -> Rect:
    """The region, grown to the rules of its own width that stand close by: the model's boxes cut rows off."""
    box = region
    slack = 0.05 * region.height + 8
    for rule in rulings:
        if rule.height > rule.width or rule.width < 0.6 * region.width or rule.width > 1.15 * region.width:
            continue
        near = -slack <= rule.y0 - box.y1 <= slack or -slack <= box.y0 - rule.y0 <= slack
        if near and rule.across(region) > 0.9 * rule.width - 4:
            box = box.union(rule)
    return box


def _rule_groups(rulings: Sequence[Rect]) -> list[Rect]:
    """Boxes between three or more long horizontal rules of one width below each other."""
    groups: list[list[Rect]] = []
    level = [rule for rule in rulings if rule.width > rule.height and rule.width > 80]
    for rule in sorted(level, key=lambda rule: rule.y0):
        for group in groups:
            same = abs(group[0].x0 - rule.x0) < _RULE_EDGE_PT and abs(group[0].x1 - rule.x1) < _RULE_EDGE_PT
            if same and rule.y0 - group[-1].y0 < 300:
                group.append(rule)
                break
        else:
            groups.append([rule])
    return [bounds(group) for group in groups if len(group) >= 3]


def _table(grid: WordGrid, shades: dict[tuple[int, int], Rect], ground: Ground) -> Table:
    header_rows = grid.header_rows or _header_rows(grid, shades, ground)
    cells = tuple(
        TableCell(
            row=cell.row,
            col=cell.col,
            rowspan=cell.rowspan,
            colspan=cell.colspan,
            text=cell_text(cell.words),
            is_header=cell.row < header_rows,
        )
        for cell in sorted(grid.cells, key=lambda cell: (cell.row, cell.col))
    )
    return Table(cells=cells, n_rows=grid.n_rows, n_cols=grid.n_cols, header_rows=header_rows)


def cell_text(words: Sequence[Word]) -> str:
    """The words of a cell as one line of Markdown; weight and slope are left to the headings."""
    text = markdown([Line(tuple(row)) for row in text_rows(words)], styled=False) if words else ""
    return _LEADERS.sub("", text)


def _header_rows(grid: WordGrid, shades: dict[tuple[int, int], Rect], ground: Ground) -> int:
    """How many rows at the top are headings: by weight, by shade, by their kind of content."""
    if grid.n_rows < 2:
        return 0
    rows: list[list[WordCell]] = [[] for _ in range(grid.n_rows)]
    for cell in grid.cells:
        rows[cell.row].append(cell)
    bold = [_bold(row) for row in rows]
    count = 0
    if bold[0] and not all(bold):
        count = next((index for index, value in enumerate(bold) if not value), 0)
    if not count and shades:
        levels = [_shade(row, shades, ground) for row in rows]
        body = sorted(levels[len(levels) // 2 :])[len(levels[len(levels) // 2 :]) // 2]
        count = next((i for i, level in enumerate(levels) if abs(level - body) < _SHADE), 0)
    if not count or count > _MAX_HEADERS:
        count = 1
    # What a heading cell spans belongs to the heading, and so does the row under headings over columns.
    reach = max((cell.row + cell.rowspan for row in rows[:count] for cell in row), default=count)
    spanned = [cell for cell in rows[0] if 1 < cell.colspan < grid.n_cols]
    if spanned and reach == 1 and grid.n_rows > 2 and not _mostly_numeric(rows[1]):
        reach = 2
    return min(max(count, reach), _MAX_HEADERS, grid.n_rows - 1)


def _bold(row: Sequence[WordCell]) -> bool:
    letters = [word for cell in row for word in cell.words]
    return bool(letters) and all(word.bold for word in letters)


def _shade(row: Sequence[WordCell], shades: dict[tuple[int, int], Rect], ground: Ground) -> int:
    levels = sorted(ground(shades[cell.row, cell.col]) for cell in row)
    return levels[len(levels) // 2] if levels else 255


def _mostly_numeric(row: Sequence[WordCell]) -> bool:
    texts = ["".join(word.text for word in cell.words) for cell in row if cell.words]
    return bool(texts) and sum(bool(NUMERIC.match(text)) for text in texts) > 0.5 * len(texts)
