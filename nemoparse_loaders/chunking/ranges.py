"""Neighbours that fit into one chunk together."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def pack(
    costs: Sequence[int],
    limit: int,
    fits: Callable[[int, int], bool] | None = None,
    opens: Sequence[bool] | None = None,
    leads: Sequence[bool] | None = None,
) -> list[tuple[int, int]]:
    """Ranges of neighbours that fit together, each as long as possible.

    Args:
        costs: Estimated tokens of each item.
        limit: Most tokens of a range by the estimate.
        fits: Whether the items from ``start`` to ``end`` really fit; asked for ranges that the estimate
            allows. None where ranges are cut once more: then leads that fill one take the next item too.
        opens: Items that must begin a range.
        leads: Items that belong to the one behind them: they end no range, if that leaves any item in it.

    Returns:
        (start, end) of each range. Only a range of one item may not fit.
    """
    ranges: list[tuple[int, int]] = []
    start = 0
    while start < len(costs):
        end, total = start + 1, costs[start]
        while end < len(costs) and total + costs[end] <= limit and not (opens and opens[end]):
            total += costs[end]
            end += 1
        while fits and end > start + 1 and not fits(start, end):
            end -= 1
        last = end
        while leads and end < len(costs) and last > start and leads[last - 1]:
            last -= 1
        if last > start or fits is None:
            end = last if last > start else min(end + 1, len(costs))
        ranges.append((start, end))
        start = end
    return ranges
