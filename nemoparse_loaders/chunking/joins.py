"""Paragraphs and lists that go on in the next column or on the next page, put together."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from ..document import ElementType
from ..export.markdown import FURNITURE
from .blocks import Block, seam_of
from .body import Placed

# What may stand between the two parts of a paragraph; floats are in no flow. A page header that was kept for
# want of proof is still none of the paragraph.
_PASSED_OVER = FURNITURE | {ElementType.FOOTNOTE.value, ElementType.CAPTION.value}
_PARAGRAPHS = frozenset({ElementType.TEXT.value, ElementType.FLOATING_TEXT.value})
_GO_ON = _PARAGRAPHS | {ElementType.LIST_ITEM.value, ElementType.BIBLIOGRAPHY.value}
# Where the parser says so, these go on as well.
_MARKED = _GO_ON | {ElementType.FOOTNOTE.value, ElementType.CODE.value}

_CLOSED = re.compile(r"""[.!?:…。！？：][\s"'”’»)\]}*_]*\Z""")
_FIRST_WORD = re.compile(r"""[("'“‘\[«]*(\w+)""")
_ITEM = re.compile(r"\(?(?:[a-z]|[ivx]{1,4})[.)]\s")
_NUMBER = re.compile(r"^[ \t]*(?:[-*+][ \t]+)?\(?(?P<mark>\d{1,4}|[a-zA-Z])[.)]", re.M)
_DIVIDED = re.compile(r"(?P<head>\w+)[-\u2010\u00ad]\Z")
_WORD = re.compile(r"\w+")
_HYPHENATED = re.compile(r"\w+(?:-\w+)+")
_SHORTEST = 20
# A column begins to the right of the last one, up to this part of the page's width.
_COLUMN_GAP = 0.02


def joined(blocks: Sequence[Block], words: Callable[[], frozenset[str]]) -> list[Block]:
    """The flow of a document with its paragraphs whole and its lists in one row.

    A paragraph goes on if it has no closing punctuation and what follows in the next column or on the next
    page, or behind a float or a footnote, begins in lower case; or if the parser marks both. A list goes on
    behind a footnote if its numbers do. What was passed over follows the whole.

    A word that was divided is embedded as one word if the document has that word elsewhere; the reader's text
    keeps what is printed.

    Args:
        blocks: The flow in reading order.
        words: All words of the document in lower case; asked once, and only if a word is divided.
    """
    known = cache(words)
    found: list[Block] = []
    # Place of the last block that may go on.
    last = -1
    for block in blocks:
        if last >= 0:
            before = found[last]
            if _goes_on(before, block):
                found[last] = _joined(before, block, known)
                continue
            if last < len(found) - 1 and _list_goes_on(before, block):
                last += 1
                found.insert(last, block)
                continue
        found.append(block)
        if _type(block.sources[0]) not in _PASSED_OVER or block.sources[0].element.continues_after:
            last = len(found) - 1
    return found


def _goes_on(before: Block, block: Block) -> bool:
    first, second = before.sources[-1], block.sources[0]
    if second.page.number - first.page.number not in (0, 1):
        return False
    ends, begins = first.element.continues_after, second.element.continues_before
    start = _FIRST_WORD.match(block.embed)
    if ends and begins:
        same = _type(second) in (_type(first), *_PARAGRAPHS)
        return _type(first) in _MARKED and same and (start is not None or block.kind == "code")
    if _type(first) not in _GO_ON or _type(second) not in _PARAGRAPHS or _CLOSED.search(before.embed[-20:]):
        return False
    # One mark alone does not say what belongs to what: the words have to agree.
    if start is None or _ITEM.match(block.embed) or not (ends or begins or _is_elsewhere(before, block)):
        return False
    return start[1][0].islower() or (ends and start[1][0].isalpha())


def _is_elsewhere(before: Block, block: Block) -> bool:
    """Whether a block stands on another page, in another column, or behind something passed over."""
    first, second = before.sources[-1], block.sources[0]
    if second.page is not first.page:
        return True
    # On one page labels of a drawing stand about like paragraphs.
    if len(before.embed) < _SHORTEST or " " not in block.embed:
        return False
    if second.position > first.position + 1:
        return True
    box, other = first.element.bbox, second.element.bbox
    return box is not None and other is not None and other.x0 >= box.x1 - _COLUMN_GAP and other.y0 < box.y1


def _list_goes_on(before: Block, block: Block) -> bool:
    if before.kind != "list" or block.kind != "list":
        return False
    marks, following = _NUMBER.findall(before.text), _NUMBER.search(block.text)
    return bool(marks) and following is not None and following["mark"] == _next_mark(marks[-1])


def _next_mark(mark: str) -> str:
    return str(int(mark) + 1) if mark.isdecimal() else chr(ord(mark) + 1)


def _joined(before: Block, block: Block, words: Callable[[], frozenset[str]]) -> Block:
    mends, seam = before.mends, seam_of(before.kind)
    divided, tail = _DIVIDED.search(before.embed[-80:]), _WORD.match(block.embed)
    if divided and tail:
        head, rest = divided["head"], tail.group()
        for word in (head + rest, f"{head}-{rest}"):
            if word.lower() in words():
                mends = (*mends, (divided.group() + seam + rest, word))
                break
    embed = before.embed + seam + block.embed
    if mends:
        embed = embed.replace(*mends[-1])
    return replace(
        before,
        sources=before.sources + block.sources,
        text=before.text + seam + block.text,
        embed=embed,
        spans=before.spans + block.spans,
        leads=embed.endswith(":"),
        mends=mends,
    )


def _type(placed: Placed) -> str:
    return placed.element.type


def words_of_body(body: Sequence[Placed]) -> frozenset[str]:
    """All words of a body in lower case, those with hyphens whole and in parts."""
    found: set[str] = set()
    for placed in body:
        text = placed.element.text.lower()
        found.update(_WORD.findall(text))
        found.update(_HYPHENATED.findall(text))
    return frozenset(found)
