r"""Numbers with units as siunitx has them: ``\SI{5}{\milli\metre\per\second}`` is "5 mm/s"."""

from __future__ import annotations

import re
from collections.abc import Sequence

# How many numbers a command has, and whether a unit follows them.
QUANTITIES = {
    "num": (1, False),
    "numrange": (2, False),
    "ang": (1, False),
    "SI": (1, True),
    "qty": (1, True),
    "SIrange": (2, True),
    "qtyrange": (2, True),
    "si": (0, True),
    "unit": (0, True),
}
_PREFIXES = {
    "pico": "p",
    "nano": "n",
    "micro": "µ",
    "milli": "m",
    "centi": "c",
    "deci": "d",
    "hecto": "h",
    "kilo": "k",
    "mega": "M",
    "giga": "G",
    "tera": "T",
}
_UNITS = {
    "metre": "m",
    "meter": "m",
    "gram": "g",
    "kilogram": "kg",
    "tonne": "t",
    "second": "s",
    "minute": "min",
    "hour": "h",
    "day": "d",
    "ampere": "A",
    "kelvin": "K",
    "mole": "mol",
    "candela": "cd",
    "lumen": "lm",
    "lux": "lx",
    "hertz": "Hz",
    "newton": "N",
    "pascal": "Pa",
    "bar": "bar",
    "joule": "J",
    "watt": "W",
    "coulomb": "C",
    "volt": "V",
    "farad": "F",
    "ohm": "Ω",
    "siemens": "S",
    "weber": "Wb",
    "tesla": "T",
    "henry": "H",
    "becquerel": "Bq",
    "gray": "Gy",
    "sievert": "Sv",
    "litre": "l",
    "liter": "L",
    "hectare": "ha",
    "dalton": "Da",
    "electronvolt": "eV",
    "decibel": "dB",
    "degree": "°",
    "arcminute": "′",
    "arcsecond": "″",
    "celsius": "°C",
    "degreeCelsius": "°C",
    "percent": "%",
    "radian": "rad",
    "steradian": "sr",
    "um": "µm",
    "ug": "µg",
    "us": "µs",
    "ul": "µl",
    "uL": "µL",
    "uA": "µA",
    "uV": "µV",
}
_POWERS_BEFORE = {"square": "²", "cubic": "³"}
_POWERS_BEHIND = {"squared": "²", "cubed": "³"}
_PIECE = re.compile(r"\\([A-Za-z]+)|(\\.|[^\\]+)", re.DOTALL)
_ESCAPE = re.compile(r"\\(?=[^A-Za-z])")
_SIGNS = re.compile(r"[\\{}]")


def quantity_text(name: str, numbers: Sequence[str], unit: str) -> str:
    """A quantity as plain text.

    Args:
        name: The command, one of `QUANTITIES`.
        numbers: The arguments that are numbers.
        unit: The one that is a unit; empty where there is none.
    """
    plain = [_ESCAPE.sub("", number).strip() for number in numbers]
    if name == "ang":
        # Degrees, minutes and seconds.
        return "".join(part.strip() + sign for part, sign in zip(plain[0].split(";"), "°′″", strict=False))
    number = "–".join(plain)
    printed = unit_text(unit)
    return number + printed if printed == "°" or not number else f"{number} {printed}".rstrip()


def unit_text(source: str) -> str:
    r"""A unit as it is printed; a name that is not known, such as ``\mm``, stands for itself."""
    pieces: list[str] = []
    joint = power = ""
    for name, text in _PIECE.findall(source):
        if text:
            pieces.append(_SIGNS.sub("", text).strip())
        elif name == "per":
            joint = "/"
        elif name in _POWERS_BEFORE:
            power = _POWERS_BEFORE[name]
        elif name in _POWERS_BEHIND:
            pieces.append(_POWERS_BEHIND[name])
        elif name in _PREFIXES:
            pieces.append(joint + _PREFIXES[name])
            joint = ""
        else:
            pieces.append(joint + _UNITS.get(name, name) + power)
            joint, power = "·", ""
    return "".join(pieces)
