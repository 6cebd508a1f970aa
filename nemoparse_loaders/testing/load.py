"""How full the server was: its slots over time, and what it counted."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from .requests import RecordedRequest


@dataclass(frozen=True)
class ServerStatistics:
    """What a server saw so far. Moments are of ``time.monotonic()``.

    Attributes:
        requests: How many, by path.
        statuses: How many answers, by HTTP status.
        pages: Requests that carried a page.
        pixels: Of all pictures that came as PNG, summed.
        disconnected: Requests whose connection broke before the answer was whole.
        peak_in_flight: Most page requests that were there at the same time, waiting ones included.
        peak_running: Most that held a slot at the same time.
        first_page_at: When the first page request had come in whole, or None.
        last_page_at: When the last one had. From then on nothing fills a slot that becomes free: the drain.
        slot_seconds: Time that slots were held between these two moments, summed over the slots.
        busy_share: The same as a part of what all slots could have done; None without ``slots``.
        cpu_seconds: Processor time of the whole process that the server runs in.
    """

    requests: Mapping[str, int]
    statuses: Mapping[int, int]
    pages: int
    pixels: int
    disconnected: int
    peak_in_flight: int
    peak_running: int
    first_page_at: float | None
    last_page_at: float | None
    slot_seconds: float
    busy_share: float | None
    cpu_seconds: float

    def as_json(self) -> dict[str, Any]:
        """For ``/_stats``."""
        return asdict(self)


class LoadLog:
    """Every change in the number of slots held, with its moment, and counts beside it."""

    def __init__(self) -> None:
        self.running = 0
        self._changes: list[tuple[float, int]] = []
        self._in_flight = 0
        self._peaks = [0, 0]
        self._paths: Counter[str] = Counter()
        self._statuses: Counter[int] = Counter()
        self._disconnected = 0
        self._arrivals: list[float | None] = [None, None]
        self._pages = 0
        self._pixels = 0

    def came(self, record: RecordedRequest) -> None:
        """A request came in."""
        self._paths[record.path] += 1

    def left(self, record: RecordedRequest) -> None:
        """It was answered, or its connection broke."""
        if record.status is not None:
            self._statuses[record.status] += 1
        if record.disconnected:
            self._disconnected += 1

    def page_came(self) -> None:
        """The body of a page request is there."""
        now = time.monotonic()
        if self._arrivals[0] is None:
            self._arrivals[0] = now
        self._arrivals[1] = now
        self._pages += 1
        self._in_flight += 1
        self._peaks[0] = max(self._peaks[0], self._in_flight)

    def picture_came(self, record: RecordedRequest) -> None:
        """The picture of a page request was found."""
        self._pixels += record.picture_pixels()

    def page_left(self) -> None:
        """A page request was answered, or its connection broke."""
        self._in_flight -= 1

    def slot_taken(self) -> None:
        """One more slot is held."""
        self._change(1)

    def slot_freed(self) -> None:
        """One less is."""
        self._change(-1)

    def _change(self, by: int) -> None:
        self.running += by
        self._peaks[1] = max(self._peaks[1], self.running)
        self._changes.append((time.monotonic(), self.running))

    def slot_seconds(self, start: float, end: float) -> float:
        """Time that slots were held between two moments, summed over the slots."""
        total, held, since = 0.0, 0, start
        for moment, running in tuple(self._changes):
            if moment >= end:
                break
            if moment > start:
                total += held * (moment - since)
                since = moment
            held = running
        return total + held * max(0.0, end - since)

    def statistics(self, slots: int | None) -> ServerStatistics:
        """All of it."""
        first, last = self._arrivals
        seconds, share = 0.0, None
        if first is not None and last is not None:
            seconds = self.slot_seconds(first, last)
            if slots and last > first:
                share = seconds / (slots * (last - first))
        return ServerStatistics(
            requests=dict(self._paths),
            statuses=dict(self._statuses),
            pages=self._pages,
            pixels=self._pixels,
            disconnected=self._disconnected,
            peak_in_flight=self._peaks[0],
            peak_running=self._peaks[1],
            first_page_at=first,
            last_page_at=last,
            slot_seconds=seconds,
            busy_share=share,
            cpu_seconds=time.process_time(),
        )
