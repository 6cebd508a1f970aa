"""Markdown inline text as HTML: all text escaped, then the marks that the model prints as tags."""

from __future__ import annotations

import html
import re

from .inline import parse_inline

# Without one of these a text is the same in HTML.
_SPECIAL = re.compile(r"[&<>\"'\\*_\n]")


def inline_html(markdown: str) -> str:
    r"""HTML for one block or cell; formulas stay as LaTeX between ``\(`` and ``\)``."""
    if not _SPECIAL.search(markdown):
        return markdown
    pieces: list[str] = []
    for kind, value in parse_inline(markdown):
        if kind == "text":
            pieces.append(html.escape(value).replace("\n", "<br>"))
        elif kind == "break":
            pieces.append("<br>")
        elif kind == "math":
            pieces.append(rf"\({html.escape(value)}\)")
        elif kind == "open":
            pieces.extend(f"<{name}>" for name in value.split())
        else:
            pieces.extend(f"</{name}>" for name in reversed(value.split()))
    return "".join(pieces)
