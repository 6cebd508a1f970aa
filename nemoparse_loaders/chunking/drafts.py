"""A parsed document to drafts of chunks: the steps of the algorithm, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..document import ParsedDocument
from .bindings import bind_footnotes, bind_formulas
from .blocks import Block, Draft, block_of
from .body import Placed, body_of
from .budget import Budget
from .captions import bind_captions, is_float
from .continuations import WholeTable, join_tables
from .float_bindings import bind_to_floats
from .floats import Float, caption_words, figure_drafts
from .joins import joined, words_of_body
from .outline import Path, outline
from .running_text import text_drafts
from .sections import grouped, packed, section_tree
from .selection import DEFAULT_SELECTION, Selection
from .shared_captions import share_captions
from .small_groups import with_small_merged
from .steps import ALL_STEPS, Steps
from .tables import table_drafts


def drafts_of(
    document: ParsedDocument,
    budget: Budget,
    overlap_sentences: int = 1,
    steps: Steps = ALL_STEPS,
    selection: Selection = DEFAULT_SELECTION,
    min_tokens: int = 0,
) -> list[Draft]:
    """The chunks of a document before they have ids and metadata, in reading order.

    Raises:
        OptionError: The tokenizer counts more than the budget for a single character.
    """
    budget = replace(budget, steps=steps)
    overlap_sentences = overlap_sentences if steps.overlap else 0
    flow, floats = _flow_and_floats(document, budget, selection)
    groups = grouped(section_tree(flow), budget) if steps.sections else packed(flow, budget)
    groups, floats = _with_lone_headings(groups, floats)
    groups = with_small_merged(groups, budget, min_tokens)
    drafts = list(text_drafts(groups, budget, overlap_sentences))
    for item in floats:
        drafts.extend(_float_drafts(item, budget, overlap_sentences))
    # Stable: pieces of one element keep their order.
    drafts.sort(key=lambda draft: draft.position)
    return drafts


def _float_drafts(item: Float, budget: Budget, overlap_sentences: int) -> Iterator[Draft]:
    if item.table is not None:
        return table_drafts(item, item.table, budget, overlap_sentences)
    return figure_drafts(item, budget, overlap_sentences)


def _flow_and_floats(
    document: ParsedDocument, budget: Budget, selection: Selection
) -> tuple[list[Block], list[Float]]:
    """The running text, and what stands beside it."""
    steps = budget.steps
    body = body_of(document, steps, selection)
    paths = outline(body, steps)
    captions = bind_captions(body) if steps.captions else {}
    lent = share_captions(body, captions)
    tables = join_tables(body, captions, steps)
    parts = {part.placed.position: first for first, whole in tables.items() for part in whole.parts}
    floats: list[Float] = []
    bound: set[int] = set()
    for placed in body:
        first = parts.get(placed.position)
        if first is not None and first != placed.position:
            continue
        if first is not None or is_float(placed):
            item = _float(placed, paths[placed.position], captions, lent, tables, budget)
            floats.append(item)
            bound.update(caption.position for caption in item.captions)
    beside = bound | set(parts) | {item.placed.position for item in floats}
    flow = [
        block
        for placed in body
        if placed.position not in beside
        and (block := block_of(placed, paths[placed.position], plain=budget.plain)).embed
    ]
    if steps.joins:
        flow = joined(flow, lambda: words_of_body(body))
    if steps.bindings:
        flow, floats = bind_to_floats(flow, floats, body, budget)
        flow = bind_formulas(bind_footnotes(flow))
    return flow, floats


def _float(
    placed: Placed,
    path: Path,
    captions: Mapping[int, Sequence[Placed]],
    lent: Mapping[int, Sequence[Placed]],
    tables: Mapping[int, WholeTable],
    budget: Budget,
) -> Float:
    table = tables.get(placed.position)
    positions = [part.placed.position for part in table.parts] if table else [placed.position]
    own = [caption for position in positions for caption in captions.get(position, ())]
    words = caption_words(own)
    # A caption that cannot be embedded whole with its table is running text as well, so that no word is lost.
    held = tuple(own) if budget.holds_caption(words) else ()
    borrowed = caption_words(lent.get(placed.position, ()))
    both = sorted([*lent.get(placed.position, ()), *own], key=lambda caption: caption.position)
    whole = caption_words(both) if borrowed else words
    # Its own words go before those that stand with another float as well.
    if not borrowed or (own and not budget.holds_caption(whole)):
        return Float(placed, path, words, captions=held, table=table)
    return Float(placed, path, whole, captions=held, lent=borrowed, table=table)


def _with_lone_headings(
    groups: list[list[Block]], floats: list[Float]
) -> tuple[list[list[Block]], list[Float]]:
    """Headings with nothing under them but a table or picture go with it."""
    kept: list[list[Block]] = []
    floats = list(floats)
    for group in groups:
        target = None
        if all(block.heading for block in group):
            target = next(
                (
                    index
                    for index, item in enumerate(floats)
                    if item.path == group[-1].path
                    and item.placed.position > group[-1].position
                    and not item.is_empty
                ),
                None,
            )
        if target is None:
            kept.append(group)
        else:
            item = floats[target]
            floats[target] = replace(item, leads=(*group, *item.leads))
    return kept, floats
