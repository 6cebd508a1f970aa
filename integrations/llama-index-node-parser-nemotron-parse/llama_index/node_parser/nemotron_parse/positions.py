"""Where pieces of a text stand in it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence


def locate(text: str, pieces: Sequence[str]) -> list[tuple[int, int] | None]:
    """Start and end of each piece, in characters.

    Args:
        text: The whole.
        pieces: In the order of the text. They may overlap; a piece may hold what is not in the text.

    Returns:
        None where it cannot be known: the piece does not stand there word for word, or stands there more
        often than it is among the pieces.
    """
    wanted = Counter(pieces)
    found: dict[str, list[int]] = defaultdict(list)
    for piece, count in wanted.items():
        if not piece:
            continue
        start = text.find(piece)
        while start >= 0 and len(found[piece]) <= count:
            found[piece].append(start)
            start = text.find(piece, start + len(piece))
    places: list[tuple[int, int] | None] = []
    taken: Counter[str] = Counter()
    for piece in pieces:
        starts = found[piece]
        if starts and len(starts) == wanted[piece]:
            places.append((starts[taken[piece]], starts[taken[piece]] + len(piece)))
        else:
            places.append(None)
        taken[piece] += 1
    return places
