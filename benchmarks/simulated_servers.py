"""Servers in virtual time, and a client that drives them: what a `RequestLimit` does, without a wait.

A server works on several pages at a time and shares its speed among them. Deterministic for a seed. Nothing
here measures a real server.
"""

from __future__ import annotations

import heapq
import math
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

from nemoparse_loaders.backends.base import ServerLoad
from nemoparse_loaders.pipeline.limit import RequestLimit

# From the refusal by the server to the client, in seconds.
ROUND_TRIP = 0.02

Curve = Callable[[int], float]


def slots(seconds: float) -> Curve:
    """Each page takes so long on its own, however many there are."""
    return lambda running: running / seconds


def points(*measured: tuple[int, float]) -> Curve:
    """Pages a second at numbers in flight, straight lines between them; level after the last one."""
    known = ((0, 0.0), *measured)

    def curve(running: int) -> float:
        for (low, slow), (high, fast) in pairwise(known):
            if running <= high:
                return slow + (fast - slow) * (running - low) / (high - low)
        return known[-1][1]

    return curve


def evenly(_: random.Random) -> float:
    """All pages alike."""
    return 1.0


def lognormal(sigma: float) -> Callable[[random.Random], float]:
    """Sizes with a heavy tail and a mean of 1."""
    return lambda rng: rng.lognormvariate(-sigma * sigma / 2, sigma)


@dataclass
class Server:
    """A server.

    Attributes:
        curve: Pages a second by pages at work.
        at_once: Pages that it works on at most, at a time (seconds).
        queue: Pages that may wait; 0 refuses while it is full.
        down: Times (from, to) at which everything is refused.
        a_minute: Requests that it takes in each minute of the clock; others get 429 with Retry-After.
        metered: Whether it tells its load.
        others: Requests of other clients that wait there, as it reports them.
        strays: The part of the requests that is refused whether there is room or not.
    """

    curve: Curve
    at_once: Callable[[float], int] = lambda _: 1_000_000
    queue: float = math.inf
    down: tuple[tuple[float, float], ...] = ()
    a_minute: int | None = None
    metered: bool = False
    others: int = 0
    strays: float = 0.0

    def __post_init__(self) -> None:
        self._progress = 0.0  # of each page at work, since the start, in mean pages
        self._at = 0.0
        self._work: list[tuple[float, int]] = []  # progress at which it is done, request
        self._waiting: deque[tuple[int, float]] = deque()
        self._gone: set[int] = set()
        self._minute = (0, 0)
        self._chance = random.Random(1)

    def _rate(self) -> float:
        running = len(self._work)
        return self.curve(running) / running if running else 0.0

    def _advance(self, now: float) -> None:
        self._progress += (now - self._at) * self._rate()
        self._at = now

    def _fill(self, now: float) -> None:
        while self._waiting and len(self._work) < self.at_once(now):
            request, size = self._waiting.popleft()
            if request in self._gone:
                self._gone.discard(request)
                continue
            heapq.heappush(self._work, (self._progress + size, request))

    def take(self, request: int, size: float, now: float) -> float | None:
        """Take a request, or refuse it: then Retry-After, 0 for none, comes back."""
        self._advance(now)
        self._fill(now)
        if any(start <= now < end for start, end in self.down):
            return 0.0
        if self._chance.random() < self.strays:
            return 0.0
        if self.a_minute is not None:
            minute, count = self._minute
            if int(now // 60) != minute:
                minute, count = int(now // 60), 0
            if count >= self.a_minute:
                return 60 - now % 60
            self._minute = minute, count + 1
        if len(self._work) >= self.at_once(now) and len(self._waiting) >= self.queue:
            return 0.0
        self._waiting.append((request, size))
        self._fill(now)
        return None

    def give_up(self, request: int, now: float) -> None:
        """The client went away."""
        self._advance(now)
        kept = [entry for entry in self._work if entry[1] != request]
        if len(kept) == len(self._work):
            self._gone.add(request)
        self._work = kept
        heapq.heapify(self._work)
        self._fill(now)

    def next_done(self) -> float:
        """When the next page is done, if nothing else happens."""
        if not self._work:
            return math.inf
        return self._at + max(0.0, self._work[0][0] - self._progress) / self._rate()

    def done(self, now: float) -> int:
        """The request that is done now."""
        self._advance(now)
        _, request = heapq.heappop(self._work)
        self._fill(now)
        return request

    def load(self) -> ServerLoad:
        """What /metrics would say."""
        return ServerLoad(len(self._work), len(self._waiting) - len(self._gone) + self.others)


@dataclass
class Outcome:
    """What a run came to.

    Attributes:
        replies: Whole replies.
        refusals: 429 and 503.
        timeouts: Requests given up.
        seconds: Virtual time.
        counted: Replies after the warm-up.
        rate: Replies a second after the warm-up.
        allowed: (time, `allowed`) whenever it changed.
        starts: When each request started.
        notices: What `notice` gave.
        most: Most in flight.
    """

    replies: int = 0
    refusals: int = 0
    timeouts: int = 0
    seconds: float = 0.0
    counted: int = 0
    rate: float = 0.0
    allowed: list[tuple[float, int]] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)
    reply_times: list[float] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    most: int = 0

    def at(self, moment: float) -> int:
        """`allowed` at a time."""
        return [number for when, number in self.allowed if when <= moment][-1]

    def between(self, start: float, end: float) -> float:
        """Replies a second between two times."""
        return sum(start <= when < end for when in self.reply_times) / (end - start)


class Clock:
    """Virtual seconds."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """The time."""
        return self.now


def run(  # one loop over the four kinds of events
    server: Server,
    make_limit: Callable[[Clock], RequestLimit],
    *,
    seconds: float = math.inf,
    pages: float = math.inf,
    warm_up: float = 0.0,
    sizes: Callable[[random.Random], float] = evenly,
    seed: int = 1,
    page_rate: float = math.inf,
    timeout: float = math.inf,
    poll: float = 1.0,
) -> Outcome:
    """Drive a server with pages through a limit.

    Args:
        server: A fresh one.
        make_limit: Makes the limit from the clock.
        seconds: Virtual time to run.
        pages: Pages that there are.
        warm_up: Replies before this time do not count into `Outcome.rate`.
        sizes: Size of a page, about 1 in the mean.
        seed: For the sizes.
        page_rate: Pages a second that the client can make.
        timeout: Seconds after which the client gives a request up; the page is sent again.
        poll: Seconds between two looks at the load.
    """
    clock = Clock()
    limit = make_limit(clock)
    rng = random.Random(seed)
    out = Outcome(allowed=[(0.0, limit.allowed)])
    again: deque[float] = deque()
    sent: dict[int, tuple[float, float]] = {}
    refusals: deque[tuple[float, int, float | None]] = deque()
    deadlines: deque[tuple[float, int]] = deque()
    made = number = 0
    next_look = poll if server.metered else math.inf

    while clock.now < seconds and out.replies < pages:
        # Start what may start.
        wake = math.inf
        while limit.in_flight < limit.allowed and (again or made < pages):
            if not again and made / page_rate > clock.now:
                wake = made / page_rate
                break
            delay = limit.delay()
            if delay > 0:
                wake = clock.now + delay
                break
            if again:
                size = again.popleft()
            else:
                size = sizes(rng)
                made += 1
            number += 1
            sent[number] = clock.now, size
            limit.started()
            out.starts.append(clock.now)
            out.most = max(out.most, limit.in_flight)
            if timeout < math.inf:
                deadlines.append((clock.now + timeout, number))
            refusal = server.take(number, size, clock.now)
            if refusal is not None:
                refusals.append((clock.now + ROUND_TRIP, number, refusal or None))
        while deadlines and deadlines[0][1] not in sent:
            deadlines.popleft()
        # Then the next event.
        done = server.next_done()
        refused = refusals[0][0] if refusals else math.inf
        late = deadlines[0][0] if deadlines else math.inf
        clock.now = max(clock.now, min(done, refused, late, wake, next_look))
        if clock.now == math.inf:
            raise AssertionError(f"stuck with {limit.in_flight} of {limit.allowed} in flight")
        if done <= clock.now:
            request = server.done(clock.now)
            start, _ = sent.pop(request)
            limit.finished(clock.now - start)
            out.replies += 1
            out.reply_times.append(clock.now)
            out.counted += clock.now >= warm_up
        elif refused <= clock.now:
            _, request, retry_after = refusals.popleft()
            again.append(sent.pop(request)[1])
            limit.refused(retry_after)
            out.refusals += 1
        elif late <= clock.now:
            _, request = deadlines.popleft()
            server.give_up(request, clock.now)
            again.append(sent.pop(request)[1])
            limit.failed()
            out.timeouts += 1
        elif next_look <= clock.now:
            limit.observe(server.load())
            next_look = clock.now + poll
        if limit.allowed != out.allowed[-1][1]:
            out.allowed.append((clock.now, limit.allowed))
        notice = limit.notice()
        if notice is not None:
            out.notices.append(notice)
    out.seconds = clock.now
    out.rate = out.counted / max(1e-9, clock.now - warm_up)
    return out
