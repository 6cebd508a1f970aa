"""How many requests one server gets at a time, steered by refusals, queueing and throughput."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from ..backends.base import ServerLoad
from .load_window import LoadWindow, reserve
from .pace import Pace
from .throughput import STEP, ThroughputSearch
from .turns import Turns

# A server's own Retry-After is believed up to here, in seconds.
LONGEST_PAUSE = 300.0
# A server that takes nothing at all is asked again after so long, then twice as long, up to the longest.
FIRST_OUTAGE_PAUSE = 0.25
LONGEST_OUTAGE_PAUSE = 4.0
# More than what the server refused is tried again after so many mean replies, then twice as many.
FIRST_PROBE_REPLIES = 2.0
LONGEST_PROBE_SECONDS = 60.0
# A refusal is taken for the server's capacity after so many probes that failed.
SURE_PROBES = 2
MOST_DOUBLINGS = 10
# Refusals of a number that the server took before are strays (one of several servers behind an address may be
# ill, a gateway may drop requests at random) as long as they are at most this share of the replies, and at
# most this share of the requests in flight come at once. Giving way to them would end at one request.
STRAY_SHARE = 0.25
STRAYS_AT_ONCE = 0.125
FEWEST_STRAYS = 2.0
# Share of a new reply in the running mean of reply times.
MEAN_SHARE = 0.1
# Before so many replies nothing is said about a server, nor a queue suspected.
FEWEST_REPLIES = 20
# A queue is suspected only after so many times the fastest reply.
SUSPICION_SPANS = 8.0
# A server is said to work on few pages when that is at most this share of what was sent.
FEW = 0.5

NOTICE = (
    "The server works on about {pages} at a time: more in flight only wait. Where it can do more, say so to "
    "it: a NIM takes NIM_PIPELINE_MAX_BATCH_SIZE or NIM_PERFORMANCE_MODE=1, vLLM takes --max-num-seqs."
)


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
        self._allowed = self._start = min(start, ceiling)
        self._in_flight = 0
        self._area = 0.0  # requests in flight over time, in request seconds
        self._area_until = clock()
        self._pace = Pace(per_minute) if per_minute is not None else None
        self._paused_until = -math.inf
        self._notice: str | None = None
        self._noticed = False
        # Replies in all, their mean time, the fastest.
        self._total = 0
        self._mean_seconds: float | None = None
        self._fastest = math.inf
        # Since `allowed` changed: when, whole replies, those to requests sent since, the time of the first,
        # the most in flight.
        self._changed = -math.inf
        self._replies = 0
        self._fresh = 0
        self._first_reply = 0.0
        self._peak = 0
        # Refusals: the number in flight that was too much, and how long it stays unquestioned.
        self._too_many: int | None = None
        self._probe_at = -math.inf
        self._probe_step = 1
        self._probing = False
        self._rated = False  # it refuses by a rate, not for want of room
        self._failed_probes = 0
        self._proven = 0  # the largest number that the server took for a round of replies
        self._strays = 0.0  # refusals that would pass for strays now
        # An outage: what was allowed before, to return to with the first reply.
        self._before_outage: int | None = None
        self._outage_pauses = 0
        self._just_restored = False
        # Queueing and throughput.
        self._search = ThroughputSearch(self._allowed, ceiling)
        self._turns = Turns()
        self._loads = LoadWindow()
        # What the server's own figures say: whether there is a queue, how many are at work.
        self._metered = False
        self._queues = False
        self._running = 0
        self._before_queue = 0  # allowed before it was lowered for a queue

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
        now = self._clock()
        self._count_area(now)
        self._turns.started(now)
        self._in_flight += 1
        self._peak = max(self._peak, self._in_flight)
        if self._pace is not None:
            self._pace.started(now)

    def finished(self, seconds: float) -> None:
        """A whole reply came.

        Args:
            seconds: From start to end.
        """
        now = self._clock()
        seconds = max(0.0, seconds)
        in_flight = self._in_flight
        self._end(now)
        self._turns.finished(now - seconds)
        mean = seconds if self._mean_seconds is None else self._mean_seconds
        self._mean_seconds = mean + MEAN_SHARE * (seconds - mean)
        self._fastest = min(self._fastest, seconds)
        self._total += 1
        self._replies += 1
        self._fresh += now - seconds >= self._changed
        if self._replies == 1:
            self._first_reply = now
        self._outage_pauses = 0
        if not self._adapts:
            return
        self._strays = min(self._strays + STRAY_SHARE, max(FEWEST_STRAYS, STRAYS_AT_ONCE * self._allowed))
        if self._before_outage is not None:
            level, self._before_outage = self._before_outage, None
            self._just_restored = True
            self._search.restart(level)
            self._set(level)
            return
        if self._peak >= self._allowed and self._fresh >= self._allowed:
            self._whole_round(now)
        if self._too_many is not None:
            return  # it refuses more and takes all of these, so there is nothing to search
        suspicious = self._suspect_queue(now)
        may_grow = not self._queues and not (suspicious and self._search.found_queue)
        if self._search.reply(now, seconds, in_flight, self._area, may_grow=may_grow, fewest=self._fewest()):
            self._turns.next_round()
        if self._search.level != self._allowed:
            self._set(self._search.level)
        if self._search.found_queue:
            self._give_notice(self._at_once(now))

    def refused(self, retry_after: float | None) -> None:
        """The server has no room (429 or 503).

        Args:
            retry_after: Seconds that it asks to wait, if it says.
        """
        now = self._clock()
        self._end(now)
        self._turns.refused()
        asked = retry_after is not None and retry_after > 0  # neither 0 nor a nan is a pause
        if retry_after is not None and asked:
            self._paused_until = max(self._paused_until, now + min(retry_after, LONGEST_PAUSE))
            self._rated = True
        taken = self._in_flight
        if taken == 0 and not asked:
            pause = min(LONGEST_OUTAGE_PAUSE, FIRST_OUTAGE_PAUSE * 2.0**self._outage_pauses)
            self._outage_pauses = min(self._outage_pauses + 1, MOST_DOUBLINGS)
            self._paused_until = max(self._paused_until, now + pause)
        if self._adapts:
            self._give_way(taken, now)

    def failed(self) -> None:
        """A request ended without a reply for another reason, or was cancelled."""
        self._end(self._clock())
        self._turns.failed()

    def observe(self, load: ServerLoad) -> None:
        """Take note of what the server says about its queue."""
        now = self._clock()
        self._count_area(now)
        self._metered = True
        if not self._adapts or self._in_flight < self._allowed:
            return
        spread = self._mean_seconds if self._mean_seconds is not None else math.inf
        if not self._loads.add(load, self._in_flight, now, spread) or self._total < FEWEST_REPLIES:
            return
        window = self._loads
        self._queues = window.fewest_waiting > 0
        if self._queues:
            self._running = window.most_running
        wanted = window.most_running + reserve(window.most_running)
        if self._queues and wanted < self._allowed:
            self._give_notice(window.most_running)
            self._before_queue = max(self._before_queue, self._allowed)
            self._search.restart(wanted)
        elif window.most_waiting == 0 and self._allowed < self._before_queue and self._too_many is None:
            # Its capacity has grown: fewer were enough only while there was a queue.
            self._search.restart(min(self._before_queue, math.ceil(STEP * self._allowed)))
        self._loads.clear()
        if self._search.level != self._allowed:
            self._set(self._search.level)
        if self._allowed >= self._before_queue:
            self._before_queue = 0

    def notice(self) -> str | None:
        """Something worth saying to the user, once; then None."""
        notice, self._notice = self._notice, None
        return notice

    def _count_area(self, now: float) -> None:
        self._area += self._in_flight * (now - self._area_until)
        self._area_until = now

    def _end(self, now: float) -> None:
        self._count_area(now)
        self._in_flight = max(0, self._in_flight - 1)

    def _set(self, allowed: int) -> None:
        self._allowed = max(1, min(self._ceiling, allowed))
        self._changed = self._area_until  # now
        self._replies = self._fresh = 0
        self._peak = self._in_flight
        self._loads.clear()

    # Refusals

    def _give_way(self, taken: int, now: float) -> None:
        """Go down to what is still in flight: more than that the server cannot have taken.

        While a burst is being refused this follows it down, and nothing starts in between.
        """
        if 0 < taken < self._proven and self._strays >= 1.0:
            self._strays -= 1.0
            return
        if taken == 0 and self._before_outage is None:
            # Nothing is taken: that tells of an outage, not of the number.
            before = max(self._allowed, self._proven)
            self._before_outage = max(1, before // 2) if self._just_restored else before
        if self._probing:
            self._failed_probes = min(self._failed_probes + 1, MOST_DOUBLINGS)
            self._proven = min(self._proven, max(1, taken))
        self._probing = False
        self._probe_step = 1
        if taken < self._allowed:
            self._too_many = taken + 1
            self._search.move(taken)
            round_so_far = self._changed, self._fresh
            self._set(taken)
            if not self._proven:
                # What it has taken of more shows as well that it takes so many: among strays no round would
                # ever be whole.
                self._changed, self._fresh = round_so_far
        if self._proven > self._allowed:
            self._probe_at = now  # it took more before: ask again after one round
        else:
            wait = FIRST_PROBE_REPLIES * (self._mean_seconds or 1.0) * 2.0**self._failed_probes
            self._probe_at = now + min(LONGEST_PROBE_SECONDS, wait)

    def _whole_round(self, now: float) -> None:
        """The server took as many as are allowed for a round of replies."""
        self._just_restored = False
        self._proven = max(self._proven, self._allowed)
        if self._too_many is None:
            return
        sure = self._failed_probes >= SURE_PROBES and self._proven <= 2 * self._allowed
        if sure and self._total >= FEWEST_REPLIES and not self._rated:
            self._give_notice(self._allowed)
        if self._allowed >= self._too_many:
            self._failed_probes = 0
            self._probing = False
            if self._allowed >= self._proven:
                self._too_many = None
                self._search.hurry()
                return
            self._too_many = self._allowed + 1
            self._probe_step *= 2
        elif now < self._probe_at:
            return
        self._probing = True
        goal = max(self._allowed + self._probe_step, (self._allowed + self._proven) // 2)
        self._search.move(goal)
        self._set(goal)

    # Queueing

    def _at_once(self, now: float) -> int:
        """How many pages the server seems to work on at a time, or more."""
        seconds = now - self._first_reply
        rate = (self._replies - 1) / seconds if self._replies > 1 and seconds > 0 else 0.0
        return max(self._turns.at_once, round(rate * self._fastest))

    def _fewest(self) -> int:
        """Fewer than this are not tried: what is known to be enough, else the number that was chosen.

        Trials with fewer cost pages, and without a queue they have nothing to gain.
        """
        at_once = self._running
        if self._search.found_queue:
            at_once = max(at_once, self._turns.at_once)
        return at_once + reserve(at_once) if at_once else self._start

    def _suspect_queue(self, now: float) -> bool:
        """Whether the server seems to work on far fewer than are in flight; then fewer are tried."""
        if self._metered or self._replies < FEWEST_REPLIES or self._in_flight + 1 < self._allowed:
            return False
        at_once = self._at_once(now)
        seconds = now - self._first_reply
        enough = 2 * at_once + 1
        if 2 * enough > self._allowed or seconds < SUSPICION_SPANS * self._fastest:
            return False
        if self._total < self._start:
            # All were sent at once, so that nothing is known yet from their order.
            enough = max(enough, self._allowed // 4)
        self._search.suspect(enough, self._replies - 1, seconds)
        return True

    def _give_notice(self, at_once: int) -> None:
        if self._noticed or at_once > FEW * self._start:
            return
        self._noticed = True
        self._notice = NOTICE.format(pages="1 page" if at_once == 1 else f"{at_once} pages")
