"""Text that every store takes and every embedder can use."""

from __future__ import annotations

import re

_LATEX_STRUCTURE = re.compile(
    r"\\(?:d?frac|tfrac|sqrt|left|right|big|Big|bigg|Bigg|mathrm|mathbf|mathit|mathsf|mathcal|mathbb|boldsymbol"
    r"|text|textbf|textit|mbox|operatorname|overline|underline|hat|bar|tilde|vec|begin|end|quad|qquad|displaystyle"
    r"|limits|nolimits|label|tag|hline|cline|[,;:!> ])(?![A-Za-z])"
)
_LATEX_NAME = re.compile(r"\\([A-Za-z]+)")
_LATEX_MARKS = re.compile(r"\\\\|[{}]|(?<=[\w)}\]])[\^_](?=[\w({\\])|\\(?=[{}%&$#_])")
_SPACES = re.compile(r"[^\S\n]+")
_LINES = re.compile(r" ?\n\s*")


def storable(text: str) -> str:
    """The text without NUL and without lone surrogates, which roll back the inserts of several stores."""
    if "\0" in text:
        text = text.replace("\0", "")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        # Pairs that were written as two characters become one; what is left alone becomes U+FFFD.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def words_of(text: str) -> str:
    """Storable plain text with runs of white space made one; line breaks stay."""
    return _LINES.sub("\n", _SPACES.sub(" ", storable(text))).strip()


def words_of_formula(latex: str) -> str:
    r"""The names and signs of a formula, without LaTeX's structure: ``\frac{p_m}{H}`` gives "p m H"."""
    text = _LATEX_STRUCTURE.sub(" ", latex)
    text = _LATEX_MARKS.sub(" ", text)
    text = _LATEX_NAME.sub(r" \1 ", text)
    return words_of(text.replace("&", " "))


def shortened(text: str, length: int, *, keep: str = "start") -> str:
    """At most ``length`` characters, cut between words where possible, with an ellipsis where it was cut.

    Args:
        text: One line.
        length: At least 1.
        keep: "start" or "end".
    """
    if len(text) <= length:
        return text
    if length < 3:
        return "…"[:length]
    if keep == "start":
        part = text[: length - 1]
        cut = part.rfind(" ")
        return (part[:cut] if cut > length // 2 else part).rstrip() + "…"
    part = text[len(text) - length + 1 :]
    cut = part.find(" ")
    return "…" + (part[cut + 1 :] if 0 <= cut < length // 2 else part).lstrip()
