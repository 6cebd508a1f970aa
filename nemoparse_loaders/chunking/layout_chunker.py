"""LayoutChunker: a parsed document to chunks that follow its layout."""

from __future__ import annotations

from ..document import ParsedDocument
from ..errors import OptionError
from .blocks import Draft
from .budget import Budget
from .chunk import Chunk
from .drafts import drafts_of
from .finish import finish
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
        return drafts_of(document, Budget.of(self.max_tokens, self._count), self.overlap_sentences)
