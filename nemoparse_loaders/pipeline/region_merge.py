"""Regions of a page that were read by themselves, put back into the page; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..checks.evidence import supported_share
from ..document import BBox, Element, ElementType, Issue, PageStatus, ParsedPage, Severity
from ..rendering.page_image import PageEvidence
from .reading_order import place_in_order
from .region_boxes import INSIDE, same_place, share_inside
from .region_elements import TABLES, ends_cut, is_float, meets, picture_of, renamed
from .region_parts import blocks_on_page, counterparts, is_inside, matched
from .region_words import tables_of
from .regions import Region
from .standing import Standing, Words, words_in
from .table_choice import Witness, choose, reading_of, says_the_same
from .table_rereading import choice_issues, in_place_of, with_others

_PICTURE = ElementType.PICTURE.value
# A table comes with a caption and a note or two.
_MOST_EXTRAS = 8
# Words of the file that stand so far outside of a picture may be meant: boxes are not exact.
_EDGE = 0.02
_NOT_WHOLE = frozenset({"truncated", "loop", "abort"})


@dataclass(frozen=True, slots=True)
class RegionReading:
    """A region as it was read from a picture of its own.

    Attributes:
        region: What was to be read.
        box: What the picture shows, margin included, on the page.
        page: The decoded reply; its boxes are fractions of the picture. One without elements where the reply
            was empty, there was none, or none was needed (`not_read`).
    """

    region: Region
    box: BBox
    page: ParsedPage


def not_read(region: Region, page_number: int) -> RegionReading:
    """The reading of a region that needs no request (`regions.wants_reading`)."""
    return RegionReading(region, region.box, ParsedPage(number=page_number))


def merge_regions(
    page: ParsedPage,
    readings: Sequence[RegionReading],
    evidence: PageEvidence | None = None,
) -> ParsedPage:
    """Put what was read of regions back into their page.

    Nothing that the page had is lost: what another reading takes the place of is kept in
    `Element.alternatives`.

    A region of the page's table or chart. Its counterparts in the reply are the blocks with a grid in the
    region; those outside of it are neighbours in the margin, and so is one that stands on the page elsewhere
    (`Standing`). Where none is in the region, for the boxes of the reply are wrong, the words tell. Several
    tables of either side that are the same place are one reading of it. `table_choice.choose` says which one
    is better:

    - The new one takes id, place and ``<tbc>`` marks of the page's; pieces beyond the first follow it. The
      page's becomes an alternative, and an issue ``table_reread`` says why.
    - Otherwise the new one becomes the alternative, unless it says the same.
    - ``table_disagreement`` where both are whole and their numbers differ, whichever was taken.
    - A box from the picture is finer, but where it is another place than the page's and the region, the
      page's stands.
    - Texts without a grid are no table: where the reply has nothing else they become alternatives.
    - What else the picture shows in the region, and the page has nowhere, is inserted; not from a reply that
      loops.

    A region that the page missed. The blocks in it, or all of them if none is in it, are inserted one after
    the other where `place_in_order` says, but for those that stand on the page already. In the region of a
    picture, words alone are the words in the picture. If the reply gave nothing, an element of the detected
    class marks the place, with an issue ``missing_text`` unless it is a picture.

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
        subjects = self._subjects(reading.region)
        if subjects:
            self._put_table(reading, found, subjects)
        else:
            self._put_missed(reading, found)

    def result(self) -> ParsedPage:
        if not self._changed:
            return self._page
        number = self._page.number
        new_ids: dict[str, str] = {}
        elements: list[Element] = []
        for position, element in enumerate(self._elements, start=1):
            element_id = f"p{number}e{position}"
            if element.id:
                new_ids[element.id] = element_id
            elements.append(renamed(element, element_id))
        status: PageStatus = self._page.status
        if self._elements and (status in ("failed", "blank") or (status == "ok" and self._lacks)):
            status = "partial"
        issues = tuple(
            issue.model_copy(update={"element_id": new_ids.get(issue.element_id)})
            if issue.element_id
            else issue
            for issue in self._page.issues
        )
        return self._page.model_copy(update={"elements": tuple(elements), "issues": issues, "status": status})

    def _subjects(self, region: Region) -> list[Element]:
        """The page's elements that a region shows: its subject, and tables in it that are another place."""
        at = next((at for at, element in enumerate(self._elements) if element.id == region.subject), None)
        if at is None or not region.subject:
            return []
        subject = self._elements[at]
        if subject.bbox is None:
            # Only detection knows its place, and what is inserted beside it needs to know it as well.
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
        choice = choose(of_page, of_picture, beside=texts, witness=self._witness(reading.box))
        notes = choice_issues(choice, of_page, of_picture, self._page.number)
        if choice.takes_new:
            self._replace(old, in_place_of(old, new, notes, reading.region))
        else:
            kept = with_others(old[0], new)
            self._replace(old[:1], [kept.model_copy(update={"issues": (*kept.issues, *notes)})])

    def _put_missed(self, reading: RegionReading, found: list[Element]) -> None:
        region = reading.region
        content = [element for element in found if words_in(element) or tables_of(element)]
        inside = [element for element in content if is_inside(element, region.box)]
        # Where neighbours in the margin are all that came, nothing came.
        is_gap = not inside and not any(meets(element, region.box) for element in content)
        content = inside or content
        if region.type == _PICTURE and inside and all(not is_float(element) for element in inside):
            content = [picture_of(region, inside)]
        standing = self._standing(reading)
        fresh: list[Element] = []
        for element in content:
            if not standing.has(element):
                standing.add(element)
                # Without a box, or with one outside of the region, its place is that of the region.
                box = element.bbox if inside and element.bbox is not None else region.box
                fresh.append(element.model_copy(update={"bbox": box}))
        if is_gap and not fresh:
            fresh = [self._gap(region)]
        if fresh:
            self._insert(self._with_cut(reading.page, fresh), region.box, region.type)

    def _with_cut(self, reply: ParsedPage, blocks: list[Element]) -> list[Element]:
        """Blocks of a reply that say it if the reply is cut behind them."""
        last = blocks[-1]
        if not ends_cut(reply, blocks) or any(issue.code in _NOT_WHOLE for issue in last.issues):
            return blocks
        message = "The reply to this region is not whole; what came is kept."
        note = self._issue("truncated", message, "warning")
        return [*blocks[:-1], last.model_copy(update={"issues": (*last.issues, note)})]

    def _gap(self, region: Region) -> Element:
        issues: tuple[Issue, ...] = ()
        if region.type != _PICTURE:
            message = f"A region of class {region.type} was found here, but reading it gave no text."
            issues = (self._issue("missing_text", message, "warning"),)
        return Element(id="", type=region.type, bbox=region.box, issues=issues)

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

    def _witness(self, box: BBox) -> Witness | None:
        if self._evidence is None:
            return None
        # Only what is in the picture or at its edge has to be taken apart for each question.
        near = BBox(box.x0 - _EDGE, box.y0 - _EDGE, box.x1 + _EDGE, box.y1 + _EDGE)
        words = tuple(word for word in self._evidence.words if _touches(word.bbox, near))
        evidence = replace(self._evidence, words=words)
        return lambda text: supported_share(text, evidence, box)

    def _issue(self, code: str, message: str, severity: Severity) -> Issue:
        return Issue(code=code, message=message, severity=severity, page=self._page.number)


def _touches(box: BBox, other: BBox) -> bool:
    return box.x0 <= other.x1 and other.x0 <= box.x1 and box.y0 <= other.y1 and other.y0 <= box.y1
