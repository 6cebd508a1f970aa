"""Checks on tables: the whole comes back from its pieces, and every piece says what it is a piece of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nemoparse_loaders import Chunk
from nemoparse_loaders.chunking.captions import bind_captions
from nemoparse_loaders.chunking.continuations import WholeTable, join_tables
from nemoparse_loaders.chunking.rows import cell_words
from nemoparse_loaders.document import Table
from nemoparse_loaders.export.tables import words_around_table
from tests.chunking.check_text import Held, dense, letters, told
from tests.chunking.invariants import (
    assert_captions_with_floats,
    assert_headed,
    assert_rows_once,
    pipe_rows,
)


def table_problems(held: Held) -> Iterator[str]:
    """What is wrong with tables and captions."""
    captions = bind_captions(held.body)
    for first, whole in join_tables(held.body, captions).items():
        element_id = held.body[first].element.id
        pieces = [chunk for chunk in held.chunks if chunk.metadata["table_id"] == element_id]
        yield from _said(lambda whole=whole: assert_rows_once(whole, held.spans))
        yield from _said(lambda whole=whole, pieces=pieces: assert_headed(whole, pieces, held.chunker))
        if any(cell.text.strip() for cell in whole.table.cells):
            for problem in (*_grid(whole.table, pieces), *_cells(whole.table, pieces)):
                yield f"{element_id}: {problem}"
        yield from _words_around(whole, held)
    yield from _said(lambda: assert_captions_with_floats(held.body, captions, held.chunks, held.chunker))
    for chunk in held.chunks:
        caption = letters(str(chunk.metadata["caption"]))[:8]
        if chunk.metadata["table_parts"] and caption not in letters(chunk.embed_text):
            yield f"{chunk.metadata['table_id']}: a piece without the caption: {chunk.embed_text[:60]!r}"


def _said(check: object) -> Iterator[str]:
    assert callable(check)
    try:
        check()
    except AssertionError as error:
        yield str(error).split("\n")[0]


def _grid(table: Table, pieces: Sequence[Chunk]) -> Iterator[str]:
    """Pieces follow each other from the first row to the last, and show the rows as the whole does."""
    end = 0
    for number, chunk in enumerate(pieces, start=1):
        if (chunk.metadata["table_part"], chunk.metadata["table_parts"]) != (number, len(pieces)):
            yield f"piece {number} of {len(pieces)} has another number"
        start, last = int(chunk.metadata["row_start"]), int(chunk.metadata["row_end"])
        # Parts of one row stand for the same rows.
        if start != end and not (start < end == last):
            yield f"rows {start} to {last} come behind row {end}"
        end = max(end, last)
    if end != table.n_rows:
        yield f"the pieces end with row {end} of {table.n_rows}"
    header = table.header_rows
    body = _pipe_lines(table)[header - table.n_rows :]
    owners = _owners(table, pieces)
    for chunk in pieces:
        start, last = int(chunk.metadata["row_start"]), int(chunk.metadata["row_end"])
        if any(len(owners[row]) > 1 for row in range(start, last)):
            continue
        start = max(start, header)
        if last > start and pipe_rows(chunk)[start - last :] != body[start - header : last - header]:
            yield f"rows {start} to {last} are shown in another way"


def _cells(table: Table, pieces: Sequence[Chunk]) -> Iterator[str]:
    """Every cell is shown and embedded whole by the pieces of its row; those of the header by any piece."""
    owners = _owners(table, pieces)
    for cell in table.cells:
        held = pieces if cell.row < table.header_rows else owners[cell.row]
        words = letters(cell_words(cell.text))
        if told(words, [letters(chunk.embed_text) for chunk in held]) < len(words):
            yield f"row {cell.row}: {cell.text[:60]!r} is not embedded"
        shown = dense(cell.text.replace("|", "\\|").replace("\n", "<br>"))
        if words and told(shown, [dense(chunk.text) for chunk in held]) < len(shown):
            yield f"row {cell.row}: {cell.text[:60]!r} is not shown"


def _words_around(whole: WholeTable, held: Held) -> Iterator[str]:
    for part in whole.parts:
        element = part.placed.element
        for words in map(dense, words_around_table(element, part.table)):
            texts = [dense(chunk.text) for chunk in held.holders(element)]
            if told(words, texts) < len(words):
                yield f"{element.id}: {words[:60]!r} beside the table is lost"


def _owners(table: Table, pieces: Sequence[Chunk]) -> list[list[Chunk]]:
    """For each row the pieces that stand for it."""
    owners: list[list[Chunk]] = [[] for _ in range(table.n_rows)]
    for chunk in pieces:
        for row in range(int(chunk.metadata["row_start"]), int(chunk.metadata["row_end"])):
            owners[row].append(chunk)
    return owners


def _pipe_lines(table: Table) -> list[str]:
    lines = [line for line in table.to_markdown().split("\n") if line.startswith("|")]
    return [line for index, line in enumerate(lines) if index != 1]
