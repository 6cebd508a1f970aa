"""The tree of sections, and which blocks go together: a section that fits is one group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from .blocks import Block
from .budget import Budget
from .outline import Path
from .ranges import pack


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
    return [group.blocks for group in _groups(root, budget)]


def packed(blocks: Sequence[Block], budget: Budget) -> list[list[Block]]:
    """Blocks in reading order without regard to sections, as many together as fit by the estimate."""
    return [group.blocks for group in _pack_own(blocks, budget.room(""), budget)]


def _groups(section: Section, budget: Budget) -> list[_Group]:
    blocks = section.all_blocks()
    total = sum(budget.cost(block.embed) for block in blocks)
    if total <= budget.room(budget.prefix(section.path[:-1])):
        return [_Group(blocks, total, complete=True)] if blocks else []
    room = budget.room(budget.prefix(section.path))
    groups: list[_Group] = []
    waiting: list[Block] = []
    if section.children and all(block.leads for block in section.own):
        waiting = section.own
    else:
        groups = _pack_own(section.own, room, budget)
    for child in section.children:
        if waiting:
            child = Section(child.path, [*waiting, *child.own], child.children)
            waiting = []
        parts = _groups(child, budget)
        # Parts of a subsection share no parent with what is beside it.
        groups.extend(parts if len(parts) == 1 else [replace(part, complete=False) for part in parts])
    return _merged(groups, room)


def _pack_own(blocks: Sequence[Block], room: int, budget: Budget) -> list[_Group]:
    """Pack the blocks of one section; what leads to the next block goes with it."""
    costs = [budget.cost(block.embed) for block in blocks]
    return [
        _Group(list(blocks[start:end]), sum(costs[start:end]), complete=end - start == len(blocks))
        for start, end in pack(costs, room, leads=[block.leads for block in blocks])
    ]


def _merged(groups: list[_Group], room: int) -> list[_Group]:
    merged: list[_Group] = []
    for group in groups:
        last = merged[-1] if merged else None
        if last and last.complete and group.complete and last.cost + group.cost <= room:
            merged[-1] = _Group([*last.blocks, *group.blocks], last.cost + group.cost, complete=True)
        else:
            merged.append(group)
    return merged
