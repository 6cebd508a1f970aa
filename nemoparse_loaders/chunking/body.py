"""The body of a document: its elements in reading order, without the furniture of the pages."""

from __future__ import annotations

from dataclasses import dataclass

from ..document import Element, ParsedDocument, ParsedPage
from ..export.markdown import FURNITURE


@dataclass(frozen=True, slots=True)
class Placed:
    """An element, the page that it stands on, and its place among all elements of the body."""

    element: Element
    page: ParsedPage
    position: int


def body_of(document: ParsedDocument) -> list[Placed]:
    """All elements but page headers and page footers."""
    pairs = [
        (element, page)
        for page in document.pages
        for element in page.elements
        if element.type not in FURNITURE
    ]
    return [Placed(element, page, position) for position, (element, page) in enumerate(pairs)]
