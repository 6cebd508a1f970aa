"""The headings that each element of the body stands under."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..export.headings import is_heading
from .body import Placed
from .clean import words_of
from .levels import heading_levels
from .steps import ALL_STEPS, Steps
from .styles import styles_of

# A "heading" longer than this is a paragraph that was taken for one.
_LONGEST_HEADING = 250


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading that others stand under.

    Attributes:
        text: One line of plain text.
        level: From 1.
        position: Place in the body, which tells equal headings apart.
    """

    text: str
    level: int
    position: int


# From the outermost heading to the innermost.
Path: TypeAlias = tuple[Heading, ...]


def is_section_heading(placed: Placed) -> bool:
    """Whether the element opens a section: a heading of a sensible length."""
    return is_heading(placed.element) and 0 < len(placed.element.text.strip()) <= _LONGEST_HEADING


def outline(body: Sequence[Placed], steps: Steps = ALL_STEPS) -> list[Path]:
    """For each element the headings above it, outermost first; a heading's own path ends with itself.

    The title of the document is in no path: it has its own place in the metadata.
    """
    headings = [placed for placed in body if is_section_heading(placed)]
    if steps.levels:
        styles = styles_of(headings, body)
        levels = heading_levels([placed.element for placed in headings], styles)
    else:
        levels = [1] * len(headings)
    level_at = {placed.position: level for placed, level in zip(headings, levels, strict=True)}
    paths: list[Path] = []
    path: Path = ()
    for placed in body:
        level = level_at.get(placed.position)
        if level is not None:
            path = tuple(heading for heading in path if heading.level < level)
            if level > 0:
                text = " ".join(words_of(placed.element.text).split())
                path = (*path, Heading(text, level, placed.position))
        paths.append(path)
    return paths


def common_path(paths: Sequence[Path]) -> Path:
    """The headings that all of the paths begin with."""
    if not paths:
        return ()
    shortest = min(paths, key=len)
    for depth, heading in enumerate(shortest):
        if any(path[depth] != heading for path in paths):
            return shortest[:depth]
    return shortest
