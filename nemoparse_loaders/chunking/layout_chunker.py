"""LayoutChunker: a parsed document to chunks that follow its layout."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, NoReturn, TypeAlias, get_args

from ..document import ParsedDocument
from ..errors import OptionError
from .blocks import Draft
from .budget import Budget
from .chunk import Chunk
from .drafts import drafts_of
from .finish import chunk_ids, finish
from .parents import Parents, family_of
from .selection import Selection, Treatment
from .steps import ALL_STEPS, Steps
from .tokens import TokenCounter, TokenizerInput, counter_for

Embed: TypeAlias = Literal["words", "markdown"]

# Below this no tokenizer leaves room for a word beside the start and end marks.
_SMALLEST_BUDGET = 16


class ChunkTree(NamedTuple):
    """Chunks and what they stand in.

    Attributes:
        parents: Sections or pages in reading order, a section before the sections in it; empty where the
            chunker makes none.
        chunks: The chunks, as `LayoutChunker.chunk` gives them.
    """

    parents: list[Chunk]
    chunks: list[Chunk]


class LayoutChunker:
    """Packs the elements of a document under their headings within a budget of tokens.

    Page headers and footers are left out by default. A section that fits is one chunk; a longer one is packed
    under its subsections. Tables, pictures and charts are chunks of their own, with their captions; a table
    that does not fit is cut between rows, each piece with the header rows and the caption. Text that does not
    fit is cut between sentences, else between words.

    The whole is deterministic and needs no network. A chunker does not change once it is made, and pickles if
    its tokenizer does.

    Attributes:
        max_tokens: Most tokens of a chunk's ``embed_text``; this holds without exception.
        tokenizer: What counts them, as given.
        overlap_sentences: Sentences that a piece of an over-long text repeats from the piece before.
        min_tokens: Text chunks of fewer tokens are merged with a neighbour where that fits.
        parents: What chunks belong to: "section", "page" or None.
        embed: What ``embed_text`` holds: "words" or "markdown".
        selection: Which kinds of elements become chunks.
        steps: Which steps of the algorithm are taken.
    """

    max_tokens: int
    tokenizer: TokenizerInput
    overlap_sentences: int
    min_tokens: int
    parents: Parents | None
    embed: Embed
    selection: Selection
    steps: Steps
    _count: TokenCounter

    def __init__(
        self,
        max_tokens: int = 512,
        tokenizer: TokenizerInput = None,
        overlap_sentences: int = 1,
        *,
        min_tokens: int = 0,
        parents: Parents | None = None,
        embed: Embed = "words",
        furniture: Treatment = "drop",
        pictures: Treatment = "keep",
        footnotes: Treatment = "keep",
        toc: Treatment = "keep",
        doubtful: Treatment = "keep",
        min_confidence: float = 0.0,
        steps: Steps = ALL_STEPS,
    ) -> None:
        """Choose the budget and how it is counted.

        Args:
            max_tokens: At least 16.
            tokenizer: The embedder's own, see `tokens.counter_for`: a function from text to a number, a
                ``tokenizers.Tokenizer``, the path of a ``tokenizer.json``, the name of a model whose
                tokenizer lies in the local Hugging Face cache, or "tiktoken:" with the name of an encoding
                or model. None for an estimate that is on the safe side for English, see
                `tokens.estimate_tokens`.
            overlap_sentences: 0 for none.
            min_tokens: Text chunks of fewer tokens go with a neighbour under the same parent heading, where
                both fit; at most half of ``max_tokens``. 0 for none.
            parents: "section" gives each chunk the section that it stands in as its parent, "page" the page
                that it begins on; `chunk_tree` returns them.
            embed: What ``embed_text`` holds behind heading path and caption: plain "words", which most
                embedders find better, or the reader's "markdown", for whoever shows a model what was
                embedded. The budget holds for either.
            furniture: Page headers and footers: "keep" or "drop".
            pictures: Pictures with the words inside of them: "keep" or "drop". Charts stay; captions of
                dropped pictures are running text.
            footnotes: "keep" or "drop".
            toc: Tables of contents: "keep" or "drop".
            doubtful: Elements that the page's file or another reading of theirs speaks against: "keep", with
                ``needs_review`` as a mark, or "drop".
            min_confidence: Drop elements whose confidence is known and lower, 0..1; 0 drops none.
            steps: Switches for measuring what each step is worth.

        Raises:
            OptionError: A value cannot work, or the tokenizer cannot be read.
            MissingDependencyError: The tokenizer needs a library that is not installed.
        """
        max_tokens = _whole_number("max_tokens", max_tokens)
        overlap_sentences = _whole_number("overlap_sentences", overlap_sentences)
        min_tokens = _whole_number("min_tokens", min_tokens)
        if max_tokens < _SMALLEST_BUDGET:
            raise OptionError(f"max_tokens must be at least {_SMALLEST_BUDGET}, not {max_tokens}")
        if overlap_sentences < 0:
            raise OptionError(f"overlap_sentences must be 0 or more, not {overlap_sentences}")
        if not 0 <= min_tokens <= max_tokens // 2:
            raise OptionError(
                f"min_tokens must be 0 to {max_tokens // 2}, half of max_tokens, not {min_tokens}"
            )
        if parents is not None and parents not in get_args(Parents):
            raise OptionError(f'parents must be "section", "page" or None, not {parents!r}')
        if embed not in get_args(Embed):
            raise OptionError(f'embed must be "words" or "markdown", not {embed!r}')
        vars(self).update(
            max_tokens=max_tokens,
            tokenizer=tokenizer,
            overlap_sentences=overlap_sentences,
            min_tokens=min_tokens,
            parents=parents,
            embed=embed,
            selection=Selection(
                furniture=furniture,
                pictures=pictures,
                footnotes=footnotes,
                toc=toc,
                doubtful=doubtful,
                min_confidence=min_confidence,
            ),
            steps=steps,
            _count=counter_for(tokenizer),
        )

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refused: what was made with the old value would no longer fit."""
        raise AttributeError(f"a LayoutChunker does not change; use with_options({name}=...)")

    def __repr__(self) -> str:
        """All options; of a tokenizer that is an object, its kind."""
        shown = {name: repr(value) for name, value in self._options().items()}
        if not (self.tokenizer is None or isinstance(self.tokenizer, str)):
            shown["tokenizer"] = f"<{getattr(self.tokenizer, '__qualname__', type(self.tokenizer).__name__)}>"
        return f"LayoutChunker({', '.join(f'{name}={value}' for name, value in shown.items())})"

    def with_options(self, **changes: Any) -> LayoutChunker:
        """A chunker with some options changed.

        Raises:
            OptionError: A value cannot work.
        """
        return LayoutChunker(**{**self._options(), **changes})

    def _options(self) -> dict[str, Any]:
        chosen = self.selection
        return {
            "max_tokens": self.max_tokens,
            "tokenizer": self.tokenizer,
            "overlap_sentences": self.overlap_sentences,
            "min_tokens": self.min_tokens,
            "parents": self.parents,
            "embed": self.embed,
            "furniture": chosen.furniture,
            "pictures": chosen.pictures,
            "footnotes": chosen.footnotes,
            "toc": chosen.toc,
            "doubtful": chosen.doubtful,
            "min_confidence": chosen.min_confidence,
            "steps": self.steps,
        }

    def count(self, text: str) -> int:
        """Tokens of a text, as the budget counts them."""
        return self._count(text)

    def chunk(self, document: ParsedDocument) -> list[Chunk]:
        """The chunks of a document, in reading order; each knows the id of its parent, if it has one.

        Raises:
            OptionError: The tokenizer counts more than ``max_tokens`` for a single character.
        """
        return self.chunk_tree(document).chunks

    def chunk_tree(self, document: ParsedDocument) -> ChunkTree:
        """The chunks of a document, and the sections or pages that they stand in.

        The text of a parent is whole, however long; its ``embed_text`` is cut to the budget. A section holds
        all that stands under its heading, the sections in it included. A page holds all that is on it, and
        its chunks are those that begin there.

        Raises:
            OptionError: The tokenizer counts more than ``max_tokens`` for a single character.
        """
        budget = budget_of(self)
        return tree_of(self, document, leaves_of(self, document, budget), budget)


def budget_of(chunker: LayoutChunker) -> Budget:
    """A budget to chunk one document with."""
    return Budget.of(chunker.max_tokens, chunker.count, chunker.steps, plain=chunker.embed == "words")


def leaves_of(chunker: LayoutChunker, document: ParsedDocument, budget: Budget) -> list[Draft]:
    """The chunks before they have ids and metadata, in reading order."""
    return drafts_of(
        document,
        budget,
        chunker.overlap_sentences,
        chunker.steps,
        selection=chunker.selection,
        min_tokens=chunker.min_tokens,
    )


def tree_of(
    chunker: LayoutChunker, document: ParsedDocument, leaves: Sequence[Draft], budget: Budget
) -> ChunkTree:
    """As `LayoutChunker.chunk_tree`, from drafts; one that stands for a page without content has no parent.

    The budget is that of the drafts, so that what they were counted with is not counted again.
    """
    if chunker.parents is None:
        return ChunkTree([], finish(document, leaves, "chunk", budget.count))
    family = family_of(document, leaves, chunker.parents, budget, chunker.selection)
    ids = chunk_ids(document, family.drafts, chunker.parents)
    above = ["" if index is None else ids[index] for index in family.above]
    of_leaf = ["" if index is None else ids[index] for index in family.of_leaf]
    return ChunkTree(
        finish(document, family.drafts, chunker.parents, budget.count, above),
        finish(document, leaves, "chunk", budget.count, of_leaf),
    )


def _whole_number(name: str, value: object) -> int:
    """Also those of numpy.

    Raises:
        OptionError: It is none.
    """
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise OptionError(f"{name} must be a whole number, not {value!r}") from None
