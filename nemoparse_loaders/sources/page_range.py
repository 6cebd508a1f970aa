"""Which pages: "1-3,7", "5-", "-3" or a sequence of numbers, to a sorted list."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..errors import OptionError

_PART = re.compile(r"([0-9]+)?\s*([-–])?\s*([0-9]+)?")
_SHOWN = 60


def parse_page_range(pages: str | int | Iterable[int] | None, page_count: int) -> list[int]:
    """The pages asked for, in the order of the document and each once, however they were written.

    Parts are separated by commas: ``7`` is one page, ``2-5`` a range with both ends, ``5-`` goes to the last
    page, ``-3`` is the first three pages, or all where the document has fewer. Every other number must be a
    page of the document, so that a typing error does not pass for a short document.

    Args:
        pages: The text, one number, a sequence of numbers, or None for all pages. Numbers count from 1.
        page_count: Pages of the document.

    Returns:
        1-based page numbers, ascending, without repeats.

    Raises:
        OptionError: Not of that form, or a page that the document does not have; the message says how many
            pages there are and what may be written.
    """
    if pages is None:
        return list(range(1, page_count + 1))
    if isinstance(pages, str):
        wanted = _from_text(pages, page_count)
    elif isinstance(pages, Iterable):
        wanted = {_checked(number, pages, page_count) for number in pages}
    else:
        wanted = {_checked(pages, pages, page_count)}
    if not wanted:
        raise _refused(pages, "no page is named", page_count)
    return sorted(wanted)


def _from_text(text: str, page_count: int) -> set[int]:
    wanted: set[int] = set()
    for part in text.split(","):
        match = _PART.fullmatch(part.strip())
        if match is None or not part.strip():
            raise _refused(text, f"{_shorten(part.strip())!r} is not a page or a range", page_count)
        first, dash, last = match.groups()
        if dash is None:
            if last is not None:  # "1 2": two numbers with nothing between them
                raise _refused(text, f"{_shorten(part.strip())!r} lacks a comma or a dash", page_count)
            wanted.add(_number(first, text, page_count))
        else:
            wanted.update(_range(first, last, text, page_count))
    return wanted


def _range(first: str | None, last: str | None, text: str, page_count: int) -> range:
    if first is None and last is None:
        raise _refused(text, "a dash needs a number before or after it", page_count)
    start = _number(first, text, page_count) if first is not None else 1
    if last is None:
        return range(start, page_count + 1)
    if first is None and len(last) > len(str(page_count)):
        return range(1, page_count + 1)
    stop = min(int(last), page_count) if first is None else _number(last, text, page_count)
    if stop < 1:
        raise _refused(text, "pages count from 1", page_count)
    if stop < start:
        raise _refused(text, f"the range {start}-{stop} runs backwards", page_count)
    return range(start, stop + 1)


def _number(digits: str, text: str, page_count: int) -> int:
    if len(digits.lstrip("0")) > 12:  # int() refuses thousands of digits with an error of its own
        raise _refused(text, "a page number is far too large", page_count)
    return _checked(int(digits), text, page_count)


def _checked(number: object, pages: object, page_count: int) -> int:
    if not isinstance(number, int) or isinstance(number, bool):
        raise _refused(pages, f"{number!r} is not a whole number", page_count)
    if number < 1:
        raise _refused(pages, f"there is no page {_text(number)}, pages count from 1", page_count)
    if number > page_count:
        raise _refused(pages, f"there is no page {_text(number)}", page_count)
    return number


def _refused(pages: object, problem: str, page_count: int) -> OptionError:
    have = "1 page" if page_count == 1 else f"{page_count} pages"
    return OptionError(
        f"pages={_text(pages)!r}: {problem}. The document has {have}; write them like '1-3,7', "
        f"'5-' (to the end) or '-3' (the first three), or give numbers from 1 to {page_count}"
    )


def _text(pages: object) -> str:
    try:
        return _shorten(str(pages))
    except ValueError:  # Python prints no integers of thousands of digits
        return "a number of thousands of digits"


def _shorten(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
