"""vLLM's ``/metrics``: how many requests it works on and how many wait."""

from __future__ import annotations

import math
import re

from .base import ServerLoad

METRICS_PATH = "/metrics"

_PREFIX = b"vllm:num_requests_"
# A sample of the Prometheus text format: name, labels (their values may hold any bracket), value. It never
# goes beyond its line, so that a text with open ends takes no quadratic time.
_SAMPLE = re.compile(
    r'^vllm:num_requests_(running|waiting)[ \t]*(?:\{(?:[^"}\n]|"(?:[^"\\\n]|\\.)*")*\})?[ \t]+(\S+)',
    re.MULTILINE,
)


def holds_load(body: bytes) -> bool:
    """Whether the text is one that speaks of requests at all, so that asking again makes sense."""
    return _PREFIX in body


def parse_load(body: bytes) -> ServerLoad | None:
    """The load in the text of ``/metrics``, summed over the engines of the server.

    Args:
        body: In the Prometheus text format.

    Returns:
        None where one of the two numbers is missing or is none.
    """
    sums: dict[str, float] = {}
    for name, value in _SAMPLE.findall(body.decode("utf-8", errors="replace")):
        try:
            count = float(value)
        except ValueError:
            return None
        if not math.isfinite(count) or count < 0:
            return None
        sums[name] = sums.get(name, 0.0) + count
    if len(sums) < 2:
        return None
    return ServerLoad(running=int(sums["running"]), waiting=int(sums["waiting"]))
