"""The ladder for pages that loop, are cut or come back empty: other sampling, bands, the file's own text.

Each rung is tried only where those before it left the page less than whole, and nothing is ever replaced by
something worse. A page takes at most one reading with other sampling, two bands and four bands: seven
requests. What fails on the way leaves the best page so far as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from ..backends.base import ModelReply
from ..document import PageStep, ParsedPage, StepAction
from ..rendering.page_image import PageBand, TextLayer
from .concurrent import gathered
from .judgement import is_better, loops, needs_recovery, useful_text
from .layer_text import reply_of_layer
from .page import page_from_record
from .record import PageRecord, ReplyPart

_FEW, _MANY = 2, 4
# Cuts so near to each other, in fractions of the page, go through the same gap: a line of text is higher.
_SAME_EDGE = 0.005
# The file's text takes the place of a cut reply only where it holds at least this part of its text.
_FEWEST_OF_LAYER = 0.5


class Ladder(Protocol):
    """What the recovery of a page may ask for."""

    def can_reread(self) -> bool:
        """Whether the engine can be asked again with other sampling."""
        ...

    async def reread(self, attempt: int) -> ReplyPart | None:
        """The whole page again, with the sampling of this attempt, from 1; None where no reply came."""
        ...

    async def bands(self, count: int) -> tuple[PageBand, ...]:
        """The page cut along white space, from top to bottom; nothing where it cannot be."""
        ...

    async def read_band(self, band: PageBand) -> ReplyPart | None:
        """One of the bands; None where no reply came."""
        ...

    async def text_layer(self) -> TextLayer | None:
        """The file's own text; None where it has none."""
        ...


class _Reading(NamedTuple):
    """A page and what it was made from."""

    page: ParsedPage
    parts: tuple[ReplyPart, ...]


async def recover(
    page: ParsedPage, record: PageRecord, ladder: Ladder, *, profile: str, text_layer_fallback: bool
) -> tuple[ParsedPage, PageRecord]:
    """Read a page again in other ways until it is whole or there is no other way.

    Args:
        page: The page as it was read; see `needs_recovery`.
        record: What it was made from. Without a reply, only the file's own text is tried.
        ladder: Asks for what is needed.
        profile: Name of the profile that replies are decoded with.
        text_layer_fallback: Whether the file's own text may be taken in the end.

    Returns:
        The best page, and its record, from which `page_from_record` makes that very page again. Both tell
        each step that was tried, and count its requests.
    """
    climb = _Climb(record, ladder, profile)
    best = _Reading(page, record.parts)
    reason = needs_recovery(page)
    if record.parts and reason is not None:
        best = await climb.by_asking(best, reason)
    if text_layer_fallback and (needs_recovery(best.page) is not None or not record.parts):
        best = await climb.by_text_layer(best)
    if not climb.steps:
        return page, record
    found = climb.record(best.parts)
    return page_from_record(found, profile), found


class _Climb:
    """The recovery of one page, with the steps that were taken."""

    def __init__(self, record: PageRecord, ladder: Ladder, profile: str) -> None:
        self._start = record
        self._ladder = ladder
        self._profile = profile
        self.steps: list[PageStep] = []
        self._requests = 0

    def record(self, parts: tuple[ReplyPart, ...]) -> PageRecord:
        """The record of the page as these parts say it."""
        return replace(
            self._start,
            parts=parts,
            steps=(*self._start.steps, *self.steps),
            attempts=self._start.attempts + self._requests,
        )

    async def by_asking(self, first: _Reading, reason: str) -> _Reading:
        """The best of what the engine says when it is asked otherwise."""
        best = first
        again = await self._again(reason)
        if again is not None and is_better(again.page, best.page):
            best = again
        still = needs_recovery(best.page)
        if still is None:
            return best
        banded = await self._in_bands(still)
        if banded is None:
            return best
        if needs_recovery(banded.page) is not None:
            return banded if is_better(banded.page, best.page) else best
        # Two whole readings in two ways outweigh a longer one that was cut: that one ran in circles unseen.
        if again is not None and needs_recovery(again.page) is None:
            return max(banded, again, key=lambda reading: useful_text(reading.page))
        return banded

    async def by_text_layer(self, best: _Reading) -> _Reading:
        """The file's own text, unless it holds far less than what was read."""
        layer = await self._ladder.text_layer()
        if layer is None:
            return best
        geometry = self._start.geometry
        # Without a picture its shape will do: frames know no other thing of it.
        size = round(max(1.0, geometry.width_pt)), round(max(1.0, geometry.height_pt))
        if best.parts:
            size = best.parts[0].image_size
        part = reply_of_layer(layer, geometry, profile=self._profile, image_size=size)
        if part is None:
            return best
        own = self._reading((part,))
        if not loops(best.page) and useful_text(own.page) < _FEWEST_OF_LAYER * useful_text(best.page):
            return best
        self._step("text_layer", needs_recovery(best.page) or "no reply came")
        return own

    async def _again(self, reason: str) -> _Reading | None:
        if not self._ladder.can_reread():
            return None
        self._step("reread", reason)
        self._requests += 1
        part = await self._ladder.reread(1)
        return None if part is None else self._reading((part,))

    async def _in_bands(self, reason: str) -> _Reading | None:
        halves = await self._ladder.bands(_FEW)
        if len(halves) < 2:
            return None
        self._step("bands", reason)
        read = [self._reading(parts) for parts in await self._ask(halves)]
        weak = [index for index, half in enumerate(read) if half.parts and needs_recovery(half.page)]
        if weak:
            smaller = await self._ladder.bands(_MANY)
            inner = {index: _within(halves[index], smaller) for index in weak}
            if all(inner.values()):
                # Only what lies in the bands that failed.
                wanted = [band for index in weak for band in inner[index]]
                answers = dict(zip(map(_edges, wanted), await self._ask(wanted), strict=True))
                for index in weak:
                    cut = self._joined([answers[_edges(band)] for band in inner[index]])
                    if cut.parts and is_better(cut.page, read[index].page):
                        read[index] = cut
            elif len(smaller) > len(halves):
                # Cut elsewhere: pieces of one cut cannot stand beside pieces of another.
                whole, other = (
                    self._joined([half.parts for half in read]),
                    self._joined(await self._ask(smaller)),
                )
                return other if other.parts and is_better(other.page, whole.page) else whole
        joined = self._joined([half.parts for half in read])
        return joined if joined.parts else None

    async def _ask(self, bands: Sequence[PageBand]) -> list[tuple[ReplyPart, ...]]:
        """What each band says: one part, or none for a band with nothing on it, which is not sent."""
        self._requests += sum(not band.image.is_blank for band in bands)
        return await gathered(self._read_band(band) for band in bands)

    async def _read_band(self, band: PageBand) -> tuple[ReplyPart, ...]:
        if band.image.is_blank:
            return ()
        part = await self._ladder.read_band(band)
        if part is None:
            # Kept as a reply that says nothing and is not whole, so that the page tells of its gap.
            size = (band.image.width, band.image.height)
            part = ReplyPart(ModelReply("", "error"), size, band.top, band.bottom)
        return (part,)

    def _joined(self, parts: Sequence[tuple[ReplyPart, ...]]) -> _Reading:
        return self._reading(tuple(part for some in parts for part in some))

    def _reading(self, parts: tuple[ReplyPart, ...]) -> _Reading:
        """The page that the parts make, judged without regard to steps and rendering."""
        return _Reading(page_from_record(PageRecord(self._start.geometry, parts=parts), self._profile), parts)

    def _step(self, action: StepAction, reason: str) -> None:
        self.steps.append(PageStep(action=action, reason=reason))


def _within(outer: PageBand, bands: Sequence[PageBand]) -> list[PageBand]:
    """Those of the bands that fill the outer one, two or more; none where they do not."""
    inner = [
        band
        for band in bands
        if band.top > outer.top - _SAME_EDGE and band.bottom < outer.bottom + _SAME_EDGE
    ]
    if len(inner) < 2:
        return []
    fills = abs(inner[0].top - outer.top) < _SAME_EDGE and abs(inner[-1].bottom - outer.bottom) < _SAME_EDGE
    return inner if fills else []


def _edges(band: PageBand) -> tuple[float, float]:
    return band.top, band.bottom
