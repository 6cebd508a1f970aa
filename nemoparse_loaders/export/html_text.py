"""Markdown inline text as HTML: everything escaped, then the few marks that the model prints put back."""

from __future__ import annotations

import html
import re

# Only these, without attributes, and only in pairs: anything else in the text is text.
_PAIRED = re.compile(r"<(/?)(sup|sub|u)>", re.IGNORECASE)
_BREAK = re.compile(r"<br[ \t]{0,4}/?>\n?|\n", re.IGNORECASE)
_BOLD = re.compile(r"(?<![\\*])\*\*(?=[^\s*])([^*\n]{1,2000}?)(?<=[^\s\\])\*\*(?!\*)")
_ITALIC = re.compile(r"(?<![\\\w])_(?=[^\s_])([^_\n]{1,2000}?)(?<=[^\s\\])_(?!\w)")
_ESCAPED = re.compile(r"\\([!-'*-/:-@\[-`{-~])")
_MATH = re.compile(r"(\\\((?:[^\\]|\\[^()]){0,4000}?\\\))")


def inline_html(markdown: str) -> str:
    """HTML for one block or cell; formulas stay as LaTeX between their delimiters."""
    parts = _MATH.split(markdown)
    return "".join(html.escape(part) if index % 2 else _words(part) for index, part in enumerate(parts))


def _words(text: str) -> str:
    pieces: list[str] = []
    position = 0
    for match in _balanced_tags(text):
        pieces.append(_marks(text[position : match.start()]))
        pieces.append(f"<{match[1]}{match[2].lower()}>")
        position = match.end()
    pieces.append(_marks(text[position:]))
    return "".join(pieces)


def _balanced_tags(text: str) -> list[re.Match[str]]:
    """The tags that have a partner and nest properly, in order."""
    opened: list[re.Match[str]] = []
    kept: list[re.Match[str]] = []
    for match in _PAIRED.finditer(text):
        if not match[1]:
            opened.append(match)
        elif opened and opened[-1][2].lower() == match[2].lower():
            kept.extend((opened.pop(), match))
    return sorted(kept, key=lambda match: match.start())


def _marks(text: str) -> str:
    text = _BREAK.sub("\n", text)
    text = html.escape(text)
    text = _BOLD.sub(r"<strong>\1</strong>", text)
    text = _ITALIC.sub(r"<em>\1</em>", text)
    text = _ESCAPED.sub(_unescaped, text)
    return text.replace("\n", "<br>")


def _unescaped(match: re.Match[str]) -> str:
    return match[1]
