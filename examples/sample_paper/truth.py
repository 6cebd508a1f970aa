"""What a perfect parser would find in the sample paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import content, tables
from .blocks import Formula, Heading, Listing, ListItem, Paragraph, Reference, TableData, plain
from .flow import Placed

_CLASSES = {
    Heading: "Section-header",
    Paragraph: "Text",
    ListItem: "List-item",
    Listing: "Code",
    Reference: "Bibliography",
    Formula: "Formula",
}


def ground_truth(placed: Sequence[Placed], page_count: int, oil_rows: Sequence[int]) -> dict[str, Any]:
    """Headings, tables, captions, blocks and furniture with their pages.

    Args:
        placed: Where everything stands, in the order of drawing.
        page_count: Pages of the paper.
        oil_rows: Body rows of each part of the table that goes over two pages.
    """
    where: dict[str, list[Placed]] = {}
    for place in placed:
        where.setdefault(place.key, []).append(place)
    first = content.FIRST_PRINTED_PAGE
    headings = [("abstract heading", content.ABSTRACT_HEADING)]
    headings += [(f"body{i}", block) for i, block in enumerate(content.BODY) if isinstance(block, Heading)]
    return {
        "title": content.TITLE,
        "authors": plain(content.AUTHORS),
        "pages": page_count,
        "page_labels": [str(first + page) for page in range(page_count)],
        "page_header": f"{content.RUNNING_TITLE} {content.JOURNAL}",
        "headings": [
            {"text": block.text, "level": block.level, "page": where[key][0].page} for key, block in headings
        ],
        "tables": [
            _table(tables.LOADS, where["table loads"], [len(tables.LOADS.rows) - 2]),
            _table(tables.OIL, where["table oil"], oil_rows),
            _table(tables.NOTATION, where["table notation"], [len(tables.NOTATION.rows) - 1]),
        ],
        "figures": [
            {
                "caption": plain(tables.WEAR.caption),
                "page": where["chart wear"][0].page,
                "groups": list(tables.WEAR.groups),
                "series": {name: list(values) for name, values in tables.WEAR.series},
            }
        ],
        "formulas": [
            {"number": block.number, "latex": block.latex, "page": where[f"body{i}"][0].page}
            for i, block in enumerate(content.BODY)
            if isinstance(block, Formula)
        ],
        "footnotes": [
            {"mark": note.mark, "text": plain(note.text), "page": where[f"footnote {note.mark}"][0].page}
            for note in content.FOOTNOTES
        ],
        "blocks": _blocks(where),
    }


def _table(data: TableData, places: Sequence[Placed], rows: Sequence[int]) -> dict[str, Any]:
    return {
        "caption": plain(data.caption),
        "header_rows": data.header_rows,
        "n_rows": len(data.rows),
        "n_cols": len(data.rows[0]),
        "parts": [
            {"page": place.page, "body_rows": count, "bbox": _box(place)}
            for place, count in zip(places, rows, strict=True)
        ],
        "cells": [
            {"row": c.row, "col": c.col, "rowspan": c.rowspan, "colspan": c.colspan, "text": c.text}
            for c in data.cells()
        ],
    }


def _blocks(where: dict[str, list[Placed]]) -> list[dict[str, Any]]:
    """The running text in reading order, each block with all the places that it takes."""
    texts: list[tuple[str, str, str]] = [
        ("title", "Title", content.TITLE),
        ("authors", "Text", plain(content.AUTHORS)),
        ("affiliations", "Text", plain(content.AFFILIATIONS)),
        ("abstract heading", "Section-header", content.ABSTRACT_HEADING.text),
        ("abstract", "Text", plain(content.ABSTRACT.text)),
    ]
    for index, block in enumerate(content.BODY):
        texts.append((f"body{index}", _CLASSES[type(block)], _text(block)))
    return [
        {"class": name, "text": text, "places": [{"page": p.page, "bbox": _box(p)} for p in where[key]]}
        for key, name, text in texts
    ]


def _text(block: object) -> str:
    if isinstance(block, Heading):
        return block.text
    if isinstance(block, Formula):
        return block.latex
    if isinstance(block, Listing):
        return block.text
    if isinstance(block, ListItem):
        return f"{block.mark} {plain(block.text)}"
    if isinstance(block, Paragraph | Reference):
        return plain(block.text)
    raise TypeError(f"no text for {type(block).__name__}")


def _box(place: Placed) -> list[float]:
    return [round(value, 4) for value in place.box]
