"""Elements as the items of a `DoclingDocument`. Imports docling-core: reach it through `export.docling`.

Boxes are in points of the displayed page, origin top left; a page whose size is not known is 1 by 1. Captions
hang on their table or picture. Texts are plain; ``orig`` holds what the model printed.
"""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterator
from pathlib import PurePath

from docling_core.types.doc import (
    BoundingBox,
    ContentLayer,
    CoordOrigin,
    DocItemLabel,
    DoclingDocument,
    DocumentOrigin,
    ListGroup,
    NodeItem,
    PictureClassificationMetaField,
    PictureItem,
    PictureMeta,
    ProvenanceItem,
    Size,
    TableCell,
    TableData,
    TableItem,
    TabularChartMetaField,
)

from ..document import Chart, Element, ElementType, ParsedDocument, ParsedPage, Table
from .captions import bind_captions
from .headings import heading_level
from .list_items import list_lines
from .plain import markdown_to_text
from .tables import words_around_table

_TEXT_LABELS = {
    ElementType.CAPTION.value: DocItemLabel.CAPTION,
    ElementType.FOOTNOTE.value: DocItemLabel.FOOTNOTE,
    ElementType.BIBLIOGRAPHY.value: DocItemLabel.REFERENCE,
    ElementType.PAGE_HEADER.value: DocItemLabel.PAGE_HEADER,
    ElementType.PAGE_FOOTER.value: DocItemLabel.PAGE_FOOTER,
}
_FURNITURE = frozenset({ElementType.PAGE_HEADER.value, ElementType.PAGE_FOOTER.value})
_FORMULAS = frozenset({ElementType.FORMULA.value, ElementType.INLINE_FORMULA.value})
_CHART_CLASSES = {
    "bar": "bar_chart",
    "stacked bar": "stacked_bar_chart",
    "line": "line_chart",
    "pie": "pie_chart",
    "scatter": "scatter_chart",
    "heatmap": "heatmap",
    "box": "box_plot",
}
# docling's label "other_chart" is none of its DocTags tokens, and their export stops at it.
_OTHER_CHART = "other"
_WORD = re.compile(r"\w+")
_HASH_BITS = 64


class DoclingWriter:
    """Writes one document."""

    def __init__(self, document: ParsedDocument) -> None:
        """Begin an empty `DoclingDocument` with the document's name and origin."""
        name = PurePath(document.file_name).stem or document.title or document.doc_id
        self._source = document
        self._written = DoclingDocument(name=name, origin=_origin(document, name))
        # The list that is open: for each level its indentation, its group and its last item.
        self._lists: list[tuple[int, ListGroup, NodeItem | None]] = []

    def write(self) -> DoclingDocument:
        """All pages."""
        for page in self._source.pages:
            self._written.add_page(page_no=page.number, size=Size(width=_width(page), height=_height(page)))
            self._write_page(page)
        return self._written

    def _write_page(self, page: ParsedPage) -> None:
        captions = bind_captions(page.elements)
        bound = {index for indices in captions.values() for index in indices}
        for index, element in enumerate(page.elements):
            if index in bound:
                continue
            if element.type not in _FURNITURE and element.type != ElementType.LIST_ITEM.value:
                self._lists.clear()
            item = self._write_element(element, page)
            if isinstance(item, (TableItem, PictureItem)):
                for number in captions.get(index, ()):
                    self._write_caption(page.elements[number], page, item)

    def _write_element(self, element: Element, page: ParsedPage) -> NodeItem | None:
        """Write one element; returns its item where captions can hang on it."""
        kind = element.type
        text = element.text or markdown_to_text(element.markdown)
        prov = _provenance(element, page, text)
        orig = element.raw or text
        if kind == ElementType.LIST_ITEM.value:
            self._write_list(element, page)
        elif kind == ElementType.TITLE.value:
            self._written.add_title(" ".join(text.split()), orig=orig, prov=prov)
        elif kind == ElementType.SECTION_HEADER.value:
            level = max(1, heading_level(element) - 1)
            self._written.add_heading(" ".join(text.split()), orig=orig, level=level, prov=prov)
        elif kind in _FORMULAS:
            self._written.add_formula(text, orig=orig, prov=prov)
        elif kind == ElementType.CODE.value:
            self._written.add_code(text, orig=orig, prov=prov)
        elif element.table is not None:
            return self._write_table(element, element.table, page)
        elif kind in (ElementType.PICTURE.value, ElementType.CHART.value):
            return self._write_picture(element, page, text)
        elif kind == ElementType.TABLE.value and not text:
            empty: TableItem = self._written.add_table(TableData(), prov=prov)
            return empty
        elif kind == ElementType.TOC.value and text:
            index: TableItem = self._written.add_table(
                _toc_data(element, text), prov=prov, label=DocItemLabel.DOCUMENT_INDEX
            )
            return index
        else:
            label = _TEXT_LABELS.get(kind, DocItemLabel.TEXT)
            layer = ContentLayer.FURNITURE if kind in _FURNITURE else None
            self._written.add_text(label, text, orig=orig, prov=prov, content_layer=layer)
        return None

    def _write_caption(self, caption: Element, page: ParsedPage, item: TableItem | PictureItem) -> None:
        text = caption.text or markdown_to_text(caption.markdown)
        written = self._written.add_text(
            DocItemLabel.CAPTION,
            text,
            orig=caption.raw or text,
            prov=_provenance(caption, page, text),
            parent=item,
        )
        item.captions.append(written.get_ref())

    def _write_table(self, element: Element, table: Table, page: ParsedPage) -> TableItem:
        before, after = words_around_table(element, table)
        self._write_words(before, element, page)
        is_toc = element.type == ElementType.TOC.value
        item: TableItem = self._written.add_table(
            table_data(table),
            prov=_provenance(element, page, ""),
            label=DocItemLabel.DOCUMENT_INDEX if is_toc else DocItemLabel.TABLE,
        )
        self._write_words(after, element, page)
        return item

    def _write_words(self, markdown: str, element: Element, page: ParsedPage) -> None:
        if markdown:
            text = markdown_to_text(markdown)
            self._written.add_text(DocItemLabel.TEXT, text, prov=_provenance(element, page, text))

    def _write_picture(self, element: Element, page: ParsedPage, text: str) -> PictureItem:
        """A picture or chart. docling's exports leave items labelled "chart" out, so both are pictures."""
        item: PictureItem = self._written.add_picture(prov=_provenance(element, page, ""))
        chart = element.chart
        if chart is not None:
            item.meta = _chart_meta(chart)
            for table in chart.tables[1:]:
                self._written.add_table(table_data(table), prov=_provenance(element, page, ""), parent=item)
            words = [chart.title, *chart.panels]
        else:
            words = [text]
        for line in words:
            if line:
                self._written.add_text(
                    DocItemLabel.TEXT, line, prov=_provenance(element, page, line), parent=item
                )
        return item

    def _write_list(self, element: Element, page: ParsedPage) -> None:
        for line in list_lines(element.markdown or element.text):
            text = markdown_to_text(line.markdown)
            group = self._list_group(line.depth)
            item = self._written.add_list_item(
                text,
                enumerated=line.is_numbered,
                marker=line.mark,
                orig=line.markdown or text,
                prov=_provenance(element, page, text),
                parent=group,
            )
            self._lists[-1] = (self._lists[-1][0], group, item)

    def _list_group(self, depth: int) -> ListGroup:
        """The open list of this indentation; a deeper one begins below the last item."""
        while len(self._lists) > 1 and self._lists[-1][0] > depth:
            self._lists.pop()
        if not self._lists:
            self._lists.append((depth, self._written.add_list_group(), None))
        elif depth > self._lists[-1][0]:
            parent = self._lists[-1][2]
            self._lists.append((depth, self._written.add_list_group(parent=parent), None))
        return self._lists[-1][1]


def table_data(table: Table) -> TableData:
    """The grid with its spans; cells of header rows are column headers."""
    return TableData(
        num_rows=table.n_rows,
        num_cols=table.n_cols,
        table_cells=[
            TableCell(
                text=markdown_to_text(cell.text),
                row_span=cell.rowspan,
                col_span=cell.colspan,
                start_row_offset_idx=cell.row,
                end_row_offset_idx=cell.row + cell.rowspan,
                start_col_offset_idx=cell.col,
                end_col_offset_idx=cell.col + cell.colspan,
                column_header=cell.row < table.header_rows,
            )
            for cell in table.cells
        ],
    )


def _toc_data(element: Element, text: str) -> TableData:
    """Entries and pages in two columns if they hold every word; else the lines in one."""
    rows = [[entry.text, entry.page] for entry in element.toc]
    if sorted(_WORD.findall(text)) != sorted(_words(rows)):
        rows = [[line.strip()] for line in text.split("\n") if line.strip()]
    cells = [
        TableCell(
            text=value,
            start_row_offset_idx=row,
            end_row_offset_idx=row + 1,
            start_col_offset_idx=col,
            end_col_offset_idx=col + 1,
        )
        for row, values in enumerate(rows)
        for col, value in enumerate(values)
    ]
    return TableData(num_rows=len(rows), num_cols=len(rows[0]) if rows else 0, table_cells=cells)


def _words(rows: list[list[str]]) -> Iterator[str]:
    for row in rows:
        for text in row:
            yield from _WORD.findall(text)


def _chart_meta(chart: Chart) -> PictureMeta | None:
    classification = None
    if chart.type:
        name = _CHART_CLASSES.get(chart.type.strip().lower(), _OTHER_CHART)
        classification = PictureClassificationMetaField.model_validate(
            {"predictions": [{"class_name": name}]}
        )
    data = None
    if chart.tables:
        data = TabularChartMetaField(title=chart.title or None, chart_data=table_data(chart.tables[0]))
    return PictureMeta(classification=classification, tabular_chart=data) if classification or data else None


def _provenance(element: Element, page: ParsedPage, text: str) -> ProvenanceItem | None:
    """Where the element is; None for one without a box."""
    if element.bbox is None:
        return None
    box = element.bbox
    return ProvenanceItem(
        page_no=page.number,
        bbox=BoundingBox(
            l=box.x0 * _width(page),
            t=box.y0 * _height(page),
            r=box.x1 * _width(page),
            b=box.y1 * _height(page),
            coord_origin=CoordOrigin.TOPLEFT,
        ),
        charspan=(0, len(text)),
    )


def _width(page: ParsedPage) -> float:
    return page.width_pt or 1.0


def _height(page: ParsedPage) -> float:
    return page.height_pt or 1.0


def _origin(document: ParsedDocument, name: str) -> DocumentOrigin | None:
    """The file; None where it is not known by its content."""
    if not re.fullmatch(r"[0-9a-fA-F]+", document.content_hash):
        return None
    known = document.media_type in mimetypes.types_map.values()
    return DocumentOrigin(
        mimetype=document.media_type if known else "application/octet-stream",
        # docling keeps the lower 64 bits of the same SHA-256.
        binary_hash=int(document.content_hash, 16) % (1 << _HASH_BITS),
        filename=document.file_name or name,
    )
