"""Pages and documents as Markdown and as plain text.

Page headers and footers are left out. Headings get the marks of their level, formulas ``$$ $$``, code a
fence; a picture leaves a comment with its id and the words inside of it, never image data.
"""

from __future__ import annotations

import re

from ..document import Element, ElementType, ParsedDocument, ParsedPage
from .headings import heading_level, is_heading, without_heading_marks

FURNITURE = frozenset({ElementType.PAGE_HEADER.value, ElementType.PAGE_FOOTER.value})

_LINE_BREAKS = re.compile(r"\s*(?:<br ?/?>|\n)\s*")
_WHOLLY_BOLD = re.compile(r"\*\*([^*]+)\*\*\Z")
_BACKTICKS = re.compile(r"`{3,}")


def page_to_markdown(page: ParsedPage) -> str:
    """One page as Markdown, in reading order, furniture left out."""
    pieces: list[str] = []
    previous_type = ""
    for element in page.elements:
        text = "" if element.type in FURNITURE else element_to_markdown(element)
        if not text:
            continue
        if pieces:
            tight = previous_type == element.type == ElementType.LIST_ITEM.value
            pieces.append("\n" if tight else "\n\n")
        pieces.append(text)
        previous_type = element.type
    return "".join(pieces)


def document_to_markdown(document: ParsedDocument, page_markers: bool = False) -> str:
    """All pages as Markdown.

    Args:
        document: The document.
        page_markers: Put ``<!-- page 3 -->`` before each page, also before one without content.
    """
    pieces: list[str] = []
    for page in document.pages:
        body = page_to_markdown(page)
        if page_markers:
            pieces.append(f"<!-- page {page.number} -->")
        if body:
            pieces.append(body)
    return "\n\n".join(pieces) + "\n" if pieces else ""


def document_to_text(document: ParsedDocument) -> str:
    """All pages as plain text, furniture left out; a blank line between elements."""
    texts = [element.text for element in document.elements if element.type not in FURNITURE and element.text]
    return "\n\n".join(texts) + "\n" if texts else ""


def element_to_markdown(element: Element) -> str:
    """One element as Markdown that renders: with heading marks, fences and formula signs."""
    body = element.markdown or element.text
    if is_heading(element):
        title = _LINE_BREAKS.sub(" ", without_heading_marks(body))
        bold = _WHOLLY_BOLD.match(title)
        title = bold[1] if bold else title
        return f"{'#' * heading_level(element)} {title}" if title else ""
    if element.type == ElementType.FORMULA.value:
        return f"$$\n{body}\n$$" if body else ""
    if element.type == ElementType.INLINE_FORMULA.value:
        return f"${body}$" if body else ""
    if element.type == ElementType.CODE.value:
        return _fenced(body) if body else ""
    if element.type == ElementType.PICTURE.value:
        return f"<!-- picture {element.id} -->" + (f"\n\n{body}" if body else "")
    return body


def _fenced(code: str) -> str:
    longest = max((len(run) for run in _BACKTICKS.findall(code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{code}\n{fence}"
