"""The engine: renders pages ahead, keeps requests in flight, hands pages out in order.

One `Engine` lives inside one event loop. Its budget of requests is shared by all documents that it reads.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from types import TracebackType
from typing import TypeVar

from ..backends.base import Backend, Session
from ..document import Issue, ParsedPage
from ..errors import (
    AuthenticationError,
    BackendError,
    ModelNotFoundError,
    PageRenderError,
    PageReplyError,
)
from ..options import ParseOptions
from ..rendering import PageRenderer, RenderSettings
from ..rendering.page_image import PageImage
from ..sources import Source, parse_page_range
from .page import (
    PageFailure,
    PageReply,
    blank_page,
    clean_word,
    failed_page,
    page_from_reply,
    reason_for,
    request_page,
)
from .retry import RetryPolicy

T = TypeVar("T")

logger = logging.getLogger(__name__)

# Rendered pages that wait for a free request: enough to hide a slow page, few enough to stay small.
RENDER_AHEAD = 4
# A server that refuses even less than this takes no pages.
SMALLEST_PICTURE_BYTES = 20_000
# Pages of one document that may be finished but not yet handed out, for each request in flight.
ORDER_WINDOW = 2


class Engine:
    """Reads documents page by page through one backend. An async context manager."""

    def __init__(self, backend: Backend, options: ParseOptions) -> None:
        self._backend = backend
        self._options = options
        self._policy = RetryPolicy(options.max_retries)
        self._limit = options.max_concurrency or backend.max_concurrency
        self._exit = AsyncExitStack()
        self._any_reply = False
        self._picture_limit = options.max_image_bytes

    async def __aenter__(self) -> Engine:
        self._requests = asyncio.Semaphore(self._limit)
        self._rendered = asyncio.Semaphore(self._limit + RENDER_AHEAD)
        # PDFium takes one caller at a time, so a second thread would only wait.
        self._renders = ThreadPoolExecutor(1, thread_name_prefix="nemoparse-render")
        self._exit.callback(self._renders.shutdown, wait=False)
        try:
            self._session = await self._open_session()
        except BaseException:
            await self._exit.aclose()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._exit.aclose()

    async def _open_session(self) -> Session:
        attempt = 0
        while True:
            attempt += 1
            try:
                return await self._exit.enter_async_context(self._backend.session())
            except BackendError as error:
                wait = self._policy.wait(attempt, error)
                if wait is None:
                    raise
            await asyncio.sleep(wait)

    @property
    def model(self) -> str:
        """The model's name as the server gives it, or empty."""
        return clean_word(self._session.model)

    @property
    def profile(self) -> str:
        """Name of the profile that replies are decoded with."""
        return self._session.profile.name

    async def in_render_thread(self, call: Callable[..., T], *args: object) -> T:
        """Run a blocking call that touches a document's file where all such calls run."""
        return await asyncio.get_running_loop().run_in_executor(self._renders, call, *args)

    async def close_document(self, renderer: PageRenderer) -> None:
        """Close a document after the renders of it that are under way, also if the caller is cancelled."""
        try:
            closing = self._renders.submit(renderer.close)
        except RuntimeError:
            # The interpreter is on its way out and has ended the thread, so nothing is under way.
            renderer.close()
            return
        await asyncio.shield(asyncio.wrap_future(closing))

    def open(self, source: Source) -> DocumentRun:
        """Start on a document; use the result as an async context manager."""
        return DocumentRun(self, source, self._options)

    def render_settings(self) -> RenderSettings:
        """What pages have to look like for this engine's model and these options."""
        largest = self._session.profile.max_image_size
        if self._options.max_image_size is not None:
            largest = self._options.max_image_size
        return RenderSettings(
            max_image_size=largest,
            dpi=self._options.dpi,
            text_layer=self._backend.needs_text_layer,
            max_image_bytes=self._picture_limit,
        )

    async def read_page(self, renderer: PageRenderer, number: int, file_name: str) -> ParsedPage:
        """Render one page, ask for it, decode it.

        Raises:
            AuthenticationError, ModelNotFoundError: Before any page succeeded: all others would fail alike.
            PageRenderError, PageReplyError: With ``on_page_error="raise"``.
        """
        async with self._rendered:
            attempts = 0
            while True:
                settings = self.render_settings()
                try:
                    image = await self.in_render_thread(renderer.render, number, settings)
                except PageRenderError as error:
                    if self._options.on_page_error == "raise":
                        raise
                    return failed_page(number, "render_failed", reason_for(error, 0))
                if image.is_blank and not _has_words(image):
                    return blank_page(image)
                async with self._requests:
                    outcome = await request_page(self._session, image, self._policy)
                attempts += outcome.attempts
                if not self._takes_smaller_pictures(outcome, image, settings):
                    break
        if isinstance(outcome, PageFailure):
            fatal = isinstance(outcome.error, AuthenticationError | ModelNotFoundError)
            if fatal and not self._any_reply:
                raise outcome.error
            reason = reason_for(outcome.error, attempts)
            if self._options.on_page_error == "raise":
                raise PageReplyError(file_name, number, reason) from outcome.error
            return failed_page(number, "failed", reason, geometry=image.geometry, attempts=attempts)
        self._any_reply = True
        page = page_from_reply(outcome.reply, attempts, image, self.profile)
        if page.status == "failed" and self._options.on_page_error == "raise":
            raise PageReplyError(file_name, number, page.issues[-1].message)
        return page

    def _takes_smaller_pictures(
        self, outcome: PageReply | PageFailure, image: PageImage, settings: RenderSettings
    ) -> bool:
        """Whether the picture was too large for the server, so that a smaller one is worth a try.

        The limit that is found so holds for all further pages.
        """
        if not isinstance(outcome, PageFailure) or outcome.error.status != 413:
            return False
        if settings.max_image_bytes is not None and len(image.data) > settings.max_image_bytes:
            return False  # the renderer could not make it any smaller
        limit = len(image.data) // 2
        if limit < SMALLEST_PICTURE_BYTES:
            return False
        self._picture_limit = min(limit, self._picture_limit or limit)
        logger.warning(
            "The server refuses a picture of %s bytes: pages now go with at most %s bytes, as JPEG. "
            "Set max_image_bytes= to its limit.",
            f"{len(image.data):,}",
            f"{self._picture_limit:,}",
        )
        return True

    @property
    def order_window(self) -> int:
        """Pages of one document that may be under way or finished but not yet handed out."""
        return self._limit * ORDER_WINDOW + RENDER_AHEAD


def _has_words(image: PageImage) -> bool:
    """Whether an engine that goes by the text layer has something to read on an empty picture."""
    return image.text_layer is not None and any(word.visible for word in image.text_layer.words)


class DocumentRun:
    """One document on its way through an engine. An async context manager.

    Attributes:
        source: The document.
        total_pages: Pages of the file.
        numbers: Pages asked for, from 1.
        title: The file's own title.
        issues: About the file as a whole.
    """

    def __init__(self, engine: Engine, source: Source, options: ParseOptions) -> None:
        self.source = source
        self._engine = engine
        self._options = options
        self._started = time.monotonic()

    async def __aenter__(self) -> DocumentRun:
        password = self._options.password
        secret = password.get_secret_value() if password is not None else None
        self._renderer = PageRenderer(self.source, secret)
        try:
            await self._engine.in_render_thread(self._renderer.__enter__)
            self.total_pages: int = self._renderer.page_count
            self.title: str = self._renderer.title
            self.issues: tuple[Issue, ...] = self._renderer.issues
            self.numbers = parse_page_range(self._options.pages, self.total_pages)
        except BaseException:
            await self._engine.close_document(self._renderer)
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._engine.close_document(self._renderer)

    @property
    def seconds(self) -> float:
        """Wall time since the document was opened."""
        return time.monotonic() - self._started

    async def pages(self) -> AsyncGenerator[ParsedPage, None]:
        """All pages asked for, in order, each as soon as it and those before it are there."""
        under_way: deque[asyncio.Task[ParsedPage]] = deque()
        waiting = deque(self.numbers)
        try:
            while waiting or under_way:
                while waiting and len(under_way) < self._engine.order_window:
                    under_way.append(asyncio.create_task(self._read(waiting.popleft())))
                page = await under_way[0]
                under_way.popleft()
                yield page
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)

    async def _read(self, number: int) -> ParsedPage:
        return await self._engine.read_page(self._renderer, number, self.source.file_name)
