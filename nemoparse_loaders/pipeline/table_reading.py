"""One reading of a table, with what is to be known of it to compare it with another; pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ..document import Element
from .region_words import element_words, tables_of

# From worse to worse: what a reading lacks if it has one of these issues.
_DAMAGE = {"malformed": 1, "truncated": 1, "loop": 2}


class Reading(NamedTuple):
    """One reading of a table: one element, or several where it was read in pieces.

    Attributes:
        elements: In reading order; at least one.
        damage: 0 whole, 1 damaged or cut, 2 looping.
        words: How often each word stands in it.
        cells: Cells with something in them.
        evenness: Share of the rows that fill as many columns as most rows do, 0..1.
    """

    elements: tuple[Element, ...]
    damage: int
    words: Counter[str]
    cells: int
    evenness: float

    @property
    def text(self) -> str:
        """What it says."""
        return "\n".join(element.text or element.markdown for element in self.elements)

    @property
    def has_grid(self) -> bool:
        """Whether it has rows and columns."""
        return any(tables_of(element) for element in self.elements)


def reading_of(elements: Sequence[Element], *, cut: bool = False) -> Reading:
    """What is to be known of a reading.

    Args:
        elements: Of the table.
        cut: Whether it is cut though nothing shows it: the last block of a reply that ended at its limit.
    """
    codes = {issue.code for element in elements for issue in element.issues}
    damage = max((_DAMAGE.get(code, 0) for code in codes), default=0)
    words: Counter[str] = Counter()
    for element in elements:
        words.update(element_words(element))
    tables = [table for element in elements for table in tables_of(element)]
    fills = [sum(bool(text) for text in row) for table in tables for row in table.grid(expand_spans=True)]
    cells = sum(bool(cell.text.strip()) for table in tables for cell in table.cells)
    usual = Counter(fills).most_common(1)
    evenness = usual[0][1] / len(fills) if fills else 0.0
    return Reading(tuple(elements), max(damage, int(cut)), words, cells, evenness)
