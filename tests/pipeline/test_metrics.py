"""Durations of a run, in bounded memory."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nemoparse_loaders.pipeline.metrics import EXACT_DURATIONS, Durations, RunMetrics


def nearest_rank(durations: list[float], share: float) -> float:
    return sorted(durations)[math.ceil(share * len(durations)) - 1]


@given(st.lists(st.floats(0, 1e5), min_size=1, max_size=200))
def test_percentiles_are_exact_while_there_are_few(seconds: list[float]) -> None:
    durations = Durations()
    for each in seconds:
        durations.add(each)
    spread = durations.percentiles()
    assert spread is not None
    assert spread.p50 == pytest.approx(nearest_rank(seconds, 0.5), abs=1e-6)
    assert spread.p90 == pytest.approx(nearest_rank(seconds, 0.9), abs=1e-6)
    assert spread.p99 == pytest.approx(nearest_rank(seconds, 0.99), abs=1e-6)
    assert spread.longest == pytest.approx(max(seconds), abs=1e-6)


@settings(max_examples=30)
@example(seed=3131240, typical=0.001, spread_by=0.1, count=4 * EXACT_DURATIONS)
@given(
    seed=st.integers(),
    typical=st.sampled_from([0.001, 0.3, 20.0]),
    spread_by=st.sampled_from([0.1, 1.0, 3.0]),
    count=st.integers(EXACT_DURATIONS - 1, EXACT_DURATIONS + 2) | st.just(4 * EXACT_DURATIONS),
)
def test_percentiles_are_one_percent_off_at_most_however_many(
    seed: int, typical: float, spread_by: float, count: int
) -> None:
    chance = random.Random(seed)
    seconds = [typical * chance.lognormvariate(0, spread_by) for _ in range(count)]
    durations = Durations()
    for each in seconds:
        durations.add(each)
    spread = durations.percentiles()
    assert spread is not None
    for share, told in ((0.5, spread.p50), (0.9, spread.p90), (0.99, spread.p99)):
        exact = nearest_rank(seconds, share)
        # One percent, and what the rounding to a microsecond adds to it.
        assert told == pytest.approx(exact, abs=0.01 * exact + 1e-6)
    assert spread.longest == pytest.approx(max(seconds), abs=1e-6)
    assert spread.p99 <= spread.longest
    assert durations.total == pytest.approx(sum(seconds))


def test_memory_stays_bounded_whatever_comes() -> None:
    durations = Durations()
    for exponent in range(3 * EXACT_DURATIONS):
        durations.add(math.exp(exponent % 60 - 30 + exponent / 1e4))
    durations.add(0.0)
    durations.add(1e300)
    assert len(durations._exact) + len(durations._buckets) < 1500
    spread = durations.percentiles()
    assert spread is not None
    assert spread.longest == 1e300


def test_no_reply_has_no_percentiles() -> None:
    metrics = RunMetrics()
    metrics.rendered(1.0)
    assert metrics.latency is None
    assert metrics.request_seconds == 0


def test_durations_of_one_kind_are_added_up() -> None:
    metrics = RunMetrics()
    for _ in range(3):
        metrics.rendered(0.25)
        metrics.waited(0.5)
        metrics.replied(1.0)
        metrics.cached(attempts=2)
        metrics.recovered()
    assert (metrics.render_seconds, metrics.queue_seconds, metrics.request_seconds) == (0.75, 1.5, 3.0)
    assert (metrics.cached_pages, metrics.cached_requests) == (3, 6)
    assert metrics.recovered_pages == 3
    assert metrics.latency is not None
    assert metrics.latency.p50 == 1.0
