r"""Markdown inline text to plain text: marks gone, escapes undone once, scripts readable."""

from __future__ import annotations

import re

from .inline import NodeKind, has_marks, inline_pieces

_SUPERSCRIPTS = str.maketrans("0123456789+-−–=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿ")
_SUBSCRIPTS = str.maketrans("0123456789+-−–=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎")
# Characters that read well next to raised or lowered digits as they are.
_NEUTRAL = " ,.;*†‡§¶∗′″"
_RAISED = re.compile(rf"[0-9+\-−–=()n{re.escape(_NEUTRAL)}]+\Z")
_LOWERED = re.compile(rf"[0-9+\-−–=(){re.escape(_NEUTRAL)}]+\Z")
_ORDINALS = frozenset({"st", "nd", "rd", "th", "er", "re", "e", "ème"})
# Longer scripts are sentences by mistake; they stay as they are.
_LONGEST_SCRIPT = 40


def markdown_to_text(markdown: str) -> str:
    r"""Plain text of a piece of Markdown as the model prints it.

    Args:
        markdown: One block or one table cell.

    Returns:
        The words alone. ``<br>`` becomes a newline, ``m<sup>2</sup>`` becomes ``m²``, ``\(a<b\)`` becomes
        ``a<b``.
    """
    return _written(*inline_pieces(markdown)) if has_marks(markdown) else markdown


def _written(kinds: list[NodeKind], values: list[str]) -> str:
    pieces: list[str] = []
    length = 0
    # Of each open script: where it begins, and how long the text was.
    scripts: list[tuple[int, int]] = []
    for kind, value in zip(kinds, values, strict=True):
        if kind == "text" or kind == "math":
            pieces.append(value)
            length += len(value)
        elif kind == "break":
            pieces.append("\n")
            length += 1
        elif value in ("sup", "sub"):
            if kind == "open":
                scripts.append((len(pieces), length))
                continue
            start, length_before = scripts.pop()
            if length - length_before <= _LONGEST_SCRIPT:
                script = _script("".join(pieces[start:]), raised=value == "sup")
                del pieces[start:]
                pieces.append(script)
                length = length_before + len(script)
    return "".join(pieces)


def _script(text: str, *, raised: bool) -> str:
    text = text.strip()
    if not text:
        return ""
    if raised:
        if _RAISED.match(text):
            return text.translate(_SUPERSCRIPTS)
        return text if text.lower() in _ORDINALS else "^" + text
    return text.translate(_SUBSCRIPTS) if _LOWERED.match(text) else "_" + text
