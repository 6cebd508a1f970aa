r"""Formulas: LaTeX without its delimiters ``\( \)``, ``\[ \]``, ``$$ $$`` and ``$ $``."""

from __future__ import annotations

import re

# "\\" is a line of a matrix, and "\\[2pt]" its spacing: neither is a delimiter.
_DELIMITER = re.compile(r"\\\\|\\[()\[\]]|\$\$")


def bare_formula(body: str) -> str:
    """The LaTeX alone; several formulas in one body are joined by a space, words between them stay."""
    text = body.strip()
    if len(text) > 2 and text[0] == text[-1] == "$" and "$" not in text[1:-1]:
        return text[1:-1].strip()
    return _DELIMITER.sub(_keep_line_ends, text).strip()


def _keep_line_ends(match: re.Match[str]) -> str:
    return match[0] if match[0] == "\\\\" else ""
