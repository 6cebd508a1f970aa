"""What is wrong with one block, for the issues of its element."""

from __future__ import annotations

from typing import NamedTuple

from ..document import Severity


class BlockFacts(NamedTuple):
    """What the decoder found in a block.

    Attributes:
        problem: What is broken in the block itself, in words.
        damage: What had to be repaired in its table, in words.
        cut: The reply ends inside of it.
        table_cut: Its table has no end.
        unreadable: How many glyphs the model could not read.
        repeats: It repeats an earlier block at nearly the same place.
        left_out: Characters of a short piece repeated without end that its text does without.
    """

    problem: str = ""
    damage: str = ""
    cut: bool = False
    table_cut: bool = False
    unreadable: int = 0
    repeats: bool = False
    left_out: int = 0


def block_notes(facts: BlockFacts) -> list[tuple[str, str, Severity]]:
    """Code, message and severity of each issue of a block's element; none for a sound block."""
    notes: list[tuple[str, str, Severity]] = []
    if facts.problem and not facts.cut:
        notes.append(("malformed", f"The block is not whole: {facts.problem}. Its text is kept.", "warning"))
    if facts.damage and not (facts.cut or facts.table_cut):
        notes.append(("malformed", f"The table is damaged: {facts.damage}.", "warning"))
    if facts.cut:
        notes.append(("truncated", "The reply ends inside of this block; what came is kept.", "warning"))
    elif facts.table_cut:
        notes.append(("truncated", "The table in this block has no end; its rows are kept.", "warning"))
    if facts.repeats:
        notes.append(
            (
                "loop",
                "The block repeats one before it at nearly the same place; it is kept.",
                "warning",
            )
        )
    if facts.left_out:
        notes.append(
            (
                "loop",
                f"A short piece of text is repeated without end: {facts.left_out:,} characters of "
                "repetition are left out of the text; the raw reply of the page keeps them.",
                "warning",
            )
        )
    if facts.unreadable:
        count = "one place" if facts.unreadable == 1 else f"{facts.unreadable} places"
        notes.append(("unreadable", f"The model could not read a glyph in {count}.", "info"))
    return notes
