"""Which regions of a page are worth a request of their own; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..document import BBox, Element, ElementType, ParsedPage
from .region_boxes import SAME, BoxIndex, likeness, same_place, share_inside

MAX_REGIONS = 64
"""Most regions of a page. A full page of small tables has some twenty; a reply that runs wild has thousands,
and each region costs a request."""

# Further regions of a detection are not looked at: within its token limit a reply has room for three times as
# many, and no page has them.
_MOST_DETECTED = 512
# Sides as fractions of the page. A line of 8 points is 1 % of an A4 page high; no table is less than that.
_LEAST_TABLE_SIDE, _LEAST_TABLE_AREA = 0.01, 0.001
# A page number alone may be missed: print is not smaller than 4 points.
_LEAST_SIDE = 0.005
# A region of this part of the page's width and of its height cannot be drawn larger than the page was: the
# picture would have as many pixels again only for the margins that are left out.
_WHOLE_PAGE = 0.9
# A region is missed where the elements of the page cover less than this part of it.
_COVERED = 0.5
# Page tables that fill at least this part of a detected one are pieces of it.
_FILLED = 0.5
# How far detection may be off, in fractions of the page: two lines.
_NEAR = 0.03

_PICTURE = ElementType.PICTURE.value
_READ_AGAIN = frozenset({ElementType.TABLE.value, ElementType.CHART.value})
# What is no running text and no picture has a form of its own that a table would take away.
_KEEPS_ITS_CLASS = frozenset(
    {
        ElementType.TOC.value,
        ElementType.CODE.value,
        ElementType.FORMULA.value,
        ElementType.INLINE_FORMULA.value,
        ElementType.PAGE_HEADER.value,
        ElementType.PAGE_FOOTER.value,
    }
)


@dataclass(frozen=True, slots=True)
class Region:
    """Something to be read by itself.

    Attributes:
        box: On the page, without margin.
        type: Its class: "Table", "Chart", or that of a region that the page missed.
        subject: Id of the page's element that it shows, of several the first; empty for what only detection
            found.
    """

    box: BBox
    type: str
    subject: str = ""


def regions_to_read(page: ParsedPage, detected: ParsedPage | None = None) -> list[Region]:
    """The regions of a page that are worth a request of their own.

    Those that the page knows, in reading order:

    - Its tables and charts that are large enough: each side at least 1 % of the page's, and 0.1 % of its
      area. A sliver holds no table; its box is an accident.
    - Of two that are the same place (`same_place`) the larger one is read, for its picture shows both.
    - One that fills the page is left out (90 % of its width and of its height): the page was drawn as large
      as the model takes pictures, so there is nothing more to be seen. Reading such a page again is the
      recovery's business. One of the whole width that is not as high is read: there is less around it.

    With the regions that detection found:

    - Where detection sees the same place, the region is the box around both, so that rows that one of them
      left out are in the picture.
    - A table of the page that detection sees as two stays one region: the picture shows both.
    - Two of the page that detection sees as one are one region if they fill half of it; its subject is the
      first of them. If they fill less, detection has taken something larger for a table, and each is read.
    - What detection calls a table or chart and the page calls running text or a picture (intersection over
      union at least one half, with one element) is read with that element as its subject.
    - An element without a box (the corner that ends a block comes last, so a block that the reply was cut in
      has none) takes the first detected region of its family (`same_family`) that no element covers, behind
      those of the elements before it. Without detection it cannot be drawn.
    - What makes a region as large as the page is left out, as above.

    Then, in the order of the detection, the regions that the page missed: of any class, at least 0.5 % of the
    page either way, less than half covered by elements of the page. Pictures are among them, though they may
    need no request (`wants_reading`). One that is near an element of its class, at whose own place detection
    has nothing, is that element seen a little beside it. A table that the page has as several lines of text
    is not missed: its words are there. Where no element has a box, nobody can say what was missed, so nothing
    was, except on a page without any element.

    Args:
        page: The page as it was read.
        detected: The reply to the task that asks for regions alone, decoded; None where there is none.

    Returns:
        At most `MAX_REGIONS`.
    """
    found = [] if detected is None else _detected_boxes(detected)
    tables = _largest(
        [
            (element, element.bbox)
            for element in page.elements
            if element.type in _READ_AGAIN and element.bbox is not None and _is_worth_it(element.bbox)
        ]
    )[:MAX_REGIONS]
    as_tables = [other for other in found if other.type in _READ_AGAIN and _is_worth_it(other.box)]
    regions = _united(tables, as_tables)
    if found:
        index = BoxIndex([element.bbox for element in page.elements])
        regions += _other_classes(page.elements, index, as_tables, regions)
        regions += _without_box(page.elements, index, found, regions)
        regions += _missed(page, index, found, regions)
    return regions[:MAX_REGIONS]


def wants_reading(region: Region, *, text_in_pictures: bool = True) -> bool:
    """Whether a region needs a request.

    A picture that the page missed is known by its place; where text in pictures is not asked for, a reply
    could say nothing else of it.

    Args:
        region: One of `regions_to_read`.
        text_in_pictures: Whether the task asks for text in pictures.
    """
    return text_in_pictures or region.type != _PICTURE


def same_family(kind: str, other: str) -> bool:
    """Whether two classes are both tables and charts, both pictures, or both text.

    Which class of text a block has is often confused; what has a grid is not.
    """
    return (kind in _READ_AGAIN, kind == _PICTURE) == (other in _READ_AGAIN, other == _PICTURE)


class _Found(NamedTuple):
    """A region of the detection."""

    box: BBox
    type: str


def _detected_boxes(detected: ParsedPage) -> list[_Found]:
    return [
        _Found(element.bbox, element.type)
        for element in detected.elements[:_MOST_DETECTED]
        if element.bbox is not None and min(element.bbox.width, element.bbox.height) >= _LEAST_SIDE
    ]


def _is_worth_it(box: BBox) -> bool:
    """Whether a table of this size is neither a sliver nor the page."""
    large = min(box.width, box.height) >= _LEAST_TABLE_SIDE and box.area >= _LEAST_TABLE_AREA
    return large and not _fills_page(box)


def _fills_page(box: BBox) -> bool:
    return box.width >= _WHOLE_PAGE and box.height >= _WHOLE_PAGE


def _largest(tables: Sequence[tuple[Element, BBox]]) -> list[tuple[Element, BBox]]:
    """Without those that are the same place as a larger one, in reading order."""
    kept: list[tuple[int, Element, BBox]] = []
    ranked = sorted(enumerate(tables), key=lambda item: -item[1][1].area)
    for position, (element, box) in ranked:
        if len(kept) == MAX_REGIONS:
            break
        if not any(same_place(box, other) for _, _, other in kept):
            kept.append((position, element, box))
    return [(element, box) for _, element, box in sorted(kept, key=lambda item: item[0])]


def _united(tables: Sequence[tuple[Element, BBox]], found: Sequence[_Found]) -> list[Region]:
    """The page's tables, each with what detection sees at its place."""
    boxes = [box for _, box in tables]
    groups = list(range(len(tables)))
    for other in found:
        places = [index for index, (_, box) in enumerate(tables) if same_place(box, other.box)]
        if len(places) > 1:
            inside = [index for index in places if share_inside(tables[index][1], other.box) >= SAME]
            if sum(tables[index][1].area for index in inside) < _FILLED * other.box.area:
                continue
            places = inside
        if not places:
            continue
        first = min(groups[index] for index in places)
        joined = boxes[first].union(other.box)
        for index in places:
            joined = joined.union(boxes[groups[index]])
        if _fills_page(joined):
            continue
        boxes[first] = joined
        members = {groups[index] for index in places}
        groups = [first if group in members else group for group in groups]
    return [
        Region(boxes[index], element.type, element.id)
        for index, (element, _) in enumerate(tables)
        if groups[index] == index
    ]


def _other_classes(
    elements: Sequence[Element], index: BoxIndex, found: Sequence[_Found], regions: Sequence[Region]
) -> list[Region]:
    """What detection calls a table, and the page running text or a picture."""
    taken = {region.subject for region in regions}
    others: list[Region] = []
    for other in found:
        for position in index.meeting(other.box):
            element = elements[position]
            box = element.bbox
            if (
                box is not None
                and element.type not in _READ_AGAIN | _KEEPS_ITS_CLASS
                and element.id not in taken
                and likeness(box, other.box) >= SAME
                and not any(same_place(other.box, region.box) for region in regions)
            ):
                taken.add(element.id)
                others.append(Region(box.union(other.box), other.type, element.id))
                break
    return others


def _without_box(
    elements: Sequence[Element], index: BoxIndex, found: Sequence[_Found], regions: Sequence[Region]
) -> list[Region]:
    """Places for elements that have none."""
    homeless = [
        (at, element)
        for at, element in enumerate(elements)
        if element.bbox is None and (element.text or element.markdown)
    ]
    if not homeless or len(homeless) == len(elements):
        return []
    placed: list[Region] = []
    # Of the elements that detection has come past, the last in the order of the page.
    reached = -1
    for other in found:
        if _fills_page(other.box):
            continue
        if index.covered(other.box, _COVERED):
            reached = max([reached, *index.meeting(other.box)])
            continue
        if any(same_place(other.box, region.box) for region in (*regions, *placed)):
            continue
        for item in homeless:
            at, element = item
            before = next((earlier for earlier in range(at - 1, -1, -1) if elements[earlier].bbox), -1)
            if before <= reached and same_family(element.type, other.type):
                placed.append(Region(other.box, other.type, element.id))
                homeless.remove(item)
                break
        if not homeless or len(placed) == MAX_REGIONS:
            break
    return placed


def _missed(
    page: ParsedPage, index: BoxIndex, found: Sequence[_Found], regions: Sequence[Region]
) -> list[Region]:
    """What no element of the page covers."""
    if page.elements and all(element.bbox is None for element in page.elements):
        return []
    places = BoxIndex([other.box for other in found])
    unseen = [
        (element.type, element.bbox)
        for element in page.elements
        if element.bbox is not None and not places.covered(element.bbox, _COVERED)
    ]
    missed: list[Region] = []
    for other in found:
        if len(missed) == MAX_REGIONS:
            break
        if _fills_page(other.box) or index.covered(other.box, _COVERED):
            continue
        if any(same_place(other.box, region.box) for region in (*regions, *missed)):
            continue
        shifted = next(
            (item for item in unseen if item[0] == other.type and _is_near(item[1], other.box)), None
        )
        if shifted is not None:
            unseen.remove(shifted)
        else:
            missed.append(Region(other.box, other.type))
    return missed


def _is_near(box: BBox, other: BBox) -> bool:
    """Whether two boxes could be one that is off by a line or two."""
    return max(abs(edge - moved) for edge, moved in zip(box, other, strict=True)) <= _NEAR
