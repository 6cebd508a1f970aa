"""Which elements are furniture of the pages, running heads and feet, and the page numbers printed in them.

The class alone is no proof: a heading at the top of a page is often taken for a page header, and a running
head for text. What is furniture comes back on other pages, in the same place. Where that is not known the
text stays: a running head too many costs a few words, a heading that is lost costs a section.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from ..document import Element, ElementType, ParsedDocument, ParsedPage
from ..export.headings import is_heading
from ..export.markdown import FURNITURE
from .line_heights import line_height
from .roman_numbers import roman_value

# So many pages, or such a part of all pages, but two at least, make a repetition.
_PAGES = 3
_LEAST_PAGES = 2
_SHARE = 0.2
# How far apart the middles of two boxes may be, of the page's height, to stand in the same place.
_SAME_BAND = 0.03
# Text is furniture only this far from the edge of the page, and only where it is short.
_MARGIN = 0.13
_LONGEST = 160
# On a single page nothing can repeat: there a running head stands this close to the edge of the page, and its
# lines are this much lower than those of the text.
_OUTERMOST = 0.07
_SMALL = 0.9

_TEXTS = frozenset({ElementType.TEXT.value, ElementType.FLOATING_TEXT.value})
_CHAPTER = re.compile(r"\A(?:chapter|section|part|appendix|kapitel|chapitre)")
_DIGITS = re.compile(r"\d+")
# A page number and nothing else: "7", "- 7 -", "Page 7 of 12", "7/12", "xiv", "A-3", "S. 7".
_LABEL = re.compile(
    r"[\s\-–—|\[(·•]*(?:(?P<name>page|seite|pagina|página|p\.|pp\.|s\.)\s*)?"
    r"(?P<label>\d{1,5}|(?=[ivxlc])c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})|[A-Z]{1,2}[-–.]\d{1,4})"
    r"(?P<total>\s*(?:of|von|de|di|sur|/)\s*\d{1,5})?[\s\-–—|\])·•]*",
    re.IGNORECASE,
)
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|januar|jänner|februar|märz|mai|juni|juli|oktober|dezember"
    r"|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre"
    r"|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
    r"|(?:jan|feb|fév|mar|mär|apr|avr|abr|jun|juil|jul|aug|ago|sept?|o[ck]t|nov|de[cz]|déc|dic|ene)\.?)"
)
_DATE = re.compile(
    rf"\W*(?:\d{{1,2}}(?:\.|st|nd|rd|th|er)?\s*(?:de\s+)?{_MONTH}(?:\s*,|\s+de)?\s*\d{{4}}"
    rf"|{_MONTH}(?:\s+\d{{1,2}}(?:st|nd|rd|th)?)?\s*,?\s*\d{{4}})\W*",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_YEAR_DIGITS = 4
# A number at the edge of a running head.
_EDGE = re.compile(r"\A\s*(\d{1,4})(?=\s|$)|(?<=\s)(\d{1,4})\s*\Z")


class _Occurrence(NamedTuple):
    page: int
    middle: float | None


def furniture_of(document: ParsedDocument) -> set[int]:
    """The ``id()`` of each element that is furniture.

    A page header or footer is furniture if its text, but for digits, is found in the same place on three
    pages, or on a fifth of them and two at least; if it is a page number or a date; if it repeats a heading
    of the document; or if it stands where most pages have one, on three at least. In a document of one page
    it is if it stands at the very edge, in smaller letters than the text.

    A text at the edge of the page is furniture if it comes back on three pages, with nothing changed but
    numbers that run on with the pages.
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
    needed = min(_PAGES, max(_LEAST_PAGES, -(-len(document.pages) // round(1 / _SHARE))))
    # Bands in which most pages have a header or footer.
    usual = {
        band
        for band, pages in bands.items()
        if 2 * len(pages | bands.get(band + 1, set())) >= max(len(document.pages), 2 * _PAGES)
    }
    text_height = _text_height(document.pages[0]) if len(document.pages) == 1 else 0.0
    found: set[int] = set()
    for element, page in candidates:
        middle = _middle(element)
        if element.type in FURNITURE:
            key = _letters(element.text)
            if (
                not key
                or _LABEL.fullmatch(element.text)
                or _DATE.fullmatch(element.text)
                or key in headings
                or _CHAPTER.sub("", key, count=1) in headings
                or (middle is not None and not usual.isdisjoint((_band(middle), _band(middle) - 1)))
                or _repeats(classed[key], middle, needed)
                or _looks_like_furniture(element, page, text_height)
            ):
                found.add(id(element))
        elif any(_repeats(texts[key], middle, _PAGES) for key in _text_keys(element, page.number)):
            found.add(id(element))
    return found


def _text_height(page: ParsedPage) -> float:
    """Height of a line of the page's text in points; 0 where that is not known."""
    heights = [line_height(element, page) for element in page.elements if element.type in _TEXTS]
    heights = [height for height in heights if height > 0]
    return median(heights) if heights else 0.0


def _looks_like_furniture(element: Element, page: ParsedPage, text_height: float) -> bool:
    box = element.bbox
    if box is None or not 0 < line_height(element, page) <= _SMALL * text_height:
        return False
    return box.y1 <= _OUTERMOST or box.y0 >= 1 - _OUTERMOST


class _Candidate(NamedTuple):
    """What may be the label of a page.

    Attributes:
        label: As printed.
        series: How labels are written that run on with this one, and its number less the page's.
        is_alone: It is all that the header or footer says.
        is_named: It says that it is a page's number: "Page 7", "7 of 12".
    """

    label: str
    series: tuple[str, int]
    is_alone: bool
    is_named: bool = False


def printed_labels(document: ParsedDocument) -> dict[int, str]:
    """The page label that is printed on each page, read from its headers and footers.

    Of several numbers the one that runs on with the pages counts. A number inside of a running head counts
    only if it does, on three pages at least; one that stays the same on all pages is a year or a chapter.

    Returns:
        Page number -> label; pages without a printed label have no entry.
    """
    found = {
        page.number: [
            candidate
            for element in page.elements
            if element.type in FURNITURE
            for candidate in _candidates(element, page.number)
        ]
        for page in document.pages
    }
    running = Counter(
        series for candidates in found.values() for series in {one.series for one in candidates}
    )
    same = Counter(label for candidates in found.values() for label in {one.label for one in candidates})

    def rank(candidate: _Candidate) -> tuple[int, bool, bool, bool]:
        # Where nothing runs on, a number that may be a year comes last.
        return (
            running[candidate.series],
            candidate.is_named,
            candidate.is_alone,
            not _YEAR.fullmatch(candidate.label),
        )

    def is_possible(candidate: _Candidate) -> bool:
        runs_on = running[candidate.series]
        most = _LEAST_PAGES if len(candidate.label) >= _YEAR_DIGITS else _PAGES
        is_constant = runs_on < _LEAST_PAGES and same[candidate.label] >= most
        return runs_on >= _PAGES or (candidate.is_alone and (candidate.is_named or not is_constant))

    labels: dict[int, str] = {}
    for number, candidates in found.items():
        possible = [candidate for candidate in candidates if is_possible(candidate)]
        if possible:
            labels[number] = max(possible, key=rank).label
    return labels


def _candidates(element: Element, page_number: int) -> Iterator[_Candidate]:
    alone = _LABEL.fullmatch(element.text)
    if alone is None:
        for first, last in _EDGE.findall(element.text):
            label = str(int(first or last))
            yield _Candidate(label, ("", int(label) - page_number), is_alone=False)
        return
    label = alone["label"]
    digits = _DIGITS.search(label)
    if digits:
        series = (label[: digits.start()], int(digits[0]) - page_number)
    else:
        series = ("i", roman_value(label) - page_number)
    is_named = bool(alone["name"] or alone["total"])
    yield _Candidate(label, series, is_alone=True, is_named=is_named)


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
