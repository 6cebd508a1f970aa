"""How long a reply takes: a fixed time, or one drawn for each request from a distribution with a seed."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from .requests import RecordedRequest

Latency = float | Callable[[RecordedRequest], float]
"""Seconds, or a function from the request to seconds."""


@dataclass(frozen=True)
class UniformLatency:
    """Seconds between two bounds, all equally likely.

    Attributes:
        low: The least.
        high: The most.
        seed: The same seed draws the same times, in order of arrival.
    """

    low: float
    high: float
    seed: int = 0
    _random: random.Random = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.high:
            raise ValueError("a latency needs 0 <= low <= high")
        object.__setattr__(self, "_random", random.Random(self.seed))  # noqa: S311 - no secret

    def __call__(self, request: RecordedRequest) -> float:
        """Seconds for the next request."""
        return self._random.uniform(self.low, self.high)


@dataclass(frozen=True)
class LognormalLatency:
    """Seconds with a long tail, as real pages have: most are near the median, a few take much longer.

    Attributes:
        median: Half of the requests take less.
        sigma: Of the logarithm; 0.5 puts one in twenty over 2.3 times the median.
        seed: The same seed draws the same times, in order of arrival.
        most: No request takes longer.
    """

    median: float
    sigma: float = 0.5
    seed: int = 0
    most: float = math.inf
    _random: random.Random = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.median <= 0 or self.sigma < 0:
            raise ValueError("a lognormal latency needs a median over 0 and a sigma of at least 0")
        object.__setattr__(self, "_random", random.Random(self.seed))  # noqa: S311 - no secret

    def __call__(self, request: RecordedRequest) -> float:
        """Seconds for the next request."""
        return min(self._random.lognormvariate(math.log(self.median), self.sigma), self.most)


def parse_latency(text: str, *, seed: int = 0) -> Latency:
    """A latency as written on a command line: "0.8", "uniform:0.5,1.5" or "lognormal:0.8,0.5".

    Raises:
        ValueError: It is none of these.
    """
    name, colon, rest = text.partition(":")
    try:
        values = [float(value) for value in (rest if colon else name).split(",")]
        if not colon and len(values) == 1 and 0 <= values[0] < math.inf:
            return values[0]
        if name == "uniform" and len(values) == 2:
            return UniformLatency(values[0], values[1], seed)
        if name == "lognormal" and len(values) == 2:
            return LognormalLatency(values[0], values[1], seed)
    except ValueError:
        pass
    raise ValueError(f'{text!r} is no latency; write "0.8", "uniform:0.5,1.5" or "lognormal:0.8,0.5"')
