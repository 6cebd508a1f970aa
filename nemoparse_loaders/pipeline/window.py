"""PageWindow: which pages may be drawn and kept in memory now, over all documents of a run."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress


class PageWindow:
    """Lets pages in while there is room, taking the documents that wait in turns.

    A page is in from before it is drawn until all that is asked about it is answered, since its picture is
    kept that long. The window is bounded in pages and in bytes of pictures. It is for one event loop.

    Args:
        most_pages: How many pages may be in now; asked each time, since servers come, go and change.
        most_bytes: Above this no further page is let in, except into an empty window.
    """

    def __init__(self, most_pages: Callable[[], int], most_bytes: int) -> None:
        self._most_pages = most_pages
        self._most_bytes = most_bytes
        self._waiting: OrderedDict[object, deque[asyncio.Future[None]]] = OrderedDict()
        self._less_waiting: set[asyncio.Future[None]] = set()
        self.pages = 0
        self.bytes = 0

    @property
    def waiting(self) -> int:
        """Pages that wait to be let in."""
        return sum(len(pages) for pages in self._waiting.values())

    async def enter(self, document: object) -> None:
        """Wait until a page of this document may come in; `leave` must follow."""
        ticket: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(document, deque()).append(ticket)
        self.let_in()
        try:
            await ticket
        except asyncio.CancelledError:
            if ticket.done() and not ticket.cancelled():
                self.leave(0)
            else:
                self._forget(document, ticket)
            raise

    def weigh(self, size: int) -> None:
        """Count the bytes of a picture that was drawn for a page that is in; negative to take them off."""
        self.bytes += size
        if size < 0:
            self.let_in()

    def leave(self, size: int) -> None:
        """A page goes out with the bytes that were counted for it."""
        self.pages -= 1
        self.bytes -= size
        self.let_in()

    def let_in(self) -> None:
        """Let in what fits; to be called as well when `most_pages` may have grown."""
        while self._waiting and self._fits():
            document, tickets = self._waiting.popitem(last=False)
            ticket = tickets.popleft()
            if tickets:
                # At the end of the line: the other documents come first.
                self._waiting[document] = tickets
            if not ticket.done():
                self.pages += 1
                ticket.set_result(None)
        for waiter in self._less_waiting:
            if not waiter.done():
                waiter.set_result(None)

    async def changed(self) -> None:
        """Wait until pages were let in or went out."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._less_waiting.add(waiter)
        try:
            await waiter
        finally:
            self._less_waiting.discard(waiter)

    def _fits(self) -> bool:
        if self.pages == 0:
            return True
        return self.pages < self._most_pages() and self.bytes < self._most_bytes

    def _forget(self, document: object, ticket: asyncio.Future[None]) -> None:
        tickets = self._waiting.get(document)
        if tickets is None:
            return
        with suppress(ValueError):
            tickets.remove(ticket)
        if not tickets:
            del self._waiting[document]


class PageVisit:
    """A page's stay in a window: its bytes are taken off again whatever happens."""

    def __init__(self, window: PageWindow) -> None:
        self._window = window
        self._bytes = 0

    def weigh(self, size: int) -> None:
        """Count this picture in place of the one before."""
        self._window.weigh(size - self._bytes)
        self._bytes = size

    @contextmanager
    def carrying(self, size: int) -> Iterator[None]:
        """Count so many bytes on top, as long as a further picture of the page is in memory."""
        self._window.weigh(size)
        self._bytes += size
        try:
            yield
        finally:
            self._window.weigh(-size)
            self._bytes -= size

    def end(self) -> None:
        """The page leaves."""
        self._window.leave(self._bytes)
