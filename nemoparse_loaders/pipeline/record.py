"""PageRecord: all that a parsed page is made from; kept, it makes the page again without a request."""

from __future__ import annotations

from dataclasses import dataclass

from ..backends.base import ModelReply
from ..document import BBox, Issue, PageStep
from ..rendering.page_image import PageEvidence, PageGeometry
from .regions import Region


@dataclass(frozen=True, slots=True)
class ReplyPart:
    """A reply, and the band of the page that it is about.

    Attributes:
        reply: As it came.
        image_size: Pixels (width, height) of the picture that was sent.
        top: Upper edge of the picture on the page, 0..1 from the top.
        bottom: Lower edge likewise.
    """

    reply: ModelReply
    image_size: tuple[int, int]
    top: float = 0.0
    bottom: float = 1.0


@dataclass(frozen=True, slots=True)
class RegionReply:
    """A region that was read by itself.

    Attributes:
        region: What was to be read.
        box: What the picture shows, margin included: 0..1 of the page.
        reply: As it came; None where no request was needed, or none was answered.
        image_size: Pixels (width, height) of the picture that was sent; (0, 0) where there was none.
    """

    region: Region
    box: BBox
    reply: ModelReply | None
    image_size: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class PageRecord:
    """What became of a page, before decoding.

    Attributes:
        geometry: The page.
        issues: What the rendering had to change.
        parts: One for most pages; several, from top to bottom, where it was read in bands; none where it is
            blank and nothing was sent.
        steps: What was done beyond asking once.
        attempts: Requests that it took.
        detection: The reply to the task that asks for regions alone.
        regions: What was read of the page by itself, in the order of `regions_to_read`.
        evidence: What the file stores as text.
        is_complete: Everything that was asked for was answered, or refused for good.
    """

    geometry: PageGeometry
    issues: tuple[Issue, ...] = ()
    parts: tuple[ReplyPart, ...] = ()
    steps: tuple[PageStep, ...] = ()
    attempts: int = 0
    detection: ReplyPart | None = None
    regions: tuple[RegionReply, ...] = ()
    evidence: PageEvidence | None = None
    is_complete: bool = True
