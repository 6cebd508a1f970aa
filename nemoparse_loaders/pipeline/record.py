"""PageRecord: all that a parsed page is made from; kept, it makes the page again without a request."""

from __future__ import annotations

from dataclasses import dataclass

from ..backends.base import ModelReply
from ..document import Issue, PageStep
from ..rendering.page_image import PageGeometry


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
class PageRecord:
    """What became of a page, before decoding.

    Attributes:
        geometry: The page.
        issues: What the rendering had to change.
        parts: One for most pages; several, from top to bottom, where it was read in bands; none where it is
            blank and nothing was sent.
        steps: What was done beyond asking once.
        attempts: Requests that it took.
    """

    geometry: PageGeometry
    issues: tuple[Issue, ...] = ()
    parts: tuple[ReplyPart, ...] = ()
    steps: tuple[PageStep, ...] = ()
    attempts: int = 0
