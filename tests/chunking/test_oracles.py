"""What holds for chunks by the input alone: no step of the chunker says here what is right."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemoparse_loaders import Chunk, LayoutChunker
from nemoparse_loaders.document import BBox, Element, ParsedDocument, ParsedPage, Table, TableCell

TOP, BOTTOM = BBox(0.1, 0.02, 0.9, 0.04), BBox(0.4, 0.96, 0.6, 0.98)
_WORD = re.compile(r"\w+")
_TABLE_NUMBER = re.compile(r"Table (\d+)")
_DECIMAL = re.compile(r"\d+(?:\.\d+)*(?= )")

# A piece of a page before it has words of its own: what it is, and a number that varies it.
Piece = tuple[str, int]
PIECES = st.tuples(
    st.sampled_from(
        ["heading", "paragraph", "open paragraph", "item", "note", "table", "continued", "header", "footer"]
    ),
    st.integers(0, 5),
)
PAGES = st.lists(st.lists(PIECES, min_size=1, max_size=5), min_size=1, max_size=6)
NAMES = [
    "Contracts in force",
    "Content of iron",
    "Contribution",
    "Continental shelf",
    "Iron",
    "Continued use",
]
HEADS = ["Termination of the contract", "Kündigung", "Preise und Fristen", "Duties", "Responsabilités", "Oil"]
SIZES = st.sampled_from([32, 64, 512])


class _Writer:
    """Writes documents in which every paragraph has words that nothing else has."""

    def __init__(self) -> None:
        self.words = self.tables = self.section = 0

    def text(self, count: int) -> str:
        self.words += count
        return " ".join(f"w{number}x" for number in range(self.words - count, self.words))

    def element(self, kind: str, number: int, page: int) -> list[Element]:
        if kind == "heading":
            self.section += 1
            deeper = f".{number}" if number % 2 else ""
            return [_element("Section-header", f"{self.section}.{number + 1}{deeper} {self.text(2)}")]
        if kind in ("table", "continued"):
            self.tables += kind == "table" or not self.tables
            name = (
                f"Table {self.tables}. {NAMES[number]}"
                if kind == "table"
                else f"Table {self.tables} (continued)"
            )
            rows = [["Name", "Value"], *([self.text(1), self.text(1)] for _ in range(number % 3 + 1))]
            return [_element("Caption", name), _table(rows)]
        if kind == "header":
            # Even ones are on many pages.
            words = HEADS[number] if number % 2 else "The Journal of Wear"
            return [_element("Page-header", words, TOP)]
        if kind == "footer":
            return [_element("Page-footer", str(40 + page), BOTTOM)]
        ends = {"paragraph": ".", "open paragraph": "", "item": ".", "note": "."}[kind]
        name = {"item": "List-item", "note": "Footnote"}.get(kind, "Text")
        mark = f"{number + 1} " if kind == "note" else ""
        return [_element(name, mark + self.text(4 + number * 3) + ends)]


def _element(name: str, text: str, box: BBox | None = None) -> Element:
    return Element(id="", type=name, markdown=text, text=text, bbox=box)


def _table(rows: list[list[str]]) -> Element:
    cells = tuple(
        TableCell(row=row, col=col, text=text, is_header=row == 0)
        for row, texts in enumerate(rows)
        for col, text in enumerate(texts)
    )
    table = Table(cells=cells, n_rows=len(rows), n_cols=2, header_rows=1)
    return Element(id="", type="Table", table=table, markdown=table.to_markdown(), text=table.to_markdown())


def written(pages: list[list[Piece]]) -> ParsedDocument:
    writer = _Writer()
    parsed = []
    for number, pieces in enumerate(pages, start=1):
        elements = [element for kind, which in pieces for element in writer.element(kind, which, number)]
        named = tuple(
            element.model_copy(update={"id": f"p{number}e{index}"})
            for index, element in enumerate(elements, start=1)
        )
        parsed.append(ParsedPage(number=number, label=str(number), elements=named))
    return ParsedDocument(doc_id="d", pages=tuple(parsed), total_pages=len(parsed))


def words_of(text: str) -> set[str]:
    return set(_WORD.findall(text))


def may_be_left_out(element: Element, document: ParsedDocument) -> bool:
    """Whether its class is that of furniture, and it is a number or comes back on another page."""
    if element.type not in ("Page-header", "Page-footer"):
        return False
    letters = re.sub(r"[\W\d_]", "", element.text.lower())
    pages = Counter(
        page.number
        for page in document.pages
        for other in page.elements
        if re.sub(r"[\W\d_]", "", other.text.lower()) == letters
    )
    return not letters or len(pages) > 1


@settings(deadline=None)
@given(PAGES, SIZES)
def test_all_words_are_in_chunks_but_those_of_furniture(pages: list[list[Piece]], max_tokens: int) -> None:
    document = written(pages)
    # Where most pages have a header in one place it is a running head, even if each has words of its own.
    headed = {page.number for page in document.pages if any(e.type == "Page-header" for e in page.elements)}
    has_heads = len(headed) >= 3
    said: set[str] = set()
    for chunk in LayoutChunker(max_tokens).chunk(document):
        said |= words_of(chunk.text)

    for element in document.elements:
        if not may_be_left_out(element, document) and not (has_heads and element.type == "Page-header"):
            assert words_of(element.markdown) <= said, element


@settings(deadline=None)
@given(PAGES, SIZES)
def test_no_chunk_has_rows_of_tables_with_two_captions(pages: list[list[Piece]], max_tokens: int) -> None:
    document = written(pages)
    table_of: dict[str, str] = {}
    number = ""
    for element in document.elements:
        if element.type == "Caption":
            number = _TABLE_NUMBER.findall(element.text)[0]
        elif element.table is not None:
            table_of |= {cell.text: number for cell in element.table.cells if cell.row > 0}

    for chunk in LayoutChunker(max_tokens).chunk(document):
        tables = {table_of[word] for word in words_of(chunk.text) if word in table_of}
        assert len(tables) <= 1, chunk.text
        if tables and chunk.metadata["caption"]:
            assert set(_TABLE_NUMBER.findall(str(chunk.metadata["caption"]))) == tables


@settings(deadline=None)
@given(PAGES, SIZES)
def test_a_numbered_heading_stands_under_its_own_chapter_only(
    pages: list[list[Piece]], max_tokens: int
) -> None:
    for chunk in LayoutChunker(max_tokens).chunk(written(pages)):
        path = [
            _DECIMAL.findall(part)[0] for part in str(chunk.metadata["section_path"]).split(" > ") if part
        ]
        depths = [number.count(".") for number in path]
        assert depths == sorted(set(depths)), path


@settings(deadline=None)
@given(PAGES)
def test_pages_with_a_number_in_the_foot_have_it_as_label(pages: list[list[Piece]]) -> None:
    document = written(pages)
    numbered = {page.number for page in document.pages if any(e.type == "Page-footer" for e in page.elements)}

    for chunk in LayoutChunker(512).chunk(document):
        first = int(chunk.metadata["page_number"])
        assert chunk.metadata["page_label"] == str(first + 40 if first in numbered else first)


@pytest.mark.parametrize("max_tokens", [64, 512])
def test_the_sample_paper_loses_no_word(sample_paper: ParsedDocument, max_tokens: int) -> None:
    chunks: list[Chunk] = LayoutChunker(max_tokens).chunk(sample_paper)
    said = set().union(*(words_of(chunk.text + " " + chunk.embed_text) for chunk in chunks))

    for element in sample_paper.elements:
        if not may_be_left_out(element, sample_paper):
            cells = [cell.text for cell in element.table.cells] if element.table else [element.text]
            assert words_of(" ".join(cells)) <= said, element
