"""The report of a run."""

from __future__ import annotations

from nemoparse_loaders import Issue, ParsedPage, ParseReport
from nemoparse_loaders.document import Usage
from nemoparse_loaders.pipeline.metrics import RunMetrics
from nemoparse_loaders.pipeline.report import make_report

PAGES = (
    ParsedPage(number=1, attempts=1, usage=Usage(prompt_tokens=100, completion_tokens=10)),
    ParsedPage(number=2, attempts=3, usage=Usage(completion_tokens=5)),
    ParsedPage(number=3, status="blank"),
    ParsedPage(
        number=4,
        status="partial",
        attempts=1,
        issues=(
            Issue(code="note", message="not this one", severity="info"),
            Issue(code="loop", message="it loops", severity="error"),
        ),
    ),
    ParsedPage(number=5, status="failed", attempts=5),
)


def test_pages_are_counted_by_what_became_of_them() -> None:
    report = make_report(PAGES, 2.5)
    assert (report.pages, report.ok, report.partial, report.failed, report.blank) == (5, 2, 1, 1, 1)
    assert report.requests == 10
    assert (report.prompt_tokens, report.completion_tokens) == (100, 15)
    assert report.seconds == 2.5
    assert [(issue.page, issue.message) for issue in report.failures] == [
        (4, "it loops"),
        (5, "the page is failed"),
    ]
    assert report.latency is None


def test_pages_in_any_order_give_the_same_report() -> None:
    assert make_report(PAGES[::-1], 2.5) == make_report(PAGES, 2.5)


def test_durations_come_from_the_metrics_of_the_run() -> None:
    metrics = RunMetrics()
    metrics.rendered(0.5)
    metrics.waited(0.25)
    metrics.replied(1.5)
    metrics.recovered()
    report = make_report(PAGES[:1], 3.0, metrics)
    assert (report.render_seconds, report.queue_seconds, report.request_seconds) == (0.5, 0.25, 1.5)
    assert report.recovered == 1
    assert report.latency is not None
    assert report.latency.longest == 1.5


def test_retries_are_what_was_sent_again_and_not_what_else_was_asked_for() -> None:
    metrics = RunMetrics()
    metrics.asked("page", 3, Usage(prompt_tokens=10, completion_tokens=4))
    metrics.asked("page", 1, Usage(prompt_tokens=10))
    metrics.asked("recovery", 1, Usage(completion_tokens=1))
    metrics.asked("region", 2, Usage(prompt_tokens=5, completion_tokens=1))
    metrics.asked("detection", 1, Usage())
    report = make_report(PAGES, 1.0, metrics)
    assert report.retries == 4
    assert {
        cost.stage: (cost.requests, cost.prompt_tokens, cost.completion_tokens) for cost in report.stages
    } == {
        "page": (4, 20, 4),
        "recovery": (1, 0, 1),
        "region": (2, 5, 1),
        "detection": (1, 0, 0),
    }


def test_requests_are_those_of_this_run() -> None:
    metrics = RunMetrics()
    metrics.cached(attempts=3)
    report = make_report(PAGES[:2], 1.0, metrics)
    assert report.cached == 1
    assert (report.requests, report.retries) == (1, 0)


def test_a_report_survives_json() -> None:
    metrics = RunMetrics()
    metrics.replied(0.123456789)
    report = make_report(PAGES, 1.23456, metrics)
    assert ParseReport.model_validate_json(report.model_dump_json()) == report


def test_the_summary_says_what_happened_and_nothing_else() -> None:
    assert make_report((), 0.0).summary() == "0 pages in 0.0 s; 0 requests"
    assert make_report(PAGES[:1], 1.26).summary() == "1 page in 1.3 s: 1 ok; 1 request"
    metrics = RunMetrics()
    metrics.asked("page", 7, Usage())
    assert make_report(PAGES, 2.5, metrics).summary() == (
        "5 pages in 2.5 s: 2 ok, 1 partial, 1 failed, 1 blank; 10 requests, 6 of them repeats"
    )
    doubted = [page.model_copy(update={"needs_review": page.number in (2, 4, 5)}) for page in PAGES]
    assert make_report(doubted, 2.5, metrics).summary() == (
        "5 pages in 2.5 s: 2 ok, 1 partial, 1 failed, 1 blank, 1 to review; 10 requests, 6 of them repeats"
    ), "that partial and failed pages need it goes without saying"
    metrics = RunMetrics()
    metrics.cached(attempts=1)
    metrics.recovered()
    metrics.asked("page", 3, Usage())
    assert make_report(PAGES[:2], 2.5, metrics).summary() == (
        "2 pages in 2.5 s: 2 ok, 1 recovered, 1 from the cache; 3 requests, 2 of them repeats"
    )
