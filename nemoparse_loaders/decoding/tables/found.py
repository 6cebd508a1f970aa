"""What a table reader returns."""

from __future__ import annotations

from dataclasses import dataclass

from ...document import Table
from ...export.table_rows import pipe_table, plain_lines
from ...export.tables import table_to_lines, table_to_markdown
from .grid import Grid


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table in a body.

    Attributes:
        grid: The table.
        source: The part of the body that it was read from.
        cut: It has no end.
        damage: What had to be repaired, in words; empty for a sound table.
    """

    grid: Grid
    source: str
    cut: bool = False
    damage: str = ""

    @property
    def table(self) -> Table:
        """The table itself."""
        return self.grid.table

    def to_markdown(self) -> str:
        """The same as `Table.to_markdown`, without taking the rows from the cells again."""
        rows = self.grid.rows
        return table_to_markdown(self.table) if rows is None else pipe_table(rows, self.table.header_rows)

    def to_lines(self) -> list[str]:
        """The same as `Table.to_lines`."""
        return table_to_lines(self.table) if self.grid.rows is None else plain_lines(self.grid.rows)
