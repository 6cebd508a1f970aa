"""Tables, pictures and charts with their captions, as drafts of chunks of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .blocks import (
    Block,
    Draft,
    Span,
    TableRows,
    characters_of,
    embedded_words,
    kind_of,
    reader_text,
    source_text,
    whole_span,
)
from .body import Placed
from .budget import Budget
from .continuations import WholeTable
from .outline import Path
from .running_text import text_pieces


@dataclass(frozen=True, slots=True)
class Float:
    """A table, picture or chart, and what goes with it.

    Attributes:
        placed: Its element; for a joined table the first one.
        path: The headings above it.
        caption: The words of its captions, one line.
        captions: The caption elements that its chunk holds.
        leads: Headings with nothing but this float under them.
        table: The grid, if it has one.
    """

    placed: Placed
    path: Path
    caption: str = ""
    captions: tuple[Placed, ...] = ()
    leads: tuple[Block, ...] = ()
    table: WholeTable | None = None

    @property
    def position(self) -> int:
        """Place in the body of its first element."""
        return min(
            [self.placed.position]
            + [placed.position for placed in self.captions]
            + [block.position for block in self.leads]
        )

    @property
    def is_empty(self) -> bool:
        """Whether no chunk comes of it: a picture without words and without caption."""
        return self.table is None and not self.captions and not embedded_words(self.placed.element)

    def framed_spans(self, spans: Sequence[Span]) -> tuple[Span, ...]:
        """The spans with those of the captions and headings, in the order of the document."""
        around = [(block.position, span) for block in self.leads for span in block.spans]
        around += [(placed.position, whole_span(placed)) for placed in self.captions]
        around += [(self.placed.position, span) for span in spans]
        return tuple(span for _, span in sorted(around, key=lambda item: item[0]))

    def framed(self, body: str) -> str:
        """Markdown of the body with the captions and headings, all in the order of the document."""
        texts = [(self.placed.position, body)]
        texts += [(placed.position, reader_text(placed.element)) for placed in self.captions]
        texts += [(block.position, block.text) for block in self.leads]
        return "\n\n".join(text for _, text in sorted(texts, key=lambda item: item[0]) if text)


def figure_drafts(figure: Float, budget: Budget, overlap_sentences: int) -> Iterator[Draft]:
    """A picture or chart, or a table without a grid: whole if it fits, else cut as text.

    Each piece has the caption. There is none for a picture without words and without caption.

    Raises:
        OptionError: Not even a single character fits into the budget.
    """
    element = figure.placed.element
    kind = kind_of(element)
    table_id = element.id if kind == "table" else ""
    words = embedded_words(element)
    if figure.is_empty:
        return
    prefix = budget.prefix(figure.path, figure.caption)
    # The first piece holds the caption; the others repeat it as far as there is room.
    brief = budget.prefix(figure.path, figure.caption, brief=True)
    whole = "\n".join(part for part in (prefix, words) if part)
    if budget.fits(whole) and whole:
        yield Draft(
            kind=kind,
            text=figure.framed(reader_text(element)),
            embed_text=whole,
            spans=figure.framed_spans([whole_span(figure.placed)]),
            path=figure.path,
            position=figure.position,
            caption=figure.caption,
            rows=TableRows(table_id, 1, 1) if table_id else TableRows(),
        )
        return
    front, full = (f"{text}\n" if text else "" for text in (brief, prefix))
    pieces = text_pieces(source_text(element, kind), kind, front, budget, overlap_sentences)
    for number, piece in enumerate(pieces, start=1):
        span = characters_of(figure.placed, kind, piece.start, piece.end)
        fronts = (full, front, "") if number == 1 else (front, "")
        embed = next((text for text in (before + piece.embed for before in fronts) if budget.fits(text)), "")
        yield Draft(
            kind=kind,
            text=figure.framed(piece.text),
            embed_text=embed,
            spans=figure.framed_spans([span]) if number == 1 else (span,),
            path=figure.path,
            position=figure.position,
            caption=figure.caption,
            rows=TableRows(table_id, number, len(pieces)) if table_id else TableRows(),
        )


def caption_words(captions: Sequence[Placed]) -> str:
    """All captions as one line."""
    return " ".join(" ".join(embedded_words(placed.element).split()) for placed in captions).strip()
