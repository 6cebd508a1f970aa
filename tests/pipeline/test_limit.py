"""The limit of requests in flight: what it comes to on simulated servers, and what always holds."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from benchmarks.simulated_servers import Clock, Curve, Outcome, Server, evenly, lognormal, points, run, slots
from nemoparse_loaders.backends.base import ServerLoad
from nemoparse_loaders.pipeline.limit import RequestLimit

# Figures of a real GPU at 64 and 128; the rest of the curves is assumed.
BASE = points((1, 0.55), (8, 2.8), (16, 4.2), (32, 5.7), (64, 6.74), (128, 7.42))
DFLASH = points((1, 0.8), (8, 4.0), (16, 6.2), (32, 8.0), (64, 9.14), (128, 8.83), (256, 8.2))
HEAVY = lognormal(0.8)
PAGE = 4.0
SLOT = slots(PAGE)


def adaptive(clock: Clock) -> RequestLimit:
    return RequestLimit(64, ceiling=256, clock=clock)


def fixed(number: int) -> Callable[[Clock], RequestLimit]:
    return lambda clock: RequestLimit(number, ceiling=number, adapts=False, clock=clock)


def slot_server(number: int, queue: float = math.inf, *, metered: bool = False) -> Callable[[], Server]:
    return lambda: Server(SLOT, lambda _: number, queue=queue, metered=metered)


@cache
def best_rate(curve: Curve, best: int, seconds: float, seed: int, even: bool) -> float:
    """What the best fixed number gives past the first third; it queues nowhere, so that only speed counts."""
    sizes = evenly if even else HEAVY
    return run(Server(curve), fixed(best), seconds=seconds, warm_up=seconds / 3, sizes=sizes, seed=seed).rate


def of_best(server: Callable[[], Server], best: int, seconds: float, *, even: bool = False) -> float:
    """Throughput over that of the best fixed number, past the first third, same pages; mean of two runs."""
    ratios = []
    for seed in [1] if even else [1, 2]:
        sizes = evenly if even else HEAVY
        ours = run(server(), adaptive, seconds=seconds, warm_up=seconds / 3, sizes=sizes, seed=seed)
        assert ours.most <= 256
        ratios.append(ours.rate / best_rate(server().curve, best, seconds, seed, even))
    return sum(ratios) / len(ratios)


@pytest.mark.parametrize("number", [1, 8, 16, 64, 100, 128, 200])
@pytest.mark.parametrize("kind", ["queue", "metrics", "refuse"])
@pytest.mark.parametrize("even", [True, False])
def test_slots_are_kept_busy_however_many_there_are(number: int, kind: str, even: bool) -> None:
    server = slot_server(number, 0 if kind == "refuse" else math.inf, metered=kind == "metrics")
    assert of_best(server, number, 900.0, even=even) >= 0.98


@pytest.mark.parametrize(("curve", "best"), [(BASE, 128), (DFLASH, 64)])
@pytest.mark.parametrize("metered", [False, True])
def test_a_batching_gpu_gets_nearly_the_best_number(
    curve: Callable[[int], float], best: int, metered: bool
) -> None:
    assert of_best(lambda: Server(curve, lambda _: 192, metered=metered), best, 3600.0) >= 0.98


@pytest.mark.parametrize("curve", [BASE, DFLASH])
@pytest.mark.parametrize("metered", [False, True])
def test_fewer_than_the_number_chosen_are_not_tried_where_nothing_waits(curve: Curve, metered: bool) -> None:
    for ceiling in (64, 256):
        server = Server(curve, lambda _: 192, metered=metered)
        ours = run(
            server,
            lambda clock, ceiling=ceiling: RequestLimit(64, ceiling=ceiling, clock=clock),  # type: ignore[misc]
            seconds=1800,
            sizes=HEAVY,
        )
        assert min(allowed for _, allowed in ours.allowed) >= 64


@pytest.mark.parametrize("curve", [BASE, DFLASH])
@pytest.mark.parametrize("metered", [False, True])
@pytest.mark.parametrize("spread", [0.3, 0.8, 1.2])
def test_a_batching_gpu_is_no_reason_for_a_notice(
    curve: Callable[[int], float], metered: bool, spread: float
) -> None:
    for seed in range(3):
        server = Server(curve, lambda _: 192, metered=metered)
        assert run(server, adaptive, seconds=1200, sizes=lognormal(spread), seed=seed).notices == []


def test_long_pages_do_not_shrink_it() -> None:
    outcome = run(slot_server(256)(), adaptive, seconds=600, sizes=lognormal(1.2))
    assert min(number for _, number in outcome.allowed) >= 43  # one trial step
    assert outcome.at(600) >= 144


def test_growth_goes_in_steps_each_after_a_measured_round() -> None:
    outcome = run(slot_server(256)(), adaptive, seconds=600, sizes=HEAVY)
    for (before, low), (after, high) in zip(outcome.allowed, outcome.allowed[1:], strict=False):
        if high > max(number for when, number in outcome.allowed if when <= before):
            assert high <= math.ceil(1.5 * low)
            assert after - before > PAGE / 2 or before == 0
    assert outcome.most <= 256


# One slot: the NIM as it comes


@pytest.mark.parametrize("metered", [False, True])
def test_one_slot_gets_few_at_a_time_and_the_user_is_told_once(metered: bool) -> None:
    outcome = run(slot_server(1, metered=metered)(), adaptive, seconds=1800, sizes=HEAVY)
    assert outcome.at(1800) <= 16
    [notice] = outcome.notices
    assert notice.startswith("The server works on about 1 page at a time")
    assert "NIM_PIPELINE_MAX_BATCH_SIZE" in notice
    assert "--max-num-seqs" in notice


@pytest.mark.parametrize("metered", [False, True])
def test_one_slot_does_not_time_out_for_ever(metered: bool) -> None:
    server = Server(slots(3.0), lambda _: 1, metered=metered)
    ours = run(server, adaptive, seconds=1200, sizes=HEAVY, timeout=120)
    stubborn = run(Server(slots(3.0), lambda _: 1), fixed(64), seconds=1200, sizes=HEAVY, timeout=120)
    assert ours.timeouts <= 40  # of the first burst, sent before anything was known
    assert stubborn.timeouts > 200
    assert ours.replies > 1.2 * stubborn.replies


def test_one_slot_that_refuses_settles_with_few_refusals() -> None:
    outcome = run(slot_server(1, 0)(), adaptive, seconds=1200, sizes=HEAVY)
    assert outcome.refusals <= 63 + 20 + 6  # the first burst, and a probe a minute
    assert all(number <= 2 for when, number in outcome.allowed if when > 30)
    assert len(outcome.notices) == 1


@pytest.mark.parametrize("pages", [5, 19])
def test_short_runs_get_no_notice(pages: int) -> None:
    assert run(slot_server(1)(), adaptive, pages=pages).notices == []
    assert run(slot_server(1, metered=True)(), adaptive, pages=pages).notices == []


@pytest.mark.parametrize("metered", [False, True])
def test_a_slow_client_gets_no_notice_and_loses_nothing(metered: bool) -> None:
    outcome = run(slot_server(64, metered=metered)(), adaptive, seconds=600, sizes=HEAVY, page_rate=5.0)
    assert outcome.notices == []
    assert outcome.between(100, 600) == pytest.approx(5.0, rel=0.02)


def test_other_clients_in_the_queue_do_not_shrink_it() -> None:
    server = Server(slots(PAGE), lambda _: 64, metered=True, others=500)
    outcome = run(server, adaptive, seconds=600, sizes=HEAVY)
    assert min(number for _, number in outcome.allowed) >= 43
    assert outcome.notices == []


# Faults and changes


@pytest.mark.parametrize("strays", [0.01, 0.05, 0.1])
@pytest.mark.parametrize("number", [64, 256])
def test_refusals_at_random_do_not_shrink_it(number: int, strays: float) -> None:
    server = Server(SLOT, lambda _: number, strays=strays)
    outcome = run(server, adaptive, seconds=3600, sizes=HEAVY)
    # Not all: the first ones come before anything is known.
    assert outcome.between(60, 3600) >= 0.75 * 64 / PAGE


@pytest.mark.parametrize("number", [2, 8, 32])
def test_a_few_refusals_at_random_do_not_hide_that_it_is_full(number: int) -> None:
    server = Server(SLOT, lambda _: number, queue=0, strays=0.03)
    outcome = run(server, adaptive, seconds=3600, sizes=HEAVY)
    assert outcome.refusals <= 64 + 0.2 * outcome.replies
    assert outcome.rate >= 0.9 * number / PAGE


def recovered(outcome: Outcome, base: Outcome, start: float, end: float) -> float:
    return outcome.between(start, end) / base.between(start, end)


@pytest.mark.parametrize("queue", [0, math.inf])
@pytest.mark.parametrize("lasts", [5, 40])
def test_an_outage_leaves_no_mark(queue: float, lasts: int) -> None:
    def server() -> Server:
        return Server(slots(PAGE), lambda _: 64, queue=queue, down=((60, 60 + lasts),))

    ours = run(server(), adaptive, seconds=240, sizes=HEAVY)
    base = run(Server(slots(PAGE), lambda _: 64), fixed(64), seconds=240, sizes=HEAVY)
    assert recovered(ours, base, 80 + lasts, 240) >= 0.97
    assert ours.refusals <= 64 + 40 + 60
    assert ours.notices == []


@pytest.mark.parametrize("kind", ["queue", "metrics", "refuse"])
@pytest.mark.parametrize(("before", "after"), [(1, 8), (16, 64), (64, 16), (128, 32)])
def test_a_server_that_changes_its_size_is_followed(kind: str, before: int, after: int) -> None:
    server = Server(
        slots(2.0),
        lambda now: before if now < 300 else after,
        queue=0 if kind == "refuse" else math.inf,
        metered=kind == "metrics",
    )
    outcome = run(server, adaptive, seconds=900, sizes=HEAVY)
    assert outcome.between(480, 900) >= 0.95 * after / 2.0
    assert outcome.refusals <= 300


@pytest.mark.parametrize("seconds", [2.0, 6.0])
def test_a_service_that_counts_requests_is_used_in_full(seconds: float) -> None:
    server = Server(slots(seconds), a_minute=40)
    outcome = run(server, adaptive, seconds=3600, sizes=HEAVY)
    assert outcome.between(60, 3600) * 60 >= 39
    assert outcome.refusals <= 24 + 4 * 60
    assert outcome.notices == []


# Pacing


@pytest.mark.parametrize("per_minute", [1, 7, 40, 600])
def test_no_minute_has_more_starts_than_allowed_and_none_is_wasted(per_minute: int) -> None:
    server = Server(slots(1.0), a_minute=None)
    outcome = run(
        server, lambda clock: RequestLimit(64, ceiling=64, per_minute=per_minute, clock=clock), seconds=600
    )
    starts = outcome.starts
    for first, last in zip(starts, starts[per_minute:], strict=False):
        assert last - first > 60
    burst = max(1, min(4, per_minute // 10))
    assert sum(start < 60 / per_minute for start in starts) <= burst
    assert len(starts) >= 600 / 60.05 * per_minute - 1


# The contract


def test_fixed_stays_but_pauses() -> None:
    clock = Clock()
    limit = RequestLimit(8, ceiling=8, adapts=False, clock=clock)
    for _ in range(8):
        limit.started()
    for _ in range(8):
        limit.refused(7.5)
    limit.observe(ServerLoad(1, 100))
    assert (limit.allowed, limit.in_flight) == (8, 0)
    assert limit.delay() == 7.5
    clock.now = 7.5
    assert limit.delay() == 0.0


def test_refusals_go_down_to_what_was_taken() -> None:
    clock = Clock()
    limit = RequestLimit(64, ceiling=256, clock=clock)
    for _ in range(64):
        limit.started()
    for _ in range(40):
        limit.refused(None)
    assert limit.allowed == 24
    assert limit.delay() == 0.0


@pytest.mark.parametrize("asked", [None, 0.0, math.nan, -1.0])
def test_a_server_that_takes_nothing_is_asked_ever_more_rarely_but_asked(asked: float | None) -> None:
    clock = Clock()
    limit = RequestLimit(64, ceiling=256, clock=clock)
    waits = []
    for _ in range(8):
        limit.started()
        limit.refused(asked)
        waits.append(limit.delay())
        clock.now += waits[-1]
    assert waits == sorted(waits)
    assert 0 < waits[0] < 1
    assert waits[-1] <= 5
    limit.started()
    clock.now += 3
    limit.finished(3)
    assert limit.allowed == 64


@pytest.mark.parametrize(("start", "ceiling", "per_minute"), [(0, 1, None), (1, 0, None), (1, 1, 0)])
def test_numbers_below_one_are_refused(start: int, ceiling: int, per_minute: int | None) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        RequestLimit(start, ceiling=ceiling, per_minute=per_minute)


class AnyCaller(RuleBasedStateMachine):
    """Calls in any order, at any time, with any figures."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.starts: list[float] = []
        self.notices = 0
        self.limit: RequestLimit | None = None

    @precondition(lambda self: self.limit is None)
    @rule(
        start=st.integers(1, 300),
        ceiling=st.integers(1, 256),
        adapts=st.booleans(),
        per_minute=st.none() | st.integers(1, 100),
    )
    def make(self, start: int, ceiling: int, adapts: bool, per_minute: int | None) -> None:
        self.ceiling = ceiling
        self.limit = RequestLimit(
            start, ceiling=ceiling, adapts=adapts, per_minute=per_minute, clock=self.clock
        )

    @precondition(lambda self: self.limit is not None)
    @rule(most=st.integers(1, 64))
    def start(self, most: int) -> None:
        assert self.limit is not None
        for _ in range(most):
            if self.limit.in_flight >= self.limit.allowed or self.limit.delay() > 0:
                break
            self.limit.started()
            self.starts.append(self.clock.now)

    def end(self, share: float, how: Callable[[], None]) -> None:
        assert self.limit is not None
        for _ in range(math.ceil(self.limit.in_flight * share)):
            before = self.limit.in_flight
            how()
            assert self.limit.in_flight == before - 1

    @precondition(lambda self: self.limit is not None)
    @rule(share=st.floats(0, 1), seconds=st.floats(0, 1e6), gap=st.sampled_from([0.0, 1e-9, 0.1, 5.0]))
    def finish(self, share: float, seconds: float, gap: float) -> None:
        def how() -> None:
            assert self.limit is not None
            self.clock.now += gap
            self.limit.finished(seconds)
            if self.limit.in_flight < self.limit.allowed and self.limit.delay() == 0:
                self.limit.started()
                self.starts.append(self.clock.now)
                self.limit.failed()

        self.end(share, how)

    @precondition(lambda self: self.limit is not None)
    @rule(share=st.floats(0, 1), wait=st.none() | st.floats(allow_nan=True, allow_infinity=True))
    def refuse(self, share: float, wait: float | None) -> None:
        assert self.limit is not None
        limit = self.limit
        self.end(share, lambda: limit.refused(wait))

    @precondition(lambda self: self.limit is not None)
    @rule(share=st.floats(0, 1))
    def fail(self, share: float) -> None:
        assert self.limit is not None
        self.end(share, self.limit.failed)

    @precondition(lambda self: self.limit is not None)
    @rule(running=st.integers(0, 300), waiting=st.integers(0, 300), looks=st.integers(1, 8))
    def look(self, running: int, waiting: int, looks: int) -> None:
        assert self.limit is not None
        for _ in range(looks):
            self.clock.now += 3.0
            self.limit.observe(ServerLoad(running, waiting))

    @rule(seconds=st.floats(0, 1e4))
    def wait(self, seconds: float) -> None:
        self.clock.now += seconds

    @invariant()
    def holds(self) -> None:
        limit = self.limit
        if limit is None:
            return
        assert 1 <= limit.allowed <= self.ceiling
        assert limit.in_flight >= 0
        delay = limit.delay()
        assert 0 <= delay <= 300.1
        self.notices += limit.notice() is not None
        assert self.notices <= 1

    def teardown(self) -> None:
        """Whatever happened: once all has ended and the delay has passed, a request may start."""
        limit = self.limit
        if limit is None:
            return
        while limit.in_flight:
            limit.failed()
        self.clock.now += limit.delay()
        assert limit.delay() <= 1e-6
        assert limit.in_flight < limit.allowed


TestAnyCaller = AnyCaller.TestCase
TestAnyCaller.settings = settings(max_examples=60, stateful_step_count=40)
