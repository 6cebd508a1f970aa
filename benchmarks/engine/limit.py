"""How the adaptive limit compares with the best fixed one, in paired runs with an interval."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.student import half_width


@dataclass(frozen=True)
class Comparison:
    """Adaptive against fixed.

    Attributes:
        fixed: Pages a second by fixed limit, one run each.
        best: The limit that the pairs were run with.
        ratios: Adaptive over fixed, a pair each.
        mean: Geometric mean of the ratios.
        low: Lower end of its 95 % interval.
        high: Upper end.
    """

    fixed: dict[int, float]
    best: int
    ratios: list[float]
    mean: float
    low: float
    high: float


def compare(speed: Callable[[int | None], float], limits: list[int], pairs: int = 5) -> Comparison:
    """Find the best fixed limit, then run pairs; which of the two goes first changes with each pair.

    Args:
        speed: Runs once with a fixed limit, or None for the adaptive one; pages a second.
        limits: To try.
        pairs: From 2 to 10.
    """
    fixed = {limit: speed(limit) for limit in limits}
    best = max(fixed, key=lambda limit: fixed[limit])
    ratios = []
    for number in range(pairs):
        if number % 2:
            one = speed(best)
            ratios.append(speed(None) / one)
        else:
            adaptive = speed(None)
            ratios.append(adaptive / speed(best))
    return Comparison(fixed, best, ratios, *interval(ratios))


def interval(ratios: list[float]) -> tuple[float, float, float]:
    """Geometric mean of ratios, and its 95 % interval."""
    logs = [math.log(ratio) for ratio in ratios]
    mean = statistics.fmean(logs)
    half = half_width(logs)
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)
