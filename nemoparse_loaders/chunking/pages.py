"""Whole pages as drafts of pieces, and elements in a row as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..document import Element, ParsedDocument
from .blocks import Draft, embedded_words, kind_of, reader_text, whole_span
from .body import Placed, body_of
from .clean import storable
from .outline import Path, common_path, outline
from .running_text import joined_markdown
from .selection import DEFAULT_SELECTION, Selection
from .steps import ALL_STEPS, Steps


def page_drafts(
    document: ParsedDocument,
    steps: Steps = ALL_STEPS,
    selection: Selection = DEFAULT_SELECTION,
    *,
    plain: bool = True,
) -> Iterator[Draft]:
    """One draft for each page with words, in order; where it is not to be ``plain``, Markdown is embedded."""
    body = body_of(document, steps, selection)
    paths = outline(body, steps)
    on_page: dict[int, list[Placed]] = {}
    for item in body:
        on_page.setdefault(id(item.page), []).append(item)
    for page in document.pages:
        placed = on_page.get(id(page), [])
        elements = [item.element for item in placed]
        words = embedded_text(elements, plain=plain)
        if not words:
            continue
        yield Draft(
            kind="text",
            text=markdown_of(elements),
            embed_text=words,
            spans=tuple(whole_span(item) for item in placed),
            path=_path_on_top(placed, paths),
            position=placed[0].position,
        )


def embedded_text(elements: Sequence[Element], *, plain: bool) -> str:
    """What is embedded of elements in a row; empty where none of them has words."""
    words = list(filter(None, map(embedded_words, map(_printed, elements))))
    return "\n".join(words) if plain or not words else storable(markdown_of(elements)).strip()


def markdown_of(elements: Sequence[Element]) -> str:
    """Elements in a row as the document's own Markdown has them: items of a list close together."""
    texts = [(kind_of(element), reader_text(element)) for element in map(_printed, elements)]
    return joined_markdown([(kind, text) for kind, text in texts if text])


def _printed(element: Element) -> Element:
    """The element; where its words are in its grid only, with that as its Markdown."""
    if element.table is None or element.markdown or element.text:
        return element
    return element.model_copy(update={"markdown": element.table.to_markdown()})


def _path_on_top(placed: Sequence[Placed], paths: Sequence[Path]) -> Path:
    """The headings that a page begins under."""
    path = paths[placed[0].position]
    return path if path else common_path([paths[item.position] for item in placed])
