"""RunMetrics: how long the parts of a run took and where its pages came from, in bounded memory."""

from __future__ import annotations

import math
from collections import Counter

from ..document import Percentiles, Usage
from ..report import Stage, StageCost

EXACT_DURATIONS = 4096
"""Durations that are kept one by one; beyond, they are counted in buckets."""

BUCKET_RATIO = 1.02
"""Upper over lower edge of a bucket: a percentile read from the buckets is at most 1 % off."""

_SHORTEST_S = 1e-6
_LONGEST_S = 1e6


class Durations:
    """A set of durations in seconds whose percentiles can be read.

    Exact for the first `EXACT_DURATIONS`. Beyond that each is counted in a bucket of a logarithmic scale from
    a microsecond to eleven days (1,396 buckets at most): a percentile is then at most 1 % off, the sum and
    the longest stay exact.
    """

    def __init__(self) -> None:
        self.total = 0.0
        self.longest = 0.0
        self._exact: list[float] = []
        self._buckets: Counter[int] = Counter()

    def add(self, seconds: float) -> None:
        """Count one more."""
        self.total += seconds
        self.longest = max(self.longest, seconds)
        if self._buckets:
            self._buckets[_bucket(seconds)] += 1
            return
        self._exact.append(seconds)
        if len(self._exact) > EXACT_DURATIONS:
            self._buckets.update(map(_bucket, self._exact))
            self._exact.clear()

    def percentiles(self) -> Percentiles | None:
        """Percentiles by nearest rank; None where there is no duration."""
        if self._buckets:
            counted = [(_middle(bucket), count) for bucket, count in sorted(self._buckets.items())]
        else:
            counted = [(seconds, 1) for seconds in sorted(self._exact)]
        if not counted:
            return None
        p50, p90, p99 = (min(_at_rank(counted, share), self.longest) for share in (0.5, 0.9, 0.99))
        return Percentiles(
            p50=round(p50, 6), p90=round(p90, 6), p99=round(p99, 6), longest=round(self.longest, 6)
        )


def _bucket(seconds: float) -> int:
    return round(math.log(min(max(seconds, _SHORTEST_S), _LONGEST_S), BUCKET_RATIO))


def _middle(bucket: int) -> float:
    return float(BUCKET_RATIO**bucket)


def _at_rank(counted: list[tuple[float, int]], share: float) -> float:
    rank = math.ceil(share * sum(count for _, count in counted))
    seen = 0
    for seconds, count in counted:
        seen += count
        if seen >= rank:
            return seconds
    raise AssertionError("a share of 1 or less lies within the counts")


class RunMetrics:
    """What a run took, told as it goes on. For one event loop: it takes no lock.

    Attributes:
        render_seconds: Time spent drawing pages, summed over the pages.
        queue_seconds: Time that drawn pages waited for room at a server, summed likewise.
        cached_pages: Pages that came from the cache.
        cached_requests: Requests of the run that put them there; they were not sent again.
        recovered_pages: Pages that a step beyond asking once made whole.
        escalated_pages: Pages that were read in more passes or larger.
        settled_pages: Those of them that need no review any more.
        retries: Requests sent again, after faults, at busy servers and for the recovery.
    """

    def __init__(self) -> None:
        self.render_seconds = 0.0
        self.queue_seconds = 0.0
        self.cached_pages = 0
        self.cached_requests = 0
        self.recovered_pages = 0
        self.escalated_pages = 0
        self.settled_pages = 0
        self.retries = 0
        self._stages: dict[Stage, StageCost] = {}
        self._replies = Durations()

    def rendered(self, seconds: float) -> None:
        """A page was drawn."""
        self.render_seconds += seconds

    def waited(self, seconds: float) -> None:
        """A drawn page waited for room at a server."""
        self.queue_seconds += seconds

    def replied(self, seconds: float) -> None:
        """A request got its whole reply."""
        self._replies.add(seconds)

    def cached(self, attempts: int = 0) -> None:
        """A page came from the cache.

        Args:
            attempts: The requests of its first reading. They stand on the page, and are taken off the
                report's requests, which are those of this run.
        """
        self.cached_pages += 1
        self.cached_requests += attempts

    def recovered(self) -> None:
        """A step beyond asking once made a page whole."""
        self.recovered_pages += 1

    def asked(self, stage: Stage, requests: int, usage: Usage) -> None:
        """Something was asked for.

        Args:
            stage: What.
            requests: That it took.
            usage: Tokens of the reply.
        """
        # What is read again by the recovery is asked for once more as well.
        self.retries += requests if stage == "recovery" else max(0, requests - 1)
        known = self._stages.get(stage, StageCost(stage=stage))
        self._stages[stage] = StageCost(
            stage=stage,
            requests=known.requests + requests,
            prompt_tokens=known.prompt_tokens + (usage.prompt_tokens or 0),
            completion_tokens=known.completion_tokens + (usage.completion_tokens or 0),
        )

    def escalated(self, *, settled: bool) -> None:
        """A page was read in more passes or larger; ``settled`` where it needs no review any more."""
        self.escalated_pages += 1
        self.settled_pages += settled

    @property
    def stages(self) -> tuple[StageCost, ...]:
        """Requests and tokens by what was asked for."""
        return tuple(self._stages.values())

    @property
    def request_seconds(self) -> float:
        """Time spent waiting for replies, summed over the replies."""
        return self._replies.total

    @property
    def latency(self) -> Percentiles | None:
        """How the times to a whole reply are spread; None where there was no reply."""
        return self._replies.percentiles()
