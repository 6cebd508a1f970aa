"""Pours the blocks of the sample paper into pages and columns, and notes where each one went."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable

PAGE_WIDTH, PAGE_HEIGHT = A4
LEFT, RIGHT, TOP, BOTTOM = 56.0, 56.0, 68.0, 66.0
GUTTER = 22.0
TEXT_WIDTH = PAGE_WIDTH - LEFT - RIGHT
COLUMN_WIDTH = (TEXT_WIDTH - GUTTER) / 2


@dataclass(frozen=True)
class Placed:
    """Where (a part of) a block stands: its page and its box in 0..1, origin top left."""

    key: str
    page: int
    box: tuple[float, float, float, float]


@dataclass
class Piece:
    """A flowable, the key of what it shows, and whether it must stay with what follows."""

    key: str
    flowable: Flowable
    keep_with_next: bool = False


@dataclass
class PagePlan:
    """What stands in a fixed place on a page; the running text fills the rest.

    ``top`` and ``bottom`` go over both columns; ``column_top`` and ``footnotes`` belong to one, 0 or 1.
    """

    top: list[Piece] = field(default_factory=list)
    bottom: list[Piece] = field(default_factory=list)
    column_top: dict[int, list[Piece]] = field(default_factory=dict)
    footnotes: dict[int, list[Piece]] = field(default_factory=dict)


class Composer:
    """Draws page after page on a canvas."""

    def __init__(self, canvas: Canvas, furniture: Callable[[Canvas, int], None]) -> None:
        self.canvas = canvas
        self.furniture = furniture
        self.placed: list[Placed] = []
        self.page = 0

    def compose(self, story: list[Piece], plans: list[PagePlan]) -> None:
        """Draw all of ``story``; pages beyond the last plan have nothing but text.

        Raises:
            ValueError: A piece fits on no page.
        """
        story = list(story)
        while story or self.page < len(plans):
            plan = plans[self.page] if self.page < len(plans) else PagePlan()
            before = len(story)
            self.page += 1
            self._page(story, plan)
            if story and len(story) == before and not plan.top and not plan.bottom:
                raise ValueError(f"{story[0].key} fits on no page")

    def _page(self, story: list[Piece], plan: PagePlan) -> None:
        self.furniture(self.canvas, self.page)
        top = self._stack(plan.top, LEFT, PAGE_HEIGHT - TOP, TEXT_WIDTH)
        if plan.top:
            top -= 10
        bottom = BOTTOM
        if plan.bottom:
            height = sum(_height(piece.flowable, TEXT_WIDTH) for piece in plan.bottom)
            self._stack(plan.bottom, LEFT, bottom + height, TEXT_WIDTH)
            bottom += height + 10
        for column in (0, 1):
            x = LEFT + column * (COLUMN_WIDTH + GUTTER)
            start = self._stack(plan.column_top.get(column, []), x, top, COLUMN_WIDTH)
            end = self._footnotes(plan.footnotes.get(column, []), x, bottom)
            self._fill(story, x, start, end)
        self.canvas.showPage()

    def _footnotes(self, notes: list[Piece], x: float, bottom: float) -> float:
        """Set notes at the foot of a column; returns where the text above must end."""
        if not notes:
            return bottom
        top = bottom + sum(_height(note.flowable, COLUMN_WIDTH) for note in notes)
        self.canvas.setLineWidth(0.4)
        self.canvas.line(x, top + 3, x + 70, top + 3)
        self._stack(notes, x, top, COLUMN_WIDTH)
        return top + 8

    def _stack(self, pieces: list[Piece], x: float, y: float, width: float) -> float:
        for piece in pieces:
            y -= piece.flowable.getSpaceBefore()
            y = self._draw(piece, x, y, width) - piece.flowable.getSpaceAfter()
        return y

    def _fill(self, story: list[Piece], x: float, y: float, end: float) -> None:
        """Take pieces from the front of ``story`` until the column is full."""
        start = y
        while story:
            if y < start:
                y -= story[0].flowable.getSpaceBefore()
            if _needed(story) > y - end:
                parts = story[0].flowable.split(COLUMN_WIDTH, y - end)
                if story[0].keep_with_next or len(parts) < 2:
                    return
                piece = story.pop(0)
                story.insert(0, Piece(piece.key, parts[1]))
                self._draw(Piece(piece.key, parts[0]), x, y, COLUMN_WIDTH)
                return
            piece = story.pop(0)
            y = self._draw(piece, x, y, COLUMN_WIDTH) - piece.flowable.getSpaceAfter()

    def _draw(self, piece: Piece, x: float, y: float, width: float) -> float:
        _, height = piece.flowable.wrap(width, PAGE_HEIGHT)
        piece.flowable.drawOn(self.canvas, x, y - height)
        box = (
            x / PAGE_WIDTH,
            1 - y / PAGE_HEIGHT,
            (x + width) / PAGE_WIDTH,
            1 - (y - height) / PAGE_HEIGHT,
        )
        self.placed.append(Placed(piece.key, self.page, box))
        return y - height


def _height(flowable: Flowable, width: float) -> float:
    _, height = flowable.wrap(width, PAGE_HEIGHT)
    return float(flowable.getSpaceBefore() + height + flowable.getSpaceAfter())


def _needed(story: list[Piece]) -> float:
    """Height that the first piece needs: its own, and for a heading that of what it stands over."""
    _, needed = story[0].flowable.wrap(COLUMN_WIDTH, PAGE_HEIGHT)
    if story[0].keep_with_next and len(story) > 1:
        following = story[1:]
        gap = max(story[0].flowable.getSpaceAfter(), following[0].flowable.getSpaceBefore())
        two_lines = 2 * 13.2
        needed += gap + (_needed(following) if following[0].keep_with_next else two_lines)
    return float(needed)
