"""PageAsker: a page drawn and sent, smaller where the server wants that; and what its ladder asks with."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass, replace

from ..backends.base import can_detect
from ..document import PageStep
from ..options import ParseOptions
from ..rendering import RenderSettings
from ..rendering.page_image import PageImage
from ..rendering.pool import OpenedSource, RenderPool
from ..report import Stage
from .dispatch import Dispatcher, PageFailure, PageReply
from .endpoints import EndpointPool
from .ladder import SMALLEST_PICTURE_BYTES, PageLadder
from .metrics import RunMetrics
from .record import PageRecord, ReplyPart
from .window import PageVisit

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A page that is asked for.

    Attributes:
        opened: Its document.
        number: From 1.
        priority: The lowest number is sent first.
        visit: Its stay in the window.
        metrics: The run's.
    """

    opened: OpenedSource
    number: int
    priority: int
    visit: PageVisit
    metrics: RunMetrics


@dataclass(frozen=True, slots=True)
class FirstReading:
    """What came of asking for a page.

    Attributes:
        image: Its picture as it was sent last.
        settings: How that was drawn.
        outcome: The reply to it, or why there is none.
        record: With the reply, if there is one.
    """

    image: PageImage
    settings: RenderSettings
    outcome: PageReply | PageFailure
    record: PageRecord


class PageAsker:
    """What all pages of a run are asked with. For one event loop.

    Args:
        endpoints: The servers, open.
        dispatcher: Asks them.
        renders: Draws pages, open.
        options: The caller's.
        engine: Name of the engine.
        text_layer: Whether the engine goes by the PDF's text layer.
    """

    def __init__(
        self,
        endpoints: EndpointPool,
        dispatcher: Dispatcher,
        renders: RenderPool,
        options: ParseOptions,
        *,
        engine: str,
        text_layer: bool,
    ) -> None:
        self._endpoints = endpoints
        self._dispatcher = dispatcher
        self._renders = renders
        self._options = options
        self._engine = engine
        self._text_layer = text_layer
        self._picture_limit = options.max_image_bytes
        self._largest_taken = 0  # bytes of a picture that was replied to
        # A worker that is asked for one page at a time draws the next one as soon as it is free.
        self._drawing = asyncio.Semaphore(renders.width)
        self._told_of_detection = False

    def settings(self) -> RenderSettings:
        """How pages are drawn for this model and these options, now."""
        return replace(self.wanted_settings(), max_image_bytes=self._picture_limit)

    def wanted_settings(self) -> RenderSettings:
        """The same without the limits that a server turned out to have."""
        options = self._options
        return RenderSettings(
            max_image_size=options.max_image_size or self._endpoints.session.profile.max_image_size,
            dpi=options.dpi,
            text_layer=self._text_layer,
            # What an engine took from the file cannot be borne out by the file.
            evidence=options.verify and not self._text_layer,
            max_image_bytes=options.max_image_bytes,
        )

    def largest_settings(self) -> RenderSettings:
        """As large as the model takes pictures."""
        largest = self._endpoints.session.profile.max_image_size
        return replace(self.settings(), max_image_size=largest, dpi=None)

    async def draw(
        self, request: PageRequest, settings: RenderSettings, *, beside: bool = False
    ) -> PageImage:
        """The page's picture, which counts into the window from now on.

        Args:
            request: The page.
            settings: How.
            beside: It comes beside the one that counts already, and the caller counts it.

        Raises:
            PageRenderError: It cannot be drawn, or not in time.
        """
        async with self._drawing:
            began = time.perf_counter()
            image = await self._renders.render(request.opened, request.number, settings)
            request.metrics.rendered(time.perf_counter() - began)
        if not beside:
            request.visit.weigh(len(image.data))
        return image

    async def first_reading(
        self, request: PageRequest, image: PageImage, settings: RenderSettings
    ) -> FirstReading:
        """Ask for a page, with a smaller picture where this one is too large for the server.

        Raises:
            PageRenderError: The smaller one cannot be drawn.
        """
        attempts = 0
        steps: tuple[PageStep, ...] = ()
        while True:
            outcome = await self.send(request, image)
            attempts += outcome.attempts
            steps += outcome.steps
            limit = self._smaller_picture(outcome, image, settings)
            if limit is None:
                break
            settings = replace(settings, max_image_bytes=limit)
            reason = f"the server refused a picture of {len(image.data):,} bytes"
            steps += (PageStep(action="smaller", reason=reason),)
            image = await self.draw(request, settings)
        request.metrics.asked("page", attempts, outcome.usage)
        record = PageRecord(image.geometry, image.issues, (), steps, attempts, evidence=image.evidence)
        if isinstance(outcome, PageReply):
            self._largest_taken = max(self._largest_taken, len(image.data))
            record = replace(record, parts=(ReplyPart(outcome.reply, (image.width, image.height)),))
        return FirstReading(image, settings, outcome, record)

    async def send(self, request: PageRequest, image: PageImage) -> PageReply | PageFailure:
        """One picture of the page to its reply."""
        return await self._dispatcher.read(image, priority=request.priority, metrics=request.metrics)

    def ladder(self, request: PageRequest, first: FirstReading, *, stage: Stage | None = None) -> PageLadder:
        """What recovery and passes of the page ask with.

        Args:
            request: The page.
            first: What came of it.
            stage: What its requests count as in the report; None for what each of them is.
        """
        return PageLadder(
            self._dispatcher,
            self._renders,
            request.opened,
            first.image,
            first.settings,
            first.outcome.endpoint if isinstance(first.outcome, PageReply) else None,
            request.priority,
            request.metrics,
            request.visit,
            reads_pictures=self._reads_pictures(),
            stage=stage,
        )

    def can_detect(self) -> bool:
        """Whether regions alone can be asked for; the first time that they cannot, the log says so."""
        found = can_detect(self._endpoints.session)
        if not found and not self._told_of_detection:
            self._told_of_detection = True
            logger.warning(
                "The %s engine with a model of generation %s cannot be asked for regions alone: "
                "a triple pass works as a double pass.",
                self._engine,
                self._endpoints.session.profile.name,
            )
        return found

    def _reads_pictures(self) -> bool:
        wanted = self._options.text_in_pictures
        own = "<predict_text_in_pic>" in self._endpoints.session.profile.task
        return own if wanted is None else wanted

    def _smaller_picture(
        self, outcome: PageReply | PageFailure, image: PageImage, settings: RenderSettings
    ) -> int | None:
        """Bytes that the page may have where its picture was too large for the server; None for no other try.

        The limit that is found so holds for all further pages, unless a picture of that size was taken
        before: then one server of several, or something on the way, takes less at times.
        """
        if not isinstance(outcome, PageFailure) or outcome.error.status != 413:
            return None
        if settings.max_image_bytes is not None and len(image.data) > settings.max_image_bytes:
            return None  # the renderer could not make it any smaller
        limit = len(image.data) // 2
        if limit < SMALLEST_PICTURE_BYTES:
            return None
        if len(image.data) <= self._largest_taken:
            return limit
        limit = self._picture_limit = min(limit, self._picture_limit or limit)
        logger.warning(
            "The server refuses a picture of %s bytes: pages now go with at most %s bytes, as JPEG. "
            "Set max_image_bytes= to its limit.",
            f"{len(image.data):,}",
            f"{limit:,}",
        )
        return limit


def is_larger_than(settings: RenderSettings, other: RenderSettings) -> bool:
    """Whether pages may come out larger with some settings than with others."""
    pairs = zip(settings.max_image_size, other.max_image_size, strict=True)
    return other.dpi is not None or any(side > own for side, own in pairs)
