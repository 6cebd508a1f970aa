"""One block of a reply, as printed."""

from __future__ import annotations

from typing import NamedTuple


class Block(NamedTuple):
    """One block as printed.

    Attributes:
        body: The text between the corners, without stray tokens.
        name: The class, or None where the token is missing.
        printed: x and y of the first corner and of the last, as printed; of one where the other is missing;
            empty where both are.
        problem: What is broken, in words; empty for a sound block.
        cut: The reply ends inside of this block.
        noise: Stray pairs and coordinates inside the body.
    """

    body: str
    name: str | None = None
    printed: tuple[float, ...] = ()
    problem: str = ""
    cut: bool = False
    noise: int = 0
