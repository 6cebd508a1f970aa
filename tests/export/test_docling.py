"""A document as a DoclingDocument: every class in its place, and docling's own tools run on it."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from docling_core.transforms.chunker.doc_chunk import DocChunk
from docling_core.transforms.chunker.hierarchical_chunker import HierarchicalChunker
from docling_core.transforms.chunker.hybrid_chunker import HybridChunker
from docling_core.transforms.chunker.tokenizer.base import BaseTokenizer
from docling_core.types.doc import (
    BoundingBox,
    ContentLayer,
    CoordOrigin,
    DocItem,
    DocItemLabel,
    DoclingDocument,
    ListItem,
    PictureItem,
    SectionHeaderItem,
)
from hypothesis import given, settings

from nemoparse_loaders.decoding import decode_page, encode_page
from nemoparse_loaders.document import (
    BBox,
    Chart,
    Element,
    ParsedDocument,
    ParsedPage,
    Table,
    TableCell,
    TocEntry,
)
from nemoparse_loaders.errors import MissingDependencyError

from ..decoding.strategies import pages_like

BOX = BBox(0.25, 0.1, 0.5, 0.2)
GRID = Table(
    cells=(
        TableCell(row=0, col=0, text="Group", rowspan=2, is_header=True),
        TableCell(row=0, col=1, text="**Before**", colspan=2, is_header=True),
        TableCell(row=1, col=1, text="mean", is_header=True),
        TableCell(row=1, col=2, text="SD", is_header=True),
        TableCell(row=2, col=0, text="a|b"),
        TableCell(row=2, col=1, text="m<sup>2</sup>"),
        TableCell(row=2, col=2, text="$5\nfoo_bar"),
    ),
    n_rows=3,
    n_cols=3,
    header_rows=2,
)


def element(kind: str, markdown: str = "", **values: Any) -> Element:
    return Element.model_validate(
        {"id": "p1e1", "type": kind, "markdown": markdown, "text": markdown, "bbox": BOX} | values
    )


def written(*elements: Element, **values: Any) -> DoclingDocument:
    page = ParsedPage(number=3, width_pt=400, height_pt=800, elements=elements)
    return ParsedDocument(doc_id="d", pages=(page,), **values).to_docling()


def labels(document: DoclingDocument) -> list[str]:
    layers = {ContentLayer.BODY, ContentLayer.FURNITURE}
    items = document.iterate_items(included_content_layers=layers, traverse_pictures=True)
    return [item.label.value for item, _ in items if isinstance(item, DocItem)]


def sides(box: BoundingBox) -> tuple[float, float, float, float]:
    return box.l, box.t, box.r, box.b


@pytest.mark.parametrize(
    ("kind", "label"),
    [
        ("Title", "title"),
        ("Section-header", "section_header"),
        ("Text", "text"),
        ("List-item", "list_item"),
        ("Caption", "caption"),
        ("Formula", "formula"),
        ("Inline-formula", "formula"),
        ("Footnote", "footnote"),
        ("Page-header", "page_header"),
        ("Page-footer", "page_footer"),
        ("Bibliography", "reference"),
        ("Code", "code"),
        ("Floating-text", "text"),
        ("Table", "text"),
        ("TOC", "document_index"),
        ("Something-new", "text"),
    ],
)
def test_the_label_of_each_class(kind: str, label: str) -> None:
    document = written(element(kind, "some words"))

    assert labels(document) == [label]
    assert "some words" in str(document.model_dump())


def test_boxes_are_points_from_the_top_left() -> None:
    document = written(element("Text", "abc"))

    (prov,) = document.texts[0].prov
    assert prov.page_no == 3
    assert sides(prov.bbox) == (100, 80, 200, 160)
    assert prov.bbox.coord_origin is CoordOrigin.TOPLEFT
    assert prov.charspan == (0, 3)
    assert (document.pages[3].size.width, document.pages[3].size.height) == (400, 800)


def test_an_element_without_a_box_has_no_provenance() -> None:
    assert written(element("Text", "x", bbox=None)).texts[0].prov == []


def test_a_page_of_unknown_size_is_one_by_one() -> None:
    document = ParsedDocument(
        doc_id="d", pages=(ParsedPage(number=1, elements=(element("Text", "x"),)),)
    ).to_docling()

    assert (document.pages[1].size.width, document.pages[1].size.height) == (1, 1)
    assert sides(document.texts[0].prov[0].bbox) == pytest.approx(BOX)


def test_every_page_is_there_even_if_it_failed() -> None:
    pages = (ParsedPage(number=2, status="failed"), ParsedPage(number=7, width_pt=10, height_pt=20))

    document = ParsedDocument(doc_id="d", pages=pages).to_docling()

    assert sorted(document.pages) == [2, 7]


def test_page_headers_and_footers_are_furniture() -> None:
    document = written(element("Page-header", "Journal"), element("Text", "x"), element("Page-footer", "7"))

    assert [text.content_layer for text in document.texts] == [
        ContentLayer.FURNITURE,
        ContentLayer.BODY,
        ContentLayer.FURNITURE,
    ]
    assert document.export_to_markdown() == "x"


def test_section_levels() -> None:
    document = written(
        element("Title", "The **whole**", text="The whole"),
        element("Section-header", "## 1 One", text="1 One"),
        element("Section-header", "1.1 Two\nlines"),
    )

    headings = [item for item in document.texts if isinstance(item, SectionHeaderItem)]
    assert [(item.level, item.text) for item in headings] == [(1, "1 One"), (2, "1.1 Two lines")]
    assert document.export_to_markdown() == "# The whole\n\n## 1 One\n\n### 1.1 Two lines"


def test_a_table_with_spans_and_headers() -> None:
    document = written(element("Table", GRID.to_markdown(), table=GRID))

    (table,) = document.tables
    assert table.label is DocItemLabel.TABLE
    assert (table.data.num_rows, table.data.num_cols) == (3, 3)
    assert [[cell.text for cell in row] for row in table.data.grid] == [
        ["Group", "Before", "Before"],
        ["Group", "mean", "SD"],
        ["a|b", "m²", "$5\nfoo_bar"],
    ]
    assert [(cell.row_span, cell.col_span, cell.column_header) for cell in table.data.table_cells[:3]] == [
        (2, 1, True),
        (1, 2, True),
        (1, 1, True),
    ]
    assert not any(cell.column_header for cell in table.data.table_cells[4:])
    assert table.export_to_dataframe(document).shape == (1, 3)
    assert '<th colspan="2">' in document.export_to_html()


def test_words_around_a_table_stand_around_it() -> None:
    markdown = f"Before\n\n{GRID.to_markdown()}\n\nafter"

    document = written(element("Table", markdown, table=GRID))

    assert labels(document) == ["text", "table", "text"]
    assert [text.text for text in document.texts] == ["Before", "after"]


def test_a_detected_table_without_words_is_an_empty_table() -> None:
    assert labels(written(element("Table"))) == ["table"]


def test_captions_hang_on_their_tables_and_pictures() -> None:
    document = written(
        element("Caption", "Table 1. Above"),
        element("Table", table=GRID),
        element("Picture"),
        element("Caption", "Figure 1. Below"),
        element("Caption", "Photo: nobody"),
        element("Text", "end"),
    )

    assert document.tables[0].caption_text(document) == "Table 1. Above"
    assert document.pictures[0].caption_text(document).split(". ")[0] == "Figure 1"
    assert len(document.pictures[0].captions) == 2
    markdown = document.export_to_markdown()
    for words in ("Table 1. Above", "Figure 1. Below", "Photo: nobody"):
        assert markdown.count(words) == 1


def test_words_in_a_picture_are_its_children() -> None:
    document = written(element("Picture", "axis label"))

    assert labels(document) == ["picture", "text"]
    assert document.texts[0].parent == document.pictures[0].get_ref()


def test_a_chart_has_its_kind_and_its_data() -> None:
    chart = Chart(type="stacked bar", title="Yield", panels=("a ; bar",), tables=(GRID, GRID))

    document = written(element("Chart", "Yield", chart=chart))

    (picture,) = document.pictures
    assert isinstance(picture, PictureItem)
    assert picture.label is DocItemLabel.PICTURE
    assert picture.meta is not None
    assert picture.meta.classification is not None
    assert picture.meta.classification.get_main_prediction().class_name == "stacked_bar_chart"
    assert picture.meta.tabular_chart is not None
    assert picture.meta.tabular_chart.title == "Yield"
    assert picture.meta.tabular_chart.chart_data.num_rows == 3
    assert [text.text for text in document.texts] == ["Yield", "a ; bar"]
    assert len(document.tables) == 1
    assert "mean" in document.export_to_markdown()


def test_a_chart_that_says_nothing() -> None:
    assert written(element("Chart", chart=Chart())).pictures[0].meta is None


@pytest.mark.parametrize(
    "kind", ["bar", "stacked bar", "line", "pie", "scatter", "heatmap", "box", "radar", "other", "\x85"]
)
def test_charts_of_every_kind_can_be_exported_as_doctags(kind: str) -> None:
    document = written(element("Chart", "Yield", chart=Chart(type=kind, tables=(GRID,))))

    assert "mean" in document.export_to_doctags()


def test_a_table_of_contents_of_blank_lines() -> None:
    document = written(element("TOC", "\x85"), element("TOC", "\n \n"))

    assert isinstance(document.export_to_markdown(), str)


def test_lists_nest() -> None:
    document = written(
        element("List-item", "- one\n  goes on\n  - deeper\n    1. deepest"),
        element("Page-footer", "7"),
        element("List-item", "- two"),
        element("Text", "between"),
        element("List-item", "3. other"),
    )

    items = [item for item in document.texts if isinstance(item, ListItem)]
    assert [(item.text, item.marker, item.enumerated) for item in items] == [
        ("one\ngoes on", "-", False),
        ("deeper", "-", False),
        ("deepest", "1.", True),
        ("two", "-", False),
        ("other", "3.", True),
    ]
    assert len(document.groups) == 4
    assert document.groups[1].parent == items[0].get_ref()
    assert items[3].parent == items[0].parent
    assert document.export_to_markdown().count("\n    - deeper") == 1


def test_a_table_of_contents_is_a_document_index() -> None:
    toc = (TocEntry(level=1, text="1 One", page="3"), TocEntry(level=1, text="2 Two", page="7"))

    document = written(
        element("TOC", "1 One ... 3\n2 Two ... 7", toc=toc),
        element("TOC", "Contents\n1 One ... 3", toc=toc[:1]),
    )

    assert [[[cell.text for cell in row] for row in table.data.grid] for table in document.tables] == [
        [["1 One", "3"], ["2 Two", "7"]],
        [["Contents"], ["1 One ... 3"]],
    ]


def test_the_origin_is_the_file() -> None:
    document = written(
        file_name="a.b.pdf", media_type="application/pdf", content_hash="ff" * 24 + "00" * 7 + "2a"
    )

    assert document.name == "a.b"
    assert document.origin is not None
    assert document.origin.filename == "a.b.pdf"
    assert document.origin.mimetype == "application/pdf"
    assert document.origin.binary_hash == 42
    assert written(media_type="application/pdf").origin is None
    unknown = written(media_type="image/x-never-heard-of", content_hash="ab").origin
    assert unknown is not None
    assert unknown.mimetype == "application/octet-stream"


class _Words(BaseTokenizer):
    """Counts words, so that no vocabulary has to be loaded."""

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def get_max_tokens(self) -> int:
        return 40

    def get_tokenizer(self) -> Any:
        return self.count_tokens


def _everything() -> DoclingDocument:
    return written(
        element("Title", "The title"),
        element("Section-header", "1 First"),
        element("Text", "Some words. " * 40),
        element("List-item", "- one\n- two"),
        element("Caption", "Table 1. Above"),
        element("Table", table=GRID),
        element("Formula", "x^2"),
        element("Code", "a = 1"),
        element("Picture", "inside"),
        element("Chart", "c", chart=Chart(type="bar", tables=(GRID,))),
        element("Footnote", "note"),
        element("Text", ""),
        element("Page-footer", "7"),
    )


def test_docling_chunks_it_by_structure() -> None:
    chunks = [DocChunk.model_validate(chunk) for chunk in HierarchicalChunker().chunk(_everything())]

    headed = [chunk for chunk in chunks if chunk.meta.headings == ["The title", "1 First"]]
    assert headed
    for words in ("Some words", "- one\n- two", "Before.mean = m²", "x^2", "a = 1", "Bar chart", "note"):
        assert any(words in chunk.text for chunk in chunks), words
    assert not any(chunk.text == "7" for chunk in chunks)
    assert all(item.prov[0].page_no == 3 for chunk in chunks for item in chunk.meta.doc_items)


def test_docling_chunks_it_by_tokens() -> None:
    chunker = HybridChunker(tokenizer=_Words())

    chunks = list(chunker.chunk(_everything()))

    assert len(chunks) > 3
    assert any("Table 1. Above" in chunk.text for chunk in chunks)
    assert all(len(chunker.contextualize(chunk).split()) <= 40 for chunk in chunks)


def test_it_survives_json() -> None:
    document = _everything()

    assert DoclingDocument.model_validate(document.export_to_dict()) == document
    assert DoclingDocument.model_validate_json(document.model_dump_json()) == document


@given(pages_like())
@settings(max_examples=40)
def test_any_page_can_be_written_and_read(elements: list[Element]) -> None:
    page = decode_page(encode_page(elements))

    document = ParsedDocument(doc_id="d", pages=(page,)).to_docling()

    assert DoclingDocument.model_validate(document.export_to_dict()) == document
    assert isinstance(document.export_to_markdown(), str)
    assert len(document.tables) >= len(page.tables)


def test_without_docling_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "nemoparse_loaders.export.docling_items", raising=False)
    monkeypatch.setitem(sys.modules, "docling_core.types.doc", None)

    with pytest.raises(MissingDependencyError, match=r"nemoparse-loaders\[docling\]"):
        ParsedDocument(doc_id="d").to_docling()
