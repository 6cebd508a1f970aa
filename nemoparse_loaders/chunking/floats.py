"""Tables, pictures and charts with their captions, as drafts of chunks of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

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
from .sentences import sentence_spans

# "Table 12." ends no sentence that says anything.
_LONGEST_NUMBER = 20


@dataclass(frozen=True, slots=True)
class Float:
    """A table, picture or chart, and what goes with it.

    Attributes:
        placed: Its element; for a joined table the first one.
        path: The headings above it.
        caption: The words of its captions, one line; those that it borrows included.
        captions: The caption elements that its chunk holds.
        leads: What its chunk holds before it: headings with nothing but this float under them, lead-in lines.
        notes: What its chunk holds behind it: sources, footnotes.
        repeated: A sentence of the text before it that is said again with it.
        lent: The words of captions that it borrows from another float, whose chunk holds them.
        table: The grid, if it has one.
    """

    placed: Placed
    path: Path
    caption: str = ""
    captions: tuple[Placed, ...] = ()
    leads: tuple[Block, ...] = ()
    notes: tuple[Block, ...] = ()
    repeated: str = ""
    lent: str = ""
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
    def last_position(self) -> int:
        """Place in the body of the last element of its grid."""
        return self.table.parts[-1].placed.position if self.table else self.placed.position

    @property
    def is_table(self) -> bool:
        """Whether it is a table, with or without a grid."""
        return kind_of(self.placed.element) == "table"

    @property
    def is_empty(self) -> bool:
        """Whether no chunk comes of it: a picture without words and without caption."""
        return self.table is None and not self.captions and not embedded_words(self.placed.element)

    @property
    def introduction(self) -> str:
        """What is said in front of it and of each of its pieces: lead-in lines and caption, one line."""
        first = min((placed.position for placed in self.captions), default=self.placed.position)
        lines = [(block.position, " ".join(block.embed.split())) for block in self.leads if not block.heading]
        label = "" if any(self.caption == line for _, line in lines) else self.caption
        before = [line for position, line in lines if position < first]
        behind = [line for position, line in lines if position >= first]
        return " ".join(line for line in (self.repeated, *before, label, *behind) if line)

    def brief(self, budget: Budget) -> str:
        """What is said in front of its later pieces, in the tokens of a quarter of the budget at most.

        The introduction where it is short; else the first sentence of the caption, and those behind it that
        leave it within a sixth of the budget.
        """
        few = budget.max_tokens // 6
        words = self.introduction
        if not words or budget.cost(words) <= few:
            return words
        words = self.caption or words
        ends = [end for _, end in sentence_spans(words)]
        first = next((end for end in ends if end > _LONGEST_NUMBER), ends[-1])
        taken = first
        for end in ends:
            if end > first and budget.cost(words[:end].rstrip()) > few:
                break
            taken = max(taken, end)
        return budget.within(words[:taken].rstrip(), budget.max_tokens // 4)

    @property
    def noted(self) -> str:
        """The words of its notes, one line each, but for one that is its caption."""
        lines = [" ".join(block.embed.split()) for block in self.notes]
        return "\n".join(line for line in lines if line != self.caption)

    def framed_spans(self, spans: Sequence[Span], *, with_notes: bool = True) -> tuple[Span, ...]:
        """The spans with those of the captions and headings, in the order of the document."""
        around = [(block.position, span) for block in self._blocks(with_notes) for span in block.spans]
        around += [(placed.position, whole_span(placed)) for placed in self.captions]
        around += [(self.placed.position, span) for span in spans]
        return tuple(span for _, span in sorted(around, key=lambda item: item[0]))

    def framed(self, body: str, *, with_notes: bool = True) -> str:
        """Markdown of the body with the captions and headings, all in the order of the document."""
        texts = [(self.placed.position, body)]
        texts += [(placed.position, reader_text(placed.element)) for placed in self.captions]
        texts += [(block.position, block.text) for block in self._blocks(with_notes)]
        return "\n\n".join(text for _, text in sorted(texts, key=lambda item: item[0]) if text)

    def begun(self, body: str, budget: Budget, *, with_notes: bool) -> str:
        """Markdown of all of it, or of its first piece, as `framed` has it.

        A caption that its chunk does not hold, because it is too long or another float's, is said in brief,
        and so is what is repeated of the text before it.
        """
        text = self.framed(body, with_notes=with_notes)
        again = " ".join(words for words in (self.repeated, self.lent) if words)
        said = again if self._shows_caption(with_notes) else self.brief(budget)
        return "\n\n".join(part for part in (said, text) if part)

    def continued(self, body: str, brief: str) -> str:
        """Markdown of a later piece, under what introduces it as `brief` has it."""
        is_whole = brief == self.introduction and not self.repeated and not self.lent
        if is_whole and self._shows_caption(with_notes=False):
            return self.framed(body, with_notes=False)
        return "\n\n".join(part for part in (brief, body) if part)

    def _shows_caption(self, with_notes: bool) -> bool:
        lines = [" ".join(block.embed.split()) for block in self._blocks(with_notes)]
        return not self.caption or bool(self.captions) or self.caption in lines

    def _blocks(self, with_notes: bool) -> tuple[Block, ...]:
        return self.leads + self.notes if with_notes else self.leads


def with_headings(item: Float, drafts: Iterable[Draft], budget: Budget) -> Iterator[Draft]:
    """Drafts of a float with the room that they leave used for the headings above.

    Headings with nothing but this float under them stand in no other chunk; its path has not all of them.
    """
    beside = [block.embed for block in item.leads if block.heading and block.heading not in item.path]
    for draft in drafts:
        text = budget.with_longer_path(draft.embed_text, draft.path)
        if beside and budget.fits(with_beside := budget.seam.join([*beside, text])):
            text, beside = with_beside, []
        yield replace(draft, embed_text=text)


def figure_drafts(figure: Float, budget: Budget, overlap_sentences: int) -> Iterator[Draft]:
    """A picture or chart, or a table without a grid: whole if it fits, else cut as text.

    Each piece has the caption. There is none for a picture without words and without caption.

    Raises:
        OptionError: Not even a single character fits into the budget.
    """
    return with_headings(figure, _figure_drafts(figure, budget, overlap_sentences), budget)


def _figure_drafts(figure: Float, budget: Budget, overlap_sentences: int) -> Iterator[Draft]:
    element = figure.placed.element
    kind = kind_of(element)
    table_id = element.id if kind == "table" else ""
    words = embedded_words(element, plain=budget.plain)
    if figure.is_empty:
        return
    prefix = budget.prefix(figure.path, figure.introduction)
    whole = budget.seam.join(part for part in (prefix, words) if part)
    noted = budget.seam.join(part for part in (whole, figure.noted) if part)
    if whole and (budget.fits(noted) or budget.fits(whole)):
        with_notes = budget.fits(noted)
        yield Draft(
            kind=kind,
            text=figure.begun(reader_text(element), budget, with_notes=with_notes),
            embed_text=noted if with_notes else whole,
            spans=figure.framed_spans([whole_span(figure.placed)], with_notes=with_notes),
            path=figure.path,
            position=figure.position,
            caption=figure.caption,
            rows=TableRows(table_id, 1, 1) if table_id else TableRows(),
        )
        if not with_notes:
            yield from note_drafts(figure, budget, overlap_sentences)
        return
    # The first piece holds the caption; the others repeat its beginning.
    said = figure.brief(budget)
    front, full = budget.front(figure.path, said), budget.front(figure.path, figure.introduction)
    pieces = text_pieces(source_text(element, kind), kind, front, budget, overlap_sentences, first_front=full)
    for number, piece in enumerate(pieces, start=1):
        span = characters_of(figure.placed, kind, piece.start, piece.end)
        fronts = (full, front, "") if number == 1 else (front, "")
        embed = next((text for text in (before + piece.embed for before in fronts) if budget.fits(text)), "")
        yield Draft(
            kind=kind,
            text=figure.begun(piece.text, budget, with_notes=False)
            if number == 1
            else figure.continued(piece.text, said),
            embed_text=embed,
            spans=figure.framed_spans([span], with_notes=False) if number == 1 else (span,),
            path=figure.path,
            position=figure.position,
            caption=figure.caption,
            rows=TableRows(table_id, number, len(pieces)) if table_id else TableRows(),
        )
    yield from note_drafts(figure, budget, overlap_sentences)


def note_drafts(item: Float, budget: Budget, overlap_sentences: int) -> Iterator[Draft]:
    """The notes of a float that leaves no room for them, under its caption."""
    if not item.notes:
        return
    front = budget.front(item.path, item.brief(budget))
    together = front + item.noted
    if item.noted and budget.fits(together):
        kinds = {block.kind for block in item.notes}
        yield Draft(
            kind=kinds.pop() if len(kinds) == 1 else "text",
            text="\n\n".join(block.text for block in item.notes),
            embed_text=together,
            spans=tuple(span for block in item.notes for span in block.spans),
            path=item.path,
            position=item.position,
            caption=item.caption,
        )
        return
    for block in item.notes:
        (placed,) = block.sources
        source = source_text(placed.element, block.kind)
        for piece in text_pieces(source, block.kind, front, budget, overlap_sentences):
            embeds = (front + piece.embed, piece.embed)
            yield Draft(
                kind=block.kind,
                text=piece.text,
                embed_text=next(text for text in embeds if budget.fits(text)),
                spans=(characters_of(placed, block.kind, piece.start, piece.end),),
                path=item.path,
                position=item.position,
                caption=item.caption,
            )


def caption_words(captions: Sequence[Placed]) -> str:
    """All captions as one line."""
    return " ".join(" ".join(embedded_words(placed.element).split()) for placed in captions).strip()
