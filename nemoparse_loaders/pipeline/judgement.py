"""Whether a page has to be read again, and which of two readings of it is the better one. Pure."""

from __future__ import annotations

from ..document import Element, ParsedPage

_REASONS = {
    "loop": "the reply repeats itself",
    "truncated": "the reply is not whole",
    "abort": "the server was stopped in mid-answer",
    "empty": "the reply holds nothing",
}
# Of the text of a page; a block or two without a corner are no reason to read a page again.
_MOST_BROKEN = 0.5
# A whole reply that holds less than this part of a cut one's text has most likely left something out.
_FEWEST_OF_CUT = 0.5


def needs_recovery(page: ParsedPage) -> str | None:
    """Why a page should be read again, in words; None where it need not.

    A reply without any token is none of the reasons: a server that drops the tokens does so every time.
    """
    codes = {issue.code for issue in page.issues}
    if "truncated" in codes and page.finish_reason == "length" and "loop" not in codes:
        return "the reply reached the token limit"
    for code, reason in _REASONS.items():
        if code in codes:
            return reason
    broken = sum(len(element.text) for element in page.elements if _is_broken(element))
    if broken > _MOST_BROKEN * sum(len(element.text) for element in page.elements):
        return "most blocks of the reply are broken"
    return None


def useful_text(page: ParsedPage) -> int:
    """How many characters of text a page holds, white space and repetition not counted."""
    texts: set[str] = set()
    words: set[str] = set()
    for element in page.elements:
        text = element.text or element.markdown
        if any(issue.code == "loop" for issue in element.issues):
            # What is repeated counts once; what stands beside it is not lost.
            words.update(text.split())
        else:
            texts.add(text)
    return sum(len("".join(text.split())) for text in texts) + sum(map(len, words))


def is_better(new: ParsedPage, old: ParsedPage) -> bool:
    """Whether a reading is to take the place of an earlier one.

    A whole one beats one that is not, unless that one was only cut and holds far more text; otherwise it is
    the one with more useful text.
    """
    new_is_whole, old_is_whole = needs_recovery(new) is None, needs_recovery(old) is None
    if new_is_whole and not old_is_whole:
        return loops(old) or useful_text(new) >= _FEWEST_OF_CUT * useful_text(old)
    if new_is_whole is not old_is_whole:
        return False
    return useful_text(new) > useful_text(old)


def loops(page: ParsedPage) -> bool:
    """Whether the reply runs in circles, so that its length says nothing."""
    return any(issue.code == "loop" for issue in page.issues)


def _is_broken(element: Element) -> bool:
    """Whether it is a block of which nobody can tell where it stands or ends."""
    return element.bbox is None and any(issue.code == "malformed" for issue in element.issues)
