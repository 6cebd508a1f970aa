"""The tree of sections, and which blocks go together: a section that fits is one group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from .blocks import Block
from .budget import Budget
from .outline import Path


@dataclass(slots=True)
class Section:
    """A heading with what stands under it before the first deeper heading, and its subsections."""

    path: Path
    own: list[Block] = field(default_factory=list)
    children: list[Section] = field(default_factory=list)

    def all_blocks(self) -> list[Block]:
        """In reading order."""
        return [*self.own, *(block for child in self.children for block in child.all_blocks())]


@dataclass(frozen=True, slots=True)
class _Group:
    blocks: list[Block]
    cost: int
    # All of a section, or all that a section has before its first subsection: such groups may be merged.
    complete: bool


def section_tree(blocks: Sequence[Block]) -> Section:
    """The sections of a document; the root holds what comes before the first heading."""
    root = Section(())
    open_sections = [root]
    for block in blocks:
        while len(open_sections) > 1 and open_sections[-1].path != block.path[: len(open_sections[-1].path)]:
            open_sections.pop()
        if block.path != open_sections[-1].path:
            child = Section(block.path)
            open_sections[-1].children.append(child)
            open_sections.append(child)
        open_sections[-1].own.append(block)
    return root


def grouped(root: Section, budget: Budget) -> list[list[Block]]:
    """Blocks that become one chunk each, if the estimate of their tokens holds.

    A section that fits is one group. Of others, the text before the first subsection is packed, the
    subsections are grouped in turn, and neighbours that are whole are merged as long as they fit. Headings go
    with what follows them.
    """
    costs = _CostCache(budget)
    groups = _groups(root, budget, costs)
    return [group.blocks for group in groups]


def packed(blocks: Sequence[Block], budget: Budget) -> list[list[Block]]:
    """Blocks in reading order without regard to sections, as many together as fit by the estimate."""
    return [group.blocks for group in _pack_own(list(blocks), budget.room(""), _CostCache(budget))]


class _CostCache:
    """Tokens of each block, counted once."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._costs: dict[int, int] = {}

    def of(self, block: Block) -> int:
        cost = self._costs.get(block.position)
        if cost is None:
            cost = self._costs[block.position] = self._budget.cost(block.embed)
        return cost

    def total(self, blocks: Sequence[Block]) -> int:
        return sum(map(self.of, blocks))


def _groups(section: Section, budget: Budget, costs: _CostCache) -> list[_Group]:
    blocks = section.all_blocks()
    total = costs.total(blocks)
    if total <= budget.room(budget.prefix(section.path[:-1])):
        return [_Group(blocks, total, complete=True)] if blocks else []
    room = budget.room(budget.prefix(section.path))
    groups: list[_Group] = []
    waiting: list[Block] = []
    if section.children and all(block.leads for block in section.own):
        waiting = section.own
    else:
        groups = _pack_own(section.own, room, costs)
    for child in section.children:
        if waiting:
            child = Section(child.path, [*waiting, *child.own], child.children)
            waiting = []
        parts = _groups(child, budget, costs)
        # Parts of a subsection share no parent with what is beside it.
        groups.extend(parts if len(parts) == 1 else [replace(part, complete=False) for part in parts])
    return _merged(groups, room)


def _pack_own(blocks: list[Block], room: int, costs: _CostCache) -> list[_Group]:
    """Pack the blocks of one section; what leads to the next block goes with it."""
    groups: list[_Group] = []
    start = 0
    while start < len(blocks):
        end, total = start + 1, costs.of(blocks[start])
        while end < len(blocks) and total + costs.of(blocks[end]) <= room:
            total += costs.of(blocks[end])
            end += 1
        last = end
        while end < len(blocks) and last > start and blocks[last - 1].leads:
            last -= 1
        # Where there is nothing but leading blocks, the next one is over-long: they are cut together.
        end = last if last > start else min(end + 1, len(blocks))
        part = blocks[start:end]
        groups.append(_Group(part, costs.total(part), complete=len(part) == len(blocks)))
        start = end
    return groups


def _merged(groups: list[_Group], room: int) -> list[_Group]:
    merged: list[_Group] = []
    for group in groups:
        last = merged[-1] if merged else None
        if last and last.complete and group.complete and last.cost + group.cost <= room:
            merged[-1] = _Group([*last.blocks, *group.blocks], last.cost + group.cost, complete=True)
        else:
            merged.append(group)
    return merged
