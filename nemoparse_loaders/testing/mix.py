"""Many faults at once: every kind by name, and a random mix that a seed decides."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta

from .faults import (
    BrokenJson,
    CutConnection,
    Death,
    Drip,
    EmptyReply,
    Fault,
    FinishReason,
    Hang,
    HttpError,
    Loop,
)
from .requests import RecordedRequest

FAULT_KINDS: Mapping[str, Fault] = {
    "500": HttpError(500),
    "503": HttpError(503),
    "503-seconds": HttpError(503, retry_after=0.1),
    "429": HttpError(429),
    "429-seconds": HttpError(429, retry_after=0.1),
    "429-date": HttpError(429, retry_after=timedelta(seconds=1)),
    "hang": Hang(),
    "drip": Drip(),
    "cut-before": CutConnection(),
    "cut-inside": CutConnection(after=0.5),
    "broken-json": BrokenJson(),
    "other-json": BrokenJson('{"object": "list", "data": []}'),
    "truncated": FinishReason("length"),
    "aborted": FinishReason("abort"),
    "no-reason": FinishReason(None),
    "loop-stop": Loop(),
    "loop-repetition": Loop(reason="repetition"),
    "empty": EmptyReply(),
    "death": Death(),
}
"""Every kind of fault by name, each as short as it can be; "hang" and "drip" end when the client gives up."""


def random_faults(
    rate: float,
    seed: int,
    *,
    kinds: Iterable[str | Fault] = tuple(FAULT_KINDS),
    most: int | None = None,
) -> Callable[[RecordedRequest], Fault | None]:
    """Faults that hit page requests at random, for ``ParseServer(faults=...)``.

    What a request gets depends on the seed, on its picture, and on how often that picture came before: not on
    the order in which requests arrive. So two runs over the same pages meet the same faults.

    Args:
        rate: The part of the requests that is hit, from 0 to 1.
        seed: Decides which ones, and by what.
        kinds: Names from `FAULT_KINDS`, or faults; each as likely as the others.
        most: The most faults for one picture, so that a client which tries again gets through; None for no
            limit.

    Raises:
        ValueError: There is no such kind, or the rate is no part.
    """
    if not 0 <= rate <= 1:
        raise ValueError(f"rate is a part of the requests, from 0 to 1, not {rate}")
    chosen = [_fault(kind) for kind in kinds]
    if not chosen:
        raise ValueError("no kinds of faults were given")
    came: Counter[str] = Counter()
    hit: Counter[str] = Counter()

    def choose(request: RecordedRequest) -> Fault | None:
        if request.method != "POST":
            return None
        digest = request.picture_digest()
        came[digest] += 1
        draw = random.Random(f"{seed} {digest} {came[digest]}")  # noqa: S311 - no secret
        if draw.random() >= rate or (most is not None and hit[digest] >= most):
            return None
        hit[digest] += 1
        return draw.choice(chosen)

    return choose


def _fault(kind: str | Fault) -> Fault:
    if isinstance(kind, Fault):
        return kind
    if kind not in FAULT_KINDS:
        raise ValueError(f"there is no fault {kind!r}; there are {', '.join(FAULT_KINDS)}")
    return FAULT_KINDS[kind]
