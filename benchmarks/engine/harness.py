"""Starts a server and a client, each as a process of its own, and puts together what they measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .measure import Job, descendants, resident_mb

# Seconds; the longest scenario takes the slowest client about ten minutes.
PATIENCE = 3600
ROOT = Path(__file__).parents[2]
CLIENTS = {
    "ours": "benchmarks.engine.client_ours",
    "naive": "benchmarks.engine.client_naive",
    "naive-200dpi": "benchmarks.engine.client_naive",
    "docling": "benchmarks.engine.client_docling",
    "docling-preset": "benchmarks.engine.client_docling",
}


@dataclass(frozen=True)
class ServerJob:
    """The server of a run.

    Attributes:
        slots: Replies made at the same time.
        latency: Seconds a reply, as on the server's command line.
        reply: File with the reply.
        by_kind: Parts of pages and detection are answered with samples of their own; all pages of one size.
    """

    slots: int
    latency: str
    reply: Path
    by_kind: bool = False


@dataclass(frozen=True)
class Result:
    """One run of one client.

    Attributes:
        client: Its name.
        pages: Pages that it handed out.
        failed: Those without content.
        seconds: From the call to the last page.
        pages_per_second: Over that time.
        cpu_ms: Processor milliseconds a page, all processes of the client.
        slots_busy: Share of the slots held between the first page request and the last.
        peak_in_flight: Most page requests at the server.
        megapixels: Mean of the pictures that the server got.
        first_page: Seconds until a page was there.
        parent_mb: Most memory of the client's own process.
        children_mb: Most memory of its children, summed.
        server_cpu_ms: Processor milliseconds a page that the server took.
        memory: (pages, megabytes of the client's own process) while it went on.
        load: Load average of the machine before.
    """

    client: str
    pages: int
    failed: int
    seconds: float
    pages_per_second: float
    cpu_ms: float
    slots_busy: float | None
    peak_in_flight: int
    megapixels: float
    first_page: float
    parent_mb: float
    children_mb: float
    server_cpu_ms: float
    memory: list[tuple[int, float]]
    load: float


@contextmanager
def running_server(job: ServerJob) -> Iterator[str]:
    """Its address."""
    command = [sys.executable, "-m", "nemoparse_loaders.testing", "--slots", str(job.slots)]
    command += ["--latency", job.latency, "--reply", str(job.reply)]
    command += ["--by-kind"] if job.by_kind else []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())["base_url"]
        finally:
            # Leaving closes its standard input, which ends it.
            assert process.stdin is not None
            process.stdin.close()


def run_client(client: str, server: ServerJob, job: Job, python: str = sys.executable) -> Result:
    """Run a client against a new server.

    Args:
        client: A name from `CLIENTS`.
        server: The server.
        job: What to do; the address is filled in.
        python: The interpreter of the client's environment.

    Raises:
        RuntimeError: It failed; the message has the end of what it said.
    """
    load = os.getloadavg()[0]
    with running_server(server) as base_url:
        before = statistics(base_url)
        text = Job(**{**vars(job), "base_url": base_url}).to_json()
        command = [python, "-m", CLIENTS[client], text]
        with subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            watch = ChildMemory(process.pid)
            try:
                output, errors = process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                raise RuntimeError(f"{client} was not done after {PATIENCE} seconds") from None
            finally:
                children_mb = watch.stop()
        if process.returncode:
            raise RuntimeError(f"{client} ended with status {process.returncode}:\n{errors[-3000:]}")
        seen = statistics(base_url)
    told: dict[str, Any] = json.loads(output.splitlines()[-1])
    pages = told["pages"]
    return Result(
        client=client,
        pages=pages,
        failed=told["failed"],
        seconds=told["seconds"],
        pages_per_second=pages / told["seconds"],
        cpu_ms=told["cpu_seconds"] / pages * 1000,
        slots_busy=seen["busy_share"],
        peak_in_flight=seen["peak_in_flight"],
        megapixels=seen["pixels"] / max(1, seen["pages"]) / 1e6,
        first_page=told["first_page_seconds"],
        parent_mb=told["peak_mb"],
        children_mb=children_mb,
        server_cpu_ms=(seen["cpu_seconds"] - before["cpu_seconds"]) / max(1, seen["pages"]) * 1000,
        memory=[tuple(item) for item in told["memory"]],
        load=load,
    )


def statistics(base_url: str) -> dict[str, Any]:
    """What the server saw, as `ServerStatistics` has it."""
    with urllib.request.urlopen(f"{base_url}/_stats") as answer:
        seen: dict[str, Any] = json.load(answer)
    return seen


class ChildMemory:
    """Looks at the memory of a process's children, several times a second."""

    def __init__(self, process: int) -> None:
        self._process = process
        self._most = 0.0
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._end.wait(0.25):
            self._most = max(self._most, sum(resident_mb(child) for child in descendants(self._process)))

    def stop(self) -> float:
        """The most that they had together, in megabytes."""
        self._end.set()
        self._thread.join()
        return self._most


def table(results: list[Result]) -> str:
    """The results as text, one line each."""
    lines = [
        f"{'client':<16}{'pages':>6}{'bad':>5}{'pages/s':>9}{'CPU ms':>8}{'busy':>8}{'most':>6}{'Mpx':>6}"
        f"{'first s':>9}{'MB':>7}{'+MB':>7}{'server ms':>11}{'load':>6}"
    ]
    for result in results:
        busy = "" if result.slots_busy is None else f"{result.slots_busy:.1%}"
        lines.append(
            f"{result.client:<16}{result.pages:>6}{result.failed:>5}{result.pages_per_second:>9.2f}"
            f"{result.cpu_ms:>8.1f}{busy:>8}{result.peak_in_flight:>6}{result.megapixels:>6.2f}"
            f"{result.first_page:>9.2f}{result.parent_mb:>7.0f}{result.children_mb:>7.0f}"
            f"{result.server_cpu_ms:>11.2f}{result.load:>6.1f}"
        )
    return "\n".join(lines)


def stamp() -> str:
    """When and where."""
    return f"{time.strftime('%Y-%m-%d %H:%M:%S')}, {os.cpu_count()} cores, Python {sys.version.split()[0]}"
