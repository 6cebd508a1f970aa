"""Issue: something that went wrong. Part of the vocabulary in `document`."""

from __future__ import annotations

from typing import Literal

from .table import FrozenModel

Severity = Literal["info", "warning", "error"]

REVIEW_CODES = frozenset(
    {
        "missing_text",
        "unsupported_text",
        "low_agreement",
        "region_unread",
        "table_disagreement",
    }
)
"""Codes of what checks and passes find: a warning of these means that somebody should look.

Hidden text is reported and no reason: files of printing houses are full of it, and what a model takes from it
is unsupported text.
"""


class Issue(FrozenModel):
    """Something that went wrong, or was repaired, and where.

    Attributes:
        code: A stable word: "truncated", "loop", "malformed", "abort", "empty", "failed", "scale_capped", ...
        message: One sentence for people: what happened and what to do.
        severity: "info", "warning" or "error".
        page: 1-based page number, or None for the whole document.
        element_id: The element concerned, or None.
    """

    code: str
    message: str
    severity: Severity = "warning"
    page: int | None = None
    element_id: str | None = None


def asks_for_review(issue: Issue) -> bool:
    """Whether an issue means that somebody should look."""
    return issue.severity == "warning" and issue.code in REVIEW_CODES
