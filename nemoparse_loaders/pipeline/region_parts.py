"""What of the reply to a region's picture answers to which element of the page; pure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from ..document import BBox, Element, ParsedPage
from .region_boxes import INSIDE, SAME, middle, share_inside, to_page
from .region_words import share_standing, tables_of, word_pairs
from .regions import same_family
from .standing import Standing, Words, words_in

# A block belongs to a region that half of it is in; the rest of the picture is margin.
_IN_REGION = 0.5
# A region is filled by blocks that cover half of it.
_FILLED = 0.5
# A box that ends less than this from the edge of its picture, in fractions of the page, touches it.
_EDGE = 0.002
# A region is one block and its neighbours; only a reply that runs wild has more.
_MOST_BLOCKS = 64


def blocks_on_page(reply: ParsedPage, picture: BBox, number: int) -> list[Element]:
    """The blocks of a reply with boxes on the page, without those that a loop only says again.

    Of a reply with more blocks than any region has the first are taken.

    Args:
        reply: Decoded; boxes are fractions of the picture.
        picture: What the picture shows, on the page.
        number: Of the page, for the issues.
    """
    found: list[Element] = []
    seen: set[tuple[str, Words]] = set()
    for element in reply.elements[:_MOST_BLOCKS]:
        key = (element.type, words_in(element))
        if key in seen and any(issue.code == "loop" for issue in element.issues):
            continue
        seen.add(key)
        box = None if element.bbox is None else to_page(element.bbox, picture)
        issues = tuple(issue.model_copy(update={"page": number}) for issue in element.issues)
        found.append(element.model_copy(update={"bbox": box, "issues": issues}))
    return found


def is_inside(element: Element, box: BBox) -> bool:
    """Whether a block is in a region; one without a box may be anywhere in its picture, so it is."""
    return element.bbox is None or share_inside(element.bbox, box) >= _IN_REGION


def begins_like(torn: Words, found: Sequence[Element], *, is_expected: bool) -> bool:
    """Whether blocks of a reply say half of what a cut block says, but for its last word, which is torn.

    Args:
        torn: The words of the cut block.
        found: The blocks.
        is_expected: Whether the block is thought to be here; then single words tell, else pairs have to.
    """
    head = torn[:-1] or torn
    words = [words_in(element) for element in found]
    if is_expected or len(head) == 1:
        known = {word for own in words for word in own}
        return sum(word in known for word in head) >= SAME * len(head) > 0
    return share_standing(head, {pair for own in words for pair in word_pairs(own)}) >= SAME


def in_region(found: Sequence[Element], region: BBox, picture: BBox) -> list[Element]:
    """The blocks of a reply that are what a missed region holds.

    Those that have words and are in it. A block without a box, which the reply is cut in, may be a neighbour
    below it: it counts where the others fill less than half of the region. If there are none, the boxes may
    be wrong: then all count but those that touch the edge of the picture, which are neighbours cut by it.

    Args:
        found: The blocks, boxes on the page.
        region: On the page.
        picture: What the picture shows.
    """
    content = [element for element in found if words_in(element) or tables_of(element)]
    inside = [element for element in content if element.bbox is not None and is_inside(element, region)]
    filled = sum(element.bbox.overlap(region) for element in inside if element.bbox is not None)
    if filled < _FILLED * region.area:
        inside += [element for element in content if element.bbox is None]
    return inside or [
        element for element in content if element.bbox is not None and _is_clear_of(element.bbox, picture)
    ]


def _is_clear_of(box: BBox, picture: BBox) -> bool:
    """Whether a box touches no edge of the picture, but for those that are the page's own."""
    return (
        (box.x0 > picture.x0 + _EDGE or picture.x0 <= 0.0)
        and (box.y0 > picture.y0 + _EDGE or picture.y0 <= 0.0)
        and (box.x1 < picture.x1 - _EDGE or picture.x1 >= 1.0)
        and (box.y1 < picture.y1 - _EDGE or picture.y1 >= 1.0)
    )


def counterparts(
    box: BBox, found: Sequence[Element], subjects: Sequence[Element], elsewhere: Standing
) -> tuple[list[Element], list[Element]]:
    """Tell the tables of a reply that are the subjects, read again, from what else is in the region.

    A block that stands elsewhere on the page is a neighbour and neither, unless it is in the region and the
    subjects say it too. Of the others the subjects are those with a grid that are in the region, or that have
    half of their word pairs in common with the subjects: the boxes of a reply may be wrong. If there are
    none, the only grid of the reply is the subject. If the subjects have no grid either, blocks of their
    family are they.

    Args:
        box: The region.
        found: The blocks of the reply, boxes on the page.
        subjects: The page's elements that the region shows.
        elsewhere: The page without them.

    Returns:
        The subjects' new readings, and the other blocks in the region that have words.
    """
    known = frozenset(pair for subject in subjects for pair in word_pairs(words_in(subject)))
    alike = {element.id: share_standing(words_in(element), known) for element in found}
    within = {element.id for element in found if is_inside(element, box)}
    new = [
        element
        for element in found
        if (element.id in within and alike[element.id] >= SAME) or not elsewhere.has(element)
    ]
    inside = [element for element in new if element.id in within]
    grids = [element for element in new if tables_of(element)]
    tables = [element for element in grids if element.id in within or alike[element.id] >= SAME]
    if not tables and len(grids) == 1:
        tables = grids
    if not tables:
        tables = [
            element
            for element in inside
            if words_in(element)
            and any(same_family(element.type, subject.type) for subject in subjects if not tables_of(subject))
        ]
    taken = {element.id for element in tables}
    return tables, [element for element in inside if element.id not in taken and words_in(element)]


def beside_tables(
    extras: Sequence[Element], old: Sequence[Element], new: Sequence[Element], box: BBox
) -> list[Element]:
    """Those of the other blocks that are in the region for sure.

    Not one that the reply is cut in: its end is missing, and its place not known. And where the tables of the
    reply lie elsewhere than on the page, only those that are in the region by either of the two.

    Args:
        extras: The other blocks (`counterparts`).
        old: The page's tables.
        new: Those of the reply.
        box: The region.
    """
    (left, top), (right, bottom) = _middle_of(new), _middle_of(old)
    by_x, by_y = right - left, bottom - top
    sure = []
    for element in extras:
        own = element.bbox
        if own is not None and not any(issue.code in ("truncated", "loop") for issue in element.issues):
            moved = BBox.clamped(own.x0 + by_x, own.y0 + by_y, own.x1 + by_x, own.y1 + by_y)
            if share_inside(moved, box) >= _IN_REGION:
                sure.append(element)
    return sure


def _middle_of(elements: Sequence[Element]) -> tuple[float, float]:
    boxes = [element.bbox for element in elements if element.bbox is not None]
    return middle(reduce(BBox.union, boxes)) if boxes else (0.0, 0.0)


def matched(
    subjects: Sequence[Element], tables: Sequence[Element]
) -> list[tuple[list[Element], list[Element]]]:
    """Which tables of the reply are which of the page's.

    One table is the one subject. Else each table goes to the subject that it has most words in common with,
    and to those that it holds as good as all words of; where words do not tell, to those at its place. What
    goes to a common subject, or to several, belongs together: a table that was read in pieces.

    Returns:
        Groups of the page's elements and of the reply's, in the order of the page; at the end, without an
        element of the page, what goes to none.
    """
    if len(subjects) == len(tables) == 1:
        return [(list(subjects), list(tables))]
    pairs = [word_pairs(words_in(subject)) for subject in subjects]
    groups = list(range(len(subjects)))
    homes: list[int | None] = []
    for table in tables:
        words = words_in(table)
        own = word_pairs(words)
        shares = [share_standing(words, known) for known in pairs]
        best = max(shares)
        linked = [
            index
            for index, known in enumerate(pairs)
            if (best >= SAME and shares[index] == best) or (known and len(known & own) >= INSIDE * len(known))
        ]
        if not linked:
            linked = [index for index, subject in enumerate(subjects) if _at_one_place(subject, table)]
        homes.append(linked[0] if linked else None)
        joined = {groups[index] for index in linked}
        groups = [min(joined) if group in joined else group for group in groups]
    found: list[tuple[list[Element], list[Element]]] = []
    for group in sorted(set(groups)):
        new = [
            table
            for table, home in zip(tables, homes, strict=True)
            if home is not None and groups[home] == group
        ]
        if new:
            old = [subject for index, subject in enumerate(subjects) if groups[index] == group]
            found.append((old, new))
    homeless = [table for table, home in zip(tables, homes, strict=True) if home is None]
    return [*found, ([], homeless)] if homeless else found


def _at_one_place(subject: Element, table: Element) -> bool:
    if subject.bbox is None or table.bbox is None:
        return True
    return max(share_inside(subject.bbox, table.bbox), share_inside(table.bbox, subject.bbox)) >= SAME
