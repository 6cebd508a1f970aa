"""Pages and documents as Markdown, text and HTML."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given, settings

from nemoparse_loaders.decoding import decode_page, encode_page
from nemoparse_loaders.document import BBox, Chart, Element, ParsedDocument, ParsedPage, Table, TableCell
from nemoparse_loaders.export.headings import heading_level

from ..decoding.strategies import pages_like

TABLE = Table(
    cells=(TableCell(row=0, col=0, text="a", is_header=True), TableCell(row=1, col=0, text="1")),
    n_rows=2,
    n_cols=1,
    header_rows=1,
)


def element(kind: str, markdown: str = "", number: int = 1, **values: object) -> Element:
    return Element.model_validate(
        {"id": f"p1e{number}", "type": kind, "markdown": markdown, "text": markdown, **values}
    )


ELEMENTS = (
    element("Page-header", "Journal"),
    element("Title", "**Big** title"),
    element("Section-header", "### 1 Deep"),
    element("Section-header", "**Bold<br>\nhead**"),
    element("Section-header", "2.1 Numbered"),
    element("Text", "Words with **bold**, a < b and \\(x\\)."),
    element("List-item", "- one"),
    element("List-item", "2. two"),
    element("Text", "After."),
    element("Table", "| a |\n| --- |\n| 1 |", table=TABLE),
    element("Caption", "Table 1. A caption"),
    element("Formula", "x^2"),
    element("Inline-formula", "y"),
    element("Code", "a = 1\n```\nb"),
    element("Picture", "", 15),
    element("Picture", "in the figure", 16),
    element("Chart", "**T**\n\n| a |\n| --- |\n| 1 |", chart=Chart(type="bar", title="T", tables=(TABLE,))),
    element("Footnote", "1 A note"),
    element("Page-footer", "7"),
    element("Text", ""),
)
PAGE = ParsedPage(number=1, elements=ELEMENTS)
DOCUMENT = ParsedDocument(
    doc_id="d", file_name="f.pdf", pages=(PAGE, ParsedPage(number=2, status="failed"), PAGE)
)


def test_a_page_as_markdown() -> None:
    assert PAGE.to_markdown() == (
        "# **Big** title\n\n### 1 Deep\n\n## Bold head\n\n### 2.1 Numbered\n\n"
        "Words with **bold**, a < b and \\(x\\).\n\n- one\n2. two\n\nAfter.\n\n| a |\n| --- |\n| 1 |\n\n"
        "Table 1. A caption\n\n$$\nx^2\n$$\n\n$y$\n\n````\na = 1\n```\nb\n````\n\n<!-- picture p1e15 -->\n\n"
        "<!-- picture p1e16 -->\n\nin the figure\n\n**T**\n\n| a |\n| --- |\n| 1 |\n\n1 A note"
    )


def test_page_markers_stand_before_every_page() -> None:
    marked = DOCUMENT.to_markdown(page_markers=True)

    assert marked.startswith("<!-- page 1 -->\n\n# **Big** title")
    assert "1 A note\n\n<!-- page 2 -->\n\n<!-- page 1 -->" in marked
    assert "<!-- page" not in DOCUMENT.to_markdown()
    assert DOCUMENT.to_markdown().endswith("1 A note\n")


def test_text_leaves_furniture_out() -> None:
    text = DOCUMENT.to_text()

    assert "Journal" not in text
    assert text.count("Table 1. A caption\n\n") == 2


def test_nothing_gives_nothing() -> None:
    empty = ParsedDocument(doc_id="d")

    assert empty.to_markdown() == empty.to_text() == ""


@pytest.mark.parametrize(
    ("kind", "markdown", "level"),
    [
        ("Title", "### x", 1),
        ("Section-header", "# x", 2),
        ("Section-header", "#### x", 4),
        ("Section-header", "x", 2),
        ("Section-header", "3 x", 2),
        ("Section-header", "3.1 x", 3),
        ("Section-header", "A.1.2. x", 4),
        ("Section-header", "1.2.3.4.5.6.7 x", 6),
        ("Section-header", "3.5mm x", 2),
    ],
)
def test_heading_levels(kind: str, markdown: str, level: int) -> None:
    assert heading_level(element(kind, markdown)) == level


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag


def read_html(document: ParsedDocument) -> _Reader:
    reader = _Reader()
    reader.feed(document.to_html())
    reader.close()
    assert reader.opened == []
    return reader


def test_html_is_well_formed_and_says_where_everything_is() -> None:
    reader = read_html(DOCUMENT)

    tags = [tag for tag, _ in reader.seen]
    for tag in ("h1", "h2", "h3", "header", "footer", "aside", "ul", "li", "pre", "figure", "table"):
        assert tag in tags
    assert "img" not in tags
    assert "script" not in tags
    with_page = [attrs for _, attrs in reader.seen if "id" in attrs]
    assert len(with_page) == 2 * len(ELEMENTS)
    assert all(attrs["data-page"] == "1" for attrs in with_page)
    sections = [attrs for tag, attrs in reader.seen if tag == "section"]
    assert [attrs["data-status"] for attrs in sections] == ["ok", "failed", "ok"]


@given(pages_like())
@settings(max_examples=60)
def test_any_page_is_well_formed_html(elements: list[Element]) -> None:
    page = decode_page(encode_page(elements))

    reader = read_html(ParsedDocument(doc_id="d", pages=(page,)))

    assert sum("id" in attrs for _, attrs in reader.seen) == len(page.elements)


def test_html_has_boxes() -> None:
    page = ParsedPage(number=3, elements=(element("Text", "x", bbox=BBox(0.125, 0.25, 0.5, 1.0)),))

    reader = read_html(ParsedDocument(doc_id="d", pages=(page,)))

    assert (
        "p",
        {"id": "p1e1", "class": "Text", "data-page": "3", "data-bbox": "0.125 0.25 0.5 1"},
    ) in reader.seen


EVIL = '"><script>alert(1)</script><img src=x onerror=y>&amp;'


@pytest.mark.parametrize(
    "kind", ["Title", "Text", "List-item", "Code", "Formula", "Picture", "Caption", EVIL]
)
def test_html_escapes_everything(kind: str) -> None:
    page = ParsedPage(number=1, elements=(element(kind, EVIL, id=EVIL),))

    reader = read_html(ParsedDocument(doc_id="d", title=EVIL, file_name=EVIL, pages=(page,)))

    tags = {tag for tag, _ in reader.seen}
    assert not tags & {"script", "img"}


def test_html_escapes_tables_and_charts() -> None:
    table = Table(cells=(TableCell(row=0, col=0, text=EVIL),), n_rows=1, n_cols=1)
    chart = Chart(type=EVIL, title=EVIL, panels=(EVIL,), tables=(table,))
    page = ParsedPage(
        number=1, elements=(element("Table", EVIL, table=table), element("Chart", EVIL, chart=chart))
    )

    reader = read_html(ParsedDocument(doc_id="d", pages=(page,)))

    assert not {tag for tag, _ in reader.seen} & {"script", "img"}


def test_words_around_a_table_are_in_the_html() -> None:
    around = element("Table", "Before\n\n| a |\n| --- |\n| 1 |\n\nafter", table=TABLE)

    html = ParsedDocument(doc_id="d", pages=(ParsedPage(number=1, elements=(around,)),)).to_html()

    assert "<p>Before</p>" in html
    assert "<p>after</p>" in html
    assert html.count("<table>") == 1


def test_a_table_without_rows_keeps_the_words_of_its_block() -> None:
    empty = element("Table", "Some words", table=Table(n_cols=2))

    html = ParsedDocument(doc_id="d", pages=(ParsedPage(number=1, elements=(empty,)),)).to_html()

    assert "<p>Some words</p>\n<table>\n</table>" in html
