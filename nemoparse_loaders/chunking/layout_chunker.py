"""LayoutChunker: a parsed document to chunks that follow its layout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..document import ParsedDocument
from ..errors import OptionError
from .blocks import Block, Draft, block_of, embedded_words
from .body import Placed, body_of
from .budget import Budget
from .captions import bind_captions, is_float
from .chunk import Chunk
from .continuations import WholeTable, join_tables
from .finish import finish
from .floats import Float, caption_words, figure_drafts
from .outline import Path, outline
from .running_text import text_drafts
from .sections import grouped, section_tree
from .tables import table_drafts
from .tokens import TokenizerInput, counter_for

# Below this no tokenizer leaves room for a word beside the start and end marks.
_SMALLEST_BUDGET = 16


class LayoutChunker:
    """Packs the elements of a document under their headings within a budget of tokens.

    Page headers and footers are left out. A section that fits is one chunk; a longer one is packed under its
    subsections. Tables, pictures and charts are chunks of their own, with their captions; a table that does
    not fit is cut between rows, each piece with the header rows and the caption. Text that does not fit is
    cut between sentences, else between words.

    The whole is deterministic and needs no network. A chunker pickles if its tokenizer does.

    Attributes:
        max_tokens: Most tokens of a chunk's ``embed_text``; this holds without exception.
        tokenizer: What counts them, as given.
        overlap_sentences: Sentences that a piece of an over-long text repeats from the piece before.
    """

    def __init__(
        self, max_tokens: int = 512, tokenizer: TokenizerInput = None, overlap_sentences: int = 1
    ) -> None:
        """Choose the budget and how it is counted.

        Args:
            max_tokens: At least 16.
            tokenizer: The embedder's own: a function from text to a number, a ``tokenizers.Tokenizer``, or
                the path of a ``tokenizer.json``. None for an estimate that is on the safe side for English,
                see `tokens.estimate_tokens`.
            overlap_sentences: 0 for none.

        Raises:
            OptionError: A value cannot work, or the tokenizer cannot be read.
        """
        if max_tokens < _SMALLEST_BUDGET:
            raise OptionError(f"max_tokens must be at least {_SMALLEST_BUDGET}, not {max_tokens}")
        if overlap_sentences < 0:
            raise OptionError(f"overlap_sentences must be 0 or more, not {overlap_sentences}")
        self.max_tokens = max_tokens
        self.tokenizer = tokenizer
        self.overlap_sentences = overlap_sentences
        self._count = counter_for(tokenizer)

    def count(self, text: str) -> int:
        """Tokens of a text, as the budget counts them."""
        return self._count(text)

    def chunk(self, document: ParsedDocument) -> list[Chunk]:
        """The chunks of a document, in reading order.

        Raises:
            OptionError: The tokenizer counts more than ``max_tokens`` for a single character.
        """
        return finish(document, self.drafts(document), "chunk", self._count)

    def drafts(self, document: ParsedDocument) -> list[Draft]:
        """The chunks before they have ids and metadata, in reading order."""
        budget = Budget.of(self.max_tokens, self._count)
        flow, floats = _flow_and_floats(document, budget)
        groups, floats = _with_lone_headings(grouped(section_tree(flow), budget), floats)
        drafts = list(text_drafts(groups, budget, self.overlap_sentences))
        for item in floats:
            drafts.extend(self._float_drafts(item, budget))
        # Stable: pieces of one element keep their order.
        drafts.sort(key=lambda draft: draft.position)
        return drafts

    def _float_drafts(self, item: Float, budget: Budget) -> Iterator[Draft]:
        if item.table is not None:
            return table_drafts(item, item.table, budget, self.overlap_sentences)
        return figure_drafts(item, budget, self.overlap_sentences)


def _flow_and_floats(document: ParsedDocument, budget: Budget) -> tuple[list[Block], list[Float]]:
    """The running text, and what stands beside it."""
    body = body_of(document)
    paths = outline(body)
    captions = bind_captions(body)
    tables = join_tables(body, captions)
    parts = {part.placed.position: first for first, whole in tables.items() for part in whole.parts}
    floats: list[Float] = []
    bound: set[int] = set()
    for placed in body:
        first = parts.get(placed.position)
        if first is not None and first != placed.position:
            continue
        if first is not None or is_float(placed):
            item = _float(placed, paths[placed.position], captions, tables, budget)
            floats.append(item)
            bound.update(caption.position for caption in item.captions)
    beside = bound | set(parts) | {item.placed.position for item in floats}
    flow = [
        block_of(placed, paths[placed.position])
        for placed in body
        if placed.position not in beside and embedded_words(placed.element)
    ]
    return flow, floats


def _float(
    placed: Placed,
    path: Path,
    captions: Mapping[int, Sequence[Placed]],
    tables: Mapping[int, WholeTable],
    budget: Budget,
) -> Float:
    table = tables.get(placed.position)
    positions = [part.placed.position for part in table.parts] if table else [placed.position]
    own = [caption for position in positions for caption in captions.get(position, ())]
    words = caption_words(own)
    # A caption that cannot be embedded whole with its table is running text as well, so that no word is lost.
    return Float(placed, path, words, tuple(own) if budget.holds_caption(words) else (), (), table)


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
            floats[target] = Float(
                item.placed, item.path, item.caption, item.captions, tuple(group), item.table
            )
    return kept, floats
