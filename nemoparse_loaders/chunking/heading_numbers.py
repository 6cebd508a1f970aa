"""The levels of headings that carry a number, and the chapters or parts that are open at each heading."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from .roman_numbers import roman_value

_DECIMAL = re.compile(r"(\d{1,3}(?:\.\d{1,3})*)\.?\)?[\s:–—-]+\S")
_LETTERED = re.compile(r"[A-Z]((?:\.\d{1,3})+)\.?[\s:–—-]+\S")
# Only the name may be in any case: "Book a room" has no number.
_NAMED = re.compile(
    r"(?:(?P<name>(?i:appendix|annex|schedule|book|part|title|chapter|division|section|article|rule|clause"
    r"|anhang|teil|kapitel|abschnitt|artikel|annexe|partie|chapitre))"
    r"\s+(?P<number>\d{1,3}|[IVXLC]+|[ivx]{1,5}|[A-Z])(?=[\s.:–—)-]|$)|(?P<sign>§)\s*\d)"
)
# From the outermost to the innermost; those that a document has are ranked among each other.
_NAMES = (
    ("appendix", "annex", "schedule", "anhang", "annexe"),
    ("book",),
    ("part", "teil", "partie"),
    ("title",),
    ("chapter", "kapitel", "chapitre"),
    ("division",),
    ("section", "abschnitt"),
    ("article", "artikel", "rule", "clause", "§"),
)
_RANK_OF_NAME = {name: rank for rank, names in enumerate(_NAMES) for name in names}
_CHAPTER = _RANK_OF_NAME["chapter"]
# Verbs as well: in "SCHEDULE A DEMO" the "A" is no number unless there is a schedule B.
_VERBS = frozenset({"schedule", "book"})
_ROMAN = re.compile(r"(C{0,3}(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3}))\.\s+\S")
_LETTER = re.compile(r"([A-Z])\.\s+\S")


class Numbered(NamedTuple):
    """What the numbers say of a heading.

    Attributes:
        level: From 1; None where it has no number.
        chapter: Level of the part, chapter or appendix that it stands in, its own if it is one; 0 for none.
    """

    level: int | None
    chapter: int = 0


def numbered_levels(texts: Sequence[str]) -> list[Numbered]:
    """What the number of each heading tells of its level.

    "2.1" is 2, "A.2" is 2, "IV." is 1, "Appendix B" is 1; "Article 5" is below "Chapter 2" in a document that
    has both. One letter and a stop is a Roman number if the numbers before it or behind it say so: "C."
    behind "B." is none.

    Args:
        texts: Plain text of the headings in reading order.
    """
    texts = [text.strip() for text in texts]
    names = _named(texts)
    romans = _romans(texts)
    used = sorted({_rank(match) for match in names if match} - {0})
    found: list[Numbered] = []
    # The level of the chapter or article that is open, its number, and the level of the chapter around it.
    open_level, open_number, chapter = 0, "", 0
    for text, match, roman in zip(texts, names, romans, strict=True):
        if match:
            rank = _rank(match)
            open_level = 1 if rank == 0 else used.index(rank) + 1
            open_number = match["number"] or ""
            if rank <= _CHAPTER:
                chapter = open_level
            found.append(Numbered(open_level, chapter))
            continue
        parts = [roman] if roman else _number_parts(text)
        if not parts:
            level = None
        elif open_level and parts[0] == open_number:
            # "3.1" in chapter 3 counts the chapter.
            level = open_level + len(parts) - 1
        elif open_level and (len(used) > 1 or all(rank <= _RANK_OF_NAME["title"] for rank in used)):
            # Numbers inside of parts, articles and appendices.
            level = open_level + len(parts)
        else:
            level = len(parts)
        if level is not None and level <= chapter:
            chapter = 0
        found.append(Numbered(level, chapter))
    return found


def _named(texts: Sequence[str]) -> list[re.Match[str] | None]:
    """The match of each heading that is called by its kind and a number."""
    names = [_NAMED.match(text) for text in texts]
    numbers: dict[str, set[str]] = {}
    for match in names:
        if match and match["name"]:
            numbers.setdefault(match["name"].lower(), set()).add(match["number"])
    return [
        None
        if match
        and match["number"] in ("A", "I")
        and match["name"].lower() in _VERBS
        and match.string[match.end() : match.end() + 1].isspace()
        and len(numbers[match["name"].lower()]) == 1
        else match
        for match in names
    ]


def _rank(match: re.Match[str]) -> int:
    return _RANK_OF_NAME[(match["name"] or match["sign"]).lower()]


def _number_parts(text: str) -> list[str]:
    """The parts of the number in front: "2.1" gives 2 and 1; none where there is no number."""
    decimal = _DECIMAL.match(text)
    if decimal:
        parts = decimal.group(1).split(".")
        return parts[:-1] if len(parts) > 1 and parts[-1] == "0" else parts
    lettered = _LETTERED.match(text)
    return [text[0], *lettered.group(1)[1:].split(".")] if lettered else []


def _romans(texts: Sequence[str]) -> list[str]:
    """The Roman number in front of each heading; "" where there is none, or where it is a letter of a row."""
    romans = [match[1] if (match := _ROMAN.match(text)) else "" for text in texts]
    letters = [match[1] if (match := _LETTER.match(text)) else "" for text in texts]
    following = _following(romans, letters)
    last_roman, last_letter = 0, ""
    for index, (roman, letter) in enumerate(zip(romans, letters, strict=True)):
        if roman and letter and _is_letter(letter, last_roman, last_letter, following[index]):
            romans[index] = ""
        if romans[index]:
            last_roman, last_letter = roman_value(roman), ""
        elif letter:
            last_letter = letter
    return romans


def _following(romans: Sequence[str], letters: Sequence[str]) -> list[tuple[int, str]]:
    """For each heading the next Roman number of several signs, and the next letter that comes before it."""
    found: list[tuple[int, str]] = []
    roman, letter = 0, ""
    for own_roman, own_letter in zip(reversed(romans), reversed(letters), strict=True):
        found.append((roman, letter))
        if own_letter:
            letter = own_letter
        elif own_roman:
            roman, letter = roman_value(own_roman), ""
    return found[::-1]


def _is_letter(letter: str, last_roman: int, last_letter: str, following: tuple[int, str]) -> bool:
    """Whether one sign that can be both is a letter of a row A, B, C."""
    next_roman, next_letter = following
    value = roman_value(letter)
    if last_letter and ord(letter) == ord(last_letter) + 1:
        return True
    goes_on = ord(next_letter or "\0") == ord(letter) + 1
    if value == last_roman + 1 and not (value == 1 and goes_on):
        return False
    return goes_on or (next_roman != value + 1 and letter in "LC")
