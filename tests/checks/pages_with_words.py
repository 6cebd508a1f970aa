"""Small pages: elements, and the words that the file stores, laid out line by line."""

from __future__ import annotations

from nemoparse_loaders.document import BBox, Element, ParsedPage, Table
from nemoparse_loaders.rendering.page_image import EvidenceWord, HiddenBy, PageEvidence

TOP, LINE, LEFT, ADVANCE = 0.1, 0.02, 0.1, 0.008


def words_at(text: str, top: float = TOP, left: float = LEFT, hidden: HiddenBy = "") -> list[EvidenceWord]:
    """The words of a text, a line of the page for each line of it."""
    found = []
    for row, line in enumerate(text.split("\n")):
        x, y = left, top + row * LINE
        for word in line.split():
            width = ADVANCE * len(word)
            found.append(EvidenceWord(word, BBox(x, y + 0.003, x + width, y + 0.017), hidden))
            x += width + ADVANCE
    return found


def box_of(lines: int = 1, top: float = TOP, left: float = LEFT, right: float = 0.95) -> BBox:
    """A box around so many lines."""
    return BBox(left - 0.005, top, right, top + lines * LINE)


def element(
    text: str, box: BBox | None = None, *, kind: str = "Text", number: int = 1, table: Table | None = None
) -> Element:
    return Element(
        id=f"p1e{number}", type=kind, bbox=box or box_of(), text=text, markdown=text, raw=text, table=table
    )


def page(*elements: Element, **fields: object) -> ParsedPage:
    return ParsedPage(number=1, elements=elements).model_copy(update=fields)


def evidence(*groups: list[EvidenceWord], raster: float = 0.0, usable: bool = True) -> PageEvidence:
    return PageEvidence(tuple(word for group in groups for word in group), usable, raster)


def codes(found: ParsedPage) -> list[str]:
    """The codes of all issues, those of the page first."""
    return [i.code for i in found.issues] + [i.code for e in found.elements for i in e.issues]
