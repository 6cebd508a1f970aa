"""A block to an `Element`, its body in the words and marks that the model uses for the class."""

from __future__ import annotations

from ...document import Element
from .geometry import Frame
from .markup import markdown, plain_text
from .parts import Block, Line


def to_element(block: Block, frame: Frame, page: int, position: int) -> Element:
    """Print a block.

    Args:
        block: With its type and, for headings, its level.
        frame: Maps its box to the page.
        page: The page's number.
        position: The element's number on the page, from 1.
    """
    body, text = _body(block)
    return Element(
        id=f"p{page}e{position}",
        type=block.type,
        bbox=frame.to_page(block.box),
        markdown=body,
        text=text,
        table=block.table,
        chart=block.chart,
        continues_before=block.continues_before,
        continues_after=block.continues_after,
    )


def _body(block: Block) -> tuple[str, str]:
    text = plain_text(block.lines)
    if block.body:
        return block.body, text
    if block.type == "Title":
        return f"# {markdown(block.lines, styled=False)}", text
    if block.type == "Section-header":
        return f"{'#' * (block.level + 1)} {markdown(block.lines, styled=False)}", text
    if block.type == "Code":
        code = code_text(block.lines)
        return code, code
    if block.type in {"Picture", "Chart", "TOC"}:
        rows = "\n".join(line.text for line in block.lines)
        return rows, rows
    if block.type in {"Caption", "Page-header", "Page-footer"}:
        return markdown(block.lines, styled=False), text
    return markdown(block.lines), text


def code_text(lines: list[Line]) -> str:
    """Lines of code with their indents, in the width of the font's own characters."""
    left = min(line.box.x0 for line in lines)
    widths = sorted(word.box.width / len(word.text) for line in lines for word in line.words)
    step = widths[len(widths) // 2] or 1.0
    rows = []
    for line in lines:
        row = ""
        for word in line.words:
            column = round((word.box.x0 - left) / step)
            row += " " * max(column - len(row), 1 if row else 0) + word.text
        rows.append(row)
    return "\n".join(rows)
