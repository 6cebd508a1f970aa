"""Checks on running text: all that is printed is shown and embedded once, and nothing is made up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nemoparse_loaders import Chunk, LayoutChunker
from nemoparse_loaders.chunking.blocks import embedded_words, kind_of, reader_text
from nemoparse_loaders.chunking.body import Placed, body_of
from nemoparse_loaders.chunking.chunk import ChunkSpan
from nemoparse_loaders.document import Element, ParsedDocument
from tests.chunking.invariants import HEADINGS


@dataclass(frozen=True)
class Held:
    """A document with its chunks, and which of them hold each element."""

    document: ParsedDocument
    chunker: LayoutChunker
    chunks: Sequence[Chunk]
    body: Sequence[Placed]
    placed: dict[str, Placed]
    spans: dict[str, list[tuple[ChunkSpan, Chunk]]]

    @classmethod
    def of(cls, document: ParsedDocument, chunker: LayoutChunker, chunks: Sequence[Chunk]) -> Held:
        """Sort the spans of the chunks by their elements."""
        spans: dict[str, list[tuple[ChunkSpan, Chunk]]] = {}
        for chunk in chunks:
            for span in chunk.spans:
                spans.setdefault(span.element_id, []).append((span, chunk))
        body = body_of(document, chunker.steps, chunker.selection)
        return cls(document, chunker, chunks, body, {placed.element.id: placed for placed in body}, spans)

    def holders(self, element: Element) -> list[Chunk]:
        """The chunks that hold an element, in order."""
        return [chunk for _, chunk in self.spans.get(element.id, [])]


def text_problems(held: Held) -> Iterator[str]:
    """What is wrong with elements that are no tables."""
    for placed in held.body:
        if placed.element.table is None:
            yield from _printed(placed.element, held)
            yield from _embedded(placed.element, held)
    if held.chunker.overlap_sentences == 0:
        yield from _added(held)


def letters(text: str) -> str:
    """Letters and digits alone."""
    return "".join(filter(str.isalnum, text))


def dense(text: str) -> str:
    """The text without white space."""
    return "".join(text.split())


def told(wanted: str, texts: Sequence[str]) -> int:
    """How many characters of a text the texts say: each one goes on where the one before it ended."""
    done = 0
    for text in texts:
        low, high = 0, len(wanted) - done
        while low < high:
            middle = (low + high + 1) // 2
            if wanted[done : done + middle] in text:
                low = middle
            else:
                high = middle - 1
        done += low
    return done


def _printed(element: Element, held: Held) -> Iterator[str]:
    """Every character belongs to one chunk, whose text shows it."""
    printed = element.markdown or element.text
    owners = [0] * len(printed)
    for span, chunk in held.spans.get(element.id, []):
        start, end = span.start or 0, len(printed) if span.end is None else span.end
        owners[start:end] = [count + 1 for count in owners[start:end]]
        # Headings are shown with other marks.
        if element.type not in HEADINGS and dense(printed[start:end]) not in dense(chunk.text):
            yield f"{element.id}: {printed[start:end][:60]!r} is not shown"
    if max(owners, default=0) > 1:
        yield f"{element.id} is in two chunks from {printed[owners.index(max(owners)) :][:60]!r}"
    lost = [index for index, count in enumerate(owners) if not count and not printed[index].isspace()]
    if lost and embedded_words(element):
        yield f"{element.id} is lost from {printed[lost[0] :][:60]!r}"


def _embedded(element: Element, held: Held) -> Iterator[str]:
    """Every word is in what is embedded of the chunks that hold the element."""
    wanted = letters(embedded_words(element))
    holders = held.holders(element)
    # Marks of LaTeX, and tags in formulas, are cut in another way where a formula is in pieces.
    if kind_of(element) == "formula" and len(holders) > 1:
        return
    done = told(wanted, [letters(chunk.embed_text) for chunk in holders])
    if done < len(wanted):
        yield f"{element.id} ({element.type}) is not embedded from {wanted[done:][:60]!r}"


def _added(held: Held) -> Iterator[str]:
    """Without overlap a chunk of running text shows its own elements and nothing else."""
    for chunk in held.chunks:
        if chunk.metadata["table_parts"] or chunk.metadata["chunk_type"] in ("figure", "chart"):
            continue
        own: list[str] = []
        for span in chunk.spans:
            placed = held.placed.get(span.element_id)
            if placed is None or span.start is None:
                # Words beside the rows of a table that was cut.
                break
            element = placed.element
            printed = element.markdown or element.text
            is_whole = (span.start, span.end) == (0, len(printed))
            own.append(reader_text(element) if is_whole else printed[span.start : span.end])
        else:
            if letters("".join(own)) != letters(chunk.text):
                yield f"{chunk.metadata['element_ids']} show other text: {chunk.text[:60]!r}"
