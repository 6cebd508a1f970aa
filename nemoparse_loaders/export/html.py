"""A document as one self-contained HTML page: no scripts, nothing to load, all text escaped.

Every element carries its page and box (``data-page``, ``data-bbox`` as "x0 y0 x1 y1" in 0..1), so that a
viewer can lay the text over the page. Page headers and footers are there too, as ``header`` and ``footer``.
"""

from __future__ import annotations

import html
from collections.abc import Iterator

from ..document import Chart, Element, ElementType, ParsedDocument, ParsedPage, Table
from .headings import heading_level, is_heading, without_heading_marks
from .html_text import inline_html
from .list_items import list_lines
from .tables import table_to_html, words_around_table

_STYLE = (
    "body{max-width:50rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 serif}"
    "table{border-collapse:collapse;margin:1rem 0}td,th{border:1px solid #999;padding:.2rem .5rem}"
    "section{border-top:1px solid #ccc;margin-top:2rem}header,footer,aside,figcaption{color:#555}"
    "pre{overflow:auto;background:#f5f5f5;padding:.5rem}"
)


def document_to_html(document: ParsedDocument) -> str:
    """The whole document as an HTML page."""
    title = html.escape(document.title or document.file_name or document.doc_id)
    lines = [
        "<!DOCTYPE html>",
        '<html lang="und">',
        f'<head><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style></head>',
        "<body>",
    ]
    for page in document.pages:
        lines.extend(_page(page))
    lines.extend(("</body>", "</html>", ""))
    return "\n".join(lines)


def _page(page: ParsedPage) -> Iterator[str]:
    yield f'<section data-page="{page.number}" data-status="{page.status}">'
    in_list = False
    for element in page.elements:
        is_item = element.type == ElementType.LIST_ITEM.value
        if is_item != in_list:
            yield "<ul>" if is_item else "</ul>"
            in_list = is_item
        yield _element(element, page.number)
    if in_list:
        yield "</ul>"
    yield "</section>"


def _element(element: Element, page_number: int) -> str:
    attributes = (
        f' id="{html.escape(element.id)}" class="{html.escape(element.type)}" data-page="{page_number}"'
    )
    if element.bbox is not None:
        attributes += ' data-bbox="{:.5g} {:.5g} {:.5g} {:.5g}"'.format(*element.bbox)
    body = element.markdown or element.text
    if is_heading(element):
        tag = f"h{heading_level(element)}"
        return f"<{tag}{attributes}>{inline_html(without_heading_marks(body))}</{tag}>"
    if element.type == ElementType.LIST_ITEM.value:
        return _list_items(body, attributes)
    if element.table is not None:
        return f"<div{attributes}>\n{_table(element, element.table)}\n</div>"
    if element.chart is not None:
        return f"<figure{attributes}>\n{_chart(element.chart)}\n</figure>"
    if element.type == ElementType.CODE.value:
        return f"<pre{attributes}><code>{html.escape(body)}</code></pre>"
    if element.type == ElementType.FORMULA.value:
        return rf"<div{attributes}>\[{html.escape(body)}\]</div>"
    if element.type == ElementType.INLINE_FORMULA.value:
        return rf"<span{attributes}>\({html.escape(body)}\)</span>"
    if element.type == ElementType.PICTURE.value:
        caption = f"<figcaption>{inline_html(body)}</figcaption>" if body else ""
        return f"<figure{attributes}>{caption}</figure>"
    tag = {
        ElementType.PAGE_HEADER.value: "header",
        ElementType.PAGE_FOOTER.value: "footer",
        ElementType.FOOTNOTE.value: "aside",
    }.get(element.type, "p")
    return f"<{tag}{attributes}>{inline_html(body)}</{tag}>"


def _list_items(body: str, attributes: str) -> str:
    """One ``li`` a marked line; the first carries the element's attributes."""
    rendered = []
    for index, item in enumerate(list_lines(body)):
        number = f' value="{item.mark[:-1]}" style="list-style-type:decimal"' if item.is_numbered else ""
        own = attributes if index == 0 else ""
        rendered.append(f"<li{own}{number}>{inline_html(item.markdown)}</li>")
    return "\n".join(rendered)


def _table(element: Element, table: Table) -> str:
    """The table, with the words that stand before and behind it in the same block."""
    before, after = (
        f"<p>{inline_html(words)}</p>" if words else "" for words in words_around_table(element, table)
    )
    return "\n".join(part for part in (before, table_to_html(table), after) if part)


def _chart(chart: Chart) -> str:
    lines = [f"<figcaption>{html.escape(chart.title)}</figcaption>"] if chart.title else []
    if chart.type:
        lines.append(f"<p>{html.escape(chart.type)} chart</p>")
    lines.extend(f"<p>{html.escape(panel)}</p>" for panel in chart.panels)
    lines.extend(table_to_html(table) for table in chart.tables)
    return "\n".join(lines)
