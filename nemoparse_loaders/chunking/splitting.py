"""Over-long text cut into pieces that fit: between sentences, else between words, else between characters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from .sentences import sentence_spans

_WORD = re.compile(r"\S+\s*|\s+")
_FIRST_GUESS = 64


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of a text.

    Attributes:
        start: Where its own text begins, in characters.
        end: Where it ends.
        overlap_start: Where it begins with the sentences repeated from the piece before; at most ``start``.
    """

    start: int
    end: int
    overlap_start: int


def split_to_fit(
    text: str,
    fits: Callable[[str], bool],
    overlap_sentences: int = 0,
    spans: Callable[[str], list[tuple[int, int]]] = sentence_spans,
    first_fits: Callable[[str], bool] | None = None,
) -> list[TextPiece]:
    """Cut a text so that every piece fits.

    Args:
        text: What to cut.
        fits: Whether a piece is short enough. If it is true for a text it should be true for parts of it;
            where it is not, pieces may be shorter than need be.
        overlap_sentences: So many sentences of the piece before are repeated, as long as they take less than
            half of the new piece.
        spans: What is cut only where it does not fit by itself: sentences, or for example lines.
        first_fits: Whether the first piece is short enough, where less fits into it than into others.

    Returns:
        Pieces whose own parts, put together, are the text. None of them is empty. A piece that does not fit
        is a single character.
    """
    fits_now = first_fits or fits
    atoms: list[tuple[int, int]] = []
    for span in spans(text):
        atoms.extend(_atoms(text, span, fits if atoms else fits_now))
    pieces: list[TextPiece] = []
    index, guess = 0, 1
    while index < len(atoms):
        start = atoms[index][0]
        overlap_start = _overlap_start(text, atoms, index, fits, overlap_sentences) if pieces else start

        def enough(
            count: int,
            first: int = index,
            begin: int = overlap_start,
            fits: Callable[[str], bool] = fits if pieces else fits_now,
        ) -> bool:
            return count == 1 or fits(text[begin : atoms[first + count - 1][1]])

        guess = most_that_fit(enough, len(atoms) - index, guess)
        index += guess
        pieces.append(TextPiece(start, atoms[index - 1][1], overlap_start))
    return pieces


def _overlap_start(
    text: str, atoms: list[tuple[int, int]], index: int, fits: Callable[[str], bool], sentences: int
) -> int:
    start = atoms[index][0]
    for count in range(min(sentences, index), 0, -1):
        overlap_start = atoms[index - count][0]
        repeated = text[overlap_start:start]
        # Twice the repeated text must fit, so that it takes less than half of the piece.
        if fits(repeated + repeated) and fits(text[overlap_start : atoms[index][1]]):
            return overlap_start
    return start


def _atoms(text: str, span: tuple[int, int], fits: Callable[[str], bool]) -> list[tuple[int, int]]:
    """The sentence, or parts of it that fit."""
    start, end = span
    if fits(text[start:end]):
        return [span]
    ends = [start + match.end() for match in _WORD.finditer(text[start:end])]
    atoms: list[tuple[int, int]] = []
    for part_start, part_end in _greedy(text, start, ends, fits):
        if fits(text[part_start:part_end]):
            atoms.append((part_start, part_end))
        else:
            atoms.extend(_greedy(text, part_start, range(part_start + 1, part_end + 1), fits))
    return atoms


def _greedy(
    text: str, start: int, ends: Sequence[int], fits: Callable[[str], bool]
) -> Iterator[tuple[int, int]]:
    """Parts of the text that end at some of ``ends``, as long as they fit, but at least one step each."""
    index = 0
    guess = _FIRST_GUESS
    while index < len(ends):

        def enough(count: int, first: int = index, begin: int = start) -> bool:
            return fits(text[begin : ends[first + count - 1]])

        guess = max(1, most_that_fit(enough, len(ends) - index, guess))
        index += guess
        yield start, ends[index - 1]
        start = ends[index - 1]


def most_that_fit(fits: Callable[[int], bool], limit: int, guess: int) -> int:
    """The largest number up to ``limit`` that fits; 0 if none does.

    It is looked for in growing steps from a guess, for the parts of a text are about as long as each other.
    """
    low, high, step = 0, limit + 1, 1
    at = max(1, min(guess, limit))
    while low < at < high:
        if fits(at):
            low, at = at, min(limit, at + step) if high > limit else (at + high) // 2
        else:
            high, at = at, max(1, at - step) if low == 0 else (low + at) // 2
        step *= 2
    return low
