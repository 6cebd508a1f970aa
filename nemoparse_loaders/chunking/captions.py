"""The captions of all tables, pictures and charts of a body, by the rule of `export.captions`."""

from __future__ import annotations

from collections.abc import Sequence

from ..document import ElementType
from ..export.captions import bind_captions as bind_on_page
from .body import Placed

_FLOATS = frozenset({ElementType.TABLE.value, ElementType.PICTURE.value, ElementType.CHART.value})


def bind_captions(body: Sequence[Placed]) -> dict[int, list[Placed]]:
    """Give each caption to a float of its page.

    Returns:
        Position of the float in the body -> its captions in reading order. Captions without a float are in no
        list.
    """
    pages: dict[int, list[Placed]] = {}
    for placed in body:
        pages.setdefault(id(placed.page), []).append(placed)
    return {
        on_page[target].position: [on_page[caption] for caption in captions]
        for on_page in pages.values()
        for target, captions in bind_on_page([placed.element for placed in on_page]).items()
    }


def is_float(placed: Placed) -> bool:
    """Whether the element can have a caption."""
    return placed.element.type in _FLOATS
