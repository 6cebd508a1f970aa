"""The engine: what a run needs, opened and closed in order, and documents that go through it page by page.

One `Engine` lives inside one event loop. Its servers, renderers and windows are shared by all documents that
it reads, so that pages of one fill the gaps of another.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from types import TracebackType
from typing import TypeVar

from ..backends.base import Backend
from ..document import Issue, ParsedPage
from ..errors import OptionError
from ..options import ParseOptions
from ..rendering.pool import OpenedSource, RenderPool
from ..sources import Source, parse_page_range
from .cache import PageCache
from .daemon_threads import DaemonThreads
from .dispatch import Dispatcher
from .endpoints import EndpointPool
from .metrics import RunMetrics
from .page import clean_word
from .reading import PageReader
from .retry import RetryPolicy
from .window import PageWindow

T = TypeVar("T")

# Pages that are drawn or wait for a free request, for each page that can be drawn at once: enough to hide a
# slow page, few enough to stay small.
RENDER_AHEAD = 4
# Pictures in memory. A page has about 0.6 MB; 64 requests and what is drawn ahead stay far below.
MOST_PICTURE_BYTES = 192 * 1024 * 1024
# Pages that may be finished but not handed out because others come first, for each request in flight: one
# page that takes four times as long as the others holds nothing up.
ORDER_WINDOW = 4
# Documents that are read from disk, or from wherever their file objects come from, at a time.
LOADING = 4


class Engine:
    """Reads documents page by page. An async context manager."""

    def __init__(self, backends: Sequence[Backend], options: ParseOptions) -> None:
        self._backends = backends
        self._options = options
        self._exit = AsyncExitStack()
        self._opening = 0

    async def __aenter__(self) -> Engine:
        try:
            await self._open()
        except BaseException:
            await self._exit.aclose()
            raise
        return self

    async def _open(self) -> None:
        options, backend = self._options, self._backends[0]
        self._files = ThreadPoolExecutor(2, thread_name_prefix="nemoparse-files")
        self._exit.callback(self._files.shutdown, wait=False)
        # Apart from the cache's: a source that is slow to come, or never does, holds up none of its pages.
        self._loading = DaemonThreads(LOADING, "nemoparse-load")
        self._exit.callback(self._loading.shutdown)
        cache = None
        if options.cache_dir is not None:
            cache = await self.in_file_thread(_open_cache, options.cache_dir, options.cache_max_bytes)
        # A server that was there is waited for as long as a page would wait for its reply.
        policy = RetryPolicy(options.max_retries, restart_s=options.timeout)
        self._endpoints = await self._exit.enter_async_context(EndpointPool(self._backends, options, policy))
        self._renders = await self._exit.enter_async_context(
            RenderPool(options.render_workers, timeout=options.render_timeout)
        )
        self._window = PageWindow(self._most_pages, MOST_PICTURE_BYTES)
        self._reader = PageReader(
            self._endpoints,
            Dispatcher(self._endpoints, policy),
            self._renders,
            self._window,
            cache,
            self._files,
            options,
            engine=backend.name,
            text_layer=backend.needs_text_layer,
        )

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._exit.aclose()

    @property
    def model(self) -> str:
        """The model's name as the server gives it, or empty."""
        return clean_word(self._endpoints.session.model)

    @property
    def profile(self) -> str:
        """Name of the profile that replies are decoded with."""
        return self._reader.profile

    @property
    def render_ahead(self) -> int:
        """Pages that may be drawn before there is a request for them."""
        return RENDER_AHEAD * self._renders.width

    @property
    def order_window(self) -> int:
        """Pages that may be under way or finished although it is not their turn to be handed out."""
        return self._endpoints.capacity * ORDER_WINDOW + self.render_ahead

    def _most_pages(self) -> int:
        return self._endpoints.capacity + self.render_ahead

    async def in_file_thread(self, call: Callable[..., T], *args: object) -> T:
        """Run what blocks on a file in a thread that is there for it."""
        return await asyncio.get_running_loop().run_in_executor(self._files, call, *args)

    async def wants_document(self) -> None:
        """Wait until the pages of the documents that are open do not fill the window."""
        while self._window.waiting + self._opening >= self.render_ahead:
            await self._window.changed()

    @asynccontextmanager
    async def open(self, load: Callable[[], Source]) -> AsyncGenerator[DocumentRun, None]:
        """Start on a document; use it with ``async with``.

        Args:
            load: Finds the document and says what it is; called in a thread, since it reads files.

        Raises:
            SourceError: It cannot be read.
            OptionError: It has none of the pages that are asked for.
        """
        began = time.monotonic()
        opened = await self._opened(load)
        try:
            try:
                numbers = parse_page_range(self._options.pages, opened.page_count)
            except OptionError as error:
                raise OptionError(f"{opened.source.file_name}: {error}") from None
            yield DocumentRun(opened, numbers, self._reader, lambda: self.order_window, began)
        finally:
            await self._renders.close(opened)

    async def _opened(self, load: Callable[[], Source]) -> OpenedSource:
        password = self._options.password
        secret = password.get_secret_value() if password is not None else None
        self._opening += 1
        try:
            source = await asyncio.get_running_loop().run_in_executor(self._loading, load)
            return await self._renders.open(source, secret)
        finally:
            self._opening -= 1
            self._window.let_in()


class DocumentRun:
    """One document on its way through an engine.

    Args:
        opened: The document.
        numbers: Pages asked for, from 1.
        reader: Reads them.
        order_window: How many may be under way or finished before their turn; asked each time.
        began: When it was begun, by ``time.monotonic()``.

    Attributes:
        numbers: Pages asked for.
        metrics: What its pages took.
    """

    def __init__(
        self,
        opened: OpenedSource,
        numbers: Sequence[int],
        reader: PageReader,
        order_window: Callable[[], int],
        began: float,
    ) -> None:
        self.numbers = numbers
        self.metrics = RunMetrics()
        self._opened = opened
        self._reader = reader
        self._order_window = order_window
        self._began = began

    @property
    def source(self) -> Source:
        """The document."""
        return self._opened.source

    @property
    def total_pages(self) -> int:
        """Pages of the file."""
        return self._opened.page_count

    @property
    def title(self) -> str:
        """The file's own title."""
        return self._opened.title

    @property
    def issues(self) -> tuple[Issue, ...]:
        """About the file as a whole."""
        return self._opened.issues

    @property
    def seconds(self) -> float:
        """Seconds of wall time since the document was begun."""
        return time.monotonic() - self._began

    async def pages(self, *, all_at_once: bool) -> AsyncGenerator[ParsedPage, None]:
        """All pages asked for, in order, each as soon as it and those before it are there.

        Args:
            all_at_once: The caller keeps all pages anyway, so none is held back until earlier ones are handed
                out.
        """
        under_way: deque[asyncio.Task[ParsedPage]] = deque()
        waiting = deque(self.numbers)
        try:
            while waiting or under_way:
                while waiting and (all_at_once or len(under_way) < self._order_window()):
                    under_way.append(asyncio.create_task(self._read(waiting.popleft())))
                page = await under_way[0]
                under_way.popleft()
                yield page
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)

    async def _read(self, number: int) -> ParsedPage:
        return await self._reader.read(self._opened, number, self.metrics)


def _open_cache(folder: str, max_bytes: int) -> PageCache:
    return PageCache(folder, max_bytes=max_bytes)
