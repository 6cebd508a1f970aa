"""Tables and charts: grids of cells with spans. Part of the vocabulary in `document`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    import pandas as pd


class FrozenModel(BaseModel):
    """A value: it cannot be changed, and takes no field that it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class TableCell(FrozenModel):
    """One cell; a spanning cell stands at its top-left position and covers the others.

    Attributes:
        row: 0-based row of the top-left corner.
        col: 0-based column of the top-left corner.
        rowspan: Rows covered, at least 1.
        colspan: Columns covered, at least 1.
        text: Content in Markdown inline form; newlines are line breaks inside the cell.
        is_header: Whether it belongs to a header row.
    """

    row: int = Field(ge=0)
    col: int = Field(ge=0)
    rowspan: int = Field(default=1, ge=1)
    colspan: int = Field(default=1, ge=1)
    text: str = ""
    is_header: bool = False


class Table(FrozenModel):
    """A grid of cells with spans.

    Attributes:
        cells: In row-major order of their top-left corners; none overlap, none reach outside the grid.
        n_rows: Number of rows.
        n_cols: Number of columns.
        header_rows: How many rows at the top are header rows.
    """

    cells: tuple[TableCell, ...] = ()
    n_rows: int = Field(default=0, ge=0)
    n_cols: int = Field(default=0, ge=0)
    header_rows: int = Field(default=0, ge=0)

    def grid(self, *, expand_spans: bool = False) -> list[list[str | None]]:
        """The cells as ``n_rows`` lists of ``n_cols`` entries.

        Args:
            expand_spans: Repeat a spanning cell's text in every position that it covers.

        Returns:
            Rows of text; a position covered by a span is None unless ``expand_spans``; one that no cell
            claims is the empty string.
        """
        rows: list[list[str | None]] = [[""] * self.n_cols for _ in range(self.n_rows)]
        for cell in self.cells:
            if cell.rowspan == cell.colspan == 1:
                rows[cell.row][cell.col] = cell.text
                continue
            for row in range(cell.row, min(cell.row + cell.rowspan, self.n_rows)):
                for col in range(cell.col, min(cell.col + cell.colspan, self.n_cols)):
                    rows[row][col] = cell.text if expand_spans else None
            rows[cell.row][cell.col] = cell.text
        return rows

    def to_html(self) -> str:
        """HTML with ``rowspan``/``colspan`` and ``thead``; all text escaped. See `export.tables`."""
        from .export.tables import table_to_html

        return table_to_html(self)

    def to_markdown(self) -> str:
        """A pipe table; spans are expanded so that columns never shift, and a comment below says so."""
        from .export.tables import table_to_markdown

        return table_to_markdown(self)

    def to_csv(self) -> str:
        """CSV (RFC 4180), spans expanded."""
        from .export.tables import table_to_csv

        return table_to_csv(self)

    def to_latex(self) -> str:
        r"""A LaTeX ``tabular`` with ``\multicolumn`` and ``\multirow``, as the model prints it."""
        from .export.tables import table_to_latex

        return table_to_latex(self)

    def to_records(self) -> list[dict[str, str]]:
        """One dictionary a body row; keys are the header texts, joined over header rows and made unique."""
        from .export.tables import table_to_records

        return table_to_records(self)

    def to_lines(self) -> list[str]:
        """Plain text for embedding: one line a row, its cells joined by " | ", empty cells left out.

        A cell over several rows is said in each of them, one over several columns once.
        """
        from .export.tables import table_to_lines

        return table_to_lines(self)

    def to_dataframe(self) -> pd.DataFrame:
        """A pandas DataFrame (extra ``pandas``).

        Raises:
            MissingDependencyError: pandas is not installed.
        """
        from .export.tables import table_to_dataframe

        return table_to_dataframe(self)


class Chart(FrozenModel):
    """A chart as the model describes it.

    Attributes:
        type: "bar", "line", "pie", ... as printed; empty where the model does not say.
        title: The chart's title, or empty.
        panels: Lines that describe the panels, as printed after ``panel:``.
        tables: The data, one table a panel or series group; the first row is the header.
        table_ids: The id of each table where the model prints one ("a" of ``table[a]:``), else an empty
            text; empty where no table has one.
    """

    type: str = ""
    title: str = ""
    panels: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    table_ids: tuple[str, ...] = ()
