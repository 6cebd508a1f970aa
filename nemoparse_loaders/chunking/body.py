"""The body of a document: its elements in reading order, without the furniture of the pages."""

from __future__ import annotations

from dataclasses import dataclass

from ..document import Element, ParsedDocument, ParsedPage
from ..export.markdown import FURNITURE
from .furniture import furniture_of
from .selection import DEFAULT_SELECTION, Selection
from .steps import ALL_STEPS, Steps


@dataclass(frozen=True, slots=True)
class Placed:
    """An element, the page that it stands on, and its place among all elements of the body."""

    element: Element
    page: ParsedPage
    position: int


def body_of(
    document: ParsedDocument, steps: Steps = ALL_STEPS, selection: Selection = DEFAULT_SELECTION
) -> list[Placed]:
    """All elements but furniture, see `furniture_of`; by class alone where that step is switched off.

    The selection keeps furniture or drops more.

    What was taken for a page header or footer and is none keeps its class and is text like any other.
    """
    furniture = furniture_of(document) if steps.furniture and selection.furniture == "drop" else None

    def is_furniture(element: Element) -> bool:
        return element.type in FURNITURE if furniture is None else id(element) in furniture

    pairs = [
        (element, page)
        for page in document.pages
        for element in page.elements
        if not selection.drops(element) and (selection.furniture == "keep" or not is_furniture(element))
    ]
    return [Placed(element, page, position) for position, (element, page) in enumerate(pairs)]
