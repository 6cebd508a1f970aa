"""Rows of a table that a page break divides: whether the first row of a part is the rest of the last one.

A row with an empty label is as a rule a row of its own under the label above it. It is the rest of a divided
row only where a sentence goes on in it and nothing speaks against it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..document import TableCell

_CLOSED = re.compile(r"""[.!?:;…。！？：；][\s"'”’»)\]}*_]*\Z""")
# What begins in lower case, but for "a) ..." and "ii. ...".
_LOWER = re.compile(r"""["'“‘(\[]*(?!(?:[a-z]|[ivx]{1,4})[.)]\s)[^\W\d_A-Z]""")
_DIVIDED_WORD = re.compile(r"[^\W\d_][-\u2010\u00ad]\Z")
# No text ends with these.
_OPEN = re.compile(
    r"(?:,|(?<!\w)(?:a|an|and|as|at|between|by|for|from|in|into|is|of|on|or|per|than|that|the|their|to|under"
    r"|was|were|which|with|auf|bei|das|dem|den|der|des|die|für|im|mit|oder|und|von|zu|au|aux|dans|de|des|du|en"
    r"|et|la|le|les|ou|par|pour|que|sur|una|une|y))\Z",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_LEAST_WORDS = 3
# What a text ends with shows in so many characters; a row may grow over many pages.
_LOOKED_AT = 100
# At most one cell in so many may begin in lower case where that is to mean anything.
_RARELY = 4


class Beginnings:
    """How the cells of each column begin, so that lower case can mean that a text goes on."""

    def __init__(self) -> None:
        """Begin with no cells."""
        self._cells: dict[int, int] = {}
        self._lower: dict[int, int] = {}

    def add(self, cells: Sequence[TableCell]) -> None:
        """Count the cells that have words."""
        for cell in cells:
            text = cell.text.strip()
            if text:
                self._cells[cell.col] = self._cells.get(cell.col, 0) + 1
                if _begins_lower(text):
                    self._lower[cell.col] = self._lower.get(cell.col, 0) + 1

    def are_capital(self, col: int) -> bool:
        """Whether hardly any cell of the column begins in lower case."""
        return _RARELY * self._lower.get(col, 0) <= self._cells.get(col, 0)


def goes_on(last: Mapping[int, TableCell], first: Sequence[TableCell], beginnings: Beginnings) -> bool:
    """Whether a row is the rest of the last row before it.

    At least one cell has to go on in the middle of a sentence, and no other may speak against it: by words
    under an empty cell, by words for a label that do not go on, or by two values.

    Args:
        last: The cells of the last row, and those that reach into it from above, by their first column.
        first: The cells of the row.
        beginnings: Those of the cells above.
    """
    evidence = False
    for cell in first:
        text = cell.text.strip()
        if not text:
            continue
        above = last.get(cell.col)
        before = above.text[-_LOOKED_AT:].strip() if above is not None else ""
        if above is None or not before or above.colspan != cell.colspan or cell.rowspan > 1:
            return False
        if _continues(before, text, beginnings.are_capital(cell.col)):
            evidence = True
        elif cell.col == 0 or _is_value(before) or _is_value(text):
            return False
    return evidence


def rejoined(cell: TableCell, rest: TableCell) -> TableCell:
    """A cell with its rest from the next page; a divided word keeps its hyphen."""
    before, text = cell.text.rstrip(), rest.text.strip()
    if not text:
        return cell
    seam = "" if _DIVIDED_WORD.search(before[-2:]) and _begins_lower(text) else " "
    return cell.model_copy(update={"text": before + seam + text})


def _continues(before: str, text: str, is_capital_column: bool) -> bool:
    """Whether a text goes on in the middle of a sentence."""
    if _CLOSED.search(before) or not _begins_lower(text):
        return False
    if _DIVIDED_WORD.search(before):
        return True
    words = len(_WORD.findall(before))
    if _OPEN.search(before) and words > 1:
        return True
    # Names and values in lower case follow each other as well.
    return is_capital_column and words >= _LEAST_WORDS and len(_WORD.findall(text)) > 1


def _begins_lower(text: str) -> bool:
    return _LOWER.match(text) is not None and next((char for char in text if char.isalpha()), "").islower()


def _is_value(text: str) -> bool:
    """A number, a name, a sign: nothing that could be divided."""
    digits = sum(map(str.isdigit, text))
    return " " not in text or 2 * digits >= sum(map(str.isalnum, text))
