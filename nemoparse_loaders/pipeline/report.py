"""The report of a run, made from its pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..document import Issue, ParsedPage, ParseReport


def make_report(pages: Sequence[ParsedPage], seconds: float) -> ParseReport:
    """Count what became of the pages.

    Args:
        pages: Every page that was asked for, also those that are left out of the document.
        seconds: Wall time of the run.
    """
    status = Counter(page.status for page in pages)
    attempts = [page.attempts for page in pages]
    return ParseReport(
        pages=len(pages),
        ok=status["ok"],
        partial=status["partial"],
        failed=status["failed"],
        blank=status["blank"],
        requests=sum(attempts),
        retries=sum(max(0, count - 1) for count in attempts),
        prompt_tokens=sum(page.usage.prompt_tokens or 0 for page in pages),
        completion_tokens=sum(page.usage.completion_tokens or 0 for page in pages),
        seconds=round(seconds, 3),
        failures=tuple(_worst_issue(page) for page in pages if page.status in ("failed", "partial")),
    )


def _worst_issue(page: ParsedPage) -> Issue:
    rank = {"error": 0, "warning": 1, "info": 2}
    issues = sorted(page.issues, key=lambda issue: rank[issue.severity])
    if issues:
        return issues[0].model_copy(update={"page": page.number})
    return Issue(code=page.status, message=f"the page is {page.status}", page=page.number)
