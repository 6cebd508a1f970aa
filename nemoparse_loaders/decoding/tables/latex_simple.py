r"""The tabulars that the model prints most, read by splitting at ``\\`` and ``&``.

Here a body is one ``tabular`` and nothing else; its cells are plain text with escapes, alone or as the whole
argument of a style, ``\thead``, ``\multirow`` or ``\multicolumn``; rules stand at the beginnings of rows.
Whatever is more than that is left to `latex_reader`, which reads any tabular, and these in the same way.
"""

from __future__ import annotations

import re

from .column_spec import count_columns
from .latex_cells import around_breaks, one_line, span_number
from .latex_commands import STYLES
from .latex_rows import TabularRows
from .latex_tokens import has_entity
from .source_cell import Row, SourceCell, cell_text

_BEGIN = re.compile(r"\\begin\{tabular\}\{([lcr|]{0,400})\}")
_END = r"\end{tabular}"
# Of "\\[2pt]" and "C:\\dir" no split could tell what they are.
_NO_ROW_ENDS = ("\\\\[", "\\\\ [", "\\\\*", ":\\\\")
_BREAK = re.compile(r"<[bB][rR][ ]{0,4}/?>")
_RULE = re.compile(r"[ ]*\\(?:(hline|midrule|toprule|bottomrule)(?![A-Za-z*\[])|cline\{[0-9-]{1,9}\})")
_MARK = re.compile(r"[\\{}$]")
_CELL_END = re.compile(r"(?<!\\)&")
# "foo\_bar": only inside of a word the sign is no mark.
_TEXT = r"[^\\{}]*(?:\\(?:[%#$&{}]|(?<=[^\W_]\\)_(?=[^\W_]))[^\\{}]*)*"
_CELL = re.compile(
    r"(?P<column>\\multicolumn\{(?P<columns>[0-9]{1,6})\}\{[lcr|]{1,9}\}\{)?"
    r"(?P<row>\\multirow\{(?P<rows>[0-9]{1,6})\}\{\*\}\{)?"
    r"(?P<head>\\thead\{)?"
    rf"(?P<styled>\\(?P<style>{'|'.join(STYLES)})\{{(?=[^\s}}]))?"
    rf"(?P<text>{_TEXT})"
    r"(?(styled)(?<=\S)\})(?(head)\})(?(row)\})(?(column)\})"
)


def read_simple_tabular(body: str) -> TabularRows | None:
    """Read a body.

    Returns:
        None where it is anything but a simple tabular.
    """
    begin = _BEGIN.match(body)
    if begin is None or not body.endswith(_END):
        return None
    text = body[begin.end() : -len(_END)]
    if any(sign in text for sign in _NO_ROW_ENDS) or has_entity(text):
        return None
    text = one_line(text)
    if "<" in text:
        text = around_breaks(_BREAK.sub("\n", text))
    lines = text.split("\\\\")
    result = TabularRows(declared_cols=count_columns(begin[1]))
    if text.count("\\") == 2 * (len(lines) - 1) and not any(sign in text for sign in "{}$"):
        result.rows = [[cell.strip(" \n") for cell in line.split("&")] for line in lines]
    elif not all(_read_line(line, result) for line in lines):
        return None
    last = result.rows[-1]
    if len(last) == 1 and not cell_text(last[0]).strip():
        if not isinstance(last[0], str):
            return None
        # Behind the last row end.
        result.rows.pop()
    return result


def _read_line(line: str, result: TabularRows) -> bool:
    """Add a row, and the rules above it; False where it is not simple."""
    position = 0
    while rule := _RULE.match(line, position):
        if rule[1] == "midrule":
            result.midrules.append(len(result.rows))
        elif rule[1] == "hline":
            result.hlines.append(len(result.rows))
        position = rule.end()
    line = line[position:]
    row: Row = []
    for source in _CELL_END.split(line) if "\\&" in line else line.split("&"):
        cell = _cell(source.strip(" \n"))
        if cell is None:
            return False
        row.append(cell)
    result.rows.append(row)
    return True


def _cell(source: str) -> SourceCell | str | None:
    """One cell; None where it is not simple."""
    if not _MARK.search(source):
        return source
    match = _CELL.fullmatch(source)
    # Two signs may be a formula.
    if match is None or ("$" in source and source.count("$") > source.count("\\$") + 1):
        return None
    _, columns, _, rows, head, _, style, text = match.groups()
    if "\\" in text:
        # All of them are escapes.
        text = text.replace("\\", "")
    if style is not None:
        before, after = STYLES[style]
        text = before + text + after
    text = text.strip(" \n")
    if not (columns or rows or head):
        return text
    rowspan = span_number(rows) if rows else 1
    return SourceCell(text, rowspan, span_number(columns) if columns else 1, head is not None)
