"""PageLadder: what the recovery of a page asks for, from the servers and the renderer of the run."""

from __future__ import annotations

from dataclasses import replace

from ..backends.base import RereadingSession
from ..document import PageStep
from ..errors import PageRenderError
from ..rendering import RenderSettings
from ..rendering.page_image import PageBand, PageImage, TextLayer
from ..rendering.pool import OpenedSource, RenderPool
from .dispatch import Dispatcher, PageFailure, PageReply
from .endpoint import Endpoint
from .metrics import RunMetrics
from .record import PageRecord, ReplyPart


class PageLadder:
    """For one page; see `recovery.Ladder`.

    The page is asked for again at the server that has its picture. Bands are pictures that no server has:
    they go elsewhere where they can, in case it is the server that is ill.
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
    ) -> None:
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
        """The record with what its own requests took beyond one each, after faults and at busy servers."""
        return replace(record, attempts=record.attempts + self._repeats, steps=record.steps + self._steps)

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
        return self._part(outcome, self._image)

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
        part = self._part(outcome, band.image)
        if part is None:
            return None
        return ReplyPart(part.reply, part.image_size, band.top, band.bottom)

    async def text_layer(self) -> TextLayer | None:
        """The file's own text."""
        try:
            return await self._renders.text_layer(self._opened, self._image.geometry.number)
        except PageRenderError:
            return None

    def _part(self, outcome: PageReply | PageFailure, image: PageImage) -> ReplyPart | None:
        # The recovery counts one request for each of its questions.
        self._repeats += max(0, outcome.attempts - 1)
        self._steps += outcome.steps
        if isinstance(outcome, PageReply):
            return ReplyPart(outcome.reply, (image.width, image.height))
        return None
