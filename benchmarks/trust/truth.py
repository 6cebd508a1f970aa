"""Whether an element's text is right, by a comparison of raw strings that shares nothing with the checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher

from nemoparse_loaders.document import BBox, Element
from nemoparse_loaders.export.plain import markdown_to_text
from nemoparse_loaders.rendering.page_image import PageEvidence

_MOST_CHARS = 6_000
_MARGINS = (0.0, 0.004, 0.008)
_RIGHT = 0.01


class Difference:
    """Between an element's text and what the file stores at its place.

    Attributes:
        chars: How many letters and digits of both sides are not on the other side, half counted each.
        digits: How many of these are digits.
        length: Letters and digits of the file's words.
    """

    def __init__(self, ours: str, theirs: str) -> None:
        left: Counter[str] = Counter()
        right: Counter[str] = Counter()
        if ours != theirs:
            matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
            for tag, a0, a1, b0, b1 in matcher.get_opcodes():
                if tag != "equal":
                    left.update(filter(str.isalnum, ours[a0:a1]))
                    right.update(filter(str.isalnum, theirs[b0:b1]))
        # What was only moved is on both lists.
        rest = (left - right) + (right - left)
        self.chars = sum(rest.values()) / 2
        self.digits = sum(count for char, count in rest.items() if char.isdigit())
        self.length = sum(map(str.isalnum, theirs))

    @property
    def is_right(self) -> bool:
        """Not one character in a hundred differs, and no digit."""
        return not self.digits and self.chars <= _RIGHT * max(1, self.length)


def difference(element: Element, evidence: PageEvidence) -> Difference | None:
    """The least difference over boxes of a few sizes; None where there is nothing to compare."""
    if element.bbox is None:
        return None
    text = element.text
    if element.table is not None:
        text = " ".join(markdown_to_text(cell.text) for cell in element.table.cells)
    ours = "".join(text.split())[:_MOST_CHARS]
    found = [Difference(ours, _stored(evidence, element.bbox, margin)) for margin in _MARGINS]
    return min(found, key=lambda each: (each.chars, each.digits))


def _stored(evidence: PageEvidence, box: BBox, margin: float) -> str:
    words = [
        word.text
        for word in evidence.words
        if not word.hidden
        and box.x0 - margin <= (word.bbox.x0 + word.bbox.x1) / 2 <= box.x1 + margin
        and box.y0 - margin <= (word.bbox.y0 + word.bbox.y1) / 2 <= box.y1 + margin
    ]
    return "".join(_unbroken(words))[:_MOST_CHARS]


def _unbroken(words: Iterable[str]) -> Iterable[str]:
    for word in words:
        yield word.removesuffix("-")
