"""The scenarios: what runs against what, and which figures they must reach."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from nemoparse_loaders.testing import SAMPLE_PAGE

from .harness import CLIENTS, Result, ServerJob, run_client
from .limit import Comparison, compare
from .measure import Job
from .sample import KINDS, make_cheap_file, make_long_file, make_pictures, make_reply, make_sample

DPI = 200.0
NAIVE_THREADS = 16
TRIPLE_PAGES = 500
LEAST_BUSY = 0.95
MOST_PARENT_MB = 300
SETTLED_AFTER_PAGES = 200
MOST_GROWTH = 0.05
LEAST_OF_BEST_LIMIT = 0.98
NAIVE_RATIO = 3.0
DOCLING_RATIO = 4.0


@dataclass(frozen=True)
class Setup:
    """What was asked for on the command line.

    Attributes:
        pages: Folder of the test data's PDFs.
        work: Folder for what is made.
        clients: Names from `CLIENTS`.
        kinds: Names from `KINDS`.
        each: Pages of each kind, for "cpu".
        pages_a_slot: For the scenarios about slots.
        in_flight: For this library; None for its own choice.
        docling: The Python of docling's environment.
        long_pages: For "memory".
        limit_slots: For "limit".
    """

    pages: Path
    work: Path
    clients: tuple[str, ...]
    kinds: tuple[str, ...]
    each: int
    pages_a_slot: int
    in_flight: int | None
    docling: str
    long_pages: int
    limit_slots: int


@dataclass
class Outcome:
    """What a scenario gave.

    Attributes:
        results: Runs.
        ratios: Figures made from them, by name.
        misses: Targets that were not reached.
        comparison: Of the limits.
    """

    results: list[Result] = field(default_factory=list)
    ratios: dict[str, float] = field(default_factory=dict)
    misses: list[str] = field(default_factory=list)
    comparison: Comparison | None = None

    def expect(self, holds: bool, what: str) -> None:
        """Note a target that was not reached."""
        if not holds:
            self.misses.append(what)


def run_one(setup: Setup, client: str, server: ServerJob, job: Job) -> Result:
    """Run a client the way that is its own."""
    values = vars(job)
    if client.startswith("naive"):
        values = {**values, "in_flight": NAIVE_THREADS, "dpi": DPI if client.endswith("200dpi") else None}
    elif client.startswith("docling"):
        # The preset renders at twice 72 dpi and at most 2,048 pixels; equal pixels need a higher resolution.
        dpi = 144.0 if client.endswith("preset") else None
        values = {**values, "in_flight": 64, "dpi": dpi}
    python = setup.docling if client.startswith("docling") else sys.executable
    print(f"  {client} ...", file=sys.stderr, flush=True)
    return run_client(client, server, Job(**values), python)


def cpu(setup: Setup) -> Outcome:
    """Processor time a page of all clients at equal pixels; the server answers fast.

    Nobody else checks pages against their file, so that ours is compared without that, and measured with it.
    """
    files = make_sample(setup.pages, _folder(setup, f"sample-{setup.each}"), setup.each, setup.kinds)
    server = ServerJob(64, "0.3", make_reply(setup.work))
    job = Job("", [str(file) for file in files], setup.in_flight)
    outcome = Outcome([run_one(setup, client, server, job) for client in setup.clients])
    by_name = {result.client: result for result in outcome.results}
    ours = by_name.get("ours")
    if ours is not None:
        checked = run_one(setup, "ours", server, replace(job, verify=True))
        outcome.results.append(replace(checked, client="ours, checked"))
        outcome.ratios["CPU a page, ours with checks / ours"] = checked.cpu_ms / ours.cpu_ms
    for client, least in (("naive", NAIVE_RATIO), ("naive-200dpi", 0), ("docling", DOCLING_RATIO)):
        if ours is not None and client in by_name:
            ratio = by_name[client].cpu_ms / ours.cpu_ms
            outcome.ratios[f"CPU a page, {client} / ours"] = ratio
            outcome.expect(ratio >= least, f"{client} takes {ratio:.2f} times our CPU, wanted {least}")
    return outcome


def first(setup: Setup) -> Outcome:
    """Time until the first page of one file is there."""
    (file,) = make_sample(setup.pages, _folder(setup, f"sample-{setup.each}"), setup.each, ("text",))
    job = Job("", [str(file)], setup.in_flight, streams=True)
    server = ServerJob(64, "1", make_reply(setup.work))
    return Outcome([run_one(setup, client, server, job) for client in setup.clients])


def slots(setup: Setup, count: int, latency: str) -> Outcome:
    """How full the slots are, with real rendering."""
    each = -(-count * setup.pages_a_slot // len(setup.kinds))
    files = make_sample(setup.pages, _folder(setup, f"sample-{each}"), each, setup.kinds)
    job = Job("", [str(file) for file in files], setup.in_flight, verify=True)
    return _busy(setup, ServerJob(count, latency, make_reply(setup.work)), job, setup.clients)


def triple16(setup: Setup) -> Outcome:
    """How full 16 slots are in triple pass: pages, detection and regions, each a request."""
    file = make_long_file(setup.work, TRIPLE_PAGES)
    page = setup.work / "page-with-a-table.txt"
    page.write_text(SAMPLE_PAGE, encoding="utf-8")
    job = Job("", [str(file)], setup.in_flight, passes="triple", verify=True)
    return _busy(setup, ServerJob(16, "0.8", page, by_kind=True), job, ("ours",))


def slots256(setup: Setup) -> Outcome:
    """How full 256 slots are when rendering costs nothing."""
    count = 256
    job = _cached_job(setup, count * setup.pages_a_slot, setup.in_flight or count)
    return _busy(setup, ServerJob(count, "16", make_reply(setup.work)), job, ("ours",))


def _busy(setup: Setup, server: ServerJob, job: Job, clients: Iterable[str]) -> Outcome:
    outcome = Outcome([run_one(setup, client, server, job) for client in clients])
    for result in outcome.results:
        if result.client == "ours":
            busy = result.slots_busy or 0.0
            outcome.expect(busy >= LEAST_BUSY, f"slots {busy:.1%} busy, wanted {LEAST_BUSY:.0%}")
    return outcome


def memory(setup: Setup) -> Outcome:
    """The parent's memory while one long file is read page by page at 64 slots."""
    file = make_long_file(setup.work, setup.long_pages)
    job = Job("", [str(file)], setup.in_flight, streams=True, verify=True)
    result = run_one(setup, "ours", ServerJob(64, "2", make_reply(setup.work)), job)
    outcome = Outcome([result])
    settled = [size for pages, size in result.memory if pages >= SETTLED_AFTER_PAGES]
    quarter = max(1, len(settled) // 4)
    growth = statistics.median(settled[-quarter:]) / statistics.median(settled[:quarter]) - 1
    outcome.ratios["parent's memory, last quarter / first quarter after 200 pages"] = growth + 1
    outcome.expect(
        result.parent_mb <= MOST_PARENT_MB, f"parent {result.parent_mb:.0f} MB, wanted {MOST_PARENT_MB}"
    )
    outcome.expect(growth <= MOST_GROWTH, f"memory grew by {growth:.1%}, wanted {MOST_GROWTH:.0%}")
    return outcome


def limit(setup: Setup) -> Outcome:
    """The adaptive limit against the best fixed one on a steady server."""
    outcome = Outcome()
    count = setup.limit_slots
    server = ServerJob(count, "2", make_reply(setup.work))

    def speed(in_flight: int | None) -> float:
        result = run_one(setup, "ours", server, _cached_job(setup, count * setup.pages_a_slot, in_flight))
        outcome.results.append(replace(result, client=f"ours, {in_flight or 'adaptive'}"))
        return result.pages_per_second

    outcome.comparison = compare(speed, [count // 2, count, count * 5 // 4, count * 2])
    outcome.ratios["pages/s, adaptive / best fixed"] = outcome.comparison.mean
    mean = outcome.comparison.mean
    outcome.expect(mean >= LEAST_OF_BEST_LIMIT, f"adaptive reaches {mean:.1%} of the best fixed limit")
    return outcome


def _cached_job(setup: Setup, pages: int, in_flight: int | None) -> Job:
    files = make_sample(setup.pages, _folder(setup, "sample-4"), 4, tuple(KINDS))
    pictures = make_pictures(files, _folder(setup, "pictures"))
    cheap = make_cheap_file(setup.work, pages)
    names = [str(picture) for picture in pictures]
    return Job("", [str(cheap)], in_flight, cached_images=names, streams=True)


def _folder(setup: Setup, name: str) -> Path:
    folder = setup.work / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


SCENARIOS: dict[str, Callable[[Setup], Outcome]] = {
    "cpu": cpu,
    "first": first,
    "slots16": lambda setup: slots(setup, 16, "0.8"),
    "slots64": lambda setup: slots(setup, 64, "4"),
    "slots256": slots256,
    "triple16": triple16,
    "memory": memory,
    "limit": limit,
}
DEFAULT_CLIENTS = tuple(name for name in CLIENTS if not name.startswith("docling"))
