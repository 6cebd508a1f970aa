"""What the reader works with: words, lines, regions, blocks, all in points of the reading frame."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from ...document import Chart, Table
from .geometry import Frame, Rect, bounds

RegionKind = Literal[
    "text", "title", "figure", "figure_caption", "table", "table_caption",
    "header", "footer", "reference", "equation",
]  # fmt: skip


_INITIAL = 1.6  # a word this much larger than its line is an initial


@dataclass(frozen=True, slots=True)
class Word:
    """One word.

    Attributes:
        text: Without white space.
        box: Where it stands.
        size: Font size in points.
        font: Base font name; empty from OCR.
        bold: Bold.
        italic: Italic.
        mono: Fixed pitch.
        order: Position in the content of the page.
    """

    text: str
    box: Rect
    size: float
    font: str = ""
    bold: bool = False
    italic: bool = False
    mono: bool = False
    order: int = 0


@dataclass(frozen=True)
class Line:
    """Words on one line of one column, in reading order."""

    words: tuple[Word, ...]

    @cached_property
    def box(self) -> Rect:
        """Around all words but a large initial, which reaches down over further lines."""
        plain = [word.box for word in self.words if word.size <= _INITIAL * self.size]
        return bounds(plain or [word.box for word in self.words])

    @cached_property
    def font(self) -> str:
        """The font of nine tenths of its letters; empty where it is mixed or not known."""
        weights: dict[str, int] = {}
        for word in self.words:
            weights[word.font] = weights.get(word.font, 0) + len(word.text)
        font = max(weights, key=lambda name: weights[name])
        return font if weights[font] >= 0.9 * sum(weights.values()) else ""

    @cached_property
    def size(self) -> float:
        """The font size that most of its letters have."""
        return common_size(self.words)

    def share(self, style: Literal["bold", "italic", "mono"]) -> float:
        """Which part of its letters is of that style."""
        total = sum(len(word.text) for word in self.words)
        return sum(len(word.text) for word in self.words if getattr(word, style)) / max(total, 1)

    @cached_property
    def text(self) -> str:
        """Plain text with single spaces."""
        return "".join(
            (" " if index and spaced(self.words[index - 1], word) else "") + word.text
            for index, word in enumerate(self.words)
        )


@dataclass(frozen=True, slots=True)
class Region:
    """A box that the layout model found, with its class and how sure it is."""

    kind: RegionKind
    box: Rect
    score: float


@dataclass(slots=True)
class Block:
    """One block to print: lines that belong together, or a table, or a figure.

    Attributes:
        box: Where it stands.
        lines: Its lines, top to bottom.
        type: The class to print, see `ElementType`.
        level: Depth of a heading from 1; 0 for others.
        region: What the layout model sees there.
        table: The grid of a table.
        chart: What is known of a chart.
        body: What to print in place of the lines; empty: the lines.
        continues_before: It goes on from an earlier block or page.
        continues_after: It goes on in a later block or page.
    """

    box: Rect
    lines: list[Line] = field(default_factory=list)
    type: str = "Text"
    level: int = 0
    region: RegionKind | None = None
    table: Table | None = None
    chart: Chart | None = None
    body: str = ""
    continues_before: bool = False
    continues_after: bool = False

    @property
    def text(self) -> str:
        """Plain text, lines joined by spaces."""
        return " ".join(line.text for line in self.lines)

    @property
    def size(self) -> float:
        """The font size of most of its letters."""
        return common_size([word for line in self.lines for word in line.words])


def common_size(words: Sequence[Word]) -> float:
    """The font size that most letters have; 0 without words."""
    weights: dict[float, int] = {}
    for word in words:
        size = round(word.size, 1)
        weights[size] = weights.get(size, 0) + len(word.text)
    return max(weights, key=lambda size: (weights[size], size)) if weights else 0.0


@dataclass(frozen=True, slots=True)
class PageWords:
    """The words of a page.

    Attributes:
        frame: The frame in which most of them read from left to right.
        words: Those that do, in points of the frame.
        stray: Lines that read in other directions, each as one word, in points of the same frame.
        from_ocr: Whether they were read from the picture.
    """

    frame: Frame
    words: list[Word]
    stray: list[Line]
    from_ocr: bool


def spaced(left: Word, right: Word) -> bool:
    """Whether a space stands between two neighbours on a line.

    Words were parted at white space, or where the size changes: only in the second case can they touch.
    """
    small, large = sorted((left.size, right.size))
    if small > 0.85 * large and not is_cjk(left.text[-1]):
        return True
    em = small or 1.0
    gap = max(right.box.x0 - left.box.x1, left.box.x0 - right.box.x1)
    if is_cjk(left.text[-1]) and is_cjk(right.text[0]):
        return gap > 0.6 * em
    if len(left.text) == 1 and left.size > _INITIAL * right.size:
        return gap > 0.5 * em
    return gap > 0.12 * em


def is_cjk(char: str) -> bool:
    """Whether the character belongs to a script that is written without spaces."""
    code = ord(char)
    return 0x2E80 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF or 0xFF00 <= code <= 0xFFEF or code >= 0x20000


def is_rtl(text: str) -> bool:
    """Whether most letters are of a script that is written from right to left."""
    right = left = 0
    for char in text:
        direction = unicodedata.bidirectional(char)
        if direction in {"R", "AL"}:
            right += 1
        elif direction == "L":
            left += 1
    return right > left
