"""Groups of blocks to drafts of chunks; over-long blocks are cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..document import Element, ElementType
from ..export.plain import markdown_to_text
from .blocks import Block, ChunkType, Draft, embedded_form, slice_of
from .budget import Budget
from .outline import Path, common_path
from .ranges import pack
from .sentences import line_spans
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
    )


def joined_text(blocks: Sequence[Block]) -> str:
    """The Markdown of blocks in a row; list items stand close together, as in the document's own Markdown."""
    pieces: list[str] = []
    for index, block in enumerate(blocks):
        if index:
            before = blocks[index - 1]
            pieces.append("\n" if before.kind == block.kind == "list" else "\n\n")
        pieces.append(block.text)
    return "".join(pieces)


@dataclass(frozen=True, slots=True)
class ElementPiece:
    """A part of an element's text that fits.

    Attributes:
        text: For the reader, with the sentences that it repeats.
        embed: For the embedder.
        start: Where its own text begins, as a share of the whole.
        end: Where it ends.
        part: The same in characters, "start:end".
    """

    text: str
    embed: str
    start: float
    end: float
    part: str


def element_pieces(
    element: Element, kind: ChunkType, front: str, budget: Budget, overlap_sentences: int
) -> list[ElementPiece]:
    """Cut an element's text so that each piece fits behind ``front``.

    Raises:
        OptionError: Not even a single character fits.
    """
    source = element.markdown or element.text
    source = source.strip("\n") if kind == "code" else source.strip()

    def embed(piece: str) -> str:
        return embedded_form(piece if kind == "code" else markdown_to_text(piece), kind)

    def fits(piece: str) -> bool:
        return not budget.hopeless(piece) and budget.fits(front + embed(piece))

    if kind == "code":
        cut = split_to_fit(source, fits, spans=line_spans)
    else:
        cut = split_to_fit(source, fits, overlap_sentences)
    if front and any(not budget.fits(front + embed(source[piece.start : piece.end])) for piece in cut):
        return element_pieces(element, kind, "", budget, overlap_sentences)
    pieces = []
    for piece in cut:
        text = source[piece.overlap_start : piece.end].strip("\n" if kind == "code" else None)
        words = embed(text)
        if not words:
            continue
        if not budget.fits(words):
            raise budget.too_small()
        fenced = f"```\n{text}\n```" if element.type == ElementType.CODE.value else text
        start, end = piece.start / len(source), piece.end / len(source)
        pieces.append(ElementPiece(fenced, words, start, end, f"{piece.start}:{piece.end}"))
    return pieces


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
            leading = leading + block.embed + "\n" if block.leads else ""
            yield block
            continue
        above = block.path[:-1] if block.heading in block.path else block.path
        prefix = budget.prefix(above)
        # The first piece must leave room for the headings right before it; one rule for all keeps it simple.
        front = f"{prefix}\n{leading}" if prefix else leading
        pieces = element_pieces(block.element, block.kind, front, budget, overlap_sentences)
        for number, piece in enumerate(pieces):
            span = slice_of(block.spans[0], piece.start, piece.end, piece.part)
            yield replace(
                block,
                text=piece.text,
                embed=piece.embed,
                spans=(span,),
                leads=False,
                opens=number > 0,
            )
        leading = ""


def _embedded(blocks: Sequence[Block], budget: Budget) -> str:
    """What is embedded: the headings above, but for those that stand in the text itself, and the words."""
    inside = {block.heading.position for block in blocks if block.heading}
    path = tuple(heading for heading in path_of(blocks) if heading.position not in inside)
    prefix = budget.prefix(path)
    words = "\n".join(block.embed for block in blocks if block.embed)
    return f"{prefix}\n{words}" if prefix else words


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
