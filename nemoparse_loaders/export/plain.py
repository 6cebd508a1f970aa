r"""Markdown inline text to plain text: marks gone, escapes undone once, scripts readable.

Made for what the model prints: ``**bold**``, ``_italic_``, ``<sup>``, ``<sub>``, ``<u>``, ``<br>``,
``\(math\)`` and escaped punctuation. It is careful rather than complete: ``foo_bar_baz``, ``5*3*2``,
``<LOQ`` and ``$5`` stay as they are. The time is linear in the length of the text.
"""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"[\\*_<]")
_TOKEN = re.compile(
    r"\\[()\[\]]"  # math delimiters
    r"|\\[!-/:-@\[-`{-~]"  # an escaped character
    r"|\*{1,6}|_{1,3}"
    r"|<br[ \t]{0,4}/?>[ \t]*\n?[ \t]*"
    r"|</?(?:sup|sub|u|b|i|em|strong)>"
    r"|\n[ \t]*\n\s*",
    re.IGNORECASE,
)
_SUPERSCRIPTS = str.maketrans("0123456789+-−–=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿ")
_SUBSCRIPTS = str.maketrans("0123456789+-−–=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎")
# Characters that read well next to raised or lowered digits as they are.
_NEUTRAL = " ,.;*†‡§¶∗′″"
_RAISED = re.compile(rf"[0-9+\-−–=()n{re.escape(_NEUTRAL)}]+\Z")
_LOWERED = re.compile(rf"[0-9+\-−–=(){re.escape(_NEUTRAL)}]+\Z")
_ORDINALS = frozenset({"st", "nd", "rd", "th", "er", "re", "e", "ème"})
# Longer scripts are sentences by mistake; they stay as they are.
_LONGEST_SCRIPT = 40
_MATH_HINT = re.compile(r"[\\^_={}]")


def markdown_to_text(markdown: str) -> str:
    r"""Plain text of a piece of Markdown as the model prints it.

    Args:
        markdown: One block or one table cell.

    Returns:
        The words alone. ``<br>`` becomes a newline, ``m<sup>2</sup>`` becomes ``m²``, ``\(a<b\)`` becomes
        ``a<b``.
    """
    if not _SPECIAL.search(markdown):
        return markdown
    return _PlainWriter(markdown).write()


class _PlainWriter:
    def __init__(self, source: str) -> None:
        self.source = source
        self.tokens = list(_TOKEN.finditer(source))
        self.pieces: list[str] = []
        self.length = 0
        self.open_marks: dict[str, list[int]] = {}
        self.open_tags: dict[str, list[tuple[int, int]]] = {}
        self.math_end = self._find_math_ends()

    def _find_math_ends(self) -> dict[int, int]:
        r"""For each ``\(`` and ``\[`` the index of the token that closes it."""
        ends: dict[int, int] = {}
        next_close = {"\\)": -1, "\\]": -1}
        for index in range(len(self.tokens) - 1, -1, -1):
            text = self.tokens[index][0]
            if text in next_close:
                next_close[text] = index
            elif text == "\\(" and next_close["\\)"] >= 0:
                ends[index] = next_close["\\)"]
            elif text == "\\[" and next_close["\\]"] >= 0:
                ends[index] = next_close["\\]"]
        return ends

    def write(self) -> str:
        position = 0
        index = 0
        while index < len(self.tokens):
            match = self.tokens[index]
            self._put(self.source[position : match.start()])
            end = self.math_end.get(index)
            if end is not None:
                inner = self.source[match.end() : self.tokens[end].start()]
                # "\[1\]" is an escaped bracket far more often than a formula.
                if match[0] == "\\(" or _MATH_HINT.search(inner, 0, 200):
                    self._put(inner.strip())
                    position = self.tokens[end].end()
                    index = end + 1
                    continue
            self._take(match)
            position = match.end()
            index += 1
        self._put(self.source[position:])
        return "".join(self.pieces)

    def _put(self, text: str) -> None:
        if text:
            self.pieces.append(text)
            self.length += len(text)

    def _take(self, match: re.Match[str]) -> None:
        text = match[0]
        if text[0] == "\\":
            self._put(text[1])
        elif text[0] in "*_":
            self._take_mark(match)
        elif text[0] == "<":
            tag = text.rstrip().lower()
            if tag.startswith("<br"):
                self._break_line()
            elif tag.startswith("</"):
                self._close_tag(tag[2:-1], text)
            else:
                self.open_tags.setdefault(tag[1:-1], []).append((len(self.pieces), self.length))
                self._put(text)
        else:
            # Emphasis does not reach over paragraphs.
            self.open_marks.clear()
            self._put(text)

    def _break_line(self) -> None:
        if self.pieces and self.pieces[-1][-1:] in (" ", "\t"):
            stripped = self.pieces[-1].rstrip(" \t")
            self.length -= len(self.pieces[-1]) - len(stripped)
            self.pieces[-1] = stripped
        self._put("\n")

    def _take_mark(self, match: re.Match[str]) -> None:
        mark = match[0]
        before = self.source[match.start() - 1 : match.start()]
        after = self.source[match.end() : match.end() + 1]
        opens = bool(after) and not after.isspace()
        closes = bool(before) and not before.isspace()
        if mark[0] == "_" or len(mark) == 1:
            # Inside of a word, or between digits, these are characters and no marks.
            opens = opens and not _is_word(before)
            closes = closes and not _is_word(after)
        opened = self.open_marks.setdefault(mark, [])
        if closes and opened:
            self.pieces[opened.pop()] = ""
            return
        if opens:
            opened.append(len(self.pieces))
        self._put(mark)

    def _close_tag(self, name: str, text: str) -> None:
        opened = self.open_tags.get(name)
        if not opened:
            self._put(text)
            return
        start, length_before = opened.pop()
        tag_length = len(self.pieces[start])
        self.pieces[start] = ""
        script_length = self.length - length_before - tag_length
        if name in ("sup", "sub") and script_length <= _LONGEST_SCRIPT:
            script = "".join(self.pieces[start:])
            del self.pieces[start + 1 :]
            # Marks opened inside of the script are closed with it.
            for positions in self.open_marks.values():
                while positions and positions[-1] > start:
                    positions.pop()
            for tags in self.open_tags.values():
                while tags and tags[-1][0] > start:
                    tags.pop()
            self.pieces[start] = _script(script, raised=name == "sup")
            self.length = length_before + len(self.pieces[start])


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _script(text: str, *, raised: bool) -> str:
    text = text.strip()
    if not text:
        return ""
    if raised:
        if _RAISED.match(text):
            return text.translate(_SUPERSCRIPTS)
        return text if text.lower() in _ORDINALS else "^" + text
    return text.translate(_SUBSCRIPTS) if _LOWERED.match(text) else "_" + text
