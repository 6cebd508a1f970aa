"""The entries of a table of contents: level, text and page, from its lines or the rows of its grid.

A page is what stands behind leaders ("....."), behind a wide gap, in the last column, or alone on the next
line. A number at the end of a line without any of these, or a small Roman one ("vii"), is a page only if most
lines end in one and they ascend, Roman ones first; so "Plan for 2030" keeps its year. The level comes from
the number in front ("1.2" is 2), else from the indentation, else it is 1. What cannot be read is left empty;
nothing is guessed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from ..document import Table, TocEntry
from ..export.plain import markdown_to_text

# Of these runs `_is_leader` keeps those that lead to a page.
_RUN = re.compile(r"[.·…_ \t-]{3,}|[…\t]")
_PAGE = re.compile(
    r"(?:pp?\. ?)?"
    r"([0-9]{1,5}(?:[-–.][0-9]{1,4})?|[ivxlcdm]{1,8}|[IVXLCDM]{1,8}|[A-Z]{1,3}-?[0-9]{1,4})(?![^\s,;])"
)
# Up to 89, in small letters: front matter has no more pages, and larger ones are words ("mix").
_ROMAN = re.compile(r"(?=[ivxl])(xl|l?x{0,3})(ix|iv|v?i{0,3})")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50}
_FRONT = re.compile(r"(?:(#{1,6})[ \t]+)?(?:[-*•][ \t]+)?")
_NUMBER = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,3}){0,8}|[A-Z](?:\.[0-9]{1,3}){1,8})[.)]?(?=\s|$)")
_TOP_LEVEL = re.compile(
    r"(?:(?:part|chapter|appendix|annex|volume)\s+(?:[0-9]{1,3}|[IVXLC]{1,7}|[A-Z])(?![^\s.:–—-])|[A-Z]\.\s"
    r"|[IVXLC]{1,7}\.\s)",
    re.IGNORECASE,
)
# Words whose number is a name and no page: "Appendix 2".
_LABEL = re.compile(
    r"(?:part|chapter|section|appendix|annex|volume|table|figure|fig\.|box|plate|exhibit)", re.IGNORECASE
)
_HEADING = re.compile(
    r"(?:(?:table of )?contents|page|inhalt(?:sverzeichnis)?|sommaire|table des matières|[íi]ndice|contenido"
    r"|目录|目錄|目次):?",
    re.IGNORECASE,
)
# More than this is on no page: it is a looping reply, and its text is kept all the same.
_MOST_CHARACTERS = 40_000
_MOST_LINES = 1_000


@dataclass(slots=True)
class _Line:
    """A line, or a row of a grid.

    Attributes:
        text: Its words, without leaders and page.
        depth: How far it is indented; only compared.
        page: The page, or empty.
        last_number: A number at its end that may be a page.
    """

    text: str
    depth: int
    page: str = ""
    last_number: str = ""


def read_toc(text: str, table: Table | None) -> tuple[TocEntry, ...]:
    """The entries of a table of contents.

    Args:
        text: All its words as plain text, one entry a line, if there is no grid.
        table: Its grid.

    Returns:
        The entries in order; none where there is far more text than a page holds.
    """
    if len(text) > _MOST_CHARACTERS or (table is not None and table.n_rows > _MOST_LINES):
        return ()
    lines = _lines_of_grid(table) if table is not None else _lines_of_text(text)
    if lines and not lines[0].page and _HEADING.fullmatch(lines[0].text):
        lines = lines[1:]
    if len(lines) > _MOST_LINES:
        return ()
    _settle_last_numbers(lines)
    lines = _joined(lines)
    return tuple(
        TocEntry(level=level, text=line.text, page=line.page)
        for line, level in zip(lines, _levels(lines), strict=True)
    )


def _lines_of_text(text: str) -> list[_Line]:
    lines: list[_Line] = []
    for printed in text.split("\n"):
        line = printed.rstrip()
        words = line.lstrip()
        if words:
            lines.extend(_entries_of_line(words, len(line) - len(words)))
    if len(lines) > 1 and lines[0].depth == 0:
        # White space in front of a body is not kept: the first line stands with the outermost of the others.
        lines[0].depth = min(line.depth for line in lines[1:])
    return lines


def _entries_of_line(words: str, depth: int) -> list[_Line]:
    """The entries of one line: several if text goes on behind leaders and a page."""
    front = _FRONT.match(words)
    if front is not None:
        depth += 2 * (len(front[1]) - 1) if front[1] else 0
        words = words[front.end() :]
    found: list[_Line] = []
    start = 0
    for run in _RUN.finditer(words):
        page = _PAGE.match(words, run.end()) if _is_leader(run[0]) else None
        # Without dots a page ends the line: a wide gap may be any gap.
        if page is None or (run[0].isspace() and page.end() < len(words)):
            continue
        found.append(_Line(_without_leaders(words[start : run.start()]), depth, page[1]))
        start = page.end()
    rest = _without_leaders(words[start:].lstrip(" ,;"))
    if rest:
        found.append(_Line(rest, depth, last_number=_last_number(rest)))
    return found


def _is_leader(run: str) -> bool:
    if run.isspace():
        return True
    return "…" in run or run.count(".") + run.count("·") >= 3 or run.count("_") >= 3 or run.count("-") >= 4


def _without_leaders(text: str) -> str:
    words = _RUN.sub(lambda run: " " if _is_leader(run[0]) else run[0], text)
    return " ".join(words.split())


def _last_number(text: str) -> str:
    """The number that ends a text of several words, unless it belongs to the word before it."""
    before, _, last = text.rpartition(" ")
    if len(last) > (4 if last.isdigit() else 8) or _place(last) is None:
        return ""
    if not any(map(str.isalpha, before)):
        return ""
    return "" if _LABEL.fullmatch(before) else last


def _place(page: str) -> int | None:
    """A number that orders pages: those in small Roman numbers, then those in digits; None for others."""
    if page.isascii() and page.isdigit():
        return int(page)
    if _ROMAN.fullmatch(page) is None:
        return None
    values = [_ROMAN_VALUES[letter] for letter in page]
    # A smaller one before a larger one counts against it.
    signed = [-value if value < max(values[place:]) else value for place, value in enumerate(values)]
    return sum(signed) - 100


def _lines_of_grid(table: Table) -> list[_Line]:
    rows = [
        [markdown_to_text(text or "").split("\n") for text in row]
        for row in table.grid()[table.header_rows :]
    ]
    numbers_first = all(not row[0][0] or _NUMBER.fullmatch(row[0][0].strip()) for row in rows if row)
    lines: list[_Line] = []
    for row in rows:
        heights = {len(cell) for cell in row if cell != [""]}
        if len(heights) == 1 and max(heights) > 1:
            # A whole column printed as one cell: each of its lines is an entry.
            for number in range(max(heights)):
                cells = [cell[number] if len(cell) > number else "" for cell in row]
                lines.extend(_lines_of_row(cells, numbers_first=numbers_first))
        else:
            lines.extend(_lines_of_row([" ".join(cell) for cell in row], numbers_first=numbers_first))
    return lines


def _lines_of_row(cells: list[str], *, numbers_first: bool) -> Iterable[_Line]:
    # Cells of leaders alone say nothing.
    filled = [(col, text) for col, cell in enumerate(cells) if (text := _without_leaders(cell))]
    if not filled:
        return []
    depth = filled[0][0]
    if numbers_first:
        depth = max(0, depth - 1)
    depth += len(cells[filled[0][0]]) - len(cells[filled[0][0]].lstrip())
    page = _PAGE.fullmatch(filled[-1][1])
    if page is not None and (len(filled) > 1 or len(cells) > 1):
        return [_Line(" ".join(text for _, text in filled[:-1]), depth, page[1])]
    return _entries_of_line("   ".join(cell.strip() for cell in cells if cell.strip()), depth)


def _settle_last_numbers(lines: list[_Line]) -> None:
    """Take the numbers at the ends of lines for pages where they are pages."""
    romans = {line.last_number for line in lines if line.last_number.isalpha()}
    if len(romans) == 1 and len(min(romans)) == 1:
        # The only letter may be a word: "i" is "and" in Polish.
        for line in lines:
            line.last_number = line.last_number if line.last_number.isdigit() else ""
    candidates = [line for line in lines if line.last_number]
    if 2 * (len(candidates) + sum(bool(line.page) for line in lines)) <= len(lines) or not candidates:
        return
    places = [_place(line.last_number or line.page) for line in lines]
    known = [line for line, place in zip(lines, places, strict=True) if place is not None]
    kept = _ascending([place for place in places if place is not None])
    if len(kept) < 2:
        return
    for index in kept:
        line = known[index]
        if line.last_number:
            line.page = line.last_number
            line.text = line.text.rpartition(" ")[0]


def _ascending(numbers: list[int]) -> list[int]:
    """Positions of the longest run of numbers, with gaps, that never descends."""
    ends: list[int] = []
    positions: list[int] = []
    before: list[int] = []
    for position, number in enumerate(numbers):
        length = bisect_right(ends, number)
        before.append(positions[length - 1] if length else -1)
        ends[length : length + 1] = [number]
        positions[length : length + 1] = [position]
    found: list[int] = []
    position = positions[-1] if positions else -1
    while position >= 0:
        found.append(position)
        position = before[position]
    return found[::-1]


def _joined(lines: list[_Line]) -> list[_Line]:
    """Lines that are parts of one entry made one: a lone number, a lone page, a title that goes on."""
    joined: list[_Line] = []
    for line in lines:
        last = joined[-1] if joined else None
        if last is None or last.page:
            if any(map(str.isalnum, line.text)):
                joined.append(line)
            continue
        lone_page = _PAGE.fullmatch(line.text) if not line.page else None
        if not line.text:
            last.page = line.page
        elif lone_page is not None and _place(lone_page[1]) is not None and any(map(str.isalpha, last.text)):
            last.page = lone_page[1]
        elif _NUMBER.fullmatch(last.text) or (line.page and line.text[:1].islower()):
            last.text, last.page = f"{last.text} {line.text}", line.page
        elif any(map(str.isalnum, line.text)):
            joined.append(line)
    return joined


def _levels(lines: list[_Line]) -> list[int]:
    levels: list[int] = []
    # What is open: depth and level, from the outermost.
    opened: list[tuple[int, int]] = []
    for line in lines:
        while opened and opened[-1][0] >= line.depth:
            opened.pop()
        level = _numbered_level(line.text) or (opened[-1][1] + 1 if opened else 1)
        opened.append((line.depth, level))
        levels.append(level)
    return levels


def _numbered_level(text: str) -> int:
    """The level that the number in front tells, or 0."""
    number = _NUMBER.match(text)
    if number is None:
        return 1 if _TOP_LEVEL.match(text) else 0
    parts = number[1].split(".")
    return max(1, len(parts) - (len(parts) > 1 and parts[-1] == "0"))
