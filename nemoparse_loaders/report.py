"""ParseReport: what a run did. Part of the vocabulary in `document`."""

from __future__ import annotations

from typing import Literal

from .issue import Issue
from .table import FrozenModel

Stage = Literal["page", "recovery", "detection", "region", "escalation"]


class Percentiles(FrozenModel):
    """How a set of durations is spread, in seconds."""

    p50: float = 0.0
    p90: float = 0.0
    p99: float = 0.0
    longest: float = 0.0


class StageCost(FrozenModel):
    """What one kind of requests cost.

    Attributes:
        stage: "page" (whole pages), "recovery" (pages read again that looped or were cut), "detection"
            (regions asked for alone), "region" (parts of a page read by themselves), "escalation" (all that
            was asked for since a page was in doubt).
        requests: Sent in this run, retries included.
        prompt_tokens: Sum over the replies that say it.
        completion_tokens: Sum over the replies that say it, also of those that were not used in the end.
    """

    stage: Stage
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


class ParseReport(FrozenModel):
    """What a run did. Not part of a document's identity: it holds durations.

    Attributes:
        pages: Pages asked for.
        ok: Pages read whole.
        partial: Pages of which something is missing.
        failed: Pages without a result.
        blank: Pages with nothing on them.
        requests: Requests sent, retries included.
        retries: Requests sent again.
        prompt_tokens: Sum over the pages that say it, of the replies that they are made of.
        completion_tokens: Likewise.
        cached: Pages that came from the page cache, without a request.
        recovered: Pages that a step beyond asking once made whole.
        needs_review: Pages that somebody should look at, see `ParsedPage.needs_review`.
        escalated: Pages that were read in more passes or larger, since their reading was in doubt.
        settled: Those of them that need no review any more.
        stages: Requests and tokens of this run by what was asked for; stages that did not occur are left out.
        seconds: Wall time from opening the source to its last page.
        latency: Seconds from sending a request to its whole reply, over the replies.
        render_seconds: Time spent drawing pages, summed over the pages (they are drawn side by side).
        request_seconds: Time spent waiting for replies, summed likewise.
        queue_seconds: Time that drawn pages waited for room at a server, summed likewise.
        failures: One issue a page that failed or is partial, in page order.
    """

    pages: int = 0
    ok: int = 0
    partial: int = 0
    failed: int = 0
    blank: int = 0
    requests: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached: int = 0
    recovered: int = 0
    needs_review: int = 0
    escalated: int = 0
    settled: int = 0
    stages: tuple[StageCost, ...] = ()
    seconds: float = 0.0
    latency: Percentiles | None = None
    render_seconds: float = 0.0
    request_seconds: float = 0.0
    queue_seconds: float = 0.0
    failures: tuple[Issue, ...] = ()

    def summary(self) -> str:
        """One line for people, e.g. "12 pages in 3.4 s: 11 ok, 1 failed; 14 requests, 2 of them repeats".

        Pages "to review" are those that need it beside the partial and failed ones.
        """
        became = [
            f"{count:,} {word}"
            for word, count in (
                ("ok", self.ok),
                ("partial", self.partial),
                ("failed", self.failed),
                ("blank", self.blank),
                ("recovered", self.recovered),
                ("from the cache", self.cached),
                ("escalated", self.escalated),
                ("to review", self.needs_review - self.partial - self.failed),
            )
            if count > 0
        ]
        line = f"{self.pages:,} page{'' if self.pages == 1 else 's'} in {self.seconds:.1f} s"
        line += f": {', '.join(became)}" if became else ""
        line += f"; {self.requests:,} request{'' if self.requests == 1 else 's'}"
        return line + (f", {self.retries:,} of them repeats" if self.retries else "")
