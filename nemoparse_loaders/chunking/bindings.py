"""What belongs together in the flow: footnotes with their marks, formulas with the words around them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from .blocks import Block

_CLOSED = re.compile(r"""[.!?…。！？;][\s"'”’»)\]}*_]*\Z""")
_EXPLAINS = re.compile(r"(?:where|with|here|in which|wherein|wobei|où|donde|dove)\b", re.I)

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_PLAIN = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_MARK = re.compile(
    r"\s*[\[(]?(?:(?P<raised>[⁰¹²³⁴-⁹]{1,3})|(?P<number>\d{1,3})|(?P<sign>[*†‡§¶#∗]{1,3})|\^?(?P<letter>[a-z]))"
    r"(?:[\])]|(?=[\s.:])|(?<=[⁰¹²³⁴-⁹*†‡§¶#∗])(?=\w))"
)


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


def footnote_carriers(blocks: Sequence[Block]) -> dict[int, int]:
    """For each footnote whose mark is found the block that carries it: before it, on the same page."""
    carriers: dict[int, int] = {}
    for index, note in enumerate(blocks):
        if note.kind != "footnote":
            continue
        has_mark = mark_finder(note.embed)
        if has_mark is None:
            continue
        number = note.sources[0].page.number
        for carrier in range(index - 1, -1, -1):
            block = blocks[carrier]
            if block.sources[-1].page.number < number:
                break
            if block.kind != "footnote" and has_mark(block.embed):
                carriers[index] = carrier
                break
    return carriers


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


def mark_finder(footnote: str, *, plain: bool = True) -> Callable[[str], bool] | None:
    """Tells of a text whether it carries the mark that the footnote begins with; None if it has none.

    Args:
        footnote: Its words.
        plain: Take numbers and letters for marks that are not raised.
    """
    match = _MARK.match(footnote)
    if match is None or not footnote[match.end() :].strip():
        return None
    if not plain and (match["number"] or (match["letter"] and "^" not in match.group())):
        return None
    number = match["number"] or (match["raised"] or "").translate(_PLAIN)
    if number:
        raised = number.translate(_RAISED)
        carried = rf"(?<![⁰¹²³⁴-⁹]){raised}(?![⁰¹²³⁴-⁹])|\^\(?{number}(?!\d)|\[{number}\]"
        if match["number"]:
            # Where raised figures are not told from others, they stand right behind a word.
            carried += rf"|(?<=[^\W\d_]){number}(?![\d\w])|(?<=[.,;:)\]”’\"]){number}(?=[\s.,;:)]|\Z)"
    elif match["sign"]:
        sign = re.escape(match["sign"])
        carried = rf"(?<=[^\s*†‡§¶#∗])\s?{sign}(?![*†‡§¶#∗])"
    else:
        carried = rf"\^\(?{match['letter']}\b|(?<=[\d)]){match['letter']}(?=[\s.,;:)|]|\Z)"
    pattern = re.compile(carried)
    return lambda text: pattern.search(text) is not None
