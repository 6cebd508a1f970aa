"""The report of a run, made from its pages one by one and from its durations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ..document import Issue, ParsedPage, ParseReport
from .metrics import RunMetrics


class ReportBuilder:
    """Counts what becomes of the pages; holds none of them.

    Args:
        metrics: The run's durations; may go on growing until `report` is called.
    """

    def __init__(self, metrics: RunMetrics | None = None) -> None:
        self._metrics = metrics or RunMetrics()
        self._status: Counter[str] = Counter()
        self._requests = 0
        self._retries = 0
        self._prompt_tokens = 0
        self._completion_tokens = 0
        self._failures: list[Issue] = []

    def add(self, page: ParsedPage) -> None:
        """Count a page; each that was asked for, also those that are left out of the document."""
        self._status[page.status] += 1
        self._requests += page.attempts
        self._retries += max(0, page.attempts - 1)
        self._prompt_tokens += page.usage.prompt_tokens or 0
        self._completion_tokens += page.usage.completion_tokens or 0
        if page.status in ("failed", "partial"):
            self._failures.append(_worst_issue(page))

    def report(self, seconds: float) -> ParseReport:
        """The report of all pages so far.

        Args:
            seconds: Wall time of the run.
        """
        metrics = self._metrics
        return ParseReport(
            pages=self._status.total(),
            ok=self._status["ok"],
            partial=self._status["partial"],
            failed=self._status["failed"],
            blank=self._status["blank"],
            requests=max(0, self._requests - metrics.cached_requests),
            retries=max(0, self._retries - metrics.cached_retries),
            prompt_tokens=self._prompt_tokens,
            completion_tokens=self._completion_tokens,
            cached=metrics.cached_pages,
            recovered=metrics.recovered_pages,
            seconds=round(seconds, 3),
            latency=metrics.latency,
            render_seconds=round(metrics.render_seconds, 3),
            request_seconds=round(metrics.request_seconds, 3),
            queue_seconds=round(metrics.queue_seconds, 3),
            failures=tuple(sorted(self._failures, key=lambda issue: issue.page or 0)),
        )


def make_report(
    pages: Iterable[ParsedPage], seconds: float, metrics: RunMetrics | None = None
) -> ParseReport:
    """Count what became of the pages.

    Args:
        pages: Every page that was asked for, also those that are left out of the document.
        seconds: Wall time of the run.
        metrics: The run's durations.
    """
    builder = ReportBuilder(metrics)
    for page in pages:
        builder.add(page)
    return builder.report(seconds)


def _worst_issue(page: ParsedPage) -> Issue:
    rank = {"error": 0, "warning": 1, "info": 2}
    issues = sorted(page.issues, key=lambda issue: rank[issue.severity])
    if issues:
        return issues[0].model_copy(update={"page": page.number})
    return Issue(code=page.status, message=f"the page is {page.status}", page=page.number)
