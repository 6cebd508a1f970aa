"""PageLadder: what recovery and passes ask for beyond a page itself, from the run's servers and renderer."""

from __future__ import annotations

from dataclasses import replace

from ..backends.base import RereadingSession, can_detect
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
        *,
        reads_pictures: bool = True,
        stage: Stage | None = None,
    ) -> None:
        self.reads_pictures = reads_pictures
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
        return replace(record, attempts=record.attempts + repeats, steps=record.steps + steps)

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

    def can_detect(self) -> bool:
        """Whether the engine can be asked for regions alone."""
        return self._endpoint is not None and can_detect(self._endpoint.session)

    async def detect(self) -> ReplyPart | None:
        """The regions of the page alone."""
        outcome = await self._dispatcher.read(
            self._image, priority=self._priority, metrics=self._metrics, detect=True, at=self._endpoint
        )
        return self.detected(outcome)

    def detected(self, outcome: PageReply | PageFailure) -> ReplyPart | None:
        """What came of a request for regions alone; a step says it."""
        self._repeats += min(1, outcome.attempts)
        if isinstance(outcome, PageFailure):
            reason = f"no reply came to the request for regions alone: {outcome.error}"
        else:
            reason = "the regions of the page were asked for alone"
        part = self._part(outcome, self._image, "detection")
        self._steps += (PageStep(action="detection", reason=reason),)
        return part

    async def read_region(self, region: Region) -> RegionReply:
        """A region by itself, drawn larger."""
        try:
            drawn = await self._renders.render_region(
                self._opened, self._image.geometry.number, self._settings, region.box
            )
        except PageRenderError:
            return RegionReply(region, region.box, None)
        outcome = await self._dispatcher.read(
            drawn.image, priority=self._priority, metrics=self._metrics, at=self._endpoint
        )
        self._repeats += min(1, outcome.attempts)
        part = self._part(outcome, drawn.image, "region")
        size = (drawn.image.width, drawn.image.height)
        return RegionReply(region, drawn.box, None if part is None else part.reply, size)

    async def text_layer(self) -> TextLayer | None:
        """The file's own text."""
        try:
            return await self._renders.text_layer(self._opened, self._image.geometry.number)
        except PageRenderError:
            return None

    def _part(self, outcome: PageReply | PageFailure, image: PageImage, stage: Stage) -> ReplyPart | None:
        # The recovery counts one request for each of its questions.
        self._repeats += max(0, outcome.attempts - 1)
        self._steps += outcome.steps
        self._metrics.asked(self._stage or stage, outcome.attempts, outcome.usage)
        if isinstance(outcome, PageReply):
            return ReplyPart(outcome.reply, (image.width, image.height))
        return None
