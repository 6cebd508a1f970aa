"""Paired bootstrap intervals: documents are drawn, with all of their questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

DRAWS = 5000
_SEED = 20260101


@dataclass(frozen=True)
class Difference:
    """A difference of means in points, with its 95 % interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:+.1f} ({self.low:+.1f} to {self.high:+.1f})"


def difference(
    ours: Mapping[str, float], theirs: Mapping[str, float], document_of: Mapping[str, str]
) -> Difference:
    """Mean over questions of ours minus theirs, in points of 100.

    Args:
        ours: Question -> value in 0..1.
        theirs: The same questions.
        document_of: Question -> document. Documents are what is drawn: their questions hang together.
    """
    sums: dict[str, float] = {}
    counts: dict[str, int] = {}
    for question, value in ours.items():
        document = document_of[question]
        sums[document] = sums.get(document, 0.0) + value - theirs[question]
        counts[document] = counts.get(document, 0) + 1
    names = sorted(sums)
    total = np.array([sums[name] for name in names])
    size = np.array([counts[name] for name in names])
    drawn = np.random.default_rng(_SEED).integers(0, len(names), (DRAWS, len(names)))
    means = 100 * total[drawn].sum(axis=1) / size[drawn].sum(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return Difference(float(100 * total.sum() / size.sum()), float(low), float(high))


def mean(values: Sequence[float]) -> float:
    """Mean in points of 100; 0 for none."""
    return 100 * sum(values) / len(values) if values else 0.0
