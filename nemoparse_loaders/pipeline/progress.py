"""A progress bar: on a terminal and in notebooks, never in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..document import ParsedPage


@contextmanager
def progress_bar(file_name: str, pages: int, *, shown: bool) -> Iterator[Callable[[ParsedPage], None]]:
    """Count pages as they come.

    Args:
        file_name: Stands in front of the bar.
        pages: How many there will be.
        shown: Whether the caller wants one at all.

    Yields:
        A function to call with each page.
    """
    if not shown:
        yield _nothing
        return
    from tqdm.auto import tqdm

    # tqdm takes None for "only on a terminal"; a notebook has no terminal, yet draws a bar.
    with tqdm(total=pages, desc=file_name, unit="page", disable=False if _in_notebook() else None) as bar:
        counts = {"partial": 0, "failed": 0}

        def step(page: ParsedPage) -> None:
            if page.status in counts:
                counts[page.status] += 1
                bar.set_postfix({name: count for name, count in counts.items() if count}, refresh=False)
            bar.update()

        yield step


def _in_notebook() -> bool:
    return "ipykernel" in sys.modules


def _nothing(page: ParsedPage) -> None:
    """Without a bar there is nothing to draw."""
