"""Which elements are furniture of the pages, running heads and feet, and the page numbers printed in them.

The class alone is no proof: a heading at the top of a page is often taken for a page header, and a running
head for text. What is furniture comes back on other pages, in the same place.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..document import Element, ElementType, ParsedDocument, ParsedPage
from ..export.headings import is_heading
from ..export.markdown import FURNITURE

# So many pages, or such a part of all pages, make a repetition.
_PAGES = 3
_SHARE = 0.2
# How far apart the middles of two boxes may be, of the page's height, to stand in the same place.
_SAME_BAND = 0.03
# Text is furniture only this far from the edge of the page, and only where it is short.
_MARGIN = 0.13
_LONGEST = 160

_TEXTS = frozenset({ElementType.TEXT.value, ElementType.FLOATING_TEXT.value})
_CHAPTER = re.compile(r"\A(?:chapter|section|part|appendix|kapitel|chapitre)")
_DIGITS = re.compile(r"\d+")
# A page number and nothing else: "7", "- 7 -", "Page 7 of 12", "7/12", "xiv", "A-3", "S. 7".
_LABEL = re.compile(
    r"[\s\-–—|\[(·•]*(?:(?:page|seite|pagina|página|p\.|pp\.|s\.)\s*)?"
    r"(?P<label>\d{1,5}|(?=[ivxlc])c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})|[A-Z]{1,2}[-–.]\d{1,4})"
    r"(?:\s*(?:of|von|de|di|sur|/)\s*\d{1,5})?[\s\-–—|\])·•]*",
    re.IGNORECASE,
)
# A number at the edge of a running head.
_EDGE = re.compile(r"\A\s*(\d{1,4})(?=\s|$)|(?<=\s)(\d{1,4})\s*\Z")


class _Occurrence(NamedTuple):
    page: int
    middle: float | None


def furniture_of(document: ParsedDocument) -> set[int]:
    """The ``id()`` of each element that is furniture.

    A page header or footer is furniture if its text, but for digits, is found in the same place on three
    pages or on a fifth of them; if it is a page number; if it repeats a heading of the document; or if it
    stands where most pages have one. A text at the edge of the page is furniture if it comes back on three
    pages, with nothing changed but numbers that run on with the pages.
    """
    classed: dict[str, list[_Occurrence]] = defaultdict(list)
    texts: dict[str, list[_Occurrence]] = defaultdict(list)
    bands: dict[int, set[int]] = defaultdict(set)
    headings: set[str] = set()
    candidates: list[tuple[Element, ParsedPage]] = []
    for page in document.pages:
        for element in page.elements:
            is_classed = element.type in FURNITURE
            if is_classed:
                middle = _middle(element)
                classed[_letters(element.text)].append(_Occurrence(page.number, middle))
                if middle is not None:
                    bands[_band(middle)].add(page.number)
            elif is_heading(element):
                headings.add(_letters(element.text))
            if is_classed or _is_at_the_edge(element):
                candidates.append((element, page))
                for key in _text_keys(element, page.number):
                    texts[key].append(_Occurrence(page.number, _middle(element)))
    needed = min(_PAGES, max(1, -(-len(document.pages) // round(1 / _SHARE))))
    # Bands in which most pages have a header or footer.
    usual = {
        band
        for band, pages in bands.items()
        if 2 * len(pages | bands.get(band + 1, set())) >= max(len(document.pages), 2 * _PAGES)
    }
    found: set[int] = set()
    for element, page in candidates:
        middle = _middle(element)
        if element.type in FURNITURE:
            key = _letters(element.text)
            if (
                not key
                or _LABEL.fullmatch(element.text)
                or key in headings
                or _CHAPTER.sub("", key, count=1) in headings
                or (middle is not None and not usual.isdisjoint((_band(middle), _band(middle) - 1)))
                or _repeats(classed[key], middle, needed)
            ):
                found.add(id(element))
        elif any(_repeats(texts[key], middle, _PAGES) for key in _text_keys(element, page.number)):
            found.add(id(element))
    return found


def printed_labels(document: ParsedDocument) -> dict[int, str]:
    """The page label that is printed on each page, read from its headers and footers.

    A number inside of a running head counts if it runs on with the pages, on three of them at least.

    Returns:
        Page number -> label; pages without a printed label have no entry.
    """
    labels: dict[int, str] = {}
    inside: dict[int, list[int]] = {}
    for page in document.pages:
        for element in page.elements:
            if element.type not in FURNITURE or page.number in labels:
                continue
            alone = _LABEL.fullmatch(element.text)
            if alone:
                labels[page.number] = alone["label"]
            else:
                numbers = [int(first or last) for first, last in _EDGE.findall(element.text)]
                inside.setdefault(page.number, []).extend(numbers)
    offsets = Counter(number - page for page, numbers in inside.items() for number in set(numbers))
    for page_number, numbers in inside.items():
        running = [number for number in numbers if offsets[number - page_number] >= _PAGES]
        if running and page_number not in labels:
            best = max(running, key=lambda number: offsets[number - page_number])
            labels[page_number] = str(best)
    return labels


def page_label(page: ParsedPage, printed: Mapping[int, str]) -> str:
    """The label of the file if it has one that is more than the page's number, else the printed one."""
    if page.label and page.label != str(page.number):
        return page.label
    return printed.get(page.number) or page.label or str(page.number)


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalpha())


def _band(middle: float) -> int:
    """Number of the strip of the page that a height is in; two neighbours are as high as `_SAME_BAND`."""
    return int(middle * 2 / _SAME_BAND)


def _text_keys(element: Element, page_number: int) -> tuple[str, str]:
    """The text as it is, and with its numbers counted from the page's own."""
    text = "".join(element.text.split()).casefold()
    return text, _DIGITS.sub(lambda match: f"<{int(match[0]) - page_number}>", text)


def _is_at_the_edge(element: Element) -> bool:
    if element.type not in _TEXTS or element.bbox is None or not 0 < len(element.text) <= _LONGEST:
        return False
    return element.bbox.y1 <= _MARGIN or element.bbox.y0 >= 1 - _MARGIN


def _middle(element: Element) -> float | None:
    return None if element.bbox is None else (element.bbox.y0 + element.bbox.y1) / 2


def _repeats(occurrences: Sequence[_Occurrence], middle: float | None, needed: int) -> bool:
    """Whether enough pages have the text in the same place; without boxes any place is the same."""
    pages: set[int] = set()
    for page, other in occurrences:
        if middle is None or other is None or abs(middle - other) <= _SAME_BAND:
            pages.add(page)
            if len(pages) >= needed:
                return True
    return False
