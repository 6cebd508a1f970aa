"""A table as drafts of chunks: whole if it fits, else rows under the repeated header and caption."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..export.plain import markdown_to_text
from .blocks import Draft, Span, TableRows, embedded_form, slice_of, whole_span
from .budget import Budget
from .continuations import TablePart, WholeTable
from .floats import Float, note_drafts, with_headings
from .ranges import pack
from .rows import Rows, chunk_markdown
from .splitting import split_to_fit
from .wide_rows import RowPiece, cut_row


@dataclass(frozen=True, slots=True)
class _Words:
    """What an element of class Table says before and behind its grid."""

    part: TablePart
    before: str
    behind: str


def table_drafts(item: Float, whole: WholeTable, budget: Budget, overlap_sentences: int) -> Iterator[Draft]:
    """The chunks of a table, in the order of its rows.

    Rows that a row span ties together stay in one piece where they fit. A row that is too long by itself is
    cut between its cells, see `wide_rows`.

    There are none for a table without words and without caption.

    Raises:
        OptionError: Not even a single character fits into the budget.
    """
    return with_headings(item, _table_drafts(item, whole, budget, overlap_sentences), budget)


def _table_drafts(item: Float, whole: WholeTable, budget: Budget, overlap_sentences: int) -> Iterator[Draft]:
    front = budget.front(item.path, item.introduction)
    words = [_words_around(part) for part in whole.parts]
    rows = Rows(whole.table, plain=budget.plain)
    parts = [
        *(_plain_words(entry.before) for entry in words),
        "\n".join(line for line in rows.words if line),
        *(_plain_words(entry.behind) for entry in words),
    ]
    if not any(parts) and not item.captions and not item.leads and not item.notes:
        return
    everything = (front + budget.seam.join(part for part in parts if part)).strip()
    # With the path switched off there may be nothing but headings.
    everything = everything or "\n".join(block.embed for block in item.leads)
    noted = budget.seam.join(text for text in (everything, item.noted) if text)
    if budget.fits(noted) or budget.fits(everything):
        with_notes = budget.fits(noted)
        texts = [entry.before for entry in words] + [chunk_markdown(whole.table)]
        texts += [entry.behind for entry in words]
        yield _draft(
            item,
            item.begun("\n\n".join(text for text in texts if text), budget, with_notes=with_notes),
            noted if with_notes else everything,
            _spans(whole, 0, whole.table.n_rows),
            TableRows(item.placed.element.id, 1, 1, 0, whole.table.n_rows),
            first=True,
            with_notes=with_notes,
        )
        if not with_notes:
            yield from note_drafts(item, budget, overlap_sentences)
        return
    said = item.brief(budget)
    brief = budget.front(item.path, said)
    for entry in words:
        yield from _words_drafts(item, entry.part, entry.before, brief, budget, overlap_sentences)
    pieces = list(_pieces(rows, front, brief, budget))
    for number, piece in enumerate(pieces, start=1):
        body = chunk_markdown(piece.table)
        yield _draft(
            item,
            item.begun(body, budget, with_notes=False) if number == 1 else item.continued(body, said),
            piece.embed_text,
            _spans(whole, piece.start, piece.end, name_rows=piece.is_cut),
            TableRows(item.placed.element.id, number, len(pieces), piece.start, piece.end),
            first=number == 1,
        )
    for entry in words:
        yield from _words_drafts(item, entry.part, entry.behind, brief, budget, overlap_sentences)
    yield from note_drafts(item, budget, overlap_sentences)


def _pieces(rows: Rows, front: str, brief: str, budget: Budget) -> Iterator[RowPiece]:
    """The rows of a table that does not fit, in pieces that do.

    The first piece holds header and caption, the others repeat them (of a long caption the beginning),
    and the row that names the section of the table that they begin in.
    """
    repeats = budget.steps.header_rows
    head_cost = budget.cost("\n".join(rows.words[: rows.table.header_rows]))
    if not repeats or head_cost > budget.max_tokens // 3:
        # A header that leaves no room for rows is not repeated: its rows are rows like others.
        rows = Rows(rows.table.model_copy(update={"header_rows": 0}), plain=budget.plain)
    words, header = rows.words, rows.table.header_rows
    head = "".join(line + "\n" for line in words[:header] if line)

    def section_of(start: int) -> int | None:
        section = rows.sections[start] if repeats else None
        is_short = section is not None and budget.cost(words[section]) <= budget.max_tokens // 6
        return section if section != start and is_short else None

    def embedded(start: int, end: int, *, first: bool = False) -> str:
        section = section_of(start)
        named = "" if section is None else words[section] + "\n"
        body = "\n".join(line for line in words[start:end] if line)
        return (front if first else brief) + head + named + body

    # Where there is no header that the whole caption could go with, it goes with the first row.
    items = _tied(rows, lambda start, end: budget.fits(embedded(start, end, first=start == header == 0)))
    row_costs = [budget.cost(line) if line else 0 for line in words]
    ranges = pack(
        [sum(row_costs[start:end]) for start, end in items],
        budget.room(brief + head),
        lambda first, last: budget.fits(embedded(items[first][0], items[last - 1][1], first=first == 0)),
    )
    for first, last in ranges:
        start, end = items[first][0], items[last - 1][1]
        # The header belongs to the first piece and is repeated in the others.
        own_start = 0 if first == 0 else start
        opening = front if first == 0 else brief
        text = embedded(start, end, first=first == 0)
        if first == 0 and not budget.fits(text):
            alone, behind = (front + head).rstrip("\n"), embedded(start, end)
            # Parts of a row have the headings of their own cells only.
            all_said = not budget.fits(behind) and rows.says_header(_first_said(words, start, end))
            if own_start < start and budget.fits(alone) and not all_said:
                yield RowPiece(own_start, start, rows.part(start, start), alone)
                own_start, opening, text = start, brief, behind
        if budget.fits(text):
            yield RowPiece(own_start, end, rows.part(start, end, section_of(start)), text)
            continue
        row = _first_said(words, start, end)
        section = section_of(row)
        named = "" if section is None else words[section] + "\n"
        yield from cut_row(rows, row, (own_start, end), (opening + named, brief + named), budget)


def _first_said(words: Sequence[str], start: int, end: int) -> int:
    """The first of some rows that has words; others do not stand beside it where it is too long."""
    return next(row for row in range(start, end) if words[row])


def _tied(rows: Rows, fits: Callable[[int, int], bool]) -> list[tuple[int, int]]:
    """Rows that stay together where they fit: those of a row span, and the name of a section with its first.

    Rows without words go with those above them.
    """
    items: list[tuple[int, int]] = []
    for start, end in rows.groups():
        items.extend([(start, end)] if end - start == 1 or fits(start, end) else _single(start, end))
    items = _with_wordless_rows(items, rows.words)
    tied: list[tuple[int, int]] = []
    for start, end in items:
        before = tied[-1] if tied else None
        if before and rows.is_section(before[1] - 1) and not rows.is_section(start) and fits(before[0], end):
            tied[-1] = (before[0], end)
        else:
            tied.append((start, end))
    return tied


def _single(start: int, end: int) -> list[tuple[int, int]]:
    return [(row, row + 1) for row in range(start, end)]


def _with_wordless_rows(items: list[tuple[int, int]], words: Sequence[str]) -> list[tuple[int, int]]:
    """Rows without words go with those above them, at the top with those below: they make no piece."""
    kept: list[tuple[int, int]] = []
    for start, end in items:
        if kept and not (any(words[start:end]) and any(words[kept[-1][0] : kept[-1][1]])):
            kept[-1] = (kept[-1][0], end)
        else:
            kept.append((start, end))
    return kept


def _words_around(part: TablePart) -> _Words:
    markdown = part.placed.element.markdown.strip()
    grid = part.table.to_markdown()
    if grid and grid in markdown:
        before, _, behind = markdown.partition(grid)
        return _Words(part, before.strip(), behind.strip())
    # A grid that was printed in another way: what is no row of a pipe table is said beside it.
    lines = [line for line in markdown.split("\n") if not line.lstrip().startswith("|")]
    return _Words(part, "\n".join(lines).strip(), "")


def _plain_words(markdown: str) -> str:
    return embedded_form(markdown_to_text(markdown), "text") if markdown else ""


def _words_drafts(
    item: Float, part: TablePart, words: str, front: str, budget: Budget, overlap_sentences: int
) -> Iterator[Draft]:
    """Words beside a table that is cut, as chunks of text under its caption."""
    if not words:
        return
    fits_with = front

    def fits(piece: str) -> bool:
        return not budget.hopeless(piece) and budget.fits(fits_with + _plain_words(piece))

    if not fits(words[:1]):
        fits_with = ""
    for piece in split_to_fit(words, fits, overlap_sentences):
        text = words[piece.overlap_start : piece.end].strip()
        if not _plain_words(text):
            continue
        embed_text = fits_with + _plain_words(text)
        if not budget.fits(embed_text):
            raise budget.too_small()
        span = slice_of(whole_span(part.placed), 0.0, 1.0)
        yield Draft(
            kind="text",
            text=text,
            embed_text=embed_text,
            spans=(span,),
            path=item.path,
            position=item.position,
            caption=item.caption,
        )


def _draft(
    item: Float,
    text: str,
    embed_text: str,
    spans: Sequence[Span],
    rows: TableRows,
    *,
    first: bool,
    with_notes: bool = False,
) -> Draft:
    return Draft(
        kind="table",
        text=text,
        embed_text=embed_text,
        spans=item.framed_spans(spans, with_notes=with_notes) if first else tuple(spans),
        path=item.path,
        position=item.position,
        caption=item.caption,
        rows=rows,
    )


def _spans(whole: WholeTable, start: int, end: int, *, name_rows: bool = False) -> list[Span]:
    """Where rows of the whole table stand: a share of the height of each part that they take.

    Their numbers are named where they are not all rows of a part, or on demand.
    """
    spans: list[Span] = []
    for part in whole.parts:
        first = max(start, part.first_row) - part.first_row
        last = min(end, part.first_row + part.n_rows) - part.first_row
        if first >= last:
            continue
        span = whole_span(part.placed)
        if name_rows or first > 0 or last < part.n_rows:
            height = part.n_rows + part.skipped
            top = (first + part.skipped) / height if first > 0 else 0.0
            span = slice_of(span, top, (last + part.skipped) / height, (first, last))
        spans.append(span)
    return spans
