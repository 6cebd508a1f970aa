"""The characters of a PDF page as PDFium lists them, cleaned, and where its words may begin and end."""

from __future__ import annotations

import ctypes
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

SPACES = (
    "".join(map(chr, range(0x2000, 0x200B))) + " \t\n\r\x0b\x0c\u00a0\u1680\u2028\u2029\u202f\u205f\u3000"
)
ALEFS = frozenset("\u0622\u0623\u0625\u0627")
LAM = "\u0644"
SOFT_HYPHEN = "\u00ad"
LINE_END_HYPHEN = "-\n"
"""What a hyphen at a line's end comes as: it ends its word."""

# PDFium marks a hyphen at a line's end, where it joins the two lines, by one of these.
_JOINTS = "\x02\ufffe"
_LIGATURES = {chr(code): unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
# Zero-width and byte-order marks carry nothing; bidi controls would survive into ids and queries unseen.
_UNSEEN = "\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"

_RUN = re.compile(rf"[^{SPACES}{_JOINTS}]*[{_JOINTS}]|[^{SPACES}{_JOINTS}]+")
_ODD = re.compile(
    rf"[\x00\x01\x03-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff{SOFT_HYPHEN}{_UNSEEN}{''.join(_LIGATURES)}]"
    rf"|[{''.join(sorted(ALEFS))}]{LAM}"
)


def read_characters(pdfium_c: Any, text_page: Any, most: int) -> str:
    """All characters of a page, each at PDFium's own index.

    Args:
        pdfium_c: pypdfium2's raw functions.
        text_page: An open text page.
        most: Characters that are read at most.
    """
    count = min(pdfium_c.FPDFText_CountChars(text_page), most)
    if count <= 0:
        return ""
    # In one call where that gives as many as there are: it leaves out what PDFium cannot name.
    buffer = (ctypes.c_ushort * (2 * count + 2))()
    written = pdfium_c.FPDFText_GetText(text_page, 0, count, buffer)
    text = bytes(buffer)[: 2 * max(written - 1, 0)].decode("utf-16-le", "surrogatepass")

    def character(index: int) -> str:
        code = pdfium_c.FPDFText_GetUnicode(text_page, index)
        return chr(code) if 0 < code <= 0x10FFFF else "\x00"

    if len(text) != count:
        return "".join(map(character, range(count)))
    # It names hyphens at line ends and characters that it cannot name alike.
    return re.sub("\ufffe", lambda match: character(match.start()), text)


def find_runs(text: str) -> Iterator[tuple[int, int, str | None]]:
    """Where there is no space: (start, end, what it says).

    What it says is None where characters have to be looked at one by one, with `clean_character`.
    """
    odd = _ODD.search(text) is not None
    for match in _RUN.finditer(text):
        run = match.group()
        start, end = match.span()
        if odd and _ODD.search(run):
            yield start, end, None
        else:
            yield start, end, run[:-1] + "-" if run[-1] in _JOINTS else run


def clean_character(text: str, index: int) -> str:
    """What a character of a page stands for; empty where it is nothing that can be kept."""
    char = text[index]
    if char in _JOINTS:
        return LINE_END_HYPHEN
    code = ord(char)
    # Characters beyond the basic plane come as two halves on some builds; alone, a half is nothing.
    if 0xD800 <= code < 0xDC00 and index + 1 < len(text) and 0xDC00 <= (low := ord(text[index + 1])) < 0xE000:
        return chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00))
    if char in _UNSEEN or unicodedata.category(char) in {"Cc", "Cs"}:
        return ""
    return _LIGATURES.get(char, char)
