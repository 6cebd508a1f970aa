"""A table and its other reading, once it is known which one is better; pure."""

from __future__ import annotations

from collections.abc import Sequence

from ..document import Element, Issue, Severity
from .region_elements import alone, best_box
from .region_words import tables_of
from .regions import Region
from .standing import words_in
from .table_choice import Choice, disagreement
from .table_reading import Reading

# Of readings that were not taken so many are kept for one element; the page's own is always kept.
_MOST_OTHERS = 4


def in_place_of(
    old: Sequence[Element], new: Sequence[Element], notes: Sequence[Issue], region: Region
) -> list[Element]:
    """The new reading as it stands on the page in the place of the old one.

    Its first piece has the id of the old one, the old one and its alternatives beside it, and the issues of
    the choice; the others have no id yet. What goes on elsewhere is known from the page alone: the picture
    does not show what is around the table.

    Args:
        old: The page's elements in reading order, at least one.
        new: Those of the picture, boxes on the page.
        notes: Issues of the choice.
        region: What was read.
    """
    earlier = [*old, *(other for element in old for other in element.alternatives)]
    first = new[0].model_copy(
        update={
            "id": old[0].id,
            "alternatives": tuple(map(alone, earlier)),
            "issues": (*new[0].issues, *notes),
        }
    )
    pieces = [first, *(element.model_copy(update={"id": ""}) for element in new[1:])]
    return [
        element.model_copy(
            update={
                "bbox": best_box(element, old, region) if len(new) == 1 else element.bbox or region.box,
                "continues_before": element is first and old[0].continues_before,
                "continues_after": element is pieces[-1] and old[-1].continues_after,
            }
        )
        for element in pieces
    ]


def with_others(element: Element, others: Sequence[Element]) -> Element:
    """An element with other readings beside it, but for those that say what is there already."""
    kept = list(element.alternatives)
    known = [(words_in(other), tables_of(other)) for other in (element, *kept)]
    for other in others:
        says = words_in(other), tables_of(other)
        if says[0] and says not in known and len(kept) < _MOST_OTHERS:
            known.append(says)
            kept.append(alone(other))
    return element.model_copy(update={"alternatives": tuple(kept)})


def choice_issues(choice: Choice, of_page: Reading, of_picture: Reading, number: int) -> list[Issue]:
    """What an element says of how its reading was chosen.

    Args:
        choice: Which reading was taken.
        of_page: The page's.
        of_picture: That of the region by itself.
        number: Of the page.
    """
    kind = of_page.elements[0].type.lower()
    notes: list[Issue] = []
    if choice.takes_new:
        message = (
            f"The {kind} was read again by itself: {choice.reason}. The page's reading is kept beside it."
        )
        notes.append(Issue(code="table_reread", message=message, severity="info", page=number))
    differs = disagreement(of_page, of_picture) if of_page.has_grid and of_picture.has_grid else ""
    if differs:
        message = f"Two readings of the {kind} differ in numbers: {differs}. "
        severity: Severity = "info" if choice.by_witness else "warning"
        message += "What the file stores decided." if choice.by_witness else "Look at the page."
        notes.append(Issue(code="table_disagreement", message=message, severity=severity, page=number))
    return notes
