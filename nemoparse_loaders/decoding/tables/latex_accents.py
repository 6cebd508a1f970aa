r"""Accents: ``\'{e}``, ``caf\'e``, ``\c{c}``, ``\c c`` and ``na\"{\i}ve`` to the letters that they make."""

from __future__ import annotations

import unicodedata

from .latex_arguments import Arguments
from .latex_commands import ACCENTS, LETTER_ACCENTS
from .latex_tokens import Kind, Token

# Without braces the signs are as often quotation marks: only letters that languages write with them count.
_BARE_LETTERS = {
    "\\'": "aeiouycnzAEIOUY",
    "\\`": "aeiouAEIOU",
    "\\^": "aeiouAEIOU",
    '\\"': "aeiouyAEIOU",
    "\\~": "anoANO",
}


def read_accent(arguments: Arguments, index: int) -> tuple[str, str, int] | None:
    """The letter with its accent, the text behind it in the same token, and the index of the next token.

    Args:
        arguments: The tokens of the table.
        index: The token of the accent.

    Returns:
        None where no letter stands behind the sign: then it means something else.
    """
    token = arguments.tokens[index]
    by_command = token.kind is Kind.COMMAND
    mark = LETTER_ACCENTS.get(token.text) if by_command else ACCENTS.get(token.text)
    if mark is None:
        return None
    group = arguments.structure.group_end.get(index + 1)
    if group is not None and group < arguments.end:
        letter = _dotted(arguments.source[arguments.tokens[index + 1].end : arguments.tokens[group].start])
        if letter.isalpha() and (len(letter) == 1 or not by_command):
            return _accented(letter, mark), "", group + 1
        return None
    if index + 1 >= arguments.end:
        return None
    following = arguments.tokens[index + 1]
    if following.kind is Kind.COMMAND and following.text in ("i", "j") and not by_command:
        return _accented(following.text, mark), "", index + 2
    if following.kind is not Kind.TEXT:
        return None
    text = following.text.lstrip(" ") if by_command else following.text
    if by_command:
        # "\c c": a letter behind a blank, if there is such a letter.
        is_accent = text != following.text and text[:1].isalpha() and len(_accented(text[:1], mark)) == 1
    else:
        is_accent = _is_bare_accent(token, text, arguments, index)
    if not is_accent:
        return None
    return _accented(text[:1], mark), text[1:], index + 2


def _is_bare_accent(token: Token, text: str, arguments: Arguments, index: int) -> bool:
    if not text or text[0] not in _BARE_LETTERS.get(token.text, ""):
        return False
    before = arguments.source[token.start - 1 : token.start]
    if before.isalpha():
        # "O\'Neill" has an apostrophe, "M\"uller" an accent.
        return not (text[0].isupper() and token.text == "\\'")
    closing = index + 2
    # "\"a\"" is in quotation marks.
    return closing >= arguments.end or arguments.tokens[closing].text != token.text


def _dotted(letter: str) -> str:
    r"""``\i`` and ``\j`` are letters without their dot, so that an accent has room."""
    return letter[1:] if letter in ("\\i", "\\j") else letter


def _accented(letter: str, mark: str) -> str:
    return unicodedata.normalize("NFC", letter[:1] + mark + letter[1:])
