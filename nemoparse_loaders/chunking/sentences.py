"""Where sentences and lines end."""

from __future__ import annotations

import re

# The end of a sentence: a stop with closing marks after it and white space, a stop of Chinese or Japanese, or
# the end of a line. Runs are looked at from their first character only: long ones take linear time.
_END = re.compile(r"""(?<![.!?…])[.!?…]+["'”’»)\]*_]*\s+|[。！？｡]["'”’»」』）)]*\s*|(?<!\s)\s*\n\s*""")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|al|etc|approx|ca|no|nos|vol|pp?|fig|figs|tab|eq|eqs|sec|ch|ref|refs|dr|mr|mrs|ms"
    r"|prof|st|jr|sr|inc|ltd|co|corp|dept|est|resp|bzw|z\.b|d\.h|vgl|nr)|\b[A-Z])\.$",
    re.I,
)


def line_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each line; together they are the whole text, line breaks included."""
    spans: list[tuple[int, int]] = []
    start = 0
    for line in text.splitlines(keepends=True):
        spans.append((start, start + len(line)))
        start += len(line)
    return spans


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence; together they are the whole text, white space included."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _END.finditer(text):
        end = match.end()
        if end == len(text):
            break
        if "\n" not in match.group() and match.group()[0] == "." and not _ends(text, match):
            continue
        spans.append((start, end))
        start = end
    if start < len(text):
        spans.append((start, len(text)))
    return spans


def _ends(text: str, match: re.Match[str]) -> bool:
    """Whether a full stop ends the sentence, and not an abbreviation."""
    if text[match.end()].islower():
        return False
    before = text[max(0, match.start() - 12) : match.start() + 1]
    return _ABBREVIATION.search(before) is None
