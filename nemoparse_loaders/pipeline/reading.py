"""PageReader: one page of one document all the way: kept before, drawn, asked for, read again, kept."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TypeVar

from ..backends.base import CacheableSession
from ..document import PageStep, ParsedPage
from ..errors import AuthenticationError, ModelNotFoundError, OptionError, PageRenderError, PageReplyError
from ..options import ParseOptions
from ..rendering.page_image import PageEvidence
from ..rendering.pool import OpenedSource, RenderPool
from ..sources.detection import PDF
from .asking import FirstReading, PageAsker, PageRequest, is_larger_than
from .cache import PageCache, page_key, worth_keeping
from .dispatch import Dispatcher, PageFailure, PageReply
from .endpoints import EndpointPool
from .escalation import KEPT, doubts_about, escalation_step, is_surer
from .judgement import needs_recovery
from .ladder import PageLadder
from .metrics import RunMetrics
from .page import failed_page, has_words, page_from_record, reason_for
from .passes import with_regions
from .record import PageRecord, ReplyPart
from .recovery import recover
from .window import PageVisit, PageWindow

T = TypeVar("T")

logger = logging.getLogger(__name__)


class PageReader:
    """What all pages of a run share. For one event loop.

    Args:
        endpoints: The servers, open.
        dispatcher: Asks them.
        renders: Draws pages, open.
        window: Which pages may be in memory.
        cache: Where records are kept, or None.
        files: A thread for what blocks on the disk.
        options: The caller's.
        engine: Name of the engine.
        text_layer: Whether the engine goes by the PDF's text layer.
    """

    def __init__(
        self,
        endpoints: EndpointPool,
        dispatcher: Dispatcher,
        renders: RenderPool,
        window: PageWindow,
        cache: PageCache | None,
        files: ThreadPoolExecutor,
        options: ParseOptions,
        *,
        engine: str,
        text_layer: bool,
    ) -> None:
        self._endpoints = endpoints
        self._window = window
        self._cache = cache
        self._files = files
        self._options = options
        self._engine = engine
        self._asker = PageAsker(endpoints, dispatcher, renders, options, engine=engine, text_layer=text_layer)
        # What such an engine takes from the file, and what OCR sees on a larger picture, are two readings
        # that disagree about the file's own text.
        self._reads_pictures = not text_layer
        if text_layer and (options.passes != "single" or options.escalate is not None):
            logger.warning(
                "The %s engine goes by the text that a file stores: passes= and escalate= change nothing.",
                engine,
            )
        elif options.escalate is not None and not self._can_escalate():
            logger.warning("escalate=%r changes nothing: every page is read so already.", options.escalate)
        self._any_reply = False
        self._started = 0
        self._fingerprint = self._find_fingerprint() if cache is not None else ""

    def _find_fingerprint(self) -> str:
        session = self._endpoints.session
        if not isinstance(session, CacheableSession):
            raise OptionError(
                f"cache_dir: the replies of the {self._engine} backend cannot be kept, since its session has "
                "no fingerprint"
            )
        options = self._options
        ways: list[object] = [options.recover, options.text_layer_fallback]
        if options.passes != "single" or options.escalate is not None:
            ways += [options.passes, options.escalate]
        if options.escalate is not None:
            # What is found in doubt, and so is read again, depends on it.
            ways.append(options.verify)
        return json.dumps([session.fingerprint, *ways])

    def _can_escalate(self) -> bool:
        how, passes = self._options.escalate, self._options.passes
        if how == "larger":
            return is_larger_than(self._asker.largest_settings(), self._asker.settings())
        return passes not in ("triple", how)

    @property
    def profile(self) -> str:
        """Name of the profile that replies are decoded with."""
        return self._endpoints.session.profile.name

    async def read(self, opened: OpenedSource, number: int, metrics: RunMetrics) -> ParsedPage:
        """Read one page.

        Raises:
            AuthenticationError, ModelNotFoundError: Before any page succeeded: all others would fail alike.
            PageRenderError, PageReplyError: With ``on_page_error="raise"``.
        """
        key = ""
        if self._cache is not None:
            # A picture that some server found too large does not change what the page is kept under.
            settings = self._asker.wanted_settings()
            key = page_key(opened.source.content_hash, number, settings, self._fingerprint, self._engine)
            kept = await self._on_disk(self._cache.get, key)
            if kept is not None:
                metrics.cached(kept.attempts)
                kept = await self._with_evidence(kept, key, opened, number, metrics)
                return page_from_record(kept, self.profile)
        async with self._visit(opened, number, metrics) as request:
            page, record = await self._read(request)
        if self._cache is not None and record is not None and worth_keeping(page, record):
            await self._on_disk(self._cache.put, key, record)
        return page

    @asynccontextmanager
    async def _visit(
        self, opened: OpenedSource, number: int, metrics: RunMetrics
    ) -> AsyncIterator[PageRequest]:
        await self._window.enter(opened)
        priority = self._started
        self._started += 1
        visit = PageVisit(self._window)
        try:
            yield PageRequest(opened, number, priority, visit, metrics)
        finally:
            visit.end()

    async def _with_evidence(
        self, kept: PageRecord, key: str, opened: OpenedSource, number: int, metrics: RunMetrics
    ) -> PageRecord:
        """A record from the cache with what its page is checked against, as the options want it.

        Replies are kept however they were checked, so that nobody has to ask again for a check.
        """
        settings = self._asker.settings()
        if not settings.evidence:
            return replace(kept, evidence=None)
        if kept.evidence is not None or not kept.parts or opened.source.media_type != PDF:
            return kept
        try:
            async with self._visit(opened, number, metrics) as request:
                image = await self._asker.draw(request, settings)
        except PageRenderError:
            return kept  # it was drawn when it was read; without a check it is as good as then
        kept = replace(kept, evidence=image.evidence or PageEvidence())
        if self._cache is not None:
            await self._on_disk(self._cache.put, key, kept)
        return kept

    async def _read(self, request: PageRequest) -> tuple[ParsedPage, PageRecord | None]:
        number = request.number
        try:
            settings = self._asker.settings()
            image = await self._asker.draw(request, settings)
            if image.is_blank and not has_words(image):
                record = PageRecord(image.geometry, image.issues)
                return page_from_record(record, self.profile), record
            first = await self._asker.first_reading(request, image, settings)
        except PageRenderError as error:
            if self._options.on_page_error == "raise":
                raise
            return failed_page(number, "render_failed", reason_for(error, 0)), None
        cause: Exception | None = None
        if isinstance(first.outcome, PageReply):
            self._any_reply = True
            page, record = await self._more_readings(request, first)
        else:
            cause = first.outcome.error
            page, record = await self._unread(request, first, first.outcome)
        if page.status == "failed" and self._options.on_page_error == "raise":
            message = page.issues[-1].message
            raise PageReplyError(request.opened.source.file_name, number, message) from cause
        return page, record if record.parts else None

    async def _unread(
        self, request: PageRequest, first: FirstReading, failure: PageFailure
    ) -> tuple[ParsedPage, PageRecord]:
        """A page without a reply, or with the file's own text."""
        if isinstance(failure.error, AuthenticationError | ModelNotFoundError) and not self._any_reply:
            raise failure.error  # all other pages would end with it as well
        record = first.record
        reason = reason_for(failure.error, record.attempts)
        geometry = first.image.geometry
        page = failed_page(request.number, "failed", reason, geometry=geometry, attempts=record.attempts)
        page = page.model_copy(update={"steps": record.steps})
        if self._options.text_layer_fallback:
            return await self._recovered(request, page, record, self._asker.ladder(request, first))
        return page, record

    async def _more_readings(
        self, request: PageRequest, first: FirstReading
    ) -> tuple[ParsedPage, PageRecord]:
        """Recover a page that is not whole, read its regions, and read again what is in doubt."""
        options, record, ladder = self._options, first.record, self._asker.ladder(request, first)
        page = page_from_record(record, self.profile)
        # An engine that goes by the text layer has read it already, and it has no other sampling.
        if not self._reads_pictures:
            return page, record
        if options.recover and needs_recovery(page) is not None:
            page, record = await self._recovered(request, page, record, ladder)
        if options.passes != "single":
            detection = None
            if options.passes == "triple" and self._asker.can_detect():
                detection = await ladder.detect()
                record = ladder.added_to(record)
            record = await with_regions(record, ladder, self.profile, detection=detection)
            record = ladder.added_to(record)
            page = page_from_record(record, self.profile)
        if options.escalate is not None and doubts_about(page) is not None:
            page, record = await self._escalated(request, first, page, record)
        return page, record

    async def _recovered(
        self, request: PageRequest, page: ParsedPage, record: PageRecord, ladder: PageLadder
    ) -> tuple[ParsedPage, PageRecord]:
        page, record = await recover(
            page,
            record,
            ladder,
            profile=self.profile,
            text_layer_fallback=self._options.text_layer_fallback,
        )
        record = ladder.added_to(record)
        if page.status == "ok":
            request.metrics.recovered()
        return page.model_copy(update={"attempts": record.attempts, "steps": record.steps}), record

    async def _escalated(
        self, request: PageRequest, first: FirstReading, page: ParsedPage, record: PageRecord
    ) -> tuple[ParsedPage, PageRecord]:
        """The surer of the page and its reading with more care, where there is such a way."""
        is_larger = self._options.escalate == "larger"
        read_again = self._read_larger if is_larger else self._read_in_more_passes
        second = await read_again(request, first, page, record)
        if second is None:
            return page, record
        found = page_from_record(second, self.profile)
        if is_larger and second.parts is record.parts:
            return found, second  # no reply came
        # More passes lose nothing of the page; another reading of all of it may.
        if is_larger and not is_surer(found, page):
            steps = (*second.steps, PageStep(action="escalate", reason=KEPT))
            second = replace(record, steps=steps, attempts=second.attempts, is_complete=second.is_complete)
            found = page_from_record(second, self.profile)
        request.metrics.escalated(settled=not found.needs_review)
        return found, second

    async def _read_larger(
        self, request: PageRequest, first: FirstReading, page: ParsedPage, record: PageRecord
    ) -> PageRecord | None:
        """The page from the largest picture that the model takes; None where that is the one it was."""
        settings = self._asker.largest_settings()
        if not is_larger_than(settings, first.settings):
            return None
        try:
            image = await self._asker.draw(request, settings, beside=True)
        except PageRenderError:
            return None
        if image.width * image.height <= first.image.width * first.image.height:
            return None
        with request.visit.carrying(len(image.data)):
            outcome = await self._asker.send(request, image)
        request.metrics.asked("escalation", outcome.attempts, outcome.usage)
        steps = (*record.steps, *outcome.steps, escalation_step("read larger", page))
        record = replace(record, steps=steps, attempts=record.attempts + outcome.attempts)
        if isinstance(outcome, PageFailure):
            failed = PageStep(
                action="escalate", reason=f"no reply came to the larger picture: {outcome.error}"
            )
            is_final = not outcome.error.retryable
            return replace(record, steps=(*steps, failed), is_complete=record.is_complete and is_final)
        if outcome.reply.finish_reason == "abort":
            record = replace(record, is_complete=False)
        parts = (ReplyPart(outcome.reply, (image.width, image.height)),)
        record = replace(record, parts=parts, regions=(), evidence=image.evidence)
        if self._options.passes == "single":
            return record
        larger = replace(first, image=image, settings=settings, outcome=outcome)
        ladder = self._asker.ladder(request, larger, stage="escalation")
        record = await with_regions(record, ladder, self.profile, detection=record.detection)
        return ladder.added_to(record)

    async def _read_in_more_passes(
        self, request: PageRequest, first: FirstReading, page: ParsedPage, record: PageRecord
    ) -> PageRecord | None:
        """The page in double or triple pass; None where it was read so already."""
        how, passes = self._options.escalate, self._options.passes
        if passes in ("triple", how):
            return None
        ladder = self._asker.ladder(request, first, stage="escalation")
        detection = None
        if how == "triple" and self._asker.can_detect():
            detection = await ladder.detect()
        record = replace(record, steps=(*record.steps, escalation_step(f"read in {how} pass", page)))
        record = ladder.added_to(record)
        record = await with_regions(record, ladder, self.profile, detection=detection)
        return ladder.added_to(record)

    async def _on_disk(self, call: Callable[..., T], *args: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._files, call, *args)
