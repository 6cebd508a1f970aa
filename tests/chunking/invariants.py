"""What holds for the chunks of any document, as checks that say what is wrong."""

from __future__ import annotations

from collections.abc import Sequence

from nemoparse_loaders import Chunk, LayoutChunker
from nemoparse_loaders.chunking.body import Placed, body_of
from nemoparse_loaders.chunking.captions import bind_captions, is_float
from nemoparse_loaders.chunking.chunk import ChunkSpan
from nemoparse_loaders.chunking.continuations import WholeTable, join_tables
from nemoparse_loaders.chunking.floats import caption_words
from nemoparse_loaders.chunking.rows import Rows, cell_words
from nemoparse_loaders.document import ParsedDocument

HEADINGS = ("Title", "Section-header")


def assert_sound(document: ParsedDocument, chunker: LayoutChunker) -> list[Chunk]:
    """All that holds whatever the document and the options."""
    chunks = chunker.chunk(document)
    assert chunker.chunk(document) == chunks, "the same input gives other chunks"
    assert len({chunk.id for chunk in chunks}) == len(chunks), "two chunks have one id"
    for chunk in chunks:
        tokens = chunker.count(chunk.embed_text)
        assert tokens <= chunker.max_tokens, f"{tokens} tokens: {chunk.embed_text[:80]!r}"
        assert chunk.embed_text.strip(), "a chunk embeds nothing"
    body = body_of(document, chunker.steps, chunker.selection)
    spans: dict[str, list[tuple[ChunkSpan, Chunk]]] = {}
    for chunk in chunks:
        for span in chunk.spans:
            spans.setdefault(span.element_id, []).append((span, chunk))
    known = {placed.element.id for placed in body}
    assert set(spans) <= known, "a chunk holds furniture"
    for placed in body:
        if placed.element.table is None:
            assert_once(placed, spans.get(placed.element.id, []))
    captions = bind_captions(body)
    for first, whole in join_tables(body, captions).items():
        assert_rows_once(whole, spans)
        assert_headed(whole, [chunk for chunk in chunks if _is_of(chunk, body[first])], chunker)
    assert_captions_with_floats(body, captions, chunks, chunker)
    return chunks


def assert_once(placed: Placed, spans: Sequence[tuple[ChunkSpan, Chunk]]) -> None:
    """Every character of an element is in exactly one chunk, and that chunk's text shows it."""
    element = placed.element
    printed = element.markdown or element.text
    owners = [0] * len(printed)
    for span, chunk in spans:
        start, end = span.start or 0, len(printed) if span.end is None else span.end
        owners[start:end] = [count + 1 for count in owners[start:end]]
        # Headings and pictures are shown in another form.
        if element.type not in HEADINGS:
            assert _letters(printed[start:end]) in _letters(chunk.text), f"{element.id} is not shown"
    assert max(owners, default=0) <= 1, f"{element.id} is in two chunks"
    if _letters(element.text or printed):
        lost = [index for index, count in enumerate(owners) if not count and printed[index].isalnum()]
        assert not lost, f"{element.id} is lost from {printed[lost[0] : lost[0] + 40]!r}"


def assert_rows_once(whole: WholeTable, spans: dict[str, list[tuple[ChunkSpan, Chunk]]]) -> None:
    """Every row of a table with words is in one chunk, but for parts of a row that was cut."""
    if not any(cell.text.strip() for cell in whole.table.cells):
        return
    for part in whole.parts:
        found = [
            (span.row_start, span.row_end)
            for span, _ in spans.get(part.placed.element.id, [])
            if span.row_start is not None and span.row_end is not None
        ]
        seen: set[int] = set()
        for start, end in found:
            rows = set(range(start, end))
            # Rows without words and the header stand with the first part of a row that was cut.
            assert end - start == 1 or not rows & seen or max(rows & seen) == max(rows), "rows are doubled"
            seen |= rows
        wanted = part.n_rows if len(found) > 1 or part.skipped == 0 else max(seen, default=-1) + 1
        assert seen == set(range(wanted)), f"rows of {part.placed.element.id} are lost"


def assert_headed(whole: WholeTable, chunks: Sequence[Chunk], chunker: LayoutChunker) -> None:
    """Every cell is embedded with the words of the header above it."""
    table = whole.table
    rows = Rows(table)
    header = "\n".join(rows.words[: table.header_rows])
    if chunker.count(header) > chunker.max_tokens // 3:
        return
    for row in range(table.header_rows, table.n_rows):
        own = [chunk for chunk in chunks if _holds(chunk, row)]
        if not rows.words[row]:
            continue
        assert own, f"row {row} is in no chunk"
        for cell, head in zip(rows.cells[row], rows.headings(row), strict=True):
            words = cell_words(cell.text).split()
            if len(words) == 0 or len(words) > 8 or max(map(len, words)) > 12:
                continue
            said = [chunk for chunk in own if all(word in chunk.embed_text for word in words)]
            with_head = [chunk for chunk in said if all(word in chunk.embed_text for word in head.split())]
            assert with_head, f"row {row}: {cell.text!r} stands without {head!r}"


def assert_captions_with_floats(
    body: Sequence[Placed],
    captions: dict[int, list[Placed]],
    chunks: Sequence[Chunk],
    chunker: LayoutChunker,
) -> None:
    """A caption that a chunk has room for is in the chunk of its table or figure."""
    for target, bound in captions.items():
        if not is_float(body[target]) or 3 * chunker.count(caption_words(bound)) > chunker.max_tokens:
            continue
        for caption in bound:
            holders = [chunk for chunk in chunks if caption.element.id in _ids(chunk)]
            assert len(holders) == 1, f"{caption.element.id} is in {len(holders)} chunks"
            element = body[target].element
            if element.text or element.table is not None:
                floats = {placed.element.id for placed in body if is_float(placed)}
                assert floats & _ids(holders[0]), f"{caption.element.id} is not with its float"


def pipe_rows(chunk: Chunk) -> list[str]:
    """The rows of the pipe table in a chunk, the line under the header left out."""
    lines = [line for line in chunk.text.split("\n") if line.startswith("|")]
    return [line for index, line in enumerate(lines) if set(line) - set("|- ") or index != 1]


def _ids(chunk: Chunk) -> set[str]:
    return {span.element_id for span in chunk.spans}


def _is_of(chunk: Chunk, placed: Placed) -> bool:
    return chunk.metadata["table_id"] == placed.element.id


def _holds(chunk: Chunk, row: int) -> bool:
    return int(chunk.metadata["row_start"]) <= row < int(chunk.metadata["row_end"])


def _letters(text: str) -> str:
    return "".join(char for char in text if char.isalnum())
