"""What holds for every document: budget, whole text, ids and metadata."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from nemoparse_loaders import METADATA_KEYS, Chunk, LayoutChunker, split_document
from nemoparse_loaders.chunking.continuations import header_rows
from nemoparse_loaders.chunking.metadata import json_size
from nemoparse_loaders.document import (
    BBox,
    Element,
    ElementType,
    ParsedDocument,
    ParsedPage,
    Table,
    TableCell,
)

LINE = st.text(
    st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs", "Cc"], exclude_characters="\r\x85"),
    max_size=120,
)
WORDS = st.lists(st.text("abcdefgh.,:0123456789", min_size=1, max_size=12), max_size=60).map(" ".join)
NAMES = st.sampled_from([kind.value for kind in ElementType] + ["Stamp"])
EDGE = st.floats(0, 1)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    n_rows, n_cols = draw(st.integers(1, 8)), draw(st.integers(1, 5))
    cells: list[TableCell] = []
    taken: set[tuple[int, int]] = set()
    for row in range(n_rows):
        for col in range(n_cols):
            if (row, col) in taken:
                continue
            rowspan = draw(st.integers(1, min(3, n_rows - row)))
            colspan = draw(st.integers(1, min(2, n_cols - col)))
            area = {(r, c) for r in range(row, row + rowspan) for c in range(col, col + colspan)}
            if area & taken:
                rowspan = colspan = 1
                area = {(row, col)}
            taken |= area
            text = draw(st.text("abcdef. 12", max_size=40) | WORDS)
            cells.append(TableCell(row=row, col=col, rowspan=rowspan, colspan=colspan, text=text))
    return Table(cells=tuple(cells), n_rows=n_rows, n_cols=n_cols, header_rows=draw(st.integers(0, 2)))


@st.composite
def elements(draw: st.DrawFn) -> Element:
    name = draw(NAMES)
    text = draw(LINE | WORDS)
    table = draw(tables()) if name == "Table" and draw(st.booleans()) else None
    if table is not None:
        text = table.to_markdown()
    box = BBox.clamped(*draw(st.tuples(EDGE, EDGE, EDGE, EDGE))) if draw(st.booleans()) else None
    return Element(id="", type=name, bbox=box, markdown=text, text=text, table=table)


@st.composite
def documents(draw: st.DrawFn) -> ParsedDocument:
    pages = []
    for number in range(1, draw(st.integers(1, 3)) + 1):
        found = draw(st.lists(elements(), max_size=8))
        pages.append(
            ParsedPage(
                number=number,
                elements=tuple(
                    element.model_copy(update={"id": f"p{number}e{index}"})
                    for index, element in enumerate(found, start=1)
                ),
            )
        )
    return ParsedDocument(
        doc_id="d", source="file:///a.pdf", title=draw(LINE), pages=tuple(pages), total_pages=len(pages)
    )


def byte_level_tokenizer() -> Tokenizer:
    """A small vocabulary in which any character may take several tokens."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator(["the gearbox of the turbine abc abcdef 123"] * 3, trainer)
    return tokenizer


TOKENIZERS = [None, byte_level_tokenizer(), len]
HEADINGS = ("Title", "Section-header")
FURNITURE = ("Page-header", "Page-footer")


def squeezed(text: str) -> str:
    return "".join(text.replace("\0", "").split())


def assert_text_is_whole(element: Element, chunks: Sequence[Chunk]) -> None:
    """The element's text stands in the chunks, in one piece or in pieces that follow each other."""
    wanted = squeezed(element.markdown)
    done = 0
    for chunk in chunks:
        ids = str(chunk.metadata["element_ids"])
        text = squeezed(chunk.text)
        if wanted in text:
            return
        if element.id not in ids and "-" not in ids:
            continue
        # The longest piece of this chunk that goes on where the last one ended.
        size = len(wanted) - done
        while size and wanted[done : done + size] not in text:
            size -= 1
        done += size
    assert done == len(wanted), f"{element.id} is lost from {wanted[done : done + 40]!r}"


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(documents(), st.integers(16, 80), st.sampled_from(range(len(TOKENIZERS))), st.integers(0, 2))
def test_no_chunk_is_over_its_budget_and_all_have_one_shape(
    document: ParsedDocument, max_tokens: int, tokenizer: int, overlap: int
) -> None:
    chunker = LayoutChunker(max_tokens=max_tokens, tokenizer=TOKENIZERS[tokenizer], overlap_sentences=overlap)
    chunks = chunker.chunk(document)

    assert len({chunk.id for chunk in chunks}) == len(chunks)
    for index, chunk in enumerate(chunks):
        assert chunker.count(chunk.embed_text) <= max_tokens
        assert chunk.metadata["n_tokens"] == chunker.count(chunk.embed_text)
        assert chunk.text.strip()
        assert chunk.embed_text.strip()
        assert "\0" not in chunk.model_dump_json()
        assert {key: type(value) for key, value in chunk.metadata.items()} == dict(METADATA_KEYS)
        assert chunk.metadata["chunk_index"] == index
        assert json_size(chunk.metadata) < 1024
        for page, x0, y0, x1, y1 in json.loads(str(chunk.metadata["bboxes"])):
            assert 1 <= page <= len(document.pages)
            assert 0 <= x0 <= x1 <= 1
            assert 0 <= y0 <= y1 <= 1
    assert chunker.chunk(document) == chunks


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(documents(), st.integers(16, 80), st.integers(0, 2))
def test_no_text_is_lost(document: ParsedDocument, max_tokens: int, overlap: int) -> None:
    chunks = LayoutChunker(max_tokens=max_tokens, overlap_sentences=overlap).chunk(document)

    for element in document.elements:
        # Tables are looked at below; headings lose the marks that they were printed with.
        if element.type in FURNITURE or element.table is not None:
            continue
        if element.type in HEADINGS and set("#*<\\") & set(element.markdown):
            continue
        if squeezed(element.markdown):
            assert_text_is_whole(element, chunks)


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(tables(), st.integers(16, 60))
def test_the_whole_table_comes_back_from_its_pieces(table: Table, max_tokens: int) -> None:
    element = Element(id="p1e1", type="Table", table=table, markdown=table.to_markdown())
    document = ParsedDocument(doc_id="d", pages=(ParsedPage(number=1, elements=(element,)),))
    chunks = LayoutChunker(max_tokens=max_tokens).chunk(document)

    if not any(cell.text.strip() for cell in table.cells):
        assert chunks == []
        return
    rows: set[int] = set()
    last_start = 0
    for number, chunk in enumerate(chunks, start=1):
        held = range(int(chunk.metadata["row_start"]), int(chunk.metadata["row_end"]))
        # Parts of one long row stand for the same rows; all others follow each other.
        assert last_start <= held[0] <= max(rows, default=-1) + 1
        last_start = held[0]
        rows.update(held)
        assert (chunk.metadata["table_part"], chunk.metadata["table_parts"]) == (number, len(chunks))
    assert rows == set(range(table.n_rows))
    for cell in table.cells:
        # Headings are repeated with all rows, and where a row is cut, with the cells under them.
        is_heading = cell.row < header_rows(table)
        own = [chunk for chunk in chunks if is_heading or _holds_row(chunk, cell.row)]
        said = squeezed(" ".join(chunk.embed_text for chunk in own))
        assert all(word in said for word in cell.text.split() if len(word) <= 8)


def _holds_row(chunk: Chunk, row: int) -> bool:
    return int(chunk.metadata["row_start"]) <= row < int(chunk.metadata["row_end"])


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(documents(), st.sampled_from(["document", "page", "element", "chunk"]), st.booleans())
def test_pieces_of_every_size_have_one_shape(
    document: ParsedDocument, split: str, include_failed: bool
) -> None:
    chunks = split_document(document, split, include_failed=include_failed)  # type: ignore[arg-type]

    assert len({chunk.id for chunk in chunks}) == len(chunks)
    for chunk in chunks:
        assert {key: type(value) for key, value in chunk.metadata.items()} == dict(METADATA_KEYS)
        assert chunk.embed_text.strip()
        assert json_size(chunk.metadata) < 1024
