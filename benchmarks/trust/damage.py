"""Damage done to a page on purpose, one kind at a time; the same for the same seed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from nemoparse_loaders.document import BBox, Element, ParsedPage, Table, TableCell

LINE = 10
# Plain sentences of the kind that a model makes up; of everyday words, since these are the hardest to find.
INVENTED = (
    "The results of the second year are presented in the table above and show that all of these were below "
    "the limit, so that no further action was taken by the board in this case.",
    "In general, users should read the following section first, because it explains how the values that are "
    "given here can be used for other purposes and which of them may change.",
    "According to the report, most people in the region had access to the service by the end of 2019, while "
    "only 12 percent said that they would use it again.",
)


class Damaged(NamedTuple):
    """A page with one damage.

    Attributes:
        page: The page.
        element_id: The element that is damaged; empty where one is gone.
    """

    page: ParsedPage
    element_id: str


Kind = Callable[[ParsedPage, Element, random.Random], "Damaged | None"]


def _replaced(page: ParsedPage, element: Element, **update: object) -> Damaged:
    new = element.model_copy(update=update)
    elements = tuple(new if other.id == element.id else other for other in page.elements)
    return Damaged(page.model_copy(update={"elements": elements}), element.id)


def _with_text(page: ParsedPage, element: Element, words: Sequence[str]) -> Damaged:
    text = " ".join(words)
    return _replaced(page, element, text=text, markdown=text, raw=text)


def _words(element: Element, least: int) -> list[str]:
    words = element.text.split() if element.table is None else []
    return words if len(words) >= least else []


def dropped(count: int) -> Kind:
    """So many words in a row are gone."""

    def damage(page: ParsedPage, element: Element, rng: random.Random) -> Damaged | None:
        words = _words(element, count + 3)
        starts = [
            i
            for i in range(len(words) - count + 1)
            if any(c.isalnum() for c in "".join(words[i : i + count]))
        ]
        if not words or not starts:
            return None
        start = rng.choice(starts)
        return _with_text(page, element, words[:start] + words[start + count :])

    return damage


def doubled_line(page: ParsedPage, element: Element, rng: random.Random) -> Damaged | None:
    """A line's words come twice."""
    words = _words(element, LINE + 2)
    if not words:
        return None
    # Lines of dots say nothing.
    starts = [
        i
        for i in range(len(words) - LINE)
        if 2 * sum(any(c.isalnum() for c in word) for word in words[i : i + LINE]) >= LINE
    ]
    if not starts:
        return None
    start = rng.choice(starts)
    return _with_text(page, element, words[: start + LINE] + words[start:])


def changed_digit(page: ParsedPage, element: Element, rng: random.Random) -> Damaged | None:
    """One digit in a number is another one."""

    def change(text: str) -> str | None:
        places = [match.start() for match in re.finditer(r"[0-9]", text)]
        if not places:
            return None
        place = rng.choice(places)
        digit = rng.choice([c for c in "0123456789" if c != text[place]])
        return text[:place] + digit + text[place + 1 :]

    return _changed(page, element, rng, change)


def swapped_letters(page: ParsedPage, element: Element, rng: random.Random) -> Damaged | None:
    """Two letters of a word have changed places."""

    def change(text: str) -> str | None:
        places = [
            match.start()
            for match in re.finditer(r"[A-Za-z](?=[A-Za-z])", text)
            if text[match.start()].lower() != text[match.start() + 1].lower()
        ]
        if not places:
            return None
        place = rng.choice(places)
        return text[:place] + text[place + 1] + text[place] + text[place + 2 :]

    return _changed(page, element, rng, change)


def _changed(
    page: ParsedPage, element: Element, rng: random.Random, change: Callable[[str], str | None]
) -> Damaged | None:
    if element.table is None:
        text = change(element.text)
        return None if text is None else _replaced(page, element, text=text, markdown=text)
    cells = list(element.table.cells)
    order = list(range(len(cells)))
    rng.shuffle(order)
    for index in order:
        text = change(cells[index].text)
        if text is not None:
            cells[index] = cells[index].model_copy(update={"text": text})
            return _with_cells(page, element, cells)
    return None


def _with_cells(page: ParsedPage, element: Element, cells: Sequence[TableCell], **update: int) -> Damaged:
    assert element.table is not None
    table = element.table.model_copy(update={"cells": tuple(cells), **update})
    return _replaced(page, element, table=table, text="\n".join(cell.text for cell in cells))


def words_invented(page: ParsedPage, element: Element, rng: random.Random) -> Damaged | None:
    """Three words that nobody printed stand in a paragraph."""
    words = _words(element, 6)
    if not words:
        return None
    made_up = rng.choice(INVENTED).split()
    start, place = rng.randrange(len(made_up) - 3), rng.randrange(len(words))
    return _with_text(page, element, words[:place] + made_up[start : start + 3] + words[place:])


def paragraph_invented(page: ParsedPage, element: Element, rng: random.Random) -> Damaged | None:
    """A paragraph that nobody printed, in a box somewhere on the page."""
    x, y = rng.uniform(0.05, 0.5), rng.uniform(0.05, 0.85)
    text = rng.choice(INVENTED)
    new = Element(
        id=f"{element.id}x", type="Text", bbox=BBox(x, y, x + 0.4, y + 0.06), text=text, markdown=text
    )
    return _inserted(page, element, new)


def element_doubled(page: ParsedPage, element: Element, rng: random.Random) -> Damaged | None:
    """An element comes twice, the second time a little lower."""
    del rng
    if element.bbox is None or not element.text.strip():
        return None
    x0, y0, x1, y1 = element.bbox
    return _inserted(
        page,
        element,
        element.model_copy(
            update={"id": f"{element.id}x", "bbox": BBox.clamped(x0, y0 + 0.01, x1, y1 + 0.01)}
        ),
    )


def _inserted(page: ParsedPage, element: Element, new: Element) -> Damaged:
    at = page.elements.index(element) + 1
    return Damaged(
        page.model_copy(update={"elements": (*page.elements[:at], new, *page.elements[at:])}), new.id
    )


def box_moved(page: ParsedPage, element: Element, rng: random.Random) -> Damaged | None:
    """The box stands elsewhere, beside its old place."""
    if element.bbox is None or element.bbox.height > 0.4:
        return None
    x0, y0, x1, y1 = element.bbox
    step = (y1 - y0) + rng.uniform(0.02, 0.1)
    below = y1 + step <= 1.0
    if not below and y0 - step < 0.0:
        return None
    step = step if below else -step
    return _replaced(page, element, bbox=BBox.clamped(x0, y0 + step, x1, y1 + step))


def element_dropped(page: ParsedPage, element: Element, rng: random.Random) -> Damaged | None:
    """An element is gone."""
    del rng
    if element.type in ("Page-header", "Page-footer") or sum(map(str.isalnum, element.text)) < 4:
        return None
    left = tuple(other for other in page.elements if other.id != element.id)
    return Damaged(page.model_copy(update={"elements": left}), "")


def cells_swapped(page: ParsedPage, element: Element, rng: random.Random) -> Damaged | None:
    """Two cells of a row or of a column have changed places."""
    if element.table is None:
        return None
    cells = list(element.table.cells)
    full = [i for i, cell in enumerate(cells) if any(c.isalnum() for c in cell.text)]
    pairs = [
        (a, b)
        for a in full
        for b in full
        if a < b
        and (cells[a].row == cells[b].row or cells[a].col == cells[b].col)
        and cells[a].text != cells[b].text
        and all(cells[i].rowspan == cells[i].colspan == 1 for i in (a, b))
    ]
    if not pairs:
        return None
    a, b = rng.choice(pairs)
    cells[a], cells[b] = (
        cells[a].model_copy(update={"text": cells[b].text}),
        cells[b].model_copy(update={"text": cells[a].text}),
    )
    return _with_cells(page, element, cells)


def column_lost(page: ParsedPage, element: Element, rng: random.Random) -> Damaged | None:
    """A column of a table is gone."""
    if element.table is None:
        return None
    table: Table = element.table
    columns = [
        column
        for column in range(table.n_cols)
        if sum(any(c.isalnum() for c in cell.text) for cell in table.cells if cell.col == column) > 1
    ]
    if table.n_cols < 2 or not columns:
        return None
    lost = rng.choice(columns)
    cells = [
        cell.model_copy(update={"col": cell.col - (cell.col > lost), "colspan": 1})
        for cell in table.cells
        if cell.col != lost
    ]
    return _with_cells(page, element, cells, n_cols=table.n_cols - 1)


KINDS: dict[str, Kind] = {
    "1 word dropped": dropped(1),
    "3 words dropped": dropped(3),
    "10 words dropped": dropped(LINE),
    "digit changed": changed_digit,
    "letters swapped": swapped_letters,
    "3 words invented": words_invented,
    "paragraph invented": paragraph_invented,
    "line doubled": doubled_line,
    "element doubled": element_doubled,
    "element dropped": element_dropped,
    "box moved": box_moved,
    "cells swapped": cells_swapped,
    "column lost": column_lost,
}
