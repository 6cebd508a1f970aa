"""From the events of a reply to its blocks: ``pair body pair class``, and everything that breaks it.

Nothing is thrown away: a block that lost a token is still a block, and words outside of every block become
one of their own. Rules for what is not clear:

- A class token, or a blank line between two pairs, separates blocks.
- A pair inside a sentence is noise; the first and the last pair of a block make its box.
- Two pairs behind each other after a body end a block and begin the next.
- Many boxes behind each other without words and without a class are noise, unless no block has a class.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from ..document import BBox
from .block import Block, Corner
from .markers import Event, Scan

_NO_CLASS = "its class is missing"
_BLANK_LINE_AT_START = re.compile(r"[ \t]*\n[ \t]*\n")
_BLANK_LINE_AT_END = re.compile(r"\n[ \t]*\n[ \t]*\Z")


# Fractions never reach this; the integer grid of the first generation nearly always does.
_GRID_THRESHOLD = 8.0
_GRID = (1024.0, 1280.0)
_MOST_EMPTY_BOXES = 8


class Assembled(NamedTuple):
    """The blocks of a reply.

    Attributes:
        blocks: In order.
        noise: The most stray tokens that there are together: in a block, in a row, or outside of every block.
    """

    blocks: list[Block]
    noise: int = 0


def assemble(scan: Scan) -> Assembled:
    """Put the blocks of a reply together, in order."""
    if not scan.events:
        return Assembled(scan.whole)
    assembler = _Assembler(scan, list(scan.whole))
    for index, event in enumerate(scan.events):
        assembler.take(index, event)
    assembler.finish()
    noise = max(scan.noise_run, assembler.stray, *(block.noise for block in assembler.blocks), 0)
    return Assembled(_scaled(assembler.blocks), noise)


def _scaled(blocks: list[Block]) -> list[Block]:
    """The first generation printed grid points, up to 1024 by 1280, where the others print fractions."""
    corners = [corner for block in blocks for corner in _corners(block)]
    on_grid = sum(max(corner) > _GRID_THRESHOLD for corner in corners)
    if 2 * on_grid <= len(corners):
        return blocks
    return [block._replace(printed=_fractions(block.printed)) for block in blocks]


def _corners(block: Block) -> tuple[Corner, ...]:
    if block.printed:
        return block.printed[:2], block.printed[2:]
    return (block.lone,) if block.lone else ()


def _fractions(printed: BBox | None) -> BBox | None:
    if printed is None:
        return None
    width, height = _GRID
    return BBox(printed.x0 / width, printed.y0 / height, printed.x1 / width, printed.y1 / height)


@dataclass(slots=True)
class _Assembler:
    scan: Scan
    blocks: list[Block]
    parts: list[str] = field(default_factory=list)
    first: Corner | None = None
    closing: Corner | None = None
    gap: str = ""
    noise: int = 0
    has_words: bool = False
    after_noise: bool = False
    last_class: tuple[int, str] | None = None
    stray: int = 0
    # Blocks at the end so far that have neither words nor a class.
    empty_run: int = 0
    # For each event, the index of the next one that is not blank text; found once, from the end.
    _next: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        events = self.scan.events
        if self.blocks:
            self.last_class = (-1, self.blocks[-1].name or "")
        self._next = [len(events)] * len(events)
        following = len(events)
        for index in range(len(events) - 1, -1, -1):
            self._next[index] = following
            if events[index][0] != "text" or not events[index][1].isspace():
                following = index

    def take(self, index: int, event: Event) -> None:
        kind, text, pair, count = event
        if kind == "text":
            self._take_text(text)
        elif kind == "pair":
            self._take_pair(index, pair)
        elif kind == "class":
            self._take_class(index, text)
        elif kind == "noise":
            self._take_noise(count)
        elif self._prompt_is_text(index):
            self._take_text(text)

    def _prompt_is_text(self, index: int) -> bool:
        """``<s>`` inside of a body is struck-out text; at the edges and between blocks it is a token."""
        at_end = self._next[index] >= len(self.scan.events)
        return self.closing is None and not at_end and (self.first is not None or self.has_words)

    def _take_text(self, text: str) -> None:
        if self.closing is None:
            self._add(text)
        elif not text.strip():
            self.gap += text
        elif _BLANK_LINE_AT_START.match(self.gap + text):
            self._emit(None, _NO_CLASS)
            self._add(text)
        else:
            self._closing_was_noise()
            self._add(text)

    def _add(self, text: str) -> None:
        if self.after_noise:
            # The token may have stood between two spaces.
            self.after_noise = False
            if text[0] == " " and self.parts and self.parts[-1][-1:] in (" ", "\n"):
                text = text[1:]
        if not text:
            return
        self.parts.append(text)
        self.has_words = self.has_words or not text.isspace()

    def _take_pair(self, index: int, pair: Corner) -> None:
        following = self._kind_after(index)
        if self.closing is not None:
            if following == "class" and self.gap.count("\n") < 2:
                self.closing = pair
                self.noise += 1
            else:
                self._emit(None, _NO_CLASS)
                self.first = pair
        elif self.first is not None:
            new_block = (
                following not in ("class", "end")
                and self.has_words
                and _BLANK_LINE_AT_END.search(self.parts[-1]) is not None
            )
            if new_block:
                self._emit(None, "its second corner and its class are missing")
                self.first = pair
            else:
                self.closing = pair
        elif not self.has_words:
            self.parts.clear()
            self.first = pair
        elif following in ("class", "end"):
            self.closing = pair
        elif self._is_lone_pair(index):
            self._take_noise(1)
        else:
            self._emit(None, "words outside of every block")
            self.first = pair

    def _take_class(self, index: int, name: str) -> None:
        stutter = self.last_class == (index - 1, name)
        self.last_class = (index, name)
        if self.first is None and self.closing is None and not self.has_words:
            if not stutter:
                # Where there are none at all the task was the one without boxes.
                self._emit(name, "both corners are missing" if self.scan.has_pairs else "")
            return
        problem = ""
        if self.scan.has_pairs:
            if self.first is None and self.closing is None:
                problem = "both corners are missing"
            elif self.first is None:
                problem = "its first corner is missing"
            elif self.closing is None:
                problem = "its second corner is missing"
        self._emit(name, problem or ("" if name else "its class has no name"))

    def _take_noise(self, count: int) -> None:
        self.noise += count
        # Behind a closing pair it changes nothing: the pair stands.
        if self.closing is None:
            self._part_words()

    def _part_words(self) -> None:
        """Where a token stood between words, a space stands."""
        self.after_noise = True
        if self.parts and not self.parts[-1].endswith((" ", "\n")):
            self.parts.append(" ")

    def _closing_was_noise(self) -> None:
        self.closing = None
        self.noise += 1
        if self.gap:
            self.parts.append(self.gap)
        self._part_words()
        self.gap = ""

    def _is_lone_pair(self, index: int) -> bool:
        """Whether a pair stands in a sentence: no other token behind it, no line break before it."""
        following = self._next[index]
        events = self.scan.events
        return self._next[following] >= len(events) and "\n" not in self.parts[-1][-2:]

    def _kind_after(self, index: int) -> str:
        following = self._next[index]
        return self.scan.events[following][0] if following < len(self.scan.events) else "end"

    def _emit(self, name: str | None, problem: str, *, cut: bool = False) -> None:
        if problem == _NO_CLASS and not self.scan.has_classes and not cut:
            # The task was the one without classes.
            problem = ""
        if self.has_words or name or cut:
            self._drop_empty_run()
        else:
            self.empty_run += 1
        body = "".join(self.parts)
        both = BBox(*self.first, *self.closing) if self.first and self.closing else None
        lone = None if both else self.first or self.closing
        self.blocks.append(Block(body, name or None, both, lone, problem, cut, self.noise))
        self.parts = []
        self.first = self.closing = None
        self.gap = ""
        self.noise = 0
        self.has_words = self.after_noise = False

    def _drop_empty_run(self) -> None:
        """Take back the boxes before this block that say nothing, if they are too many for an accident."""
        if self.empty_run >= _MOST_EMPTY_BOXES and self.scan.has_classes:
            self.stray += self.empty_run
            del self.blocks[-self.empty_run :]
        self.empty_run = 0

    def finish(self) -> None:
        if self.first is None and self.closing is None and not self.has_words:
            self._drop_empty_run()
            return
        if not (self.scan.has_pairs or self.scan.has_classes):
            self._emit(None, "", cut=self.scan.class_cut)
        elif self.closing is not None and self.first is not None:
            self._emit(None, _NO_CLASS, cut=self.scan.has_classes or self.scan.cut)
        elif self.first is not None:
            self._emit(None, "its end is missing", cut=True)
        elif self.scan.has_pairs:
            self._emit(None, "words outside of every block", cut=self.scan.class_cut)
        else:
            self._emit(None, _NO_CLASS, cut=True)
        self._drop_empty_run()
