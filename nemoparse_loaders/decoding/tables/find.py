r"""Where the tables are in a body, and the words around them.

LaTeX first, then HTML, then pipe tables. A truncated tabular lacks its beginning or its end; a block that is
a table by its class is read as rows even if it lacks both.
"""

from __future__ import annotations

import re

from .found import FoundTable, Grid
from .grid import table_from_placeholders
from .html_table import find_html_tables
from .latex_reader import read_tabular
from .latex_rows import TabularRows
from .latex_simple import read_simple_tabular
from .latex_tokens import TABLE_ENVIRONMENTS, Kind, Structure, Token, find_structure, tokenize
from .pipe import find_pipe_tables
from .source_cell import cell_text

_LATEX = re.compile(r"\\(?:begin|end)[ ]{0,4}\{(?:tab|long|xltab|supertab|array)")
_HTML = re.compile(r"<(?:table|tr|td|th)[\s>]", re.IGNORECASE)
# The start of a command at the end of a cut body.
_CUT_COMMAND = re.compile(
    r"\\(?:(?:begin|end)[ ]{0,4}\{[A-Za-z]{0,24}\*?"
    r"|multi(?:column|row)(?:\[[^\]\n]{0,40})?(?:\{[^{}&\\\n]{0,40}\})?\{[^{}&\\\n]{0,40}"
    r"|[A-Za-z]{0,24})\Z"
)
_KNOWN_COMMANDS = (
    "begin",
    "end",
    "multicolumn",
    "multirow",
    "thead",
    "makecell",
    "hline",
    "cline",
    "textbf",
    "midrule",
)
_WRAPPER = re.compile(
    r"\\(?:begin|end)[ ]{0,4}"
    r"\{(?:table|wraptable|center|flushleft|flushright|threeparttable|landscape|adjustbox)"
    r"\*?\}(?:\[[^\]\n]{0,40}\])?|\\centering(?![A-Za-z])|\\label\{[^{}\n]{0,200}\}"
)
_CAPTION = re.compile(r"\\caption\*?(?:\[[^\]\n]{0,400}\])?\{((?:[^{}\\]|\\.|\{[^{}]{0,400}\}){0,4000})\}")
_CUT_MESSAGE = "its beginning is missing"
_END_MESSAGE = "its end has the name of another environment"


def find_tables(
    body: str, *, expected: bool, marked_only: bool = False, pipes: bool = True
) -> list[str | FoundTable]:
    """Split a body into words and tables, in order.

    Args:
        body: A body without artefacts.
        expected: The class says that it is a table: pipes and bare rows count, too.
        marked_only: Only marked rows are headers (a table of contents).
        pipes: Look for pipe tables, too; where the class says nothing, only for those with a delimiter row.
    """
    if expected and body.startswith("|"):
        return find_pipe_tables(body)
    latex = _LATEX.search(body) if "\\" in body else None
    html = _HTML.search(body) if "<" in body else None
    # What stands first holds the other, if there are both.
    if latex and not (html and html.start() < latex.start()):
        return _latex_parts(body, marked_only=marked_only)
    if html:
        return find_html_tables(body)
    if expected:
        if "|" in body:
            parts = find_pipe_tables(body)
            if any(isinstance(part, FoundTable) for part in parts):
                return parts
        if "&" in body and "\\\\" in body:
            return _bare_rows(body, marked_only=marked_only)
    elif pipes and "|" in body and "\n" in body:
        return find_pipe_tables(body, certain=True)
    return [body]


def _latex_parts(body: str, *, marked_only: bool) -> list[str | FoundTable]:
    simple = read_simple_tabular(body)
    grid = _to_grid(simple, marked_only=marked_only) if simple is not None else None
    if grid is not None:
        return [FoundTable(grid, body)]
    tokens = tokenize(body)
    structure = find_structure(tokens)
    parts: list[str | FoundTable] = []
    # The next token that belongs to no part yet.
    position = 0
    lone_ends = iter([*structure.lone_ends, len(tokens)])
    lone_end = next(lone_ends)
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token.kind is Kind.BEGIN and token.text in TABLE_ENVIRONMENTS:
            end = structure.env_end[index]
            again = _begins_again(tokens, structure, index) if end >= len(tokens) else None
            _add_words(parts, body, tokens, position, index)
            if again is not None:
                index = position = again
                continue
            _add_table(parts, body, tokens, structure, (index, end), marked_only=marked_only)
            index = position = end + 1
            continue
        while lone_end < index:
            lone_end = next(lone_ends)
        if index == lone_end and token.text in TABLE_ENVIRONMENTS:
            if any(item.kind is Kind.CELLS or item.kind is Kind.ROW_END for item in tokens[position:index]):
                _add_table(
                    parts,
                    body,
                    tokens,
                    structure,
                    (position, index),
                    marked_only=marked_only,
                    has_begin=False,
                )
            else:
                _add_words(parts, body, tokens, position, index)
            position = index + 1
        index += 1
    _add_words(parts, body, tokens, position, len(tokens))
    return parts


def _begins_again(tokens: list[Token], structure: Structure, index: int) -> int | None:
    r"""The next ``\begin`` if one without an end has only its specification before it: a stutter."""
    following = index + 1
    if following in structure.group_end:
        following = structure.group_end[following] + 1
    while following < len(tokens) and tokens[following].kind is Kind.TEXT:
        if tokens[following].text.strip():
            return None
        following += 1
    return following if following < len(tokens) and tokens[following].kind is Kind.BEGIN else None


def _add_words(parts: list[str | FoundTable], body: str, tokens: list[Token], start: int, end: int) -> None:
    if start >= end:
        return
    words = body[tokens[start].start : tokens[end - 1].end]
    words = _CAPTION.sub(r"\1\n", _WRAPPER.sub("", words)).strip()
    if words:
        parts.append(words)


def _add_table(
    parts: list[str | FoundTable],
    body: str,
    tokens: list[Token],
    structure: Structure,
    span: tuple[int, int],
    *,
    marked_only: bool,
    has_begin: bool = True,
) -> None:
    start, end = span
    cut = end >= len(tokens)
    source = body[tokens[start].start : (len(body) if cut else tokens[end].end)]
    if cut and has_begin:
        trimmed = _without_cut_command(source)
        if len(trimmed) < len(source):
            _add_cut_table(parts, source, trimmed, marked_only=marked_only)
            return
    name = tokens[start].text if has_begin else ""
    rows = read_tabular(body, tokens, structure, start + has_begin, end, name)
    damage = rows.damage or ("" if has_begin else _CUT_MESSAGE)
    if not damage and not cut and tokens[end].text != name and tokens[end].text in TABLE_ENVIRONMENTS:
        damage = _END_MESSAGE
    _add_rows(parts, rows, source, cut=cut, damage=damage, marked_only=marked_only)


def _add_cut_table(parts: list[str | FoundTable], source: str, trimmed: str, *, marked_only: bool) -> None:
    """Read a cut table again without the command that it was cut in."""
    tokens = tokenize(trimmed)
    if not tokens or tokens[0].kind is not Kind.BEGIN:
        return
    rows = read_tabular(trimmed, tokens, find_structure(tokens), 1, len(tokens), tokens[0].text)
    _add_rows(parts, rows, source, cut=True, damage=rows.damage, marked_only=marked_only)


def _add_rows(
    parts: list[str | FoundTable],
    rows: TabularRows,
    source: str,
    *,
    cut: bool,
    damage: str,
    marked_only: bool,
) -> None:
    parts.extend(filter(None, rows.captions))
    grid = _to_grid(rows, marked_only=marked_only)
    if grid is not None:
        parts.append(FoundTable(grid, source, cut, damage))
        return
    # No page holds such a table: keep the words.
    lines = [" ".join(text for text in map(cell_text, row) if text) for row in rows.rows]
    parts.append("\n".join(line for line in lines if line))


def _to_grid(rows: TabularRows, *, marked_only: bool) -> Grid | None:
    return table_from_placeholders(
        rows.rows,
        declared_cols=rows.declared_cols,
        midrules=rows.midrules,
        hlines=rows.hlines,
        marked_only=marked_only,
    )


def _bare_rows(body: str, *, marked_only: bool) -> list[str | FoundTable]:
    tokens = tokenize(body)
    rows = read_tabular(body, tokens, find_structure(tokens), 0, len(tokens), "")
    parts: list[str | FoundTable] = []
    _add_rows(
        parts,
        rows,
        body,
        cut=False,
        damage="its beginning and its end are missing",
        marked_only=marked_only,
    )
    return parts


def _without_cut_command(source: str) -> str:
    match = _CUT_COMMAND.search(source, max(0, len(source) - 160))
    if match is None:
        return source
    name = match[0][1:]
    if name.isalpha() and not any(command.startswith(name) for command in _KNOWN_COMMANDS):
        return source
    # "\\" before it is a row end, and no backslash of a command.
    before = len(source[: match.start()]) - len(source[: match.start()].rstrip("\\"))
    return source if before % 2 else source[: match.start()]
