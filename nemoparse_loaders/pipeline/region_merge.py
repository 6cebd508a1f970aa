"""Regions of a page that were read by themselves, put back into the page; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..document import BBox, Element, ElementType, Issue, ParsedPage, Severity
from ..rendering.page_image import PageEvidence
from .reading_order import place_in_order
from .region_boxes import INSIDE, same_place, share_inside
from .region_elements import TABLES, ends_cut, gap, is_float, meets, numbered, picture_of
from .region_parts import (
    begins_like,
    beside_tables,
    blocks_on_page,
    counterparts,
    in_region,
    is_inside,
    matched,
)
from .region_words import tables_of
from .regions import Region
from .standing import Standing, Words, is_part, words_in
from .table_choice import choose, says_the_same
from .table_reading import reading_of
from .table_rereading import choice_issues, in_place_of, with_others
from .table_witness import witness_of

_PICTURE = ElementType.PICTURE.value
# A table comes with a caption and a note or two, a region with a heading.
_MOST_EXTRAS = 8
_NOT_WHOLE = frozenset({"truncated", "loop", "abort"})


@dataclass(frozen=True, slots=True)
class RegionReading:
    """A region as it was read from a picture of its own.

    Attributes:
        region: What was to be read.
        box: What the picture shows, margin included, on the page.
        page: The decoded reply; its boxes are fractions of the picture. One without elements where the reply
            was empty, there was none, or none was needed (`regions.wants_reading`).
    """

    region: Region
    box: BBox
    page: ParsedPage


def merge_regions(
    page: ParsedPage,
    readings: Sequence[RegionReading],
    evidence: PageEvidence | None = None,
) -> ParsedPage:
    """Put what was read of regions back into their page.

    Nothing that the page had is lost: what another reading takes the place of is kept in
    `Element.alternatives`.

    A region of the page's table or chart, or of an element without a box, which is known by its words. Its
    counterparts in the reply are the blocks with a grid in the region; those outside of it are neighbours in
    the margin, and so is one that stands on the page elsewhere (`Standing`). Where none is in the region, for
    the boxes of the reply are wrong, the words tell (`counterparts`). Several tables of either side that are
    the same place are one reading of it. `table_choice.choose` says which one is better:

    - The new one takes id, place and ``<tbc>`` marks of the page's; pieces beyond the first follow it. The
      page's becomes an alternative, and an issue ``table_reread`` says why.
    - Otherwise the new one becomes the alternative, unless it says the same.
    - ``table_disagreement`` where both are whole and their numbers differ, whichever was taken.
    - A box from the picture is finer, but where it is another place than the page's and the region, the
      page's stands.
    - Texts without a grid are no table: where the reply has nothing else they become alternatives.
    - What else the picture shows in the region, and the page has nowhere, is inserted; not from a reply that
      loops.

    A region that the page missed. The blocks in it (`in_region`) are inserted one after the other where
    `place_in_order` says, but for those that stand on the page already. In the region of a
    picture, words alone are the words in the picture. If the reply gave nothing, an element of the detected
    class marks the place, with an issue ``region_unread`` unless it is a picture.

    The page stays partial where it was: what else it lacks is not known. One that was whole becomes partial
    where an inserted block is not.

    Args:
        page: The page as it was read, with the boxes of its elements on the page.
        readings: Any number, in any order.
        evidence: What the file stores as text.

    Returns:
        The page with its elements numbered in order, and the issues' ``element_id`` with them; alternatives
        have the id of the element that they stand at. Without readings the page itself.
    """
    if not readings:
        return page
    merge = _Merge(page, evidence)
    for reading in readings:
        merge.put_back(reading)
    return merge.result()


class _Merge:
    """A page while regions are put back into it."""

    def __init__(self, page: ParsedPage, evidence: PageEvidence | None) -> None:
        self._page = page
        self._elements = list(page.elements)
        self._words: dict[int, tuple[Element, Words]] = {}
        self._evidence = evidence if evidence is not None and evidence.usable else None
        self._changed = self._lacks = False

    def put_back(self, reading: RegionReading) -> None:
        found = blocks_on_page(reading.page, reading.box, self._page.number)
        subjects = self._subjects(reading.region, found)
        if subjects:
            self._put_table(reading, found, subjects)
        else:
            self._put_missed(reading, found)

    def result(self) -> ParsedPage:
        if not self._changed:
            return self._page
        return numbered(self._page, self._elements, lacks=self._lacks)

    def _subjects(self, region: Region, found: Sequence[Element]) -> list[Element]:
        """The page's elements that a region shows: its subject, and tables in it that are another place."""
        at = next((at for at, element in enumerate(self._elements) if element.id == region.subject), None)
        if at is None or not region.subject:
            at = self._without_box(found)
        elif self._elements[at].bbox is None and found:
            words = words_in(self._elements[at])
            at = at if begins_like(words, found, is_expected=True) else self._without_box(found)
        if at is None:
            return []
        subject = self._elements[at]
        if subject.bbox is None:
            # Its place is known now, and what is inserted beside it needs to know it as well.
            self._elements[at] = subject = subject.model_copy(update={"bbox": region.box})
            self._changed = True
        return [
            element
            for element in self._elements
            if element is subject
            or (
                element.id
                and element.type in TABLES
                and element.bbox is not None
                and share_inside(element.bbox, region.box) >= INSIDE
                and not same_place(element.bbox, subject.bbox or region.box)
            )
        ]

    def _without_box(self, found: Sequence[Element]) -> int | None:
        """The element without a box whose words a reply says: it was cut, so nobody knows where it stands."""
        for at, element in enumerate(self._elements):
            if (
                element.id
                and element.bbox is None
                and begins_like(words_in(element), found, is_expected=False)
            ):
                return at
        return None

    def _put_table(self, reading: RegionReading, found: list[Element], subjects: list[Element]) -> None:
        elsewhere = self._standing(reading, without=subjects)
        tables, extras = counterparts(reading.region.box, found, subjects, elsewhere)
        if any(issue.code == "loop" for issue in reading.page.issues):
            extras = []
        del extras[_MOST_EXTRAS:]
        if not tables:
            # A table read as words: a witness, but no table, and nothing that is missing on the page.
            self._replace(subjects[:1], [with_others(subjects[0], extras)])
            return
        extras = beside_tables(extras, subjects, tables, reading.region.box)
        inserted = list(extras)
        for old, new in matched(subjects, tables):
            if old:
                self._decide(reading, old, new, [*elsewhere.near, *extras])
            else:
                inserted += new
        standing = self._standing(reading)
        for element in inserted:
            if not standing.has(element):
                standing.add(element)
                self._insert([element], element.bbox or reading.region.box, element.type)

    def _decide(
        self, reading: RegionReading, old: list[Element], new: list[Element], beside: list[Element]
    ) -> None:
        of_page = reading_of(old, cut=ends_cut(self._page, old))
        of_picture = reading_of(new, cut=ends_cut(reading.page, new))
        if says_the_same(of_page, of_picture) and of_page.damage <= of_picture.damage:
            return
        texts = [element.text or element.markdown for element in beside]
        witness = witness_of(self._evidence, reading.region.box) if self._evidence is not None else None
        choice = choose(of_page, of_picture, beside=texts, witness=witness)
        notes = choice_issues(choice, of_page, of_picture, self._page.number)
        if choice.takes_new:
            self._replace(old, in_place_of(old, new, notes, reading.region))
        else:
            kept = with_others(old[0], new)
            self._replace(old[:1], [kept.model_copy(update={"issues": (*kept.issues, *notes)})])

    def _put_missed(self, reading: RegionReading, found: list[Element]) -> None:
        region = reading.region
        content = in_region(found, region.box, reading.box)
        if region.type == _PICTURE and content and not any(map(is_float, content)):
            content = [picture_of(region, content)]
        standing = self._standing(reading)
        fresh: list[Element] = []
        for element in content:
            if not standing.has(element):
                standing.add(element)
                is_placed = element.bbox is not None and is_inside(element, region.box)
                fresh.append(element if is_placed else element.model_copy(update={"bbox": region.box}))
        # Where neighbours in the margin are all that came, nothing came.
        if not fresh and not any(meets(element, region.box) for element in (*content, *found)):
            fresh = [gap(region, self._page.number)]
        if fresh:
            self._give_way(fresh, reading.box)
            self._insert(self._with_cut(reading.page, fresh), region.box, region.type)

    def _give_way(self, fresh: Sequence[Element], picture: BBox) -> None:
        """Take out what was inserted before and is only a part of what comes now: a neighbour at an edge."""
        texts = [words_in(element) for element in fresh[:_MOST_EXTRAS]]
        self._elements = [
            element
            for element in self._elements
            if element.id
            or tables_of(element)
            or element.bbox is None
            or element.bbox.overlap(picture) <= 0.0
            or not any(is_part(self._with_words(element)[1], words) for words in texts)
        ]

    def _with_cut(self, reply: ParsedPage, blocks: list[Element]) -> list[Element]:
        """Blocks of a reply that say it if the reply is cut behind them."""
        last = blocks[-1]
        if not ends_cut(reply, blocks) or any(issue.code in _NOT_WHOLE for issue in last.issues):
            return blocks
        message = "The reply to this region is not whole; what came is kept."
        note = self._issue("truncated", message, "warning")
        return [*blocks[:-1], last.model_copy(update={"issues": (*last.issues, note)})]

    def _insert(self, elements: list[Element], box: BBox, kind: str) -> None:
        at = place_in_order(box, kind, self._elements)
        placed = [element.model_copy(update={"id": ""}) for element in elements]
        self._elements[at:at] = placed
        self._changed = True
        self._lacks |= any(issue.code in _NOT_WHOLE for element in placed for issue in element.issues)

    def _replace(self, old: Sequence[Element], new: Sequence[Element]) -> None:
        """Put elements in the place of the first of others, which go."""
        if len(old) == len(new) == 1 and old[0] == new[0]:
            return
        at = next(at for at, element in enumerate(self._elements) if element.id == old[0].id)
        gone = {element.id for element in old}
        rest = [element for element in self._elements[at:] if element.id not in gone]
        self._elements[at:] = [*new, *rest]
        self._changed = True

    def _standing(self, reading: RegionReading, without: Sequence[Element] = ()) -> Standing:
        gone = {element.id for element in without}
        return Standing(
            (
                self._with_words(element)
                for element in self._elements
                if element.id not in gone or not element.id
            ),
            reading.box,
        )

    def _with_words(self, element: Element) -> tuple[Element, Words]:
        # The element is kept with its words, so that its identity stays its own.
        known = self._words.get(id(element))
        if known is None:
            known = self._words[id(element)] = (element, words_in(element))
        return known

    def _issue(self, code: str, message: str, severity: Severity) -> Issue:
        return Issue(code=code, message=message, severity=severity, page=self._page.number)
