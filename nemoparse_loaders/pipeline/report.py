"""The report of a run, made from its pages and its durations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..document import Issue, ParsedPage, ParseReport
from .metrics import RunMetrics


def make_report(
    pages: Sequence[ParsedPage], seconds: float, metrics: RunMetrics | None = None
) -> ParseReport:
    """Count what became of the pages.

    Args:
        pages: Every page that was asked for, also those that are left out of the document.
        seconds: Wall time of the run.
        metrics: What the run took.
    """
    metrics = metrics or RunMetrics()
    status = Counter(page.status for page in pages)
    requests = sum(page.attempts for page in pages)
    unread = [page for page in pages if page.status in ("failed", "partial")]
    return ParseReport(
        pages=len(pages),
        ok=status["ok"],
        partial=status["partial"],
        failed=status["failed"],
        blank=status["blank"],
        requests=max(0, requests - metrics.cached_requests),
        retries=metrics.retries,
        prompt_tokens=sum(page.usage.prompt_tokens or 0 for page in pages),
        completion_tokens=sum(page.usage.completion_tokens or 0 for page in pages),
        cached=metrics.cached_pages,
        recovered=metrics.recovered_pages,
        needs_review=sum(page.needs_review for page in pages),
        escalated=metrics.escalated_pages,
        settled=metrics.settled_pages,
        stages=metrics.stages,
        seconds=round(seconds, 3),
        latency=metrics.latency,
        render_seconds=round(metrics.render_seconds, 3),
        request_seconds=round(metrics.request_seconds, 3),
        queue_seconds=round(metrics.queue_seconds, 3),
        failures=tuple(_worst_issue(page) for page in sorted(unread, key=lambda page: page.number)),
    )


def _worst_issue(page: ParsedPage) -> Issue:
    rank = {"error": 0, "warning": 1, "info": 2}
    issues = sorted(page.issues, key=lambda issue: rank[issue.severity])
    if issues:
        return issues[0].model_copy(update={"page": page.number})
    return Issue(code=page.status, message=f"the page is {page.status}", page=page.number)
