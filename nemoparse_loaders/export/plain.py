r"""Markdown inline text to plain text: marks gone, escapes undone once, scripts readable."""

from __future__ import annotations

import re

from .inline import Node, has_marks, inline_pieces

_SUPERSCRIPTS = str.maketrans("0123456789+-−–=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿ")
_SUBSCRIPTS = str.maketrans("0123456789+-−–=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎")
# Characters that read well next to raised or lowered digits as they are.
_NEUTRAL = " ,.;*†‡§¶∗′″"
_RAISED = re.compile(rf"[0-9+\-−–=()n{re.escape(_NEUTRAL)}]+\Z")
_LOWERED = re.compile(rf"[0-9+\-−–=(){re.escape(_NEUTRAL)}]+\Z")
_ORDINALS = frozenset({"st", "nd", "rd", "th", "er", "re", "e", "ème"})
# Bold alone, as the heads of tables are.
_BOLD = re.compile(r"\*\*([^\\*_<\s](?:[^\\*_<\n]*[^\\*_<\s])?)\*\*")
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
    if not has_marks(markdown):
        return markdown
    bold = _BOLD.fullmatch(markdown)
    if bold:
        return bold[1]
    texts, nodes = inline_pieces(markdown)
    return _with_scripts(texts, nodes) if "<" in markdown else "".join(texts)


def _with_scripts(texts: list[str], nodes: dict[int, Node]) -> str:
    pieces: list[str] = []
    position = length = 0
    # Of each open script: where it begins, and how long the text was.
    scripts: list[tuple[int, int]] = []
    for index in sorted(nodes):
        kind, name = nodes[index]
        if kind == "math" or name not in ("sup", "sub"):
            continue
        words = "".join(texts[position:index])
        pieces.append(words)
        length += len(words)
        position = index
        if kind == "open":
            scripts.append((len(pieces), length))
            continue
        start, length_before = scripts.pop()
        if length - length_before <= _LONGEST_SCRIPT:
            script = _script("".join(pieces[start:]), raised=name == "sup")
            pieces[start:] = [script]
            length = length_before + len(script)
    pieces.extend(texts[position:])
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
