"""How many requests one server gets at a time, steered by refusals, queueing and throughput."""

from __future__ import annotations

import time
from collections.abc import Callable

from ..backends.base import ServerLoad
from .pace import Pace

# A server's own Retry-After is believed up to here, in seconds.
LONGEST_PAUSE = 300.0
# A server that takes nothing at all is asked again after so long, then twice as long, up to the longest.
FIRST_OUTAGE_PAUSE = 0.25
LONGEST_OUTAGE_PAUSE = 4.0
# One more than what the server refused is tried again after so many mean replies, then twice as many.
FIRST_PROBE_REPLIES = 2.0
LONGEST_PROBE_SECONDS = 120.0
# Share of a new reply in the running mean of reply times.
MEAN_SHARE = 0.1


class RequestLimit:
    """How many requests one server gets at a time.

    Pure: no tasks, no waiting, the clock is injected. The caller reports what happens; each start ends in
    exactly one of `finished`, `refused` and `failed`. `allowed` changes only inside of those calls and of
    `observe`, so a caller that waits for room looks again after each of them, and after `delay`.

    Args:
        start: Requests in flight at first.
        ceiling: Never more than this.
        adapts: Whether to look for a better number; otherwise ``start`` stays and only
            pauses and pacing act.
        per_minute: Starts a minute that the service takes.
        clock: Seconds that never go back.

    Raises:
        ValueError: A number below 1.
    """

    def __init__(
        self,
        start: int,
        *,
        ceiling: int,
        adapts: bool = True,
        per_minute: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if start < 1 or ceiling < 1 or (per_minute is not None and per_minute < 1):
            raise ValueError("start, ceiling and per_minute must be at least 1")
        self._clock = clock
        self._adapts = adapts
        self._ceiling = ceiling
        self._allowed = min(start, ceiling)
        self._in_flight = 0
        self._pace = Pace(per_minute) if per_minute is not None else None
        self._paused_until = float("-inf")
        self._notice: str | None = None
        self._mean_seconds: float | None = None
        # Since `allowed` changed: whole replies, starts, and the most that was in flight.
        self._replies = 0
        self._starts = 0
        self._peak = 0
        # Refusals: the number in flight that was too much, and how long it stays unquestioned.
        self._too_many: int | None = None
        self._probe_at = float("-inf")
        self._failed_probes = 0
        # The largest number that the server took for a round of replies.
        self._proven = 0
        # An outage: what was allowed before, to return to with the first reply.
        self._before_outage: int | None = None
        self._outage_pauses = 0
        self._just_restored = False

    @property
    def allowed(self) -> int:
        """Most requests in flight now."""
        return self._allowed

    @property
    def in_flight(self) -> int:
        """Requests that have started and not ended."""
        return self._in_flight

    def delay(self) -> float:
        """Seconds until another request may start, for a pause or for pacing; 0.0 is at once."""
        now = self._clock()
        pace = self._pace.delay(now) if self._pace is not None else 0.0
        return max(0.0, self._paused_until - now, pace)

    def started(self) -> None:
        """A request is on its way."""
        self._in_flight += 1
        self._starts += 1
        self._peak = max(self._peak, self._in_flight)
        if self._pace is not None:
            self._pace.started(self._clock())

    def finished(self, seconds: float) -> None:
        """A whole reply came.

        Args:
            seconds: From start to end.
        """
        self._end()
        now = self._clock()
        mean = seconds if self._mean_seconds is None else self._mean_seconds
        self._mean_seconds = mean + MEAN_SHARE * (seconds - mean)
        self._replies += 1
        self._outage_pauses = 0
        if not self._adapts:
            return
        if self._before_outage is not None:
            self._just_restored = True
            self._set(self._before_outage)
            self._before_outage = None
        elif self._peak >= self._allowed and self._replies >= self._allowed:
            self._whole_round(now)

    def refused(self, retry_after: float | None) -> None:
        """The server has no room (429 or 503).

        Args:
            retry_after: Seconds that it asks to wait, if it says.
        """
        self._end()
        now = self._clock()
        if retry_after is not None and retry_after > 0:
            self._paused_until = max(self._paused_until, now + min(retry_after, LONGEST_PAUSE))
        taken = self._in_flight
        if taken == 0 and retry_after is None:
            pause = min(LONGEST_OUTAGE_PAUSE, FIRST_OUTAGE_PAUSE * 2.0**self._outage_pauses)
            self._outage_pauses = min(self._outage_pauses + 1, 16)
            self._paused_until = max(self._paused_until, now + pause)
        if not self._adapts:
            return
        if taken == 0 and self._before_outage is None:
            # Nothing is taken: that tells of an outage, not of the number.
            before = max(self._allowed, self._proven)
            self._before_outage = max(1, before // 2) if self._just_restored else before
        if self._starts > 0:
            # Requests sent before the last decrease do not count as another failure.
            self._failed_probes = min(self._failed_probes + 1, 16)
        # What is still in flight is the most that the server can have taken. While a burst is being refused
        # this goes down with it, and nothing starts in between.
        if taken < self._allowed:
            self._too_many = taken + 1
            self._set(max(1, taken))
            self._starts = 0
        wait = FIRST_PROBE_REPLIES * (self._mean_seconds or 1.0) * 2.0 ** (self._failed_probes - 1)
        self._probe_at = now + min(LONGEST_PROBE_SECONDS, wait)

    def failed(self) -> None:
        """A request ended without a reply for another reason, or was cancelled."""
        self._end()

    def observe(self, load: ServerLoad) -> None:
        """Take note of what the server says about its queue."""

    def notice(self) -> str | None:
        """Something worth saying to the user, once; then None."""
        notice, self._notice = self._notice, None
        return notice

    def _end(self) -> None:
        self._in_flight = max(0, self._in_flight - 1)

    def _set(self, allowed: int) -> None:
        self._allowed = max(1, min(self._ceiling, allowed))
        self._replies = 0
        self._peak = self._in_flight

    def _whole_round(self, now: float) -> None:
        """The server took as many as allowed for a round of replies."""
        self._just_restored = False
        self._proven = max(self._proven, self._allowed)
        if self._too_many is None:
            return
        if self._allowed >= self._too_many:
            self._too_many = None
            self._failed_probes = 0
        elif now >= self._probe_at:
            self._starts = 0
            self._set(self._allowed + 1)
