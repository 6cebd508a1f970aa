"""What belongs together in the flow: footnotes with their marks, formulas with the words around them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from .blocks import Block
from .footnote_marks import footnote_carriers

_CLOSED = re.compile(r"""[.!?…。！？;][\s"'”’»)\]}*_]*\Z""")
_EXPLAINS = re.compile(r"(?:where|with|here|in which|wherein|wobei|où|donde|dove)\b", re.I)


def bind_formulas(blocks: Sequence[Block]) -> list[Block]:
    """Tie each formula to the words before it that end in a colon or without a stop, and to a "where ..."."""
    found = list(blocks)
    for index, block in enumerate(found):
        if block.kind != "formula":
            continue
        if index and _leads_in(found[index - 1]):
            found[index - 1] = replace(found[index - 1], leads=True)
        if index + 1 < len(found) and _explains(found[index + 1]):
            found[index] = replace(block, leads=True)
    return found


def _leads_in(block: Block) -> bool:
    return block.kind in ("text", "list") and not _CLOSED.search(block.embed[-20:])


def _explains(block: Block) -> bool:
    if block.kind != "text" or block.heading:
        return False
    return _EXPLAINS.match(block.embed) is not None or block.embed[:1].islower()


def bind_footnotes(blocks: Sequence[Block]) -> list[Block]:
    """Put each footnote right behind the block that carries its mark, and tie them."""
    carriers = footnote_carriers(blocks)
    notes: dict[int, list[Block]] = {}
    for note, carrier in carriers.items():
        # It stands at the foot of the page, under whatever heading comes last there.
        notes.setdefault(carrier, []).append(replace(blocks[note], path=blocks[carrier].path))
    found: list[Block] = []
    for index, block in enumerate(blocks):
        if index not in carriers:
            tied = [block, *notes.get(index, ())]
            found += [replace(part, leads=True) for part in tied[:-1]]
            found.append(tied[-1])
    return found
