"""The invariants over generated documents that look like documents: joins, bindings, furniture, tables."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nemoparse_loaders import LayoutChunker, Parents
from nemoparse_loaders.chunking.steps import Steps
from nemoparse_loaders.document import (
    BBox,
    Element,
    ElementType,
    ParsedDocument,
    ParsedPage,
    Table,
    TableCell,
)
from tests.chunking.invariants import assert_sound

WORD = st.text("abcdefgh", min_size=1, max_size=9)
SENTENCE = st.lists(WORD, min_size=1, max_size=14).map(" ".join)
# Whole sentences, beginnings and ends of some, lead-ins, units, labels, notes, marks of footnotes.
FORMS = """{}.|{}. {}|A {}.|A {} gear-|A {}|{}:|A {} follows:|(in millions of {})|{}¹ {}.|Table 4: {}
Figure 2. {}|Source: {}|Note: {}|* {}|¹ {}|2 {}|where {}|a) {}""".replace("\n", "|").split("|")
TEXT = st.tuples(st.sampled_from(FORMS), SENTENCE).map(lambda pair: pair[0].replace("{}", pair[1]))
HEADING = st.tuples(st.sampled_from(["", "1 ", "1.1 ", "2 ", "A.1 ", "Chapter 3 ", "Article 4 "]), SENTENCE)
CELL = st.text("abcdef 12", max_size=14)


@st.composite
def grids(draw: st.DrawFn) -> Table:
    """A table under a short header; some rows are named sections, some cells reach down."""
    n_rows, n_cols = draw(st.integers(2, 12)), draw(st.integers(1, 4))
    cells = [TableCell(row=0, col=col, text=f"h{col}", is_header=True) for col in range(n_cols)]
    below = [0] * n_cols
    for row in range(1, n_rows):
        is_section = draw(st.integers(0, 4)) == 0
        for col in range(n_cols):
            if row < below[col]:
                continue
            rowspan = draw(st.integers(1, 2)) if col == 0 and row + 1 < n_rows and not is_section else 1
            below[col] = row + rowspan
            text = "" if is_section and col else draw(CELL)
            cells.append(TableCell(row=row, col=col, rowspan=rowspan, text=text))
    return Table(cells=tuple(cells), n_rows=n_rows, n_cols=n_cols, header_rows=draw(st.integers(0, 1)))


@st.composite
def elements(draw: st.DrawFn) -> Element:
    kind = draw(st.sampled_from([*["Text"] * 6, *["Table"] * 2, *(kind.value for kind in ElementType)]))
    if kind == "Table":
        grid = draw(grids())
        text = "\n".join(grid.to_lines())
        return Element(id="", type=kind, table=grid, markdown=grid.to_markdown(), text=text)
    text = "".join(draw(HEADING)) if kind in ("Section-header", "Title") else draw(TEXT)
    if kind == "List-item":
        text = f"{draw(st.integers(1, 3))}. {text}"
    marks = draw(st.integers(0, 7))
    return Element(
        id="",
        type=kind,
        markdown=text,
        text=text,
        continues_before=marks == 1 or marks == 3,
        continues_after=marks == 2 or marks == 3,
    )


@st.composite
def documents(draw: st.DrawFn) -> ParsedDocument:
    pages = []
    for number in range(1, draw(st.integers(1, 4)) + 1):
        found = draw(st.lists(elements(), max_size=9))
        columns = draw(st.integers(1, 2))
        placed = []
        for index, element in enumerate(found, start=1):
            column, row = divmod((index - 1) * columns, max(1, len(found)))
            top = 0.08 + 0.84 * row / max(1, len(found))
            left = 0.1 + 0.42 * min(column, 1)
            box = BBox(left, top, left + 0.8 / columns, min(1.0, top + 0.8 / max(1, len(found))))
            has_box = draw(st.integers(0, 5)) > 0
            placed.append(
                element.model_copy(update={"id": f"p{number}e{index}", "bbox": box if has_box else None})
            )
        pages.append(ParsedPage(number=number, elements=tuple(placed)))
    return ParsedDocument(doc_id="d", pages=tuple(pages), total_pages=len(pages))


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(documents(), st.sampled_from([24, 40, 80, 400]), st.integers(0, 2))
def test_the_chunks_of_a_document_are_sound(document: ParsedDocument, max_tokens: int, overlap: int) -> None:
    assert_sound(document, LayoutChunker(max_tokens=max_tokens, overlap_sentences=overlap))


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(documents(), st.sampled_from([24, 80]), st.sets(st.sampled_from(sorted(Steps.__slots__))))
def test_budgets_hold_and_nothing_is_lost_whatever_is_switched_off(
    document: ParsedDocument, max_tokens: int, off: set[str]
) -> None:
    steps = Steps(**dict.fromkeys(off, False))
    chunker = LayoutChunker(max_tokens=max_tokens, steps=steps)
    chunks = chunker.chunk(document)

    assert all(chunk.embed_text.strip() and chunk.text.strip() for chunk in chunks)
    assert all(chunker.count(chunk.embed_text) <= max_tokens for chunk in chunks)
    held = {span.element_id for chunk in chunks for span in chunk.spans}
    for element in document.elements:
        if element.type not in ("Page-header", "Page-footer", "Text") and element.text.strip():
            assert element.id in held


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(documents(), st.sampled_from([24, 40, 80, 400]), st.sampled_from([None, "page", "section"]))
def test_budgets_hold_and_nothing_is_lost_where_markdown_is_embedded(
    document: ParsedDocument, max_tokens: int, parents: Parents | None
) -> None:
    chunker = LayoutChunker(max_tokens=max_tokens, embed="markdown", parents=parents)
    tree = chunker.chunk_tree(document)

    assert all(chunk.embed_text.strip() for chunk in (*tree.parents, *tree.chunks))
    assert all(chunker.count(chunk.embed_text) <= max_tokens for chunk in (*tree.parents, *tree.chunks))
    held = {span.element_id for chunk in tree.chunks for span in chunk.spans}
    for element in document.elements:
        if element.type not in ("Page-header", "Page-footer", "Text") and element.text.strip():
            assert element.id in held
