"""Charts: the 3.5 form (``<chart type="...">``, ``title:``, ``table[id]:``) and the pipe table of 2.0."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..document import Chart
from ..export.plain import markdown_to_text
from ..export.tables import table_to_markdown
from .tables import find_tables
from .tables.found import FoundTable, Grid
from .tables.pipe import read_pipe_rows

_OPEN = re.compile(
    r"\\?<chart"
    r"(?:[ \t]+type[ \t]*=[ \t]*(?:\"([^\"\n]{0,80})\"|'([^'\n]{0,80})'|([^\s>\\]{1,80})))?"
    r"[^>\n]{0,80}>"
)
_CLOSE = re.compile(r"\\?</(?:c|ch|cha|char|chart)?\\?>?\s*\Z")
# Between two charts in one body.
_CLOSE_LINE = re.compile(r"\\?</chart\\?>")
_TITLE = re.compile(r"title[ \t]*:[ \t]*(.*)", re.IGNORECASE)
_PANEL = re.compile(r"panel[ \t]*:[ \t]*(.*)", re.IGNORECASE)
_TABLE_KEY = re.compile(r"table[ \t]*(?:\[([^\]\n]{0,80})\])?[ \t]*:[ \t]*(.*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FoundChart:
    """A chart.

    Attributes:
        chart: The chart.
        grids: Its tables, as they were laid out.
        notes: The lines of the body that belong to none of its parts.
    """

    chart: Chart
    grids: tuple[Grid, ...] = ()
    notes: tuple[str, ...] = ()


def parse_chart(body: str) -> FoundChart | None:
    """Read a chart.

    Args:
        body: A body of the class Chart, without artefacts.

    Returns:
        None where there is neither a chart tag, a title nor a table: then it is text.
    """
    reader = _Reader()
    for part in find_tables(_CLOSE.sub("", body), expected=False, pipes=False):
        if isinstance(part, FoundTable):
            reader.add_table(part.grid)
            continue
        for line in part.split("\n"):
            reader.line(line.strip())
        reader.end_table()
    if not (reader.tagged or reader.title or reader.grids):
        return None
    chart = Chart(
        type=reader.kind,
        title=reader.title,
        panels=tuple(reader.panels),
        tables=tuple(grid.table for grid in reader.grids),
        table_ids=tuple(reader.table_ids) if any(reader.table_ids) else (),
    )
    return FoundChart(chart, tuple(reader.grids), tuple(reader.notes))


@dataclass(slots=True)
class _Reader:
    kind: str = ""
    title: str = ""
    tagged: bool = False
    panels: list[str] = field(default_factory=list)
    grids: list[Grid] = field(default_factory=list)
    table_ids: list[str] = field(default_factory=list)
    # The id of the table that comes next.
    next_id: str = ""
    notes: list[str] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)

    def line(self, text: str) -> None:
        opened = _OPEN.match(text)
        if opened:
            self.kind = self.kind or next((group.strip() for group in opened.groups() if group), "")
            self.tagged = True
            text = text[opened.end() :].strip()
        if text.startswith("|") or (self.rows and "|" in text):
            self.rows.append(text)
            return
        self.end_table()
        if _CLOSE_LINE.fullmatch(text):
            return
        key = _TABLE_KEY.fullmatch(text)
        panel = _PANEL.fullmatch(text)
        heading = _TITLE.fullmatch(text)
        if key:
            self.next_id = (key[1] or "").strip()
            if key[2].startswith("|"):
                self.rows.append(key[2])
            elif key[2]:
                self.notes.append(key[2])
        elif panel:
            self.panels.append(panel[1])
        elif heading and not self.title:
            self.title = heading[1]
        elif text:
            self.notes.append(text)

    def end_table(self) -> None:
        if self.rows:
            grid = read_pipe_rows(self.rows)
            if grid is None:
                self.notes.extend(self.rows)
            else:
                self.add_table(grid)
            self.rows = []

    def add_table(self, grid: Grid) -> None:
        self.grids.append(grid)
        self.table_ids.append(self.next_id)
        self.next_id = ""


def chart_markdown(found: FoundChart) -> str:
    """Title, panels and tables as Markdown."""
    pieces = [f"**{found.chart.title}**"] if found.chart.title else []
    pieces.extend(found.notes)
    pieces.extend(found.chart.panels)
    pieces.extend(grid.to_markdown() for grid in found.grids)
    return "\n\n".join(piece for piece in pieces if piece)


def chart_lines(found: FoundChart) -> list[str]:
    """Type, title, panels and rows as plain lines."""
    chart = found.chart
    lines = [markdown_to_text(chart.title)] if chart.title else []
    if chart.type:
        lines.append(f"{chart.type} chart" if not chart.type.endswith("chart") else chart.type)
    lines.extend(markdown_to_text(line) for line in (*found.notes, *chart.panels))
    for grid in found.grids:
        lines.extend(grid.to_lines())
    return lines


def encode_chart(chart: Chart) -> str:
    """A chart in the 3.5 form."""
    lines = [f'<chart type="{chart.type}">' if chart.type else "<chart>"]
    if chart.title:
        lines.append(f"title: {chart.title}")
    lines.extend(f"panel: {panel}" for panel in chart.panels)
    for number, table in enumerate(chart.tables):
        table_id = _table_id(chart, number)
        if table_id:
            lines.append(f"table[{table_id}]:")
        elif len(chart.tables) > 1:
            lines.append("table:")
        lines.append(table_to_markdown(table))
    lines.append("</chart>")
    return "\n".join(lines)


def _table_id(chart: Chart, number: int) -> str:
    return chart.table_ids[number] if number < len(chart.table_ids) else ""
