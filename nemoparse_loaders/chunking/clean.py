"""Text that every store takes and every embedder can use."""

from __future__ import annotations

import re

# Commands of layout and of fonts; the names of all others are words ("frac", "sqrt", "hat", "alpha"). Those
# of alphabets stay before a single symbol, where they tell it from others.
_LATEX_STRUCTURE = re.compile(
    r"\\(?:left|right|big|Big|bigg|Bigg|mathrm|mathit|mathsf"
    r"|(?:mathbf|mathcal|mathbb|boldsymbol)(?!\s*\{\s*(?:[A-Za-z]|\\[A-Za-z]+)\s*\})"
    r"|text|textbf|textit|mbox|operatorname|underline|begin|end|quad|qquad|displaystyle"
    r"|limits|nolimits|label|tag|hline|cline|[,;:!> ])(?![A-Za-z])\*?"
)
# Names and numbers that are printed letter by letter: "\operatorname { r a d }", "\mathbf{0 . 6 4 9}".
_LATEX_LETTERS = re.compile(
    r"(\\(?:operatorname\*?|math(?:rm|sf|tt)|text(?:rm|sf|bf|it)?|mbox)\s*\{)"
    r"\s*([^\W\d_](?: [^\W\d_])+)\s*(?=\})"
)
_LATEX_DIGITS = re.compile(r"(\\(?:math|text)?[a-z]*\s*\{)\s*(\d(?: [.\d])+)\s*(?=\})")
_DIGITS = re.compile(r"(?<![\w.])\d(?: [.\d])+(?!\w)")
# Dollar signs are around a formula if there are marks of LaTeX between them, or neither white space at the
# inner sides nor a word or number behind the second: amounts of money keep theirs.
_MATH = re.compile(
    r"(?<!\\)\$(?=[^$\n]*[\\^_{}])(?P<marked>(?:[^$\\\n]|\\[^\n])*)\$"
    r"|(?<![\\\w$])\$(?P<plain>[A-Za-z](?:[^$\\\s]| (?=[=<>+\-*/\w.]))*"
    r"|\d(?:[^$\\\s]| (?=[.\d][ $]))*)\$(?![\w$])"
)
_LATEX_NAME = re.compile(r"\\([A-Za-z]+)")
# A backslash before white space is what is left of a line break or a space where a formula was cut.
_LATEX_MARKS = re.compile(r"\\\\|[{}]|(?<=[\w)}\]])[\^_](?=[\w({\\])|\\(?=[{}%&$#_\s]|\Z)")
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
    r"""The names and signs of a formula, without LaTeX's marks: ``\frac{p_m}{H}`` gives "frac p m H"."""
    text = _LATEX_LETTERS.sub(_together, _LATEX_DIGITS.sub(_together, latex)) if "{" in latex else latex
    text = _LATEX_STRUCTURE.sub(" ", text)
    text = _LATEX_MARKS.sub(" ", text)
    text = _LATEX_NAME.sub(r" \1 ", text)
    return words_of(text.replace("&", " "))


def _together(match: re.Match[str]) -> str:
    return match[1] + match[2].replace(" ", "")


def without_dollars(text: str) -> str:
    """Words with formulas between dollar signs, as `words_of_formula` has them, without these signs."""
    return _MATH.sub(_dollars_off, text.replace("$$", "$")) if text.count("$") > 1 else text


def _dollars_off(match: re.Match[str]) -> str:
    latex = _DIGITS.sub(lambda digits: digits[0].replace(" ", ""), match["marked"] or match["plain"] or "")
    return words_of_formula(latex) if match["plain"] else f" {words_of_formula(latex)} "


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
