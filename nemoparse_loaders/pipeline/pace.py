"""Even spacing of request starts, where a service counts requests a minute."""

from __future__ import annotations

from collections import deque

# A little over a minute: what leaves here evenly may arrive a little closer together.
WINDOW_SECONDS = 60.05
LARGEST_BURST = 4


class Pace:
    """Never more than so many starts in a minute, in small bursts at most. Pure: the caller brings the time.

    Memory is bounded by ``per_minute`` numbers.
    """

    def __init__(self, per_minute: int) -> None:
        self._spacing = WINDOW_SECONDS / per_minute
        self._burst = max(1, min(LARGEST_BURST, per_minute // 10))
        self._recent: deque[float] = deque(maxlen=per_minute)
        self._next = float("-inf")

    def delay(self, now: float) -> float:
        """Seconds until the next start; 0.0 is at once."""
        evenly = self._next - (self._burst - 1) * self._spacing - now
        whole_minute = 0.0
        if len(self._recent) == self._recent.maxlen:
            whole_minute = self._recent[0] + WINDOW_SECONDS - now
        return max(0.0, evenly, whole_minute)

    def started(self, now: float) -> None:
        """Count a start."""
        self._recent.append(now)
        self._next = max(self._next, now) + self._spacing
