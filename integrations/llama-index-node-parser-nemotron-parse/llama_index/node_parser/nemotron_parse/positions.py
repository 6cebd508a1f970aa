"""Where pieces of a text stand in it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

# Pieces are told apart by so many characters before they are compared as a whole.
_OPENING = 32

_WORD_START = re.compile(r"(?<!\S)\S")


def locate(text: str, pieces: Sequence[str]) -> list[tuple[int, int] | None]:
    """Start and end of each piece, in characters.

    Args:
        text: The whole.
        pieces: In the order of the text. They may overlap; a piece may hold what is not in the text.

    Returns:
        None where it cannot be known: the piece does not stand there word for word from the beginning of a
        word, or stands there more often than it is among the pieces.
    """
    if not pieces:
        return []
    wanted = Counter(pieces)
    found = _starts(text, [piece for piece in wanted if piece])
    places: list[tuple[int, int] | None] = []
    taken: Counter[str] = Counter()
    for piece in pieces:
        starts = found.get(piece, [])
        if starts and len(starts) == wanted[piece]:
            places.append((starts[taken[piece]], starts[taken[piece]] + len(piece)))
        else:
            places.append(None)
        taken[piece] += 1
    return places


def _starts(text: str, pieces: Sequence[str]) -> dict[str, list[int]]:
    """For each piece where a word begins that it stands at; the text is looked through once for all."""
    by_opening: dict[str, list[str]] = defaultdict(list)
    for piece in pieces:
        by_opening[piece[:_OPENING]].append(piece)
    lengths = sorted({len(opening) for opening in by_opening})
    found: dict[str, list[int]] = defaultdict(list)
    for word in _WORD_START.finditer(text):
        start = word.start()
        for length in lengths:
            for piece in by_opening.get(text[start : start + length], ()):
                if text.startswith(piece, start) and not (
                    found[piece] and start < found[piece][-1] + len(piece)
                ):
                    found[piece].append(start)
    return found
