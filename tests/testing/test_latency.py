"""Latencies: distributions with a seed, and how they are written on a command line."""

from __future__ import annotations

import statistics

import pytest

from nemoparse_loaders.testing import LognormalLatency, RecordedRequest, UniformLatency
from nemoparse_loaders.testing.latency import Latency, parse_latency

REQUEST = RecordedRequest("POST", "/v1/chat/completions", {})


def draw(latency: Latency, count: int = 2000) -> list[float]:
    assert callable(latency)
    return [latency(REQUEST) for _ in range(count)]


def test_uniform() -> None:
    seconds = draw(UniformLatency(0.5, 1.5, seed=1))
    assert 0.5 <= min(seconds) < 0.6
    assert 1.4 < max(seconds) <= 1.5


def test_lognormal() -> None:
    seconds = draw(LognormalLatency(0.8, 0.5, seed=1, most=3.0))
    assert statistics.median(seconds) == pytest.approx(0.8, rel=0.1)
    assert max(seconds) == 3.0


def test_the_seed_decides() -> None:
    assert draw(LognormalLatency(1, seed=3)) == draw(LognormalLatency(1, seed=3))
    assert draw(UniformLatency(0, 1, seed=3)) != draw(UniformLatency(0, 1, seed=4))


def test_written() -> None:
    assert parse_latency("0.8") == 0.8
    assert parse_latency("uniform:0.5,1.5", seed=2) == UniformLatency(0.5, 1.5, 2)
    assert parse_latency("lognormal:0.8,0.5") == LognormalLatency(0.8, 0.5)


@pytest.mark.parametrize(
    "text", ["", "a", "-1", "inf", "nan", "1,2", "uniform:1", "uniform:2,1", "lognormal:0,1", "normal:1,2"]
)
def test_written_wrongly(text: str) -> None:
    with pytest.raises(ValueError, match="is no latency"):
        parse_latency(text)
