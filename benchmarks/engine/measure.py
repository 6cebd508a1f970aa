"""What a client measures of itself; the standard library only, since docling's environment has no more."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

MEMORY_EVERY = 50


@dataclass(frozen=True)
class Job:
    """What a client has to do.

    Attributes:
        base_url: The server.
        files: PDFs.
        in_flight: Requests at the same time; None for the client's own choice.
        dpi: Resolution, or None to fit ``box``.
        box: Largest picture, (width, height) in pixels.
        streams: Take the pages of the first file one by one, and no documents.
        cached_images: PNG files that are sent in turn in place of the rendered pages.
        render_workers: For this library; None for its own choice.
        passes: For this library.
        verify: For this library: also check pages against what their file stores.
    """

    base_url: str
    files: list[str]
    in_flight: int | None = 64
    dpi: float | None = None
    box: tuple[int, int] = (1664, 2048)
    streams: bool = False
    cached_images: list[str] = field(default_factory=list)
    render_workers: int | None = None
    passes: str = "single"
    verify: bool = False

    def to_json(self) -> str:
        return json.dumps(asdict(self))


def read_job() -> Job:
    """The job on the command line."""
    values: dict[str, Any] = json.loads(sys.argv[1])
    values["box"] = tuple(values["box"])
    return Job(**values)


@dataclass
class Meter:
    """Counts pages from the moment it is made; processor time includes all child processes."""

    started: float = field(default_factory=time.monotonic)
    cpu_before: float = field(default_factory=lambda: cpu_seconds())
    pages: int = 0
    failed: int = 0
    first_page: float | None = None
    memory: list[tuple[int, float]] = field(default_factory=list)

    def page(self, *, ok: bool = True) -> None:
        """One page is in the caller's hands."""
        if self.first_page is None:
            self.first_page = time.monotonic() - self.started
        self.pages += 1
        self.failed += not ok
        if self.pages % MEMORY_EVERY == 0:
            self.memory.append((self.pages, resident_mb()))

    def report(self) -> None:
        """Print what was measured, as the last line of the output."""
        seconds = time.monotonic() - self.started
        values = {
            "pages": self.pages,
            "failed": self.failed,
            "seconds": seconds,
            "cpu_seconds": cpu_seconds() - self.cpu_before,
            "first_page_seconds": self.first_page,
            "peak_mb": peak_mb(),
            "memory": self.memory,
        }
        sys.stdout.write("\n" + json.dumps(values) + "\n")
        sys.stdout.flush()


def cpu_seconds() -> float:
    """Processor time of this process and of all its children, the ended and the living."""
    times = os.times()
    ended = times.user + times.system + times.children_user + times.children_system
    tick = os.sysconf("SC_CLK_TCK")
    living = 0
    for child in descendants(os.getpid()):
        try:
            values = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        living += sum(int(value) for value in values[11:15])
    return ended + living / tick


def descendants(process: int) -> list[int]:
    """The living children of a process, and theirs."""
    found: list[int] = []
    for task in Path(f"/proc/{process}/task").glob("*"):
        try:
            children = [int(word) for word in (task / "children").read_text().split()]
        except OSError:
            continue
        for child in children:
            found += [child, *descendants(child)]
    return found


def resident_mb(process: int | str = "self") -> float:
    """Memory that a process has in use; 0 where it is gone."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def peak_mb() -> float:
    """The most that this process had in use."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024 / 1e6
    return 0.0
