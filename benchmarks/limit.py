"""How far the adaptive limit stays behind the best fixed number in flight, on simulated servers.

python -m benchmarks.limit [--pairs 5] [--only NAME]

Everything here is simulated (`simulated_servers.py`): virtual time, no network, no real server. The curves of
the two GPU servers go through figures measured on one H200; what lies between and beyond them is assumed. A
pair is one adaptive and one fixed run over the same pages; the best fixed number is known from the curve. The
interval is Student's, of 95 %, over pairs with different pages.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Callable

from benchmarks.simulated_servers import Clock, Server, lognormal, points, run, slots
from benchmarks.student import half_width
from nemoparse_loaders.pipeline.limit import RequestLimit

START, CEILING = 64, 256
# Pages differ by a factor of ten and more between the 1st and the 99th percentile.
SIZES = lognormal(0.8)

BASE = points((1, 0.55), (8, 2.8), (16, 4.2), (32, 5.7), (64, 6.74), (128, 7.42))
DFLASH = points((1, 0.8), (8, 4.0), (16, 6.2), (32, 8.0), (64, 9.14), (128, 8.83), (256, 8.2))

Case = tuple[Callable[[], Server], int, float]


def slot_server(number: int, queue: float = math.inf, *, metered: bool = False) -> Callable[[], Server]:
    """Makes servers of fixed slots, 4 s a page."""
    return lambda: Server(slots(4.0), lambda _: number, queue=queue, metered=metered)


def cases() -> dict[str, Case]:
    """Name: the server, its best fixed number, virtual seconds to run."""
    found: dict[str, Case] = {}
    for number in (1, 8, 16, 64, 100, 128, 200):
        seconds = 2400.0 if number < 16 else 1200.0
        found[f"{number} slots, queue"] = slot_server(number), number, seconds
        found[f"{number} slots, queue, /metrics"] = slot_server(number, metered=True), number, seconds
        found[f"{number} slots, 503 when full"] = slot_server(number, 0), number, seconds
    found["GPU, base"] = (lambda: Server(BASE, lambda _: 192)), 128, 3600.0
    found["GPU, DFlash"] = (lambda: Server(DFLASH, lambda _: 192)), 64, 3600.0
    return found


def adaptive(clock: Clock) -> RequestLimit:
    """As the engine makes it for a vLLM server."""
    return RequestLimit(START, ceiling=CEILING, clock=clock)


def fixed(number: int) -> Callable[[Clock], RequestLimit]:
    """Always the same number."""
    return lambda clock: RequestLimit(number, ceiling=number, adapts=False, clock=clock)


def interval(values: list[float]) -> str:
    """Mean and 95 % interval."""
    mean = statistics.mean(values)
    if len(values) < 2:
        return f"{mean:.3f}"
    half = half_width(values)
    return f"{mean:.3f} [{mean - half:.3f}, {mean + half:.3f}]"


def main() -> None:
    """Print a row for each server."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=5, choices=range(1, 11))
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    print("Simulated. Replies a second, adaptive over best fixed: whole run, and after its first third.")
    print("| server | best fixed | whole run | after 1/3 | allowed at the end | refusals | notices |")
    print("|---|---|---|---|---|---|---|")
    for name, (server, best, seconds) in cases().items():
        if arguments.only not in name:
            continue
        whole, late, ends, refusals, notices = [], [], [], [], 0
        for seed in range(101, 101 + arguments.pairs):
            ours = run(server(), adaptive, seconds=seconds, warm_up=seconds / 3, sizes=SIZES, seed=seed)
            base = run(server(), fixed(best), seconds=seconds, warm_up=seconds / 3, sizes=SIZES, seed=seed)
            whole.append(ours.replies / base.replies)
            late.append(ours.rate / base.rate)
            ends.append(ours.allowed[-1][1])
            refusals.append(ours.refusals)
            notices += len(ours.notices)
        print(
            f"| {name} | {best} | {interval(whole)} | {interval(late)} | {min(ends)}-{max(ends)} "
            f"| {min(refusals)}-{max(refusals)} | {notices} of {len(ends)} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
