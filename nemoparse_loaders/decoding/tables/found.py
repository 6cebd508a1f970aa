"""What a table reader returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ...document import Table
from ...export.table_rows import pipe_table, plain_lines
from ...export.tables import table_to_lines, table_to_markdown


class Grid(NamedTuple):
    """A table as it was laid out.

    Attributes:
        table: The table.
        rows: Its texts by row where no cell spans; they need not be taken from the cells again.
    """

    table: Table
    rows: list[list[str]] | None = None

    def to_markdown(self) -> str:
        """The same as `Table.to_markdown`."""
        if self.rows is None:
            return table_to_markdown(self.table)
        return pipe_table(self.rows, self.table.header_rows)

    def to_lines(self) -> list[str]:
        """The same as `Table.to_lines`."""
        return table_to_lines(self.table) if self.rows is None else plain_lines(self.rows)


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
