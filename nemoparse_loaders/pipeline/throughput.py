"""The search for the number in flight that gives the most pages a second.

Counts replies in rounds, tries another number now and then, keeps what gives more. A round is as many
replies as there are requests in flight, so that replies which come in waves are counted whole. How far two
counts differ by chance is learned from rounds that follow one another.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

# One step up or down.
STEP = 1.5
# More in flight has to give so much more to be kept, as a logarithm.
WORTHWHILE = 0.015
# A trial may be decided early: better by so many standard errors, or not better by so many.
SURE_BETTER = 2.0
SURE_NOT_BETTER = 2.0
# Before a trial, a step up is believed to give so much more, give or take so much.
USUAL_GAIN = 0.02
USUAL_SPREAD = 0.08
# Weight that older trials of the same pair keep.
FORGET = 0.85
# A trial ends when the count is that exact, or after so many replies.
EXACT = 0.025
MOST_REPLIES = 1000
FEWEST_REPLIES = 20
# Few in flight: it gets hardly more exact beyond so many times the replies counted before it.
BASE_SHARE = 5
MOST_ROUNDS = 25
# Rounds between two trials: twice as many after each trial that changed nothing.
FIRST_WAIT = 2
LONGEST_WAIT = 32
UNSURE_WAIT = 4
SHORTEST_CALM = 60.0
# What is believed about the chance in reply counts before anything is known: a variance, and its weight.
USUAL_VARIANCE = 0.7
USUAL_WEIGHT = 3.0
# Share of a new reply in the running moments of reply times.
MOMENT_SHARE = 0.005
LONGEST_MEMORY = 30.0
MOST_UNEQUAL = 4.0
# A round tells of a number only if that many were in flight most of the time.
USED = 0.9
# Replies that settle a suspicion.
SUSPICION_REPLIES = 40


@dataclass
class Count:
    """Replies over seconds."""

    replies: float = 0.0
    seconds: float = 0.0

    def add(self, replies: float, seconds: float) -> None:
        """Count a round; the oldest is forgotten beyond `MOST_REPLIES`."""
        keep = min(1.0, max(0.0, MOST_REPLIES - replies) / self.replies) if self.replies else 0.0
        self.replies = self.replies * keep + replies
        self.seconds = self.seconds * keep + seconds

    @property
    def rate(self) -> float:
        """Replies a second."""
        return self.replies / self.seconds if self.seconds else 0.0


@dataclass
class Evidence:
    """How much more the higher of two neighbours gives: a logarithm, and its weight in replies."""

    gain: float = 0.0
    weight: float = 0.0

    def with_trial(self, gain: float, weight: float, variance: float) -> Evidence:
        """Together with one more trial; old evidence that contradicts it is dropped."""
        old = FORGET * self.weight
        if old and abs(gain - self.gain) > 3 * math.sqrt(variance * (1 / old + 1 / weight)):
            old = 0.0
        return Evidence((old * self.gain + weight * gain) / (old + weight), old + weight)

    def error(self, variance: float) -> float:
        """Standard error of the gain."""
        return math.sqrt(variance / self.weight) if self.weight else math.inf

    def surely_more(self, variance: float) -> bool:
        """Whether the higher one gives more, beyond doubt."""
        return self.gain - SURE_BETTER * self.error(variance) > WORTHWHILE

    def surely_not_more(self, variance: float) -> bool:
        """Whether the higher one gives no more, beyond doubt."""
        return self.gain + SURE_NOT_BETTER * self.error(variance) < WORTHWHILE

    def expected(self, variance: float) -> float:
        """The gain to expect, given what is usual."""
        usual = variance / USUAL_SPREAD**2
        return (self.gain * self.weight + USUAL_GAIN * usual) / (self.weight + usual)


class ThroughputSearch:
    """Finds the number in flight that gives most.

    Args:
        level: The number to begin with.
        ceiling: Never more.
    """

    def __init__(self, level: int, ceiling: int) -> None:
        self._ceiling = ceiling
        self._variance = USUAL_VARIANCE
        self._variance_weight = USUAL_WEIGHT
        self._mean = self._square = 0.0  # of reply times
        self.found_queue = False
        self._rounds = 0
        self._no_suspicion = 0  # rounds until a queue may be suspected again
        self.restart(level)

    def restart(self, level: int) -> None:
        """Go on from another number, and forget what was found."""
        self.base = max(1, min(level, self._ceiling))
        self._base_count = Count()
        self._up = Evidence()
        self._down = Evidence()
        self._up_level = self._higher(self.base)
        self._down_level = self._lower(self.base)
        self._wait = 0
        self._trials = 0
        self._calm_since = -math.inf
        self._stay()

    @property
    def level(self) -> int:
        """The number in flight that it wants now."""
        return self.base if self._trial is None else self._trial

    def _higher(self, level: int) -> int:
        return min(self._ceiling, max(level + 1, round(level * STEP)))

    def _lower(self, level: int) -> int:
        return max(1, min(level - 1, round(level / STEP)))

    def move(self, level: int) -> None:
        """Go on from a number nearby, and keep what was found."""
        self.base = max(1, min(level, self._ceiling))
        if self._up_level <= self.base:
            self._up, self._up_level = Evidence(), self._higher(self.base)
        if self._down_level >= self.base:
            self._down, self._down_level = Evidence(), self._lower(self.base)
        self._stay()

    def hurry(self) -> None:
        """Try more at the next occasion."""
        self._wait = 0
        self._up = Evidence()

    def suspect(self, level: int, replies: int, seconds: float) -> None:
        """Try far fewer: the rest seems to wait in a queue.

        Args:
            level: The number that seems to be enough.
            replies: Replies counted with the present number.
            seconds: Over so many seconds.
        """
        if self._trial is not None or level >= self.base or self._rounds < self._no_suspicion or seconds <= 0:
            return
        self._base_count = Count(replies, seconds)
        self._down, self._down_level = Evidence(), level
        self._try(level)
        self._suspected = True

    def _stay(self) -> None:
        self._trial: int | None = None
        self._suspected = False
        self._begin(settled=False)
        self._rounds = 0

    def _begin(self, *, settled: bool) -> None:
        self._settled = settled
        self._replies = 0
        self._since: float | None = None
        self._area = 0.0
        self._count = Count()
        self._last_round: float | None = None

    def reply(
        self, now: float, seconds: float, in_flight: int, area: float, *, may_grow: bool, fewest: int
    ) -> bool:
        """A whole reply came.

        Args:
            now: Seconds.
            seconds: From start to end.
            in_flight: Requests in flight when it came, itself included.
            area: The sum of requests in flight over time, in request seconds.
            may_grow: Whether more may be tried.
            fewest: Fewer than this are not tried.

        Returns:
            Whether a round is over.
        """
        share = MOMENT_SHARE if self._mean else 1.0
        self._mean += share * (seconds - self._mean)
        self._square += share * (seconds**2 - self._square)
        if self._since is None:
            self._since, self._area = now, area
            return False
        if self._trial is not None and in_flight > self._trial and self._trial < self.base:
            # What is in flight comes down to the trial first.
            self._since, self._area = now, area
            return False
        self._replies += 1
        if self._replies < max(self.level, 1):
            return False
        span = now - self._since
        used = span > 0 and area - self._area >= USED * self.level * span
        replies = self._replies
        self._since, self._area, self._replies = now, area, 0
        if not used:
            self._unused(now)
        elif not self._settled:
            self._settled = True
        else:
            self._learn_chance(replies, span)
            if self._trial is None:
                self._base_round(replies, span, now, may_grow=may_grow, fewest=fewest)
            else:
                self._trial_round(replies, span, now)
        return True

    def _unused(self, now: float) -> None:
        """Fewer were in flight than allowed, so nothing can be told."""
        if self._trial is not None:
            self._postpone(now, sure=True)
        self._base_count = Count()
        self._stay()

    def _chance(self) -> float:
        """Variance of a count, for each reply. Short rounds show too little of very unequal pages."""
        squared = self._mean**2
        unequal = self._square / squared - 1 if squared > 0 else 0.0
        return max(self._variance, min(unequal, MOST_UNEQUAL), 1e-6)

    def _learn_chance(self, replies: int, seconds: float) -> None:
        relative = seconds / replies
        if self._last_round is not None:
            mean = (relative + self._last_round) / 2
            sample = replies * ((relative - self._last_round) / mean) ** 2 / 2
            sample = min(sample, MOST_UNEQUAL)  # one stall is not chance
            weight = self._variance_weight
            self._variance = (self._variance * weight + sample) / (weight + 1)
            self._variance_weight = min(LONGEST_MEMORY, weight + 1)
        self._last_round = relative

    def _base_round(self, replies: int, seconds: float, now: float, *, may_grow: bool, fewest: int) -> None:
        self._base_count.add(replies, seconds)
        self._rounds += 1
        if self._base_count.replies < FEWEST_REPLIES or self._rounds < self._wait:
            return
        if self._wait >= LONGEST_WAIT and now - self._calm_since < SHORTEST_CALM:
            return
        self._trials += 1
        up = may_grow and self._up_level > self.base
        down = self._down_level >= fewest and self._down_level < self.base
        # Fewer are tried seldom, and only while it is not sure that they give less.
        down = down and not self._down.surely_more(self._chance())
        turn = 2 if self._down.weight else 3
        if up and not (down and self._trials % turn == 0):
            self._try(self._up_level)
        elif down and self._trials % turn == 0:
            self._try(self._down_level)

    def _try(self, level: int) -> None:
        self._trial = level
        self._begin(settled=False)

    def _trial_round(self, replies: int, seconds: float, now: float) -> None:
        self._count.add(replies, seconds)
        counted = self._count.replies
        if counted < FEWEST_REPLIES or self._trial is None:
            return
        weight = 1 / (1 / counted + 1 / self._base_count.replies)
        gain = math.log(self._count.rate / self._base_count.rate)
        chance = self._chance()
        up = self._trial > self.base
        evidence = (self._up if up else self._down).with_trial(gain if up else -gain, weight, chance)
        better = evidence.surely_more(chance)
        if self._suspected:
            # Where nothing waits, a quarter gives so much less that few replies tell.
            far = self._trial * 4 <= self.base
            enough = counted >= SUSPICION_REPLIES * (1 if far else 2)
            better = evidence.gain > 2 * WORTHWHILE + evidence.error(chance) * (1.0 if far else 0.5)
        else:
            most = max(BASE_SHARE * self._base_count.replies, MOST_ROUNDS * self._trial)
            enough = counted >= min(most, MOST_REPLIES, chance / EXACT**2)
            if enough and not better:
                better = evidence.expected(chance) > (WORTHWHILE if up else WORTHWHILE / 3)
            enough = enough or better or evidence.surely_not_more(chance)
        if not enough:
            return
        if up:
            self._up = evidence
        else:
            self._down = evidence
        if self._suspected and not better:
            self.found_queue = True
            self.restart(self._trial)
            self._wait = FIRST_WAIT
            self._no_suspicion = 0
        elif up == better:
            self._move()
        else:
            self._postpone(now, sure=(evidence.surely_not_more if up else evidence.surely_more)(chance))
            self._stay()

    def _move(self) -> None:
        """The trial becomes the base."""
        old, new = self.base, self.level
        if new > old:
            self._down, self._down_level = self._up, old
            self._up, self._up_level = Evidence(), self._higher(new)
        else:
            self._up, self._up_level = self._down, old
            self._down, self._down_level = Evidence(), self._lower(new)
        self.base = new
        self._base_count = self._count
        self._wait = 0 if new > old else FIRST_WAIT
        self._stay()
        self._settled = True

    def _postpone(self, now: float, *, sure: bool) -> None:
        if self._suspected:
            self._no_suspicion = min(LONGEST_WAIT, max(1, self._no_suspicion * 2))
        longest = LONGEST_WAIT if sure else UNSURE_WAIT
        self._wait = min(longest, max(FIRST_WAIT, self._wait * 2))
        self._calm_since = now
