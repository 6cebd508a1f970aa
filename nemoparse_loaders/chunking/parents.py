"""The parents of chunks: the sections or the pages that they stand in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, TypeAlias

from ..document import Element, ParsedDocument, ParsedPage
from .blocks import Draft, Span
from .budget import Budget
from .outline import Path
from .pages import embedded_text, markdown_of, page_drafts
from .selection import DEFAULT_SELECTION, Selection
from .splitting import most_that_fit

_WORD = re.compile(r"\S+")

Parents: TypeAlias = Literal["section", "page"]


@dataclass(frozen=True, slots=True)
class Family:
    """Drafts of parents, and who belongs to whom.

    Attributes:
        drafts: The parents in reading order; a section before the sections in it.
        above: For each of them the index of its own parent, or None.
        of_leaf: For each leaf the index of its parent, or None.
    """

    drafts: list[Draft]
    above: list[int | None]
    of_leaf: list[int | None]


def family_of(
    document: ParsedDocument,
    leaves: Sequence[Draft],
    parents: Parents,
    budget: Budget,
    selection: Selection = DEFAULT_SELECTION,
) -> Family:
    """The parents of the leaves; their embedded text is cut to the budget, their own text is whole."""
    if parents == "page":
        return _pages(document, leaves, budget, selection)
    return _sections(document, leaves, budget)


def _pages(document: ParsedDocument, leaves: Sequence[Draft], budget: Budget, selection: Selection) -> Family:
    """The pages that leaves begin on: to frameworks any other would be a leaf itself."""
    order = {id(page): index for index, page in enumerate(document.pages)}
    begun = [min(order[id(span.page)] for span in leaf.spans) for leaf in leaves]
    pages = page_drafts(document, budget.steps, selection, plain=budget.plain)
    of_page = {order[id(draft.spans[0].page)]: draft for draft in pages}
    drafts = {page: _within_budget(draft, budget) for page, draft in of_page.items() if page in set(begun)}
    # A page without words has no draft, and the placeholder that stands for it no parent.
    index_of = {page: index for index, page in enumerate(drafts)}
    return Family(list(drafts.values()), [None] * len(drafts), [index_of.get(page) for page in begun])


@dataclass(slots=True)
class _Node:
    path: Path
    above: _Node | None
    leaves: list[Draft]


def _sections(document: ParsedDocument, leaves: Sequence[Draft], budget: Budget) -> Family:
    """Each heading path of a leaf is a section, and so is each path that it begins with.

    What stands under no heading makes sections of its own, one for each unbroken run: the whole document
    would be too much.
    """
    order: list[_Node] = []
    of_leaf: list[_Node | None] = []
    run: _Node | None = None
    nodes: dict[Path, _Node] = {}
    for leaf in leaves:
        if all(span.element is None for span in leaf.spans):
            of_leaf.append(None)
            continue
        node: _Node | None = None
        for depth in range(1, len(leaf.path) + 1):
            path = leaf.path[:depth]
            if path not in nodes:
                nodes[path] = _Node(path, node, [])
                order.append(nodes[path])
            node = nodes[path]
            node.leaves.append(leaf)
        if node is not None:
            run = None
        else:
            if run is None:
                run = _Node((), None, [])
                order.append(run)
            node = run
            node.leaves.append(leaf)
        of_leaf.append(node)
    index_of = {id(node): index for index, node in enumerate(order)}
    places = {
        id(element): (number, index)
        for number, page in enumerate(document.pages)
        for index, element in enumerate(page.elements)
    }
    return Family(
        drafts=[_section_draft(node, places, budget) for node in order],
        above=[None if node.above is None else index_of[id(node.above)] for node in order],
        of_leaf=[None if node is None else index_of[id(node)] for node in of_leaf],
    )


def _section_draft(node: _Node, places: dict[int, tuple[int, int]], budget: Budget) -> Draft:
    found: dict[int, tuple[Element, ParsedPage]] = {}
    for leaf in node.leaves:
        for span in leaf.spans:
            if span.element is not None:
                found.setdefault(id(span.element), (span.element, span.page))
    ordered = sorted(found.values(), key=lambda pair: places.get(id(pair[0]), (0, 0)))
    elements = [element for element, _ in ordered]
    draft = Draft(
        kind="text",
        text=markdown_of(elements),
        embed_text=embedded_text(elements, plain=budget.plain),
        spans=tuple(Span(page, element, element.bbox) for element, page in ordered),
        path=node.path,
        position=min(leaf.position for leaf in node.leaves),
    )
    return _within_budget(draft, budget)


def _within_budget(draft: Draft, budget: Budget) -> Draft:
    """The draft with the heading path before its words, and as many of them as there is room for."""
    for front in (budget.front(draft.path), ""):
        length = _most_words(draft.embed_text, front, budget)
        if length:
            text = front + draft.embed_text[:length].rstrip()
            return Draft(draft.kind, draft.text, text, draft.spans, draft.path, draft.position)
    raise budget.too_small()


def _most_words(text: str, front: str, budget: Budget) -> int:
    """How many characters from the start fit behind the front: up to the end of a word, if any."""

    def fits(end: int) -> bool:
        return budget.fits(front + text[:end])

    words = _WORD.finditer(text, 0, budget.most_characters)
    # No vocabulary has tokens of four words on average.
    ends = [word.end() for word in islice(words, 4 * budget.max_tokens)]
    # A word has some two tokens; how many in this text is seen from a part of it.
    guess = min(len(ends), budget.max_tokens // 2)
    if guess:
        guess = guess * budget.max_tokens // max(1, budget.count(front + text[: ends[guess - 1]]))
    count = most_that_fit(lambda count: fits(ends[count - 1]), len(ends), guess)
    return ends[count - 1] if count else most_that_fit(fits, ends[0] if ends else 0, budget.max_tokens)
