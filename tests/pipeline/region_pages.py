"""A page, and the replies to it, to the pictures of its regions and to the request for regions alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from nemoparse_loaders.decoding import decode_page
from nemoparse_loaders.document import BBox, Element, ParsedPage
from nemoparse_loaders.pipeline.region_boxes import to_picture
from nemoparse_loaders.pipeline.region_merge import RegionReading
from nemoparse_loaders.pipeline.regions import Region

MARGIN = 0.02


class Printed(NamedTuple):
    """A block as the model prints it.

    Attributes:
        kind: Its class.
        box: On the page.
        body: What it says.
        open: Whether the reply ends in it.
    """

    kind: str
    box: BBox
    body: str
    open: bool = False


def tabular(*rows: str, closed: bool = True) -> str:
    columns = max(row.count("&") for row in rows) + 1
    end = "\n\\end{tabular}" if closed else ""
    return f"\\begin{{tabular}}{{{'l' * columns}}}\n" + " \\\\\n".join(rows) + end


def reply(blocks: Iterable[Printed]) -> str:
    printed = []
    for block in blocks:
        x0, y0, x1, y1 = (f"{edge:.6f}" for edge in block.box)
        end = "" if block.open else f"<x_{x1}><y_{y1}><class_{block.kind}>"
        printed.append(f"<x_{x0}><y_{y0}>{block.body}{end}")
    return "\n\n".join(printed)


def page_of(blocks: Sequence[Printed], number: int = 1) -> ParsedPage:
    reason = "length" if any(block.open for block in blocks) else "stop"
    return decode_page(reply(blocks), reason, page_number=number)


def regions_of(*regions: tuple[str, BBox]) -> ParsedPage:
    """The reply to the task without text."""
    return page_of([Printed(kind, box, "") for kind, box in regions])


def with_margin(box: BBox) -> BBox:
    return BBox.clamped(box.x0 - MARGIN, box.y0 - MARGIN, box.x1 + MARGIN, box.y1 + MARGIN)


def reading_of_region(region: Region, blocks: Sequence[Printed], shift: float = 0.0) -> RegionReading:
    """A region read from a picture with a margin.

    Args:
        region: What is to be read.
        blocks: What the picture shows, boxes on the page.
        shift: How far the boxes of the reply are off, in heights of the picture.
    """
    picture = with_margin(region.box)
    inside = []
    for block in blocks:
        x0, y0, x1, y1 = to_picture(block.box, picture)
        inside.append(block._replace(box=BBox.clamped(x0, y0 + shift, x1, y1 + shift)))
    return RegionReading(region, picture, page_of(inside))


def shown(truth: Iterable[Printed], picture: BBox) -> list[Printed]:
    """The blocks that a picture shows; of those at its edge the half that is in it."""
    found = []
    for block in truth:
        share = block.box.overlap(picture) / block.box.area
        if share > 0.9:
            found.append(block)
        elif share > 0.1:
            words = block.body.split()
            half = len(words) // 2 or 1
            body = " ".join(words[:half] if picture.y1 < block.box.y1 else words[half:])
            if block.kind != "Table":
                found.append(block._replace(body=body))
    return found


def plain_words(element: Element) -> set[str]:
    """All words of an element's text and cells, found without the code that is tested."""
    text = " ".join(
        [element.text, *(cell.text for cell in element.table.cells)] if element.table else [element.text]
    )
    return set(re.findall(r"\w+", text))


def words_on(page: ParsedPage, *, alternatives: bool = False) -> set[str]:
    elements = list(page.elements)
    if alternatives:
        elements += [other for element in page.elements for other in element.alternatives]
    return {word for element in elements for word in plain_words(element)}


def check_numbering(page: ParsedPage) -> None:
    """Ids count through, and issues and alternatives have the id of their element."""
    for position, element in enumerate(page.elements, start=1):
        assert element.id == f"p{page.number}e{position}"
        assert all((issue.element_id, issue.page) == (element.id, page.number) for issue in element.issues)
        for other in element.alternatives:
            assert other.id == element.id
            assert other.alternatives == ()
            assert all(issue.element_id == element.id for issue in other.issues)
        if element.bbox is not None:
            assert 0.0 <= element.bbox.x0 <= element.bbox.x1 <= 1.0
            assert 0.0 <= element.bbox.y0 <= element.bbox.y1 <= 1.0
