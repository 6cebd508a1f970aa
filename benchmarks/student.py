"""Student's 95 % interval of a few measured values."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

# Two-sided 95 % of Student's t, by degrees of freedom.
_T = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}


def half_width(values: Sequence[float]) -> float:
    """By how much the mean of 2 to 10 values may be off, to either side."""
    return _T[len(values) - 1] * statistics.stdev(values) / math.sqrt(len(values))
