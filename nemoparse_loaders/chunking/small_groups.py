"""Groups of blocks that are too small to stand alone go with a neighbour."""

from __future__ import annotations

from collections.abc import Sequence

from .blocks import Block
from .budget import Budget
from .outline import common_path
from .running_text import path_of


def with_small_merged(
    groups: Sequence[Sequence[Block]], budget: Budget, min_tokens: int
) -> list[list[Block]]:
    """Merge groups of fewer tokens with a neighbour under the same parent, where both fit together.

    Of two neighbours it is the one that shares more headings. What is small at the top of the document goes
    with any neighbour.

    Args:
        groups: Blocks that become one chunk each.
        budget: The limit.
        min_tokens: Groups of at least as many tokens are left alone; 0 merges none.
    """
    merged = [list(group) for group in groups]
    if not min_tokens:
        return merged
    costs = [sum(budget.cost(block.embed) for block in group) for group in merged]
    index = 0
    while index < len(merged):
        first = _better_side(merged, costs, index, budget) if costs[index] < min_tokens else None
        if first is None:
            index += 1
            continue
        merged[first : first + 2] = [merged[first] + merged[first + 1]]
        costs[first : first + 2] = [costs[first] + costs[first + 1]]
        index = first
    return merged


def _better_side(
    groups: Sequence[Sequence[Block]], costs: Sequence[int], index: int, budget: Budget
) -> int | None:
    """The first of the two groups to merge; the following one where both sides share as much."""
    best: tuple[int, int] | None = None
    for first in (index - 1, index):
        if first < 0 or first + 1 >= len(groups):
            continue
        shared = common_path([path_of(groups[first]), path_of(groups[first + 1])])
        # Its own section's parent at least, so that no path gets shorter than that.
        if len(shared) < len(path_of(groups[index])) - 1:
            continue
        fits = costs[first] + costs[first + 1] <= budget.room(budget.prefix(shared))
        if fits and (best is None or (len(shared), first) > best):
            best = (len(shared), first)
    return None if best is None else best[1]
