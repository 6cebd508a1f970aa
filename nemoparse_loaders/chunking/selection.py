"""Which kinds of elements become chunks, by the caller's wish."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, TypeAlias, get_args

from ..document import Element, ElementType
from ..errors import OptionError

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

    Raises:
        OptionError: It is neither "keep" nor "drop".
    """

    furniture: Treatment = "drop"
    pictures: Treatment = "keep"
    footnotes: Treatment = "keep"
    toc: Treatment = "keep"

    def __post_init__(self) -> None:
        for option in fields(self):
            value = getattr(self, option.name)
            if value not in get_args(Treatment):
                raise OptionError(f'{option.name} must be "keep" or "drop", not {value!r}')

    def drops(self, element: Element) -> bool:
        """Whether an element of the body is left out for its class."""
        treatment = {
            ElementType.PICTURE.value: self.pictures,
            ElementType.FOOTNOTE.value: self.footnotes,
            ElementType.TOC.value: self.toc,
        }.get(element.type, "keep")
        return treatment == "drop"


DEFAULT_SELECTION = Selection()
