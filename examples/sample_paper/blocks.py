"""What the sample paper is made of. Text is reportlab's inline markup; characters are plain Unicode."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape


@dataclass(frozen=True)
class Heading:
    """``number`` is empty for headings without one."""

    number: str
    title: str
    level: int

    @property
    def text(self) -> str:
        return f"{self.number} {self.title}".strip()


@dataclass(frozen=True)
class Paragraph:
    text: str


@dataclass(frozen=True)
class ListItem:
    mark: str
    text: str


@dataclass(frozen=True)
class Listing:
    """Lines of code, as they are."""

    text: str


@dataclass(frozen=True)
class Reference:
    text: str


@dataclass(frozen=True)
class Footnote:
    mark: str
    text: str


@dataclass(frozen=True)
class Fraction:
    above: str
    below: str


@dataclass(frozen=True)
class Formula:
    """A displayed formula: pieces of markup and fractions in a row, and its number at the right."""

    pieces: tuple[str | Fraction, ...]
    number: str
    latex: str


@dataclass(frozen=True)
class Cell:
    text: str
    row: int
    col: int
    rowspan: int = 1
    colspan: int = 1


@dataclass(frozen=True)
class TableData:
    """A captioned table. ``rows`` hold None where a span covers the position."""

    caption: str
    header_rows: int
    rows: tuple[tuple[str | None, ...], ...]
    spans: tuple[tuple[int, int, int, int], ...] = ()  # row, col, rowspan, colspan
    widths: tuple[float, ...] = ()  # shares of the width
    left_columns: tuple[int, ...] = ()  # set flush left; all others are centred
    boxed: bool = True  # rules around every cell, or only above, below and under the header

    def cells(self) -> list[Cell]:
        sizes = {(row, col): (rowspan, colspan) for row, col, rowspan, colspan in self.spans}
        return [
            Cell(plain(text), row, col, *sizes.get((row, col), (1, 1)))
            for row, texts in enumerate(self.rows)
            for col, text in enumerate(texts)
            if text is not None
        ]


@dataclass(frozen=True)
class ChartData:
    """A captioned bar chart with grouped bars."""

    caption: str
    value_axis: str
    groups: tuple[str, ...]
    series: tuple[tuple[str, tuple[float, ...]], ...]
    top: float
    step: float


Block = Heading | Paragraph | ListItem | Listing | Reference | Formula

_TAG = re.compile(r"<[^>]*>")


def plain(markup: str) -> str:
    """The text of a piece of markup; raised and lowered characters stay in line."""
    return unescape(_TAG.sub("", markup.replace("<br/>", " "))).replace("\u00a0", " ")
