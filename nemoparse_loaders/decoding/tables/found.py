"""What a table reader returns."""

from __future__ import annotations

from dataclasses import dataclass

from ...document import Table


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table in a body.

    Attributes:
        table: The grid.
        source: The part of the body that it was read from.
        cut: It has no end.
        damage: What had to be repaired, in words; empty for a sound table.
    """

    table: Table
    source: str
    cut: bool = False
    damage: str = ""
