"""Captions and their tables, pictures and charts."""

from __future__ import annotations

import pytest

from nemoparse_loaders.document import BBox, Element
from nemoparse_loaders.export import captions
from nemoparse_loaders.export.captions import bind_captions


def element(kind: str, text: str = "", box: tuple[float, float, float, float] | None = None) -> Element:
    bbox = None if box is None else BBox(*box)
    return Element(id="p1e1", type=kind, text=text, markdown=text, bbox=bbox)


def test_a_caption_above_a_table_and_one_below_a_picture() -> None:
    elements = [
        element("Caption", "Table 1. Above", (0.1, 0.1, 0.9, 0.12)),
        element("Table", box=(0.1, 0.13, 0.9, 0.3)),
        element("Text", "between"),
        element("Picture", box=(0.1, 0.5, 0.9, 0.7)),
        element("Caption", "Figure 1. Below", (0.1, 0.71, 0.9, 0.73)),
        element("Caption", "Its second line", (0.1, 0.74, 0.9, 0.76)),
    ]

    assert bind_captions(elements) == {1: [0], 3: [4, 5]}


@pytest.mark.parametrize(
    ("kind", "text", "bound"),
    [
        ("Table", "Figure 2", False),
        ("Picture", "Table 2", False),
        ("Chart", "Tabelle 2", False),
        ("Chart", "Fig. 2", True),
        ("Table", "No word of its own", True),
        ("Table", " ", False),
    ],
)
def test_the_first_word_has_to_agree(kind: str, text: str, bound: bool) -> None:
    assert bind_captions([element(kind), element("Caption", text)]) == ({0: [1]} if bound else {})


def test_captions_at_the_end_of_the_page_go_to_the_nearest_float() -> None:
    elements = [
        element("Picture", box=(0.1, 0.1, 0.9, 0.2)),
        element("Text", "words", (0.1, 0.3, 0.9, 0.4)),
        element("Picture", box=(0.1, 0.6, 0.9, 0.7)),
        element("Text", "words", (0.1, 0.8, 0.9, 0.85)),
        element("Caption", "Figure 2", (0.1, 0.71, 0.9, 0.73)),
        element("Caption", "Figure 1", (0.1, 0.21, 0.9, 0.23)),
    ]

    assert bind_captions(elements) == {0: [5], 2: [4]}


def test_text_between_parts_them_where_there_are_no_boxes() -> None:
    assert bind_captions([element("Table"), element("Text", "x"), element("Caption", "Table 1")]) == {}
    assert bind_captions([element("Table"), element("Picture"), element("Caption", "Table 1")]) == {0: [2]}


@pytest.mark.parametrize("kind", ["Table", "Picture"])
@pytest.mark.parametrize("boxed", [True, False])
def test_many_on_one_page_each_have_their_own(
    monkeypatch: pytest.MonkeyPatch, kind: str, boxed: bool
) -> None:
    compared = 0
    cost = captions._cost

    def counted(caption: Element, target: Element, *, steps: int, parted: bool) -> float | None:
        nonlocal compared
        compared += 1
        return cost(caption, target, steps=steps, parted=parted)

    monkeypatch.setattr(captions, "_cost", counted)
    count = 1000
    elements: list[Element] = []
    for n in range(count):
        top, step = n / count, 1 / count
        box = (0.1, top, 0.9, top + 0.3 * step)
        below = (0.1, top + 0.3 * step, 0.9, top + 0.9 * step)
        elements += [element("Caption", "Its name", box if boxed else None)]
        elements += [element(kind, box=below if boxed else None)]

    bound = bind_captions(elements)

    assert sorted(found for own in bound.values() for found in own) == list(range(0, 2 * count, 2))
    assert compared <= 50 * count
    # Captions of pictures stand below them as a rule.
    if boxed and kind == "Table":
        assert all(own == [target - 1] for target, own in bound.items())


@pytest.mark.parametrize("place", [0, 150, 300])
def test_a_caption_finds_the_only_table_among_many_pictures(place: int) -> None:
    elements = [element("Picture") for _ in range(300)]
    elements.insert(place, element("Table"))

    assert bind_captions([*elements, element("Caption", "Table 1")]) == {place: [301]}
