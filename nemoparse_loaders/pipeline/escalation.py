"""Pages whose reading is in doubt, read again in more passes or larger."""

from __future__ import annotations

from ..document import ElementType, PageStep, ParsedPage
from ..issue import asks_for_review
from .judgement import loops, useful_text

# Of the issues that a page has, so many reasons are named.
_MOST_REASONS = 3
_FIGURES = frozenset({ElementType.TABLE.value, ElementType.CHART.value, ElementType.PICTURE.value})

# A second reading that holds less than this part of the first one's text, or fewer tables and figures, has
# lost something, however sure it is of the rest.
_FEWEST = 0.97

KEPT = "the larger reading is no surer; the first one stays"
"""Reason of the step that says so."""


def doubts_about(page: ParsedPage) -> str | None:
    """Why a page should be read with more care, in words; None where no check found anything."""
    if not page.needs_review:
        return None
    everything = (*page.issues, *(issue for element in page.elements for issue in element.issues))
    codes = [issue.code for issue in everything if asks_for_review(issue)]
    return ", ".join(list(dict.fromkeys(codes))[:_MOST_REASONS]) or f"the page is {page.status}"


def escalation_step(how: str, page: ParsedPage) -> PageStep:
    """The step that says how a page was read again, and why.

    Args:
        how: In words.
        page: As it was read first.
    """
    return PageStep(action="escalate", reason=f"{how}, since checks found: {doubts_about(page)}")


def is_surer(new: ParsedPage, old: ParsedPage) -> bool:
    """Whether a second reading of a page is to take the place of the first.

    It must not hold less: at least 97 % of the text, unless the first one loops, and as many tables and
    figures. Then one without need for review beats one with, then one that is whole, then the one with more
    confidence, then the one with fewer elements in doubt. Where nothing tells them apart the first stays.
    """
    if not loops(old) and useful_text(new) < _FEWEST * useful_text(old):
        return False
    return _figures(new) >= _figures(old) and _standing(new) > _standing(old)


def _figures(page: ParsedPage) -> int:
    return sum(element.type in _FIGURES for element in page.elements)


def _standing(page: ParsedPage) -> tuple[bool, bool, float, int]:
    doubted = sum(any(issue.severity != "info" for issue in element.issues) for element in page.elements)
    is_whole = page.status == "ok"
    return not page.needs_review, is_whole, page.confidence if page.confidence is not None else -1.0, -doubted
