"""Text without marks: as any system may embed it, and as evidence is looked for in it."""

from __future__ import annotations

import re
import unicodedata

_RULE_LINE = re.compile(r"^[ \t]*\|(?:[ \t]*:?-{3,}:?[ \t]*\|)+[ \t]*$", re.M)
_TAG = re.compile(r"<!--.*?-->|</?[a-z][^<>]{0,80}>", re.I)
# What a tabular says about its columns, and the names of environments.
_LAYOUT = re.compile(
    r"\\(?:begin|end)\{[a-z*]+\}(?:\[[a-z]\])?(?:\{[|@a-z{}.\d\\\s]*?\})?"
    r"|\\multicolumn\{\d+\}\{[^{}]*\}|\\multirow(?:\[[a-z]\])?\{[-\d]+\}\{[^{}]*\}"
)
_COMMAND = re.compile(r"\\[a-zA-Z]+\*?")
_MARKS = re.compile(r"(?:^|(?<=\s))#{1,6}(?=\s)|[|&$\\{}^_*`~]+")
_SPACES = re.compile(r"[^\S\n]+")
_UNSEEN = re.compile(r"[^a-z0-9]+")

# Characters of a run that counts as found; shorter evidence has to be found whole.
RUN = 16


def plain(text: str) -> str:
    """The words alone: no bars, no Markdown marks, no tags, no LaTeX commands."""
    text = _TAG.sub(" ", _RULE_LINE.sub("", text))
    text = _COMMAND.sub(" ", _LAYOUT.sub(" ", text))
    return _SPACES.sub(" ", _MARKS.sub(" ", text)).strip()


def letters(text: str) -> str:
    """Only a-z and 0-9 in a row: the same for LaTeX, Markdown and plain words."""
    return _UNSEEN.sub("", plain(unicodedata.normalize("NFKD", plain(text)).lower()))


def covered(evidence: str, texts: list[str]) -> float:
    """Share of the evidence's letters that stand in some of the texts, in runs of at least `RUN`.

    Args:
        evidence: As `letters` gives it.
        texts: As `letters` gives them.
    """
    length = min(RUN, len(evidence))
    if not length:
        return 0.0
    found = bytearray(len(evidence))
    for text in texts:
        if evidence in text:
            return 1.0
        for start in range(len(evidence) - length + 1):
            if evidence[start : start + length] in text:
                found[start : start + length] = b"\1" * length
    return sum(found) / len(evidence)
