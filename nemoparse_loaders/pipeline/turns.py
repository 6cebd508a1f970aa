"""How many pages a server works on at a time, seen from the order in which its replies come."""

from __future__ import annotations

from bisect import bisect_left

# Clocks and rounding: starts closer together than this count as one moment, in seconds.
SAME_MOMENT = 0.005


class Turns:
    """Counts who overtakes whom.

    A reply that comes before those of n requests that were sent earlier shows that the server worked on at
    least n + 1 at a time. Where requests wait in a queue, few overtake, however different the pages are;
    where the server works on all of them, short pages overtake most of the others.

    Memory is bounded by the number of requests in flight; a call moves at most so many numbers.
    """

    def __init__(self) -> None:
        self._starts: list[float] = []
        self._most = 1
        self._most_before = 1

    @property
    def at_once(self) -> int:
        """The server works on at least so many at a time, going by the last one or two rounds."""
        return max(self._most, self._most_before)

    def next_round(self) -> None:
        """Begin to forget what was seen before the last round."""
        self._most_before, self._most = self._most, 1

    def started(self, now: float) -> None:
        """A request was sent."""
        self._starts.append(now)

    def finished(self, started: float) -> None:
        """Its reply came; ``started`` is when it had been sent."""
        if not self._starts:
            return
        overtaken = bisect_left(self._starts, started - SAME_MOMENT)
        self._most = max(self._most, min(overtaken, len(self._starts) - 1) + 1)
        self._starts.pop(min(overtaken, len(self._starts) - 1))

    def refused(self) -> None:
        """A request came back at once: one of the latest."""
        if self._starts:
            self._starts.pop()

    def failed(self) -> None:
        """A request was given up: most likely the one that took longest."""
        if self._starts:
            self._starts.pop(0)
