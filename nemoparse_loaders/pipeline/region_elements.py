"""Elements that are made or changed where regions are put back into their page; pure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from ..document import BBox, Element, ElementType, Issue, PageStatus, ParsedPage
from .region_boxes import SAME, likeness
from .regions import Region

TABLES = frozenset({ElementType.TABLE.value, ElementType.CHART.value})
"""The classes that have a grid."""

_PICTURE = ElementType.PICTURE.value
# A block that shares this part of the smaller box with a region is no neighbour in the margin.
_MEETING = 0.2


def ends_cut(page: ParsedPage, elements: Sequence[Element]) -> bool:
    """Whether the last block of a reply that is cut is among its blocks."""
    if not page.elements or not any(issue.code in ("truncated", "abort") for issue in page.issues):
        return False
    return any(element.id == page.elements[-1].id for element in elements)


def is_float(element: Element) -> bool:
    """Whether it is a picture, a chart or a table."""
    return element.type == _PICTURE or element.type in TABLES


def meets(element: Element, box: BBox) -> bool:
    """Whether a block is more than a neighbour of a region in the margin of its picture."""
    if element.bbox is None:
        return True
    shared = element.bbox.overlap(box)
    return shared > 0.0 and shared >= _MEETING * min(element.bbox.area, box.area)


def best_box(new: Element, old: Sequence[Element], region: Region) -> BBox | None:
    """The finer box from the picture, unless it is another place than the page's and the region."""
    boxes = [element.bbox for element in old if element.bbox is not None]
    if not boxes:
        return new.bbox or region.box
    known = reduce(BBox.union, boxes)
    if new.bbox is not None and max(likeness(new.bbox, known), likeness(new.bbox, region.box)) >= SAME:
        return new.bbox
    return known


def picture_of(region: Region, content: Sequence[Element]) -> Element:
    """A picture with the words in it, which a reply to its own picture gives as blocks."""
    return Element(
        id="",
        type=_PICTURE,
        bbox=region.box,
        markdown="\n".join(element.markdown for element in content if element.markdown),
        text="\n".join(element.text for element in content if element.text),
        raw="\n".join(element.raw for element in content if element.raw),
        issues=tuple(issue for element in content for issue in element.issues),
    )


def alone(element: Element) -> Element:
    """An element as an alternative: without alternatives of its own."""
    return element.model_copy(update={"alternatives": ()})


def gap(region: Region, number: int) -> Element:
    """An element that marks a region of which nothing could be read; in a picture there need be nothing.

    Args:
        region: What detection found.
        number: Of the page.
    """
    issues: tuple[Issue, ...] = ()
    if region.type != _PICTURE:
        message = f"A region of class {region.type} was found here, but reading it gave no text."
        issues = (Issue(code="region_unread", message=message, page=number),)
    return Element(id="", type=region.type, bbox=region.box, issues=issues)


def numbered(page: ParsedPage, elements: Sequence[Element], *, lacks: bool) -> ParsedPage:
    """A page with other elements, their ids and those in all issues counted through.

    Args:
        page: As it was.
        elements: In reading order; those of the page with the ids that they had.
        lacks: Whether one that has come in is not whole.
    """
    new_ids: dict[str, str] = {}
    renamed: list[Element] = []
    for position, element in enumerate(elements, start=1):
        element_id = f"p{page.number}e{position}"
        if element.id:
            new_ids[element.id] = element_id
        renamed.append(_renamed(element, element_id))
    status: PageStatus = page.status
    if renamed and (status in ("failed", "blank") or (status == "ok" and lacks)):
        status = "partial"
    issues = tuple(
        issue.model_copy(update={"element_id": new_ids.get(issue.element_id)}) if issue.element_id else issue
        for issue in page.issues
    )
    return page.model_copy(update={"elements": tuple(renamed), "issues": issues, "status": status})


def _renamed(element: Element, element_id: str) -> Element:
    """An element with an id, which its issues and its alternatives have as well."""
    issues = tuple(issue.model_copy(update={"element_id": element_id}) for issue in element.issues)
    alternatives = tuple(_renamed(other, element_id) for other in element.alternatives)
    return element.model_copy(update={"id": element_id, "issues": issues, "alternatives": alternatives})
