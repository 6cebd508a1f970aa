"""How far a run is: a bar on a terminal and in notebooks (never in a pipe), and the caller's own function."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ..document import ParsedPage
from .metrics import RunMetrics

if TYPE_CHECKING:
    from tqdm.auto import tqdm

# Of a long file name the end tells more than the start.
_LONGEST_NAME = 40


@dataclass(frozen=True, slots=True)
class Progress:
    """A page is there.

    Attributes:
        document: The document's file name.
        page: The page, whatever became of it; pages of one document come in order.
        done: Pages of the document that are there, with this one.
        total: Pages of the document that were asked for.
    """

    document: str
    page: ParsedPage
    done: int
    total: int


class RunProgress:
    """Tells of the pages of one document or of many, side by side. A context manager; for one event loop.

    Args:
        shown: Whether the caller wants a bar.
        callback: Called with every page, in the thread of the event loop: all pages wait until it is back.
            What it raises ends the run and reaches the caller, like an error in any code of theirs; it is
            not called again.

    Attributes:
        error: What the caller's function raised, if it did.
    """

    def __init__(self, *, shown: bool, callback: Callable[[Progress], object] | None = None) -> None:
        self.error: BaseException | None = None
        self._callback = callback
        self._bar = _Bar() if shown else None

    def __enter__(self) -> RunProgress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    @contextmanager
    def document(
        self, name: str, pages: int, metrics: RunMetrics | None = None
    ) -> Iterator[Callable[[ParsedPage], None]]:
        """A document that is open.

        Args:
            name: Its file name.
            pages: How many are to come. Those that did not come are no longer expected on leaving.
            metrics: Says how many came from the cache.

        Yields:
            A function to call with each page.
        """
        metrics = metrics or RunMetrics()
        done = cached = 0

        def step(page: ParsedPage) -> None:
            nonlocal done, cached
            done += 1
            if self._bar is not None:
                self._bar.step(page, metrics.cached_pages - cached)
                cached = metrics.cached_pages
            if self._callback is not None and self.error is None:
                self._tell(self._callback, Progress(name, page, done, pages))

        if self._bar is not None:
            self._bar.open(name, pages)
        try:
            yield step
        finally:
            if self._bar is not None:
                self._bar.leave(pages - done)

    def _tell(self, callback: Callable[[Progress], object], progress: Progress) -> None:
        try:
            callback(progress)
        except BaseException as error:
            self.error = error
            raise


class _Bar:
    """One bar over all documents; drawn from the first one on."""

    def __init__(self) -> None:
        self._drawn: tqdm[Any] | None = None
        self._documents = 0
        self._pages = 0
        self._counts = {"failed": 0, "partial": 0, "cached": 0}

    def open(self, name: str, pages: int) -> None:
        """Expect the pages of one more document."""
        self._documents += 1
        self._pages += pages
        if self._drawn is None:
            from tqdm.auto import tqdm

            # tqdm takes None for "only on a terminal"; a notebook has no terminal, yet draws a bar.
            disable = False if _in_notebook() else None
            self._drawn = tqdm(total=pages, desc=_safe(name), unit="page", disable=disable)
            return
        self._drawn.total = self._pages
        self._drawn.set_description(f"{self._documents} documents")

    def step(self, page: ParsedPage, cached: int) -> None:
        """One page more, and how many more came from the cache since the last one."""
        if self._drawn is None:
            return
        self._counts["cached"] += cached
        if page.status in self._counts:
            self._counts[page.status] += 1
        told = {name: count for name, count in self._counts.items() if count}
        if told:
            self._drawn.set_postfix(told, refresh=False)
        self._drawn.update()

    def leave(self, missing: int) -> None:
        """Expect no more pages of a document."""
        self._pages -= missing
        # A single document that breaks off shows where it did.
        if self._drawn is not None and self._documents > 1:
            self._drawn.total = self._pages
            self._drawn.refresh()

    def close(self) -> None:
        """Leave the bar as it is."""
        if self._drawn is not None:
            self._drawn.close()


def _in_notebook() -> bool:
    return "ipykernel" in sys.modules


def _safe(name: str) -> str:
    """A file name without what would steer a terminal, and not too long."""
    shown = "".join(char if char.isprintable() else "\ufffd" for char in name)
    return shown if len(shown) <= _LONGEST_NAME else f"…{shown[1 - _LONGEST_NAME :]}"
