"""A table row that is too long for a chunk: cut between its cells, and through a cell that is too long."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..document import Table
from .budget import Budget
from .ranges import pack
from .rows import Rows, cell_words, one_row
from .splitting import split_to_fit


@dataclass(frozen=True, slots=True)
class RowPiece:
    """A piece of a table.

    Attributes:
        start: First row that it holds, counted in the whole table.
        end: Row behind the last.
        table: The piece as a table, repeated header included.
        embed_text: All that is embedded, with what stands in front.
        is_cut: It is only a part of a row.
    """

    start: int
    end: int
    table: Table
    embed_text: str
    is_cut: bool = False


def cut_row(
    rows: Rows, row: int, stands_for: tuple[int, int], fronts: tuple[str, str], budget: Budget
) -> Iterator[RowPiece]:
    """Cut one row so that each part fits.

    Each part stands under the headings of its cells, and with the row's first cell as its label.

    Args:
        rows: The whole table.
        row: The row, counted in it.
        stands_for: The rows that the pieces stand for, (first, behind the last): those beside the
            row have no words, or are the header.
        fronts: Heading path and caption of the first part, and of the others.
        budget: The limit.

    Raises:
        OptionError: Not even a single character fits.
    """
    opening, front = fronts
    cells, heads = rows.cells[row], rows.headings(row)
    words = [cell_words(cell.text) for cell in cells]
    label = budget.within(words[0], budget.max_tokens // 6) if cells[0].col == 0 else ""
    opener = next((index for index, text in enumerate(words) if text), 0)

    def front_of(first: int, last: int) -> str:
        return opening if first <= opener < last else front

    def embedded(first: int, last: int) -> str:
        head = " ".join(part for part in heads[first:last] if part)
        texts = [label] if first > 0 else []
        return _lines(
            front_of(first, last), head, " ".join(part for part in (*texts, *words[first:last]) if part)
        )

    ranges = pack(
        [budget.cost(f"{head} {text}") for head, text in zip(heads, words, strict=True)],
        budget.room(front + label),
        lambda first, last: budget.fits(embedded(first, last)),
    )
    start, end = stands_for
    for first, last in ranges:
        if not any(words[first:last]):
            continue
        text = embedded(first, last)
        beside = label if first > 0 else ""
        if budget.fits(text):
            texts = [cell.text for cell in cells[first:last]]
            yield RowPiece(start, end, _beside(beside, heads, first, last, texts), text, is_cut=True)
            start = row
        else:
            # A cell that is cut needs room for its own words.
            whole = f"{front_of(first, last)}{heads[first]} {beside}"
            before = front_of(first, last) if 4 * budget.cost(whole) <= 3 * budget.max_tokens else front
            for piece, embed_text in _cut_cell(cells[first].text, heads[first], beside, before, budget):
                table_piece = _beside(beside, heads, first, first + 1, [piece.text])
                yield RowPiece(start, end, table_piece, embed_text, is_cut=True)
                start = row


def _beside(label: str, heads: list[str], first: int, last: int, texts: list[str]) -> Table:
    """Some cells of the row under their headings, behind the label of the row if there is one."""
    if label:
        return one_row([heads[0], *heads[first:last]], [label, *texts])
    return one_row(heads[first:last], texts)


@dataclass(frozen=True, slots=True)
class _CellPiece:
    text: str
    start: int
    end: int


def _cut_cell(
    text: str, head: str, label: str, front: str, budget: Budget
) -> Iterator[tuple[_CellPiece, str]]:
    """Parts of a cell's text, each with all that is embedded with it."""

    def embedded(piece: str) -> str:
        return _lines(front, head, f"{label} {cell_words(piece)}".strip())

    def fits(piece: str) -> bool:
        return not budget.hopeless(piece) and budget.fits(embedded(piece))

    if not fits(text[:1]):
        front = head = label = ""
    for piece in split_to_fit(text, fits):
        own = text[piece.start : piece.end].strip()
        if not cell_words(own):
            continue
        if not budget.fits(embedded(own)):
            raise budget.too_small()
        yield _CellPiece(own, piece.start, piece.end), embedded(own)


def _lines(front: str, *lines: str) -> str:
    return front + "\n".join(line for line in lines if line)
