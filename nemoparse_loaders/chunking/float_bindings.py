"""What belongs to a table or figure beside its captions: lead-in lines, units, sources and footnotes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from .blocks import Block, embedded_words
from .body import Placed
from .budget import Budget
from .captions import is_float
from .floats import Float
from .footnote_marks import footnote_carriers, mark_finder
from .sentences import sentence_spans

# At most so many lines before and behind a float.
_MOST_LEADS = 3
_MOST_NOTES = 8
_LONGEST_LABEL = 300

_UNIT = (
    r"(?:thousands?|millions?|billions?|lakhs?|crores?|hundreds?|per\s?cent(?:age)?|percentages?|euros?|dollars?"
    r"|usd|eur|gbp|tonnes?|units|tausend|millionen|mio\.?|mrd\.?|milliers|millions|miles|millones)"
)
_KEPT_APART = (
    r"(?:\s*[,;(]?\s*(?:(?:except|unless|excluding|other\s+than|außer|sauf|salvo)\b[^.\d]{0,80}"
    rf"|and\s+[^.,\d]{{1,30}}\s+in\s+{_UNIT}))?"
)
# In brackets whatever names a unit; without them nothing but the unit, since sentences name units as well.
_UNITS = re.compile(
    rf"""\W*(?:
        [(\[][^()\[\].]{{0,60}}\b{_UNIT}\b[^()\[\].]{{0,80}}\.?[)\]]
        |(?:(?:all|the|alle)\s+)?
         (?:(?:amounts?|dollars?|figures?|values?|numbers?|data|prices?|currency|us\$|[$€£¥]|angaben|beträge|werte
              |montants|chiffres|importes|cifras)
            (?:\s+(?:are|is|sont))?(?:\s+(?:expressed|stated|shown|given|reported|presented|exprimés|expresadas))?
            |expressed|stated|unaudited)?
         [,;:\s]*(?:in|en)\s+(?:us|u\.s\.|us\$|[$€£¥])?\s*{_UNIT}(?:\s+(?:of|de|d[’'])\s*[^\W\d]+(?:\s+dollars?)?)?
         (?:\s+(?:euros?|dollars?|eur|usd|gbp|tonnes?|[$€£¥]))?{_KEPT_APART}
        |(?:units?|einheit|unité|unidad)(?:en|s|es)?\s*[:=(][^.]{{0,80}}
    )[.)\]"”*\s]*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
# A number, or capitals: "Table values", "Figure it out", "Chart in colour" are no labels, nor are sentences.
_NUMBERED = (
    r"\s*(?:[A-Z]?[.-]?\d[\d.-]*[A-Za-z]?|[IVXL]+|[ivxl]+|[A-Z])(?![^\W_])(?!\s+(?:also\s+)?(?:is|are|was|were|has|shows?"
    r"|gives?|lists?|presents?|summari[sz]es?|contains?|compares?|reports?|illustrates?|depicts?|zeigt|montre|muestra)\b)"
)
_TABLE_LABEL = re.compile(rf"\W*(?i:table|tab\.|tabelle|tableau|tabla|exhibit|schedule){_NUMBERED}")
_FIGURE_LABEL = re.compile(rf"\W*(?i:figure|fig\.?|chart|diagram|abb(?:ildung|\.)|exhibit){_NUMBERED}")
_NOTE = re.compile(
    r"\W*(?:notes?|n\.b\.|sources?|remarks?|legend|quellen?|anm(?:erkung(?:en)?|\.))\s*[:.(]", re.I
)


def bind_to_floats(
    blocks: Sequence[Block], floats: Sequence[Float], body: Sequence[Placed], budget: Budget
) -> tuple[list[Block], list[Float]]:
    """Move to each table and figure the lines of the flow that say what it is.

    Before it: lines that end in a colon, lines of units ("in millions"), and its label where no element was
    classed as its caption. Behind it: its label, "Source: ..." and "Note: ...", and footnotes whose marks it
    carries. A paragraph before it that ends in a colon and is too long to be moved stays where it is, and its
    last sentence is repeated with the float.

    Returns:
        The blocks that are left, and the floats with theirs.
    """
    starts = {block.sources[0].position: index for index, block in enumerate(blocks)}
    ends = {block.sources[-1].position: index for index, block in enumerate(blocks)}
    carriers = footnote_carriers(blocks)
    taken: set[int] = set()
    found: list[Float] = []
    for item in floats:
        if item.is_empty:
            found.append(item)
            continue
        item, used = _with_leads(item, blocks, ends, body, taken, budget)
        taken |= used
        item, used = _with_notes(item, blocks, starts, body, taken, carriers, budget)
        taken |= used
        found.append(item)
    _bind_footnotes(blocks, found, carriers, taken)
    return [block for index, block in enumerate(blocks) if index not in taken], found


def _with_leads(
    item: Float,
    blocks: Sequence[Block],
    ends: dict[int, int],
    body: Sequence[Placed],
    taken: set[int],
    budget: Budget,
) -> tuple[Float, set[int]]:
    leads: list[Block] = []
    used: set[int] = set()
    label = ""
    repeated = ""
    for position in _beside(item, item.placed.position, -1, body):
        if used and position >= leads[-1].sources[0].position:
            continue
        index = ends.get(position)
        if index is None or index in taken:
            if index is not None or is_float(body[position]):
                break
            continue
        block = blocks[index]
        is_label = not item.caption and not label and _is_label(item, block)
        if len(leads) == _MOST_LEADS or not (is_label or _leads_in(block)):
            break
        words = " ".join(lead.embed for lead in [block, *reversed(leads)])
        if budget.cost(block.embed) > budget.max_tokens // 8 or not budget.holds_caption(
            f"{words} {item.caption}"
        ):
            sentence = "" if leads else _last_sentence(block, budget)
            # What is said before a float must leave its caption whole.
            repeated = sentence if budget.holds_caption(f"{sentence} {item.caption}") else ""
            break
        label = block.embed if is_label else label
        leads.append(block)
        used.add(index)
    if not leads:
        return (replace(item, repeated=repeated) if repeated else item), used
    leads.reverse()
    return replace(item, leads=tuple(leads), caption=item.caption or _line(label)), used


def _with_notes(
    item: Float,
    blocks: Sequence[Block],
    starts: dict[int, int],
    body: Sequence[Placed],
    taken: set[int],
    carriers: Mapping[int, int],
    budget: Budget,
) -> tuple[Float, set[int]]:
    notes: list[Block] = []
    used: set[int] = set()
    label = ""
    words = ""
    for position in _beside(item, item.last_position, 1, body):
        index = starts.get(position)
        if index is None:
            if is_float(body[position]):
                break
            continue
        block = blocks[index]
        if index in taken or len(notes) == _MOST_NOTES or len(block.sources) > 1 or block.heading:
            break
        is_label = not notes and not item.caption and _is_label(item, block)
        if not is_label and not _NOTE.match(block.embed):
            words = words or _words(item)
            # Plain digits stand in any table: the text comes first.
            is_plain = block.kind == "footnote" and index not in carriers
            has_mark = mark_finder(block.embed, plain=is_plain)
            if block.kind not in ("text", "footnote") or has_mark is None or not has_mark(words):
                break
        if budget.cost(block.embed) > budget.max_tokens // 4:
            break
        label = block.embed if is_label else label
        notes.append(block)
        used.add(index)
    return (replace(item, notes=tuple(notes), caption=item.caption or _line(label)) if notes else item), used


def _bind_footnotes(
    blocks: Sequence[Block], floats: list[Float], carriers: Mapping[int, int], taken: set[int]
) -> None:
    """Give footnotes whose marks the flow does not carry to the float of their page that does."""
    footnotes = [
        index for index, block in enumerate(blocks) if block.kind == "footnote" and index not in taken
    ]
    words: dict[int, str] = {}
    on_page: dict[int, list[int]] = {}
    for place, item in enumerate(floats):
        if not item.is_empty:
            on_page.setdefault(id(item.placed.page), []).append(place)
    for index in footnotes:
        note = blocks[index]
        has_mark = None if index in carriers else mark_finder(note.embed)
        if has_mark is None:
            continue
        for place in on_page.get(id(note.sources[0].page), ()):
            if place not in words:
                words[place] = _words(floats[place])
            if has_mark(words[place]):
                floats[place] = replace(floats[place], notes=(*floats[place].notes, note))
                taken.add(index)
                break


def _beside(item: Float, position: int, step: int, body: Sequence[Placed]) -> Iterator[int]:
    """Positions from the float on, up or down, but for those of its captions, to the next page at most."""
    own = {placed.position for placed in item.captions}
    page = body[position].page.number
    position += step
    while 0 <= position < len(body) and abs(body[position].page.number - page) <= (1 if step < 0 else 0):
        if position not in own:
            yield position
        position += step


def _leads_in(block: Block) -> bool:
    if block.heading or block.kind != "text":
        return False
    return block.embed.endswith((":", "：")) or (
        len(block.embed) < 200 and _UNITS.match(block.embed) is not None
    )


def _is_label(item: Float, block: Block) -> bool:
    label = _TABLE_LABEL if item.is_table else _FIGURE_LABEL
    is_short = block.kind == "text" and not block.heading and len(block.embed) <= _LONGEST_LABEL
    return is_short and label.match(block.embed) is not None


def _last_sentence(block: Block, budget: Budget) -> str:
    start, end = sentence_spans(block.embed)[-1]
    sentence = _line(block.embed[start:end])
    return sentence if budget.cost(sentence) <= budget.max_tokens // 8 else ""


def _words(item: Float) -> str:
    parts = [part.placed for part in item.table.parts] if item.table else [item.placed]
    return "\n".join([item.caption, *(embedded_words(placed.element) for placed in parts)])


def _line(text: str) -> str:
    return " ".join(text.split())
