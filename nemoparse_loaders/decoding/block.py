"""One block of a reply, as printed."""

from __future__ import annotations

from typing import NamedTuple

from ..document import BBox

Corner = tuple[float, float]


class Block(NamedTuple):
    """One block as printed.

    Attributes:
        body: The text between the corners, without stray tokens.
        name: The class, or None where the token is missing.
        printed: The first corner and the last, as printed: neither sorted nor mapped to the page; None where
            one of them is missing.
        lone: The corner, where only one is there.
        problem: What is broken, in words; empty for a sound block.
        cut: The reply ends inside of this block.
        noise: Stray pairs and coordinates inside the body.
    """

    body: str
    name: str | None = None
    printed: BBox | None = None
    lone: Corner | None = None
    problem: str = ""
    cut: bool = False
    noise: int = 0
