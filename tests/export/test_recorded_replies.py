"""Recorded replies and conformance cases in every export: nothing raises and nothing is lost."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from docling_core.types.doc import DoclingDocument

from nemoparse_loaders.decoding import decode_page
from nemoparse_loaders.document import ParsedDocument
from nemoparse_loaders.export.markdown import FURNITURE

pytestmark = pytest.mark.data

_WORD = re.compile(r"[^\W_]+")


def documents(folder: Path) -> Iterator[ParsedDocument]:
    replies = {path.name: path.read_text("utf-8") for path in sorted((folder / "outputs").glob("*.txt"))}
    for path in sorted((folder / "conformance" / "cases").glob("*.json")):
        case: dict[str, Any] = json.loads(path.read_text("utf-8"))
        replies[path.name] = case["input"]
    assert len(replies) > 50
    for name, reply in replies.items():
        page = decode_page(reply, image_size=(1664, 2048))
        yield ParsedDocument(doc_id=name, pages=(page,))


def words(text: str) -> set[str]:
    return set(_WORD.findall(text))


def test_docling_holds_every_word(data_dir: Path) -> None:
    for document in documents(data_dir):
        written = document.to_docling()

        assert DoclingDocument.model_validate(written.export_to_dict()) == written, document.doc_id
        said = [text.text for text in written.texts]
        said += [text.marker for text in written.texts if hasattr(text, "marker")]
        grids = [table.data for table in written.tables]
        grids += [
            picture.meta.tabular_chart.chart_data
            for picture in written.pictures
            if picture.meta is not None and picture.meta.tabular_chart is not None
        ]
        said += [cell.text for grid in grids for cell in grid.table_cells]
        wanted = words("\n".join(element.text for element in document.elements if element.chart is None))
        wanted |= {
            word
            for element in document.elements
            if element.chart is not None
            for table in element.chart.tables
            for cell in table.cells
            for word in words(cell.text)
        }
        assert wanted <= words("\n".join(said)), document.doc_id


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.elements = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "img", "iframe")
        self.elements += "id" in dict(attrs)
        if tag not in ("meta", "br"):
            self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag


def test_html_holds_every_element(data_dir: Path) -> None:
    for document in documents(data_dir):
        reader = _Elements()

        reader.feed(document.to_html())
        reader.close()

        assert reader.opened == [], document.doc_id
        assert reader.elements == len(document.elements), document.doc_id


def test_markdown_and_text_hold_every_word(data_dir: Path) -> None:
    for document in documents(data_dir):
        body = [element for element in document.elements if element.type not in FURNITURE]
        text = "\n".join(element.text for element in body)
        assert words(text) <= words(document.to_text()), document.doc_id
        # Marks stand inside of words: H<sub>2</sub>O.
        printed = "\n".join(element.markdown for element in body)
        assert words(printed) <= words(document.to_markdown()), document.doc_id


def test_tables_are_read_back(data_dir: Path) -> None:
    count = 0
    for document in documents(data_dir):
        for table in document.tables:
            if not table.n_rows:
                continue
            for body in (table.to_latex(), table.to_html()):
                page = decode_page(f"<x_0.1><y_0.1>{body}<x_0.9><y_0.9><class_Table>")
                (found,) = page.tables
                assert (found.n_rows, found.n_cols) == (table.n_rows, table.n_cols), body
                assert found.header_rows == table.header_rows, body
                assert [(cell.row, cell.col) for cell in found.cells] == [
                    (cell.row, cell.col) for cell in table.cells
                ]
            count += 1
    assert count > 50
