"""PageLadder: what recovery and passes ask for beyond a page itself, from the run's servers and renderer."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from ..backends.base import RereadingSession
from ..document import PageStep
from ..errors import PageRenderError
from ..rendering import RenderSettings
from ..rendering.page_image import PageBand, PageImage, TextLayer
from ..rendering.pool import OpenedSource, RenderPool
from ..report import Stage
from .dispatch import Dispatcher, PageFailure, PageReply
from .endpoint import Endpoint
from .metrics import RunMetrics
from .record import PageRecord, RegionReply, ReplyPart
from .regions import Region
from .window import PageVisit

# Of one page: other pages go on meanwhile, and their pictures are in memory as well.
_REGIONS_AT_ONCE = 8

SMALLEST_PICTURE_BYTES = 20_000
"""A server that refuses even less than this takes no pages."""


class PageLadder:
    """For one page; see `recovery.Ladder` and `passes.RegionRequests`.

    The page is asked for again at the server that has its picture, and so are its regions, which belong
    together. Bands go elsewhere where they can, in case it is the server that is ill.

    Args:
        dispatcher: Asks.
        renders: Draws.
        opened: The document.
        image: The page's picture.
        settings: How it was drawn.
        endpoint: The server that replied to it; None where none did.
        priority: The page's.
        metrics: The run's.
        visit: The page's stay in the window.
        reads_pictures: Whether the task asks for text in pictures.
        stage: What its requests count as in the report; None for what each of them is.
    """

    def __init__(
        self,
        dispatcher: Dispatcher,
        renders: RenderPool,
        opened: OpenedSource,
        image: PageImage,
        settings: RenderSettings,
        endpoint: Endpoint | None,
        priority: int,
        metrics: RunMetrics,
        visit: PageVisit,
        *,
        reads_pictures: bool = True,
        stage: Stage | None = None,
    ) -> None:
        self.reads_pictures = reads_pictures
        self._visit = visit
        self._regions = asyncio.Semaphore(_REGIONS_AT_ONCE)
        self._is_complete = True
        self._stage = stage
        self._dispatcher = dispatcher
        self._renders = renders
        self._opened = opened
        self._image = image
        self._settings = settings
        self._endpoint = endpoint
        self._priority = priority
        self._metrics = metrics
        self._repeats = 0
        self._steps: tuple[PageStep, ...] = ()

    def added_to(self, record: PageRecord) -> PageRecord:
        """The record with what its requests took since the last time, but for one each of the recovery's."""
        repeats, self._repeats = self._repeats, 0
        steps, self._steps = self._steps, ()
        return replace(
            record,
            attempts=record.attempts + repeats,
            steps=record.steps + steps,
            is_complete=record.is_complete and self._is_complete,
        )

    def can_reread(self) -> bool:
        """Whether the engine can be asked again with other sampling."""
        return self._endpoint is not None and isinstance(self._endpoint.session, RereadingSession)

    async def reread(self, attempt: int) -> ReplyPart | None:
        """The whole page again."""
        outcome = await self._dispatcher.read(
            self._image,
            priority=self._priority,
            metrics=self._metrics,
            reread=attempt,
            at=self._endpoint,
        )
        return self._part(outcome, self._image, "recovery")

    async def bands(self, count: int) -> tuple[PageBand, ...]:
        """The page cut along white space; nothing where it cannot be."""
        try:
            return await self._renders.render_bands(
                self._opened, self._image.geometry.number, self._settings, count
            )
        except PageRenderError:
            return ()

    async def read_band(self, band: PageBand) -> ReplyPart | None:
        """One of its bands."""
        outcome = await self._dispatcher.read(
            band.image, priority=self._priority, metrics=self._metrics, avoid=self._endpoint
        )
        part = self._part(outcome, band.image, "recovery")
        if part is None:
            return None
        return ReplyPart(part.reply, part.image_size, band.top, band.bottom)

    async def detect(self) -> ReplyPart | None:
        """The regions of the page alone, from the server that has its picture; a step says what came."""
        outcome = await self._dispatcher.read(
            self._image, priority=self._priority, metrics=self._metrics, detect=True, at=self._endpoint
        )
        part = self._asked(outcome, self._image, "detection")
        if isinstance(outcome, PageFailure):
            reason = f"no reply came to the request for regions alone: {outcome.error}"
        else:
            reason = "the regions of the page were asked for alone"
        self._steps += (PageStep(action="detection", reason=reason),)
        return part

    async def read_region(self, region: Region) -> RegionReply:
        """A region by itself, drawn larger; smaller again where the server refuses so large a picture."""
        async with self._regions:
            settings = self._settings
            while True:
                try:
                    drawn = await self._renders.render_region(
                        self._opened, self._image.geometry.number, settings, region.box
                    )
                except PageRenderError:
                    self._is_complete = False
                    return RegionReply(region, region.box, None)
                size = len(drawn.image.data)
                with self._visit.carrying(size):
                    outcome = await self._dispatcher.read(
                        drawn.image, priority=self._priority, metrics=self._metrics, at=self._endpoint
                    )
                part = self._asked(outcome, drawn.image, "region")
                if isinstance(outcome, PageFailure) and outcome.error.status == 413:
                    is_smaller = settings.max_image_bytes is None or size <= settings.max_image_bytes
                    if is_smaller and size // 2 >= SMALLEST_PICTURE_BYTES:
                        settings = replace(settings, max_image_bytes=size // 2)
                        continue
                pixels = (drawn.image.width, drawn.image.height)
                return RegionReply(region, drawn.box, None if part is None else part.reply, pixels)

    async def text_layer(self) -> TextLayer | None:
        """The file's own text."""
        try:
            return await self._renders.text_layer(self._opened, self._image.geometry.number)
        except PageRenderError:
            return None

    def _asked(self, outcome: PageReply | PageFailure, image: PageImage, stage: Stage) -> ReplyPart | None:
        """As `_part`, for a question that the recovery does not count, and whose answer is waited for."""
        self._repeats += min(1, outcome.attempts)
        part = self._part(outcome, image, stage)
        if isinstance(outcome, PageFailure):
            self._is_complete &= not outcome.error.retryable
        else:
            self._is_complete &= outcome.reply.finish_reason != "abort"
        return part

    def _part(self, outcome: PageReply | PageFailure, image: PageImage, stage: Stage) -> ReplyPart | None:
        # The recovery counts one request for each of its questions.
        self._repeats += max(0, outcome.attempts - 1)
        self._steps += outcome.steps
        self._metrics.asked(self._stage or stage, outcome.attempts, outcome.usage)
        if isinstance(outcome, PageReply):
            return ReplyPart(outcome.reply, (image.width, image.height))
        return None
