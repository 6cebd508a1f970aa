"""Where the marks of footnotes stand: which block of the flow carries which footnote."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from ..document import ElementType
from .blocks import Block
from .plain_marks import PlainMark, plain_marks

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_PLAIN = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_MARK = re.compile(
    r"\s*(?P<bracket>[\[(])?"
    r"(?:(?P<raised>[⁰¹²³⁴-⁹]{1,3})|(?P<number>\d{1,3})|(?P<sign>[*†‡§¶#∗]{1,3})|\^?(?P<letter>[a-z]))"
    r"(?:[\])]|(?=[\s.:])|(?<=[⁰¹²³⁴-⁹*†‡§¶#∗])(?=\w))"
)
# Other classes are full of numbers: lists of contents, of literature, headings.
_WITH_PLAIN_MARKS = frozenset(
    {ElementType.TEXT.value, ElementType.FLOATING_TEXT.value, ElementType.LIST_ITEM.value}
)
_WORD = re.compile(r"(?<!\w)[^\W\d_]+(?!\w)")
_RAISED_RUN, _SIGN = "[⁰¹²³⁴-⁹]", "[*†‡§¶#∗]"
# All marks in a form that tells them from other signs, see `_distinct_form`.
_DISTINCT = re.compile(
    rf"(?P<raised>{_RAISED_RUN}+)|\^\(?(?:(?P<number>\d+)|(?P<letter>[a-z])\b)|\[(?P<bracketed>\d+)\]"
    rf"|(?<=[^\s*†‡§¶#∗])\s?(?P<sign>{_SIGN}+)|(?<=[\d)])(?P<behind>[a-z])(?=[\s.,;:)|]|\Z)"
)
_NUMBERED_WORD = re.compile(r"(?<!\w)([^\W\d_]+)(\d+)")
_CITED = re.compile(r"\s*\[\w{1,12}\]")

Place: TypeAlias = "tuple[int, int]"
"""A block, and a character in what is embedded of it."""


@dataclass(frozen=True, slots=True)
class _Note:
    """A footnote that begins with a number.

    Attributes:
        index: Its block.
        number: The number.
        is_plain: It is printed as plain digits.
        is_next: It is the first number, or follows that of the note before.
    """

    index: int
    number: int
    is_plain: bool
    is_next: bool


def mark_finder(footnote: str, *, plain: bool = True) -> Callable[[str], bool] | None:
    """Tells of a text whether it carries the mark that the footnote begins with; None if it has none.

    Args:
        footnote: Its words.
        plain: Take numbers and letters for marks that are not raised.
    """
    match = _mark_of(footnote)
    if match is None:
        return None
    if not plain and (match["number"] or (match["letter"] and "^" not in match.group())):
        return None
    distinct, number = re.compile(_distinct_form(match)), match["number"]
    if not number:
        return lambda text: distinct.search(text) is not None
    # Where raised figures are not told from others, they stand right behind a word; "CO2" is a formula, and
    # "conv1" beside "conv2" a name.
    behind = re.compile(
        rf"(?<!\w)(?P<word>[^\W\d_]*[a-zß-öø-ÿ]{{2}})(?:[.,;:)\]”’\"]{{1,2}}{number}(?=[\s.,;:)]|\Z)|{number}(?!\w))"
    )

    def has_mark(text: str) -> bool:
        if distinct.search(text) is not None:
            return True
        words = {match["word"] for match in behind.finditer(text)}
        rows = words and {word for word, other in _NUMBERED_WORD.findall(text) if other != number}
        return not words <= rows

    return has_mark


def _mark_of(footnote: str) -> re.Match[str] | None:
    match = _MARK.match(footnote)
    return match if match is not None and footnote[match.end() :].strip() else None


def _distinct_form(match: re.Match[str]) -> str:
    """A pattern for the mark in a form that tells it from other signs."""
    number = match["number"] or (match["raised"] or "").translate(_PLAIN)
    if number:
        raised = number.translate(_RAISED)
        bracketed = rf"|\[{number}\]" if match["bracket"] == "[" else ""
        return rf"(?<![⁰¹²³⁴-⁹]){raised}(?![⁰¹²³⁴-⁹])|\^\(?{number}(?!\d){bracketed}"
    if match["sign"]:
        sign = re.escape(match["sign"])
        return rf"(?<=[^\s*†‡§¶#∗])\s?{sign}(?![*†‡§¶#∗])"
    return rf"\^\(?{match['letter']}\b|(?<=[\d)]){match['letter']}(?=[\s.,;:)|]|\Z)"


def footnote_carriers(blocks: Sequence[Block]) -> dict[int, int]:
    """For each footnote whose mark is found the block that carries it: before it, on the same page.

    Marks that are raised, or signs, are found where they stand. For a footnote that begins with plain digits
    and has no such mark the numbers of the running text are judged, see `plain_marks`: it is bound where one
    of them alone can be its mark, between the marks of the notes before and behind it. Notes of a page count
    up; one that does not is left alone. A note that has no mark on its page may go on from the page before,
    if the numbers do.
    """
    marks = {
        index: match
        for index, block in enumerate(blocks)
        if block.kind == "footnote" and (match := _mark_of(block.embed)) is not None
    }
    if not marks:
        return {}
    places = _distinct_places(blocks, marks)
    pages = _numbered(blocks, marks)
    open_pages = {page for page, notes in pages.items() if any(_is_open(note, places) for note in notes)}
    if open_pages:
        found = _plain_marks_of(blocks, open_pages | {page - 1 for page in open_pages})
        for page in sorted(open_pages):
            _place_in_order(pages[page], found[page], places)
            _place_on_page_before(pages[page], pages.get(page - 1, ()), found[page - 1], places)
    return {index: block for index, (block, _) in places.items()}


def _is_open(note: _Note, places: Mapping[int, Place]) -> bool:
    return note.is_plain and note.index not in places


def _distinct_places(blocks: Sequence[Block], marks: Mapping[int, re.Match[str]]) -> dict[int, Place]:
    """Where marks stand that are told from other signs: the last ones before their notes on the page."""
    found: dict[str, list[Place]] = defaultdict(list)
    places: dict[int, Place] = {}
    # Blocks so far, without those that a later one stands on no later page than.
    ends: list[int] = []
    last_pages: list[int] = []
    for index, block in enumerate(blocks):
        match = marks.get(index)
        if match is not None:
            page = block.sources[0].page.number
            before = bisect_left(last_pages, page)
            start = ends[before - 1] if before else -1
            last = max((found[key][-1] for key in _keys(match) if found.get(key)), default=(-1, 0))
            if last[0] > start:
                places[index] = last
        if block.kind != "footnote":
            for key, offset in _distinct_marks(block.embed).items():
                found[key].append((index, offset))
        while last_pages and last_pages[-1] >= block.sources[-1].page.number:
            del ends[-1], last_pages[-1]
        ends.append(index)
        last_pages.append(block.sources[-1].page.number)
    return places


def _keys(match: re.Match[str]) -> tuple[str, ...]:
    """How the mark of a note is found among those of `_distinct_marks`."""
    number = match["number"] or (match["raised"] or "").translate(_PLAIN)
    if number:
        return (number, f"[{number}]") if match["bracket"] == "[" else (number,)
    return (match["sign"] or match["letter"],)


def _distinct_marks(text: str) -> dict[str, int]:
    """Each mark of a text that is told from other signs, and where it stands first."""
    found: dict[str, int] = {}
    for match in _DISTINCT.finditer(text):
        raised, number, letter, bracketed, sign, behind = match.groups()
        key = raised.translate(_PLAIN) if raised else (number or letter or sign or behind or f"[{bracketed}]")
        found.setdefault(key, match.start())
    return found


def _numbered(blocks: Sequence[Block], marks: Mapping[int, re.Match[str]]) -> dict[int, list[_Note]]:
    """Page -> its notes that begin with numbers and count up, in their order."""
    pages: dict[int, list[_Note]] = defaultdict(list)
    last = 0
    for index, match in marks.items():
        number = int(match["number"] or (match["raised"] or "0").translate(_PLAIN))
        notes = pages[blocks[index].sources[0].page.number]
        if number == 0 or (notes and number <= notes[-1].number):
            continue
        is_plain = bool(match["number"]) and match["bracket"] != "["
        notes.append(_Note(index, number, is_plain, number in (1, last + 1)))
        last = number
    return pages


def _plain_marks_of(blocks: Sequence[Block], pages: set[int]) -> dict[int, dict[int, list[Place]]]:
    """Page -> number -> where it may be a mark."""
    marks: dict[int, list[tuple[Place, PlainMark]]] = defaultdict(list)
    words: set[str] = set()
    for index, block in enumerate(blocks):
        if block.heading or block.sources[0].element.type not in _WITH_PLAIN_MARKS:
            continue
        own = pages.intersection(placed.page.number for placed in block.sources)
        if not own:
            continue
        words.update(_WORD.findall(block.embed.lower()))
        if _CITED.match(block.embed):
            continue
        for mark in plain_marks(block.embed):
            for page in own:
                marks[page].append(((index, mark.offset), mark))
    found: dict[int, dict[int, list[Place]]] = defaultdict(lambda: defaultdict(list))
    for page, on_page in marks.items():
        behind: dict[str, set[str]] = defaultdict(set)
        for _, mark in on_page:
            behind[mark.word.lower()].add(mark.number)
        for place, mark in on_page:
            word = mark.word.lower()
            # A word that has one number here and another there is numbered itself: "conv1", "conv2".
            # "bzip2" is a name as long as there is no "bzip".
            if len(behind[word]) == 1 and (not mark.is_tight or word in words):
                found[page][int(mark.number)].append(place)
    return found


def _place_in_order(
    notes: Sequence[_Note], found: Mapping[int, Sequence[Place]], places: dict[int, Place]
) -> None:
    """Place the notes of a page at the only mark that each can have between its neighbours' marks.

    Those that are placed first leave less room to the others, so it is done twice.
    """
    for _ in range(2):
        above: list[Place] = []
        end: Place = (len(notes) and notes[-1].index, 0)
        for note in reversed(notes):
            end = min(end, places.get(note.index, end))
            above.append(end)
        start: Place = (-1, 0)
        single: dict[int, Place] = {}
        for note, limit in zip(notes, reversed(above), strict=True):
            start = max(start, places.get(note.index, start))
            if _is_open(note, places):
                limit = min(limit, (note.index, 0))
                options = [place for place in found.get(note.number, ()) if start < place < limit]
                if len(options) == 1:
                    single[note.index] = options[0]
        places.update(_counting_up(single))


def _counting_up(places: Mapping[int, Place]) -> dict[int, Place]:
    """Without those of two that follow each other where the second stands before the first."""
    items = list(places.items())
    doubtful = {
        index
        for (first, place), (second, other) in pairwise(items)
        if other <= place
        for index in (first, second)
    }
    return {index: place for index, place in items if index not in doubtful}


def _place_on_page_before(
    notes: Sequence[_Note],
    before: Sequence[_Note],
    found: Mapping[int, Sequence[Place]],
    places: dict[int, Place],
) -> None:
    """Place the first note of a page at a mark of the page before, behind the marks of its notes."""
    note = notes[0]
    if not _is_open(note, places) or not note.is_next or (before and note.number == 1):
        return
    last = max((places[other.index] for other in before if other.index in places), default=(-1, 0))
    options = [place for place in found.get(note.number, ()) if place > last]
    if len(options) == 1:
        places[note.index] = options[0]
