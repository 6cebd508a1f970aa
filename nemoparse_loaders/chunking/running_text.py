"""Groups of blocks to drafts of chunks; over-long blocks are cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..export.plain import markdown_to_text
from .blocks import (
    Block,
    ChunkType,
    Draft,
    Span,
    characters_of,
    embedded_form,
    seam_of,
    source_text,
    whole_span,
)
from .body import Placed
from .budget import Budget
from .clean import storable
from .outline import Path, common_path
from .ranges import pack
from .sentences import line_spans, sentence_spans
from .splitting import split_to_fit


def text_drafts(groups: Sequence[Sequence[Block]], budget: Budget, overlap_sentences: int) -> Iterator[Draft]:
    """One chunk a group, more where it does not fit.

    Raises:
        OptionError: Not even a single character fits into the budget.
    """
    for group in groups:
        text = _embedded(group, budget)
        if budget.fits(text):
            yield _draft(group, text)
            continue
        blocks = list(_short_blocks(group, budget, overlap_sentences))
        for start, end in _packed(blocks, budget):
            part = blocks[start:end]
            text = _embedded(part, budget)
            # A tokenizer for which a part can be longer than the whole: the prefix goes first.
            if not budget.fits(text):
                text = part[0].embed
            if not budget.fits(text):
                raise budget.too_small()
            yield _draft(part, text)


def _packed(blocks: Sequence[Block], budget: Budget) -> list[tuple[int, int]]:
    return pack(
        [budget.cost(block.embed) for block in blocks],
        budget.max_tokens - budget.empty,
        lambda start, end: budget.fits(_embedded(blocks[start:end], budget)),
        [block.opens for block in blocks],
        [block.leads for block in blocks],
    )


def joined_text(blocks: Sequence[Block]) -> str:
    """The Markdown of blocks in a row."""
    return joined_markdown([(block.kind, block.text) for block in blocks])


def joined_markdown(texts: Sequence[tuple[ChunkType, str]]) -> str:
    """Texts in a row, with their kinds; items of lists stand close together."""
    pieces: list[str] = []
    for index, (kind, text) in enumerate(texts):
        if index:
            pieces.append("\n" if texts[index - 1][0] == kind == "list" else "\n\n")
        pieces.append(text)
    return "".join(pieces)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text that fits.

    Attributes:
        text: For the reader, with the sentences that it repeats.
        embed: For the embedder.
        start: Where its own part of the text begins, in characters.
        end: Where it ends.
    """

    text: str
    embed: str
    start: int
    end: int


def text_pieces(
    source: str,
    kind: ChunkType,
    front: str,
    budget: Budget,
    overlap_sentences: int,
    mends: Sequence[tuple[str, str]] = (),
    first_front: str | None = None,
) -> list[Piece]:
    """Cut an element's Markdown so that each piece fits behind ``front``, the first behind ``first_front``.

    Raises:
        OptionError: Not even a single character fits.
    """
    edges = "\n" if kind == "code" else None

    def embed(piece: str) -> str:
        piece = piece.strip(edges)
        for printed, word in mends:
            piece = piece.replace(printed, word)
        if not budget.plain:
            return _printed(storable(piece), kind)
        return embedded_form(piece if kind == "code" else markdown_to_text(piece), kind)

    def fits_behind(front: str) -> Callable[[str], bool]:
        return lambda piece: not budget.hopeless(piece) and budget.fits(front + embed(piece))

    first_front = front if first_front is None else first_front
    cut = split_to_fit(
        source,
        fits_behind(front),
        0 if kind == "code" else overlap_sentences,
        line_spans if kind == "code" else sentence_spans,
        fits_behind(first_front),
    )
    if first_front != front and cut and not fits_behind(first_front)(source[: cut[0].end]):
        return text_pieces(source, kind, front, budget, overlap_sentences, mends)
    if front and any(not budget.fits(front + embed(source[piece.start : piece.end])) for piece in cut):
        return text_pieces(source, kind, "", budget, overlap_sentences, mends)
    pieces = []
    for piece in cut:
        text = source[piece.overlap_start : piece.end].strip(edges)
        words = embed(text)
        if not words:
            continue
        if not budget.fits(words):
            raise budget.too_small()
        pieces.append(Piece(_printed(text, kind), words, piece.start, piece.end))
    return pieces


def _printed(text: str, kind: ChunkType) -> str:
    """A part of an element's Markdown as Markdown of its own."""
    if kind != "code":
        return text.strip()
    return f"```\n{text.strip(chr(10))}\n```" if text.strip() else ""


def path_of(blocks: Sequence[Block]) -> Path:
    """The headings that all content of the blocks stands under."""
    content = [block.path for block in blocks if block.heading is None]
    return common_path(content or [block.path for block in blocks])


def _short_blocks(blocks: Sequence[Block], budget: Budget, overlap_sentences: int) -> Iterator[Block]:
    """The blocks, each of which fits by itself; over-long ones in pieces."""
    leading = ""
    for block in blocks:
        alone = _embedded([block], budget)
        if budget.fits(alone):
            leading = leading + block.embed + budget.seam if block.leads else ""
            yield block
            continue
        above = block.path[:-1] if block.heading in block.path else block.path
        # The first piece must leave room for the headings right before it; one rule for all keeps it simple.
        # A long paragraph that leads in would leave no room for more than a few words in each piece.
        if leading and budget.cost(leading) > budget.max_tokens // 3:
            leading = ""
        front = budget.front(above) + leading
        source, parts = _source_of(block)
        pieces = text_pieces(source, block.kind, front, budget, overlap_sentences, block.mends)
        for number, piece in enumerate(pieces):
            yield replace(
                block,
                text=piece.text,
                embed=piece.embed,
                spans=tuple(_spans_of(parts, block.kind, piece)),
                leads=False,
                opens=number > 0,
            )
        leading = ""


@dataclass(frozen=True, slots=True)
class _Part:
    """Where an element stands in the text of its block."""

    placed: Placed
    start: int
    end: int


def _source_of(block: Block) -> tuple[str, list[_Part]]:
    """The Markdown of a block, and which of it comes from which element."""
    texts: list[str] = []
    parts: list[_Part] = []
    seam, start = seam_of(block.kind), 0
    for placed in block.sources:
        text = source_text(placed.element, block.kind)
        parts.append(_Part(placed, start, start + len(text)))
        texts.append(text)
        start += len(text) + len(seam)
    return seam.join(texts), parts


def _spans_of(parts: Sequence[_Part], kind: ChunkType, piece: Piece) -> Iterator[Span]:
    for part in parts:
        start, end = max(piece.start, part.start), min(piece.end, part.end)
        if (start, end) == (part.start, part.end) and len(parts) > 1:
            yield whole_span(part.placed)
        elif start < end:
            yield characters_of(part.placed, kind, start - part.start, end - part.start)


def _embedded(blocks: Sequence[Block], budget: Budget) -> str:
    """What is embedded: the headings above, but for those that stand in the text itself, and the words."""
    inside = {block.heading.position for block in blocks if block.heading}
    path = tuple(heading for heading in path_of(blocks) if heading.position not in inside)
    if budget.plain:
        words = "\n".join(block.embed for block in blocks if block.embed)
    else:
        words = joined_markdown([(block.kind, block.embed) for block in blocks if block.embed])
    return budget.front(path) + words


def _draft(blocks: Sequence[Block], embed_text: str) -> Draft:
    kinds = {block.kind for block in blocks if block.heading is None}
    kind: ChunkType = kinds.pop() if len(kinds) == 1 else "text"
    return Draft(
        kind=kind,
        text=joined_text(blocks),
        embed_text=embed_text,
        spans=tuple(span for block in blocks for span in block.spans),
        path=path_of(blocks),
        position=blocks[0].position,
    )
