"""Which elements become chunks, by the caller's wish."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, TypeAlias, get_args

from ..document import Element, ElementType, ParsedPage
from ..errors import OptionError
from ..issue import asks_for_review

Treatment: TypeAlias = Literal["keep", "drop"]


@dataclass(frozen=True, slots=True)
class Selection:
    """What is kept and what is dropped.

    Attributes:
        furniture: Page headers and footers. Kept, they are running text.
        pictures: Pictures with the words inside of them; charts stay. Captions of dropped pictures are
            running text.
        footnotes: Footnotes.
        toc: Tables of contents.
        doubtful: Elements that a check or another reading of theirs speaks against, see `is_in_doubt`.
        min_confidence: Elements whose confidence is known and lower are dropped; 0 drops none.

    Raises:
        OptionError: It is neither "keep" nor "drop", or no number from 0 to 1.
    """

    furniture: Treatment = "drop"
    pictures: Treatment = "keep"
    footnotes: Treatment = "keep"
    toc: Treatment = "keep"
    doubtful: Treatment = "keep"
    min_confidence: float = 0.0

    def __post_init__(self) -> None:
        for option in fields(self):
            value = getattr(self, option.name)
            if option.name != "min_confidence" and value not in get_args(Treatment):
                raise OptionError(f'{option.name} must be "keep" or "drop", not {value!r}')
        if not isinstance(self.min_confidence, (int, float)) or not 0 <= self.min_confidence <= 1:
            raise OptionError(f"min_confidence must be a number from 0 to 1, not {self.min_confidence!r}")

    def drops(self, element: Element) -> bool:
        """Whether an element of the body is left out for its class, or since it is not sure enough."""
        if self.doubtful == "drop" and is_in_doubt(element):
            return True
        if element.confidence is not None and element.confidence < self.min_confidence:
            return True
        treatment = {
            ElementType.PICTURE.value: self.pictures,
            ElementType.FOOTNOTE.value: self.footnotes,
            ElementType.TOC.value: self.toc,
        }.get(element.type, "keep")
        return treatment == "drop"


def is_in_doubt(reading: Element | ParsedPage) -> bool:
    """Whether a page's file, or another reading, speaks against an element, or the page as a whole."""
    return any(map(asks_for_review, reading.issues))


DEFAULT_SELECTION = Selection()
