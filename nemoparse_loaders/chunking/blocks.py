"""What is packed into chunks: blocks of text with where they come from, and drafts of chunks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from ..document import BBox, Element, ElementType, ParsedPage
from ..export.markdown import element_to_markdown
from ..export.plain import markdown_to_text
from .body import Placed
from .clean import storable, without_dollars, words_of, words_of_formula
from .outline import Heading, Path, is_section_heading

# The line under the header of a pipe table, and the bars between its cells.
_RULE_LINE = re.compile(r"^[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$", re.M)
_BAR = re.compile(r"(?<!\\)\|")

ChunkType: TypeAlias = Literal["text", "table", "figure", "chart", "formula", "list", "code", "footnote"]

_TYPES: dict[str, ChunkType] = {
    ElementType.TABLE.value: "table",
    ElementType.PICTURE.value: "figure",
    ElementType.CHART.value: "chart",
    ElementType.FORMULA.value: "formula",
    ElementType.INLINE_FORMULA.value: "formula",
    ElementType.LIST_ITEM.value: "list",
    ElementType.CODE.value: "code",
    ElementType.FOOTNOTE.value: "footnote",
}


@dataclass(frozen=True, slots=True)
class Span:
    """Where a part of a chunk comes from.

    Attributes:
        page: The page.
        element: The element; None for a page that has none.
        bbox: The box of the part, 0..1 of the displayed page.
        estimated: It is a part of the element, and the box a share of the element's box.
        rows: Which rows of the element's table it is, (first, behind the last); None where it is all of the
            element, or characters.
        start: First character of the part in the element's Markdown (its text where it has none); None where
            the span is all of the element, or rows of it.
        end: The character behind the last.
    """

    page: ParsedPage
    element: Element | None
    bbox: BBox | None
    estimated: bool = False
    rows: tuple[int, int] | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of running text that is not cut further unless it is over-long by itself.

    Attributes:
        kind: What it is.
        sources: The elements that it comes from, wholly or in part; several where a paragraph was joined.
        text: For the reader, Markdown.
        embed: For the embedder, plain words.
        spans: Where it comes from.
        path: The headings above it; for a heading, itself included.
        position: Place of its first element in the body.
        heading: The heading that it is, if it is one.
        leads: It belongs to what follows: a heading, or a line that ends in a colon.
        opens: It must begin a chunk: a later piece of an over-long element.
        mends: Words that were divided where elements were joined: as printed, and as one word.
    """

    kind: ChunkType
    sources: tuple[Placed, ...]
    text: str
    embed: str
    spans: tuple[Span, ...]
    path: Path
    position: int
    heading: Heading | None = None
    leads: bool = False
    opens: bool = False
    mends: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class TableRows:
    """Which rows of which table a chunk holds; the meanings are those of the metadata."""

    table_id: str = ""
    part: int = 0
    parts: int = 0
    row_start: int = 0
    row_end: int = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """A chunk before it has its metadata and id."""

    kind: ChunkType
    text: str
    embed_text: str
    spans: tuple[Span, ...]
    path: Path
    position: int
    caption: str = ""
    rows: TableRows = field(default_factory=TableRows)
    is_placeholder: bool = False


def kind_of(element: Element) -> ChunkType:
    """What sort of chunk an element makes."""
    return (
        "table" if element.table is not None and element.chart is None else _TYPES.get(element.type, "text")
    )


def reader_text(element: Element) -> str:
    """The element for the reader, as the document's own Markdown has it."""
    return element_to_markdown(element)


def embedded_words(element: Element, *, plain: bool = True) -> str:
    """The element's words for the embedder: no Markdown marks, no LaTeX commands, no column bars.

    Where it is not to be ``plain``, it is what the reader gets.
    """
    words = embedded_form(element.text or markdown_to_text(element.markdown), kind_of(element))
    return words if plain or not words else storable(reader_text(element)).strip()


def embedded_form(text: str, kind: ChunkType) -> str:
    """Storable plain text of an element of that kind as it is embedded; empty only for blank text."""
    words = text = storable(text)
    if kind == "code":
        return text.strip("\n") if text.strip() else ""
    if kind in ("table", "chart"):
        words = _BAR.sub(" ", _RULE_LINE.sub("", words))
    words = without_dollars(words)
    if "\\" in words:
        words = words_of_formula(words)
    return words_of(words) or text.strip()


def whole_span(placed: Placed) -> Span:
    """All of an element."""
    return Span(placed.page, placed.element, placed.element.bbox)


def block_of(placed: Placed, path: Path, *, plain: bool = True) -> Block:
    """The element as one block."""
    embed = embedded_words(placed.element, plain=plain)
    heading: Heading | None = None
    if is_section_heading(placed):
        # The title of the document is in no path.
        heading = path[-1] if _ends_with(path, placed) else Heading(embed, 0, placed.position)
    return Block(
        kind=kind_of(placed.element),
        sources=(placed,),
        text=reader_text(placed.element),
        embed=embed,
        spans=(whole_span(placed),),
        path=path,
        position=placed.position,
        heading=heading,
        leads=heading is not None or embed.endswith(":"),
    )


def _ends_with(path: Path, placed: Placed) -> bool:
    return bool(path) and path[-1].position == placed.position


def seam_of(kind: ChunkType) -> str:
    """What stands between the parts of a block that was joined."""
    return "\n" if kind == "code" else " "


def source_text(element: Element, kind: ChunkType) -> str:
    """What is cut where an element does not fit: its Markdown, without white space around it."""
    start, end = _source_range(element, kind)
    return (element.markdown or element.text)[start:end]


def _source_range(element: Element, kind: ChunkType) -> tuple[int, int]:
    """Where an element's `source_text` stands in its Markdown; asked for each piece, so nothing is copied."""
    printed = element.markdown or element.text
    is_around = "\n".__eq__ if kind == "code" else str.isspace
    start, end = 0, len(printed)
    while start < end and is_around(printed[start]):
        start += 1
    while start < end and is_around(printed[end - 1]):
        end -= 1
    return start, end


def slice_of(span: Span, start: float, end: float, rows: tuple[int, int] | None = None) -> Span:
    """A horizontal slice of a span's box, from ``start`` to ``end`` of its height."""
    box = span.bbox
    if box is not None:
        box = BBox(box.x0, box.y0 + box.height * start, box.x1, box.y0 + box.height * end)
    return replace(span, bbox=box, estimated=True, rows=rows)


def characters_of(placed: Placed, kind: ChunkType, start: int, end: int) -> Span:
    """Some characters of an element, counted in its `source_text`, and the same share of its box."""
    before, behind = _source_range(placed.element, kind)
    length = behind - before
    span = slice_of(whole_span(placed), start / length, end / length)
    return replace(span, start=before + start, end=before + end)
