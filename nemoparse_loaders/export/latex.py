r"""A table as a LaTeX ``tabular``, in the dialect that the model prints and `decoding` reads.

Cells are Markdown inline text, with LaTeX's own characters escaped. A ``\midrule`` stands behind the header
rows where the reader's rule would not find them by itself (before all rows: there is no header).
"""

from __future__ import annotations

import re

from ..document import Table, TableCell

_ESCAPES = {
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "{": r"\{",
    "}": r"\}",
    "\\": r"\textbackslash{}",
    "\n": "<br>",
}
_SPECIAL = re.compile(r"[&%$#{}\\\n]")
_MATH = re.compile(r"\\\(([^&\\\n{}$]|\\[A-Za-z]+|\{[^&\\\n{}$]{0,80}\}){0,400}\\\)")


def table_to_latex(table: Table) -> str:
    r"""A ``tabular`` with ``\multicolumn`` and ``\multirow``; nested for spans of both kinds."""
    lines = [r"\begin{tabular}{" + "c" * max(1, table.n_cols) + "}"]
    rows: list[list[str]] = [[] for _ in range(table.n_rows)]
    starts: dict[tuple[int, int], TableCell] = {(cell.row, cell.col): cell for cell in table.cells}
    for row in range(table.n_rows):
        col = 0
        while col < table.n_cols:
            found = starts.get((row, col))
            rows[row].append("" if found is None else _cell(found))
            col += 1 if found is None else found.colspan
    for row, texts in enumerate(rows):
        if row == table.header_rows:
            lines.append(r"\midrule")
        lines.append(" & ".join(texts) + r" \\")
    if table.n_rows and table.header_rows >= table.n_rows:
        lines.append(r"\midrule")
    lines.append(r"\end{tabular}")
    return "\n".join(lines)


def escape_latex(text: str) -> str:
    r"""Markdown inline text as the body of a LaTeX cell; formulas ``\( \)`` stay as they are."""
    if not _SPECIAL.search(text):
        return text
    pieces: list[str] = []
    position = 0
    for match in _MATH.finditer(text):
        pieces.append(_SPECIAL.sub(_escape, text[position : match.start()]))
        pieces.append(match[0])
        position = match.end()
    pieces.append(_SPECIAL.sub(_escape, text[position:]))
    return "".join(pieces)


def _escape(match: re.Match[str]) -> str:
    return _ESCAPES[match[0]]


def _cell(cell: TableCell) -> str:
    text = escape_latex(cell.text)
    if cell.rowspan > 1:
        text = rf"\multirow{{{cell.rowspan}}}{{*}}{{{text}}}"
    if cell.colspan > 1:
        text = rf"\multicolumn{{{cell.colspan}}}{{c}}{{{text}}}"
    return text
