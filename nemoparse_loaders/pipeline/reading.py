"""PageReader: one page of one document all the way: kept before, drawn, asked for, recovered, kept."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TypeVar

from ..backends.base import CacheableSession
from ..document import PageStep, ParsedPage
from ..errors import AuthenticationError, ModelNotFoundError, OptionError, PageRenderError, PageReplyError
from ..options import ParseOptions
from ..rendering import RenderSettings
from ..rendering.page_image import PageImage
from ..rendering.pool import OpenedSource, RenderPool
from .cache import PageCache, page_key, worth_keeping
from .dispatch import Dispatcher, PageFailure, PageReply
from .endpoints import EndpointPool
from .judgement import needs_recovery
from .ladder import PageLadder
from .metrics import RunMetrics
from .page import failed_page, has_words, page_from_record, reason_for
from .record import PageRecord, ReplyPart
from .recovery import recover
from .window import PageWindow

T = TypeVar("T")

logger = logging.getLogger(__name__)

# A server that refuses even less than this takes no pages.
_SMALLEST_PICTURE_BYTES = 20_000


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
        self._dispatcher = dispatcher
        self._renders = renders
        self._window = window
        self._cache = cache
        self._files = files
        self._options = options
        self._engine = engine
        self._text_layer = text_layer
        self._picture_limit = options.max_image_bytes
        self._largest_taken = 0  # bytes of a picture that was replied to
        # A worker that is asked for one page at a time draws the next one as soon as it is free.
        self._drawing = asyncio.Semaphore(renders.width)
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
        ladder = [self._options.recover, self._options.text_layer_fallback]
        return json.dumps([session.fingerprint, *ladder])

    @property
    def profile(self) -> str:
        """Name of the profile that replies are decoded with."""
        return self._endpoints.session.profile.name

    def settings(self) -> RenderSettings:
        """How pages are drawn for this model and these options, now."""
        return replace(self._wanted_settings(), max_image_bytes=self._picture_limit)

    def _wanted_settings(self) -> RenderSettings:
        largest = self._endpoints.session.profile.max_image_size
        if self._options.max_image_size is not None:
            largest = self._options.max_image_size
        return RenderSettings(
            max_image_size=largest,
            dpi=self._options.dpi,
            text_layer=self._text_layer,
            max_image_bytes=self._options.max_image_bytes,
        )

    async def read(self, opened: OpenedSource, number: int, metrics: RunMetrics) -> ParsedPage:
        """Read one page.

        Raises:
            AuthenticationError, ModelNotFoundError: Before any page succeeded: all others would fail alike.
            PageRenderError, PageReplyError: With ``on_page_error="raise"``.
        """
        key = ""
        if self._cache is not None:
            # A picture that some server found too large does not change what the page is kept under.
            key = page_key(
                opened.source.content_hash, number, self._wanted_settings(), self._fingerprint, self._engine
            )
            kept = await self._on_disk(self._cache.get, key)
            if kept is not None:
                metrics.cached(kept.attempts)
                return page_from_record(kept, self.profile)
        await self._window.enter(opened)
        priority = self._started
        self._started += 1
        visit = _Visit(self._window)
        try:
            page, record = await self._asked(opened, number, priority, visit, metrics)
        finally:
            visit.end()
        if self._cache is not None and record is not None and worth_keeping(page, record):
            await self._on_disk(self._cache.put, key, record)
        return page

    async def _asked(
        self, opened: OpenedSource, number: int, priority: int, visit: _Visit, metrics: RunMetrics
    ) -> tuple[ParsedPage, PageRecord | None]:
        attempts = 0
        steps: tuple[PageStep, ...] = ()
        settings = self.settings()
        while True:
            try:
                image = await self._drawn(opened, number, settings, metrics)
            except PageRenderError as error:
                if self._options.on_page_error == "raise":
                    raise
                return failed_page(number, "render_failed", reason_for(error, 0)), None
            visit.weigh(len(image.data))
            if image.is_blank and not has_words(image):
                record = PageRecord(image.geometry, image.issues)
                return page_from_record(record, self.profile), record
            outcome = await self._dispatcher.read(image, priority=priority, metrics=metrics)
            attempts += outcome.attempts
            steps += outcome.steps
            limit = self._smaller_picture(outcome, image, settings)
            if limit is None:
                break
            settings = replace(settings, max_image_bytes=limit)
            reason = f"the server refused a picture of {len(image.data):,} bytes"
            steps += (PageStep(action="smaller", reason=reason),)
        record = PageRecord(image.geometry, image.issues, (), steps, attempts)
        if isinstance(outcome, PageFailure):
            self._raise_if_fatal(outcome)
            reason = reason_for(outcome.error, attempts)
            page = failed_page(number, "failed", reason, geometry=image.geometry, attempts=attempts)
            page = page.model_copy(update={"steps": steps})
            is_wanted = self._options.text_layer_fallback
        else:
            self._any_reply = True
            self._largest_taken = max(self._largest_taken, len(image.data))
            record = replace(record, parts=(ReplyPart(outcome.reply, (image.width, image.height)),))
            page = page_from_record(record, self.profile)
            # An engine that goes by the text layer has read it already, and it has no other sampling.
            is_wanted = self._options.recover and not self._text_layer and needs_recovery(page) is not None
        if is_wanted:
            endpoint = outcome.endpoint if isinstance(outcome, PageReply) else None
            ladder = PageLadder(
                self._dispatcher, self._renders, opened, image, settings, endpoint, priority, metrics
            )
            page, record = await self._recovered(page, record, ladder)
            if page.status == "ok":
                metrics.recovered()
        if page.status == "failed" and self._options.on_page_error == "raise":
            cause = outcome.error if isinstance(outcome, PageFailure) else None
            raise PageReplyError(opened.source.file_name, number, page.issues[-1].message) from cause
        return page, record if record.parts else None

    async def _recovered(
        self, page: ParsedPage, record: PageRecord, ladder: PageLadder
    ) -> tuple[ParsedPage, PageRecord]:
        page, record = await recover(
            page,
            record,
            ladder,
            profile=self.profile,
            text_layer_fallback=self._options.text_layer_fallback,
        )
        record = ladder.added_to(record)
        return page.model_copy(update={"attempts": record.attempts, "steps": record.steps}), record

    async def _drawn(
        self, opened: OpenedSource, number: int, settings: RenderSettings, metrics: RunMetrics
    ) -> PageImage:
        async with self._drawing:
            began = time.perf_counter()
            image = await self._renders.render(opened, number, settings)
            metrics.rendered(time.perf_counter() - began)
        return image

    def _raise_if_fatal(self, outcome: PageFailure) -> None:
        """Raise what all other pages would end with as well."""
        fatal = isinstance(outcome.error, AuthenticationError | ModelNotFoundError)
        if fatal and not self._any_reply:
            raise outcome.error

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
        if limit < _SMALLEST_PICTURE_BYTES:
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

    async def _on_disk(self, call: Callable[..., T], *args: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._files, call, *args)


class _Visit:
    """A page's stay in the window: its bytes are taken off again whatever happens."""

    def __init__(self, window: PageWindow) -> None:
        self._window = window
        self._bytes = 0

    def weigh(self, size: int) -> None:
        """Count this picture in place of the one before."""
        self._window.weigh(size - self._bytes)
        self._bytes = size

    def end(self) -> None:
        self._window.leave(self._bytes)
