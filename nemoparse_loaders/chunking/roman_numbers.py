"""Roman numbers."""

from __future__ import annotations

_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


def roman_value(number: str) -> int:
    """The value of a Roman number below 400, in any case."""
    values = [_VALUES[sign] for sign in number.lower()]
    return sum(
        -value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True)
    )
