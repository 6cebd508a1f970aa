"""The items of a list block: one for each line with a mark, with the lines that go on below it."""

from __future__ import annotations

import re
from typing import NamedTuple

_MARK = re.compile(r"(?P<indent>[ \t]*)(?P<mark>[-*+]|[0-9]{1,4}[.)])[ \t]+")


class ListLine(NamedTuple):
    """One item.

    Attributes:
        depth: Width of its indentation; only compared.
        mark: "-" or a number as printed, "3." or "3)".
        markdown: Its content; lines that go on are apart by newlines.
    """

    depth: int
    mark: str
    markdown: str

    @property
    def is_numbered(self) -> bool:
        """Whether the mark is a number."""
        return self.mark[0].isdigit()


def list_lines(markdown: str) -> list[ListLine]:
    """Take a list block apart; text without a mark at its start is an item, too."""
    items: list[tuple[int, str, list[str]]] = []
    for line in markdown.split("\n"):
        mark = _MARK.match(line)
        if mark is not None:
            sign = mark["mark"] if mark["mark"][0].isdigit() else "-"
            items.append((len(mark["indent"].expandtabs(4)), sign, [line[mark.end() :].strip()]))
        elif items:
            items[-1][2].append(line.strip())
        else:
            items.append((0, "-", [line.strip()]))
    return [ListLine(depth, mark, "\n".join(lines).strip("\n")) for depth, mark, lines in items]
