"""Pages read in bands: the pages of the bands, from top to bottom, as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..document import BBox, Element, Issue, PageStatus, ParsedPage, Usage

# From the best to the worst; what a server made up itself is worse than all of them.
_REASONS = ("stop", "tool_calls", None, "repetition", "length", "abort")


class BandPage(NamedTuple):
    """What a band was read as.

    Attributes:
        page: With boxes that are fractions of the band.
        top: Upper edge of the band on the page, 0..1 from the top.
        bottom: Lower edge likewise.
    """

    page: ParsedPage
    top: float
    bottom: float

    @property
    def is_whole_page(self) -> bool:
        """Whether the band is all of the page."""
        return self.top == 0.0 and self.bottom == 1.0


def merge_bands(bands: Sequence[BandPage]) -> ParsedPage:
    """One page of its bands.

    Bands do not overlap, so nothing stands in two of them. A block that a cut goes through stays two: whether
    they belong together is not known. Boxes are fractions of the page, ids are counted through, the raw
    replies are joined by a newline, the reason of the worst end is kept.

    Args:
        bands: At least one; from top to bottom, of one page.
    """
    if len(bands) == 1 and bands[0].is_whole_page:
        return bands[0].page
    number = bands[0].page.number
    elements: list[Element] = []
    for band in bands:
        elements.extend(
            _on_page(element, band, f"p{number}e{position}")
            for position, element in enumerate(band.page.elements, start=len(elements) + 1)
        )
    status: PageStatus = "ok"
    if any(band.page.status != "ok" for band in bands):
        # A band that came back empty is a gap in the page, not the loss of it.
        lost = not elements and any(band.page.status == "failed" for band in bands)
        status = "failed" if lost else "partial"
    if elements:
        issues = tuple(_of_band(issue, band) for band in bands for issue in band.page.issues)
    else:
        issues = tuple(dict.fromkeys(issue for band in bands for issue in band.page.issues))
    return ParsedPage(
        number=number,
        status=status,
        finish_reason=max((band.page.finish_reason for band in bands), key=_rank),
        issues=issues,
        elements=tuple(elements),
        raw="\n".join(band.page.raw for band in bands),
    )


def add_usage(usages: Sequence[Usage]) -> Usage:
    """The sum of tokens; None where no reply says it."""
    return Usage(
        prompt_tokens=_sum([usage.prompt_tokens for usage in usages]),
        completion_tokens=_sum([usage.completion_tokens for usage in usages]),
    )


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _rank(reason: str | None) -> int:
    return _REASONS.index(reason) if reason in _REASONS else len(_REASONS)


def _on_page(element: Element, band: BandPage, element_id: str) -> Element:
    bbox = element.bbox
    if bbox is not None:
        height = band.bottom - band.top
        # Rounding must not carry a box over the edge of its band.
        y0, y1 = (min(band.top + y * height, band.bottom) for y in (bbox.y0, bbox.y1))
        bbox = BBox(bbox.x0, y0, bbox.x1, y1)
    issues = tuple(issue.model_copy(update={"element_id": element_id}) for issue in element.issues)
    return element.model_copy(update={"id": element_id, "bbox": bbox, "issues": issues})


def _of_band(issue: Issue, band: BandPage) -> Issue:
    where = f"From {band.top:.0%} to {band.bottom:.0%} of the page's height"
    severity = "warning" if issue.code == "empty" else issue.severity
    return issue.model_copy(update={"message": f"{where}: {issue.message}", "severity": severity})
