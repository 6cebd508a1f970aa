"""The command line of the benchmark.

python -m benchmarks.engine --scenario cpu --data ../shared/data --docling FOLDER/bin/python
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from .harness import CLIENTS, stamp, table
from .sample import KINDS
from .scenarios import DEFAULT_CLIENTS, SCENARIOS, Outcome, Setup


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engine", description=__doc__)
    parser.add_argument("--scenario", nargs="+", choices=list(SCENARIOS), default=["cpu"])
    parser.add_argument(
        "--data", type=Path, default=os.environ.get("NEMOPARSE_TEST_DATA"), help="folder of the test data"
    )
    parser.add_argument("--work", type=Path, help="folder for samples; default: a temporary one")
    parser.add_argument("--clients", nargs="+", choices=list(CLIENTS), help="default: all that can run")
    parser.add_argument("--docling", default="", help="the Python of docling's environment (docling_env.sh)")
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--pages", type=int, default=25, help="cpu: pages of each kind")
    parser.add_argument("--pages-a-slot", type=int, default=20)
    parser.add_argument("--in-flight", type=int, help="ours: max_concurrency; default: its own choice")
    parser.add_argument("--long-pages", type=int, default=2000, help="memory: pages of the file")
    parser.add_argument("--limit-slots", type=int, default=64, help="limit: slots of the server")
    parser.add_argument("--json", type=Path, help="write the figures to a file, too")
    parser.add_argument("--check", action="store_true", help="exit with 1 where a target is missed")
    options = parser.parse_args()
    if options.data is None or not (options.data / "pages").is_dir():
        parser.error("--data or NEMOPARSE_TEST_DATA must name the folder of the test data")
    return options


def show(name: str, outcome: Outcome) -> None:
    print(f"\n{name} ({stamp()})")
    print(table(outcome.results))
    for what, ratio in outcome.ratios.items():
        print(f"{what}: {ratio:.3f}")
    if outcome.comparison is not None:
        seen = outcome.comparison
        fixed = ", ".join(f"{limit}: {speed:.2f}" for limit, speed in seen.fixed.items())
        print(f"pages/s by fixed limit: {fixed}; best: {seen.best}")
        print(f"adaptive / {seen.best}: {seen.mean:.4f}, 95 % interval {seen.low:.4f} to {seen.high:.4f}")
    for miss in outcome.misses:
        print(f"missed: {miss}")
    sys.stdout.flush()


def main() -> None:
    options = arguments()
    clients = options.clients or [*DEFAULT_CLIENTS, *(["docling"] if options.docling else [])]
    outcomes: dict[str, Outcome] = {}
    with tempfile.TemporaryDirectory(prefix="nemoparse-benchmark-") as temporary:
        setup = Setup(
            pages=(options.data / "pages").resolve(),
            work=(options.work or Path(temporary)).resolve(),
            clients=tuple(clients),
            kinds=tuple(options.kinds),
            each=options.pages,
            pages_a_slot=options.pages_a_slot,
            in_flight=options.in_flight,
            docling=options.docling,
            long_pages=options.long_pages,
            limit_slots=options.limit_slots,
        )
        setup.work.mkdir(parents=True, exist_ok=True)
        for name in options.scenario:
            outcomes[name] = SCENARIOS[name](setup)
            show(name, outcomes[name])
    text = json.dumps({name: asdict(outcome) for name, outcome in outcomes.items()})
    print(text)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    if options.check and any(outcome.misses for outcome in outcomes.values()):
        sys.exit(1)


if __name__ == "__main__":
    main()
