"""List items: one way to write bullets, whatever the model printed.

``- text`` for every bullet; numbers ("1.", "2)") stay; a line without a mark goes on with the item above, or
is an item of its own where there is none above.
"""

from __future__ import annotations

import re

_BULLET = re.compile(r"(?:\\?[-*+]|[•◦▪▫■□●○‣⁃∙·–—➢➤►✓✔])[ \t]+")
_NUMBER = re.compile(r"(?P<digits>[0-9]{1,4})\\?(?P<sign>[.)])[ \t]+")


def normalised_list(body: str) -> str:
    """The items as Markdown, one a line; lines keep their depth below the first."""
    lines: list[str] = []
    base: int | None = None
    for line in body.split("\n"):
        text = line.lstrip(" \t")
        if not text.strip():
            continue
        depth = len(line[: len(line) - len(text)].expandtabs(4))
        base = depth if base is None else base
        indent = " " * (depth - base)
        bullet = _BULLET.match(text)
        number = _NUMBER.match(text)
        if bullet:
            lines.append(f"{indent}- {text[bullet.end() :].rstrip()}")
        elif number:
            lines.append(f"{indent}{number['digits']}{number['sign']} {text[number.end() :].rstrip()}")
        elif lines:
            # Indented, so that Markdown keeps it inside of the item.
            lines.append(f"{indent if len(indent) >= 2 else '  '}{text.rstrip()}")
        else:
            lines.append(f"{indent}- {text.rstrip()}")
    return "\n".join(lines)


def without_bullets(markdown: str) -> str:
    """The items without bullets; numbers stay, because they are part of what is said."""
    lines = []
    for line in markdown.split("\n"):
        text = line.strip()
        lines.append(text[2:] if text.startswith("- ") else text)
    return "\n".join(lines)
