"""What is wrong with a whole reply: issues on its page, and the page's status."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..document import Issue, PageStatus, Severity
from .loops import is_token_stutter

# "tool_calls" is how the 1.1 chat API says stop.
_WHOLE = frozenset({"stop", "tool_calls"})
# A block or two come twice by accident.
_MANY_DUPLICATES = 8
_Note = tuple[str, str, Severity]


class ReplyFacts(NamedTuple):
    """What the decoder found in a reply and did about it.

    Attributes:
        finish_reason: As the server said; None where it did not.
        cut: The reply ends inside of a token or a block.
        empty: It holds no block at all.
        dropped: Exact repetitions of the block before them, which were left out.
        repeated: Blocks that repeat one before them at nearly the same place, which were kept.
        noise: The most tokens that follow each other without text.
        runs: Blocks with a short piece of text that is repeated without end.
    """

    finish_reason: str | None = "stop"
    cut: bool = False
    empty: bool = False
    dropped: int = 0
    repeated: int = 0
    noise: int = 0
    runs: int = 0


def page_issues(facts: ReplyFacts, page_number: int) -> tuple[Issue, ...]:
    """The issues of a page, most severe cause first."""
    loops = _loop_notes(facts)
    notes = [*loops, *_end_notes(facts)]
    if facts.empty and not loops:
        notes.append(("empty", "The reply holds nothing.", "error"))
    if 0 < facts.dropped < _MANY_DUPLICATES:
        notes.append(("duplicate", f"{facts.dropped} exact repetitions of a block were left out.", "info"))
    return tuple(
        Issue(code=code, message=message, severity=severity, page=page_number)
        for code, message, severity in notes
    )


def page_status(issues: Sequence[Issue]) -> PageStatus:
    """The status that the issues of a page give it: "ok", "partial" or "failed"."""
    codes = {issue.code for issue in issues}
    if "empty" in codes:
        return "failed"
    return "partial" if codes & {"truncated", "abort", "loop"} else "ok"


def _loop_notes(facts: ReplyFacts) -> list[_Note]:
    messages: list[str] = []
    if facts.finish_reason == "repetition":
        messages.append("The server stopped the reply because it repeated itself.")
    if facts.repeated:
        messages.append(f"{facts.repeated} blocks repeat one before them at the same place; all are kept.")
    if facts.dropped >= _MANY_DUPLICATES:
        messages.append(f"The same block came {facts.dropped} times again; one is kept.")
    if facts.runs:
        blocks = "A block repeats" if facts.runs == 1 else f"{facts.runs} blocks repeat"
        messages.append(f"{blocks} a short piece of text without end; the raw reply keeps all of it.")
    if is_token_stutter(facts.noise):
        messages.append("The reply stutters: tokens follow each other without text; they are left out.")
    return [("loop", message, "warning") for message in messages]


def _end_notes(facts: ReplyFacts) -> list[_Note]:
    reason = facts.finish_reason
    if reason == "abort":
        return [("abort", "The server aborted the reply; what came before is kept.", "warning")]
    if reason == "length":
        message = "The reply reached the token limit; the end of the page is missing."
    elif reason not in (None, "repetition") and reason not in _WHOLE:
        message = f"The reply ended with {reason!r} and is not whole."
    elif facts.cut:
        message = "The reply is cut open; the end of the page is missing."
    else:
        return []
    return [("truncated", message, "warning")]
