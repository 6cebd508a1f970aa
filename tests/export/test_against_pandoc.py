r"""Our tables against pandoc's, cell by cell, on generated LaTeX tabulars.

Both give a grid with spans; texts are compared as plain words without white space. pandoc is a reader of its
own, so where both agree, a mistake would have to be made twice.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import unicodedata
from typing import Any

import pytest

from nemoparse_loaders.decoding.tables import find_tables
from nemoparse_loaders.decoding.tables.found import FoundTable
from nemoparse_loaders.export.plain import markdown_to_text

from .tabulars import tabular

pytestmark = [
    pytest.mark.pandoc,
    pytest.mark.skipif(shutil.which("pandoc") is None, reason="pandoc is not installed"),
]

COUNT = 300
Cell = tuple[int, int, int, int, str]
"""Row, column, row span, column span, words without white space."""


def by_pandoc(sources: list[str]) -> list[tuple[list[Cell], int]]:
    """The cells of each tabular, and how many rows are the head; nothing where pandoc reads no table."""
    text = "\n\n".join(f"Table {number}.\n\n{source}" for number, source in enumerate(sources))
    command = ["pandoc", "--from", "latex", "--to", "json"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    found: list[tuple[list[Cell], int]] = [([], 0)] * len(sources)
    number = -1
    for block in _blocks(json.loads(done.stdout)["blocks"]):
        if block["t"] == "Para" and _text(block["c"]).startswith("Table "):
            number = int(_text(block["c"]).removeprefix("Table ").rstrip("."))
        elif block["t"] == "Table":
            found[number] = _pandoc_cells(block["c"]), len(block["c"][3][1])
    return found


def _blocks(blocks: list[Any]) -> list[Any]:
    inner: list[Any] = []
    for block in blocks:
        inner.extend(_blocks(block["c"][1]) if block["t"] == "Div" else [block])
    return inner


def _pandoc_cells(table: list[Any]) -> list[Cell]:
    _, _, _, head, bodies, foot = table
    rows = list(head[1])
    for _, _, more_head, body in bodies:
        rows += more_head + body
    rows += foot[1]
    taken: set[tuple[int, int]] = set()
    cells: list[Cell] = []
    for row, (_, columns) in enumerate(rows):
        col = 0
        for _, _, rowspan, colspan, blocks in columns:
            while (row, col) in taken:
                col += 1
            taken |= {(row + down, col + right) for down in range(rowspan) for right in range(colspan)}
            words = _bare("".join(_text(block["c"]) for block in blocks))
            cells.append((row, col, rowspan, colspan, words))
            col += colspan
    return cells


def _text(node: Any) -> str:
    """The words of inlines, however deep."""
    if isinstance(node, list):
        return "".join(_text(part) for part in node)
    if not isinstance(node, dict):
        return ""
    kind: str = node["t"]
    content: Any = node.get("c")
    if kind in ("Str", "Math", "Code", "RawInline"):
        return content if isinstance(content, str) else content[-1]
    if kind in ("Space", "SoftBreak", "LineBreak"):
        return " "
    return _text(content)


def by_us(source: str) -> list[Cell]:
    (found,) = find_tables(source, expected=True)
    assert isinstance(found, FoundTable)
    return [
        (cell.row, cell.col, cell.rowspan, cell.colspan, _bare(markdown_to_text(cell.text)))
        for cell in found.table.cells
    ]


def _bare(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


# Where pandoc 2.17 is wrong: the source that shows it, and what it does with it.
PANDOC_IS_WRONG = {
    r"\\makecell": "takes the row end inside of the cell for one of the table, and shifts what follows",
    r"\\i\}": "keeps the letter without its dot under the accent, which is no letter of any language",
    r"\\multicolumn\{[0-9]\}\{[^{}]*\{": "finds no table, or no words, where a span's column has an argument",
    r"!\{": "finds no table where something stands between columns",
    r">\{": "puts what stands before the cells in front of a span, and loses the words of the span",
    r"\\cmidrule": "prints its options, makes a row of it at the end, and loses the words behind it",
}


def excuse(source: str, ours: list[Cell], head_rows: int) -> str:
    """Why pandoc's result is wrong for this source; empty where it should be right."""
    for pattern, reason in PANDOC_IS_WRONG.items():
        if re.search(pattern, source):
            return reason
    if any(row < head_rows < row + rowspan for row, _, rowspan, _, _ in ours):
        return "calls all above the first rule its head, and ends row spans there"
    if all(colspan == 1 and col == 0 for _, col, _, colspan, _ in ours) and not all(cell[4] for cell in ours):
        return "leaves an empty row out of a table of one column"
    return ""


def test_generated_tabulars_are_read_as_pandoc_reads_them() -> None:
    sources = [tabular(seed) for seed in range(COUNT)]

    excused = 0
    for source, (theirs, head_rows) in zip(sources, by_pandoc(sources), strict=True):
        ours = by_us(source)
        if excuse(source, ours, head_rows):
            excused += 1
        else:
            assert ours == theirs, source
    assert excused <= COUNT / 4


@pytest.mark.parametrize(
    ("tabular", "grid"),
    [
        (r"{ll}\makecell{one \\ two} & b \\ c & d", [["one\ntwo", "b"], ["c", "d"]]),
        (r"{l}na\"{\i}ve \\ b", [["naïve"], ["b"]]),
        (r"{ll}\multicolumn{2}{p{2cm}}{wide} \\ c & d", [["wide", None], ["c", "d"]]),
        (r"{l!{\quad}l}a & b \\ c & d", [["a", "b"], ["c", "d"]]),
        (r"{l>{\bfseries}l}a & \multirow{2}{*}{b} \\ c & \\", [["a", "b"], ["c", None]]),
        (
            r"{ll}a & b \\ \cmidrule(lr){1-1} \multirow{2}{*}{c} & d \\ & e \\ \cmidrule{1-1}",
            [["a", "b"], ["c", "d"], [None, "e"]],
        ),
        (r"{ll}\multirow{2}{*}{a} & b \\ \hline & c \\ d & e", [["a", "b"], [None, "c"], ["d", "e"]]),
        (r"{l}a \\ \\ b", [["a"], [""], ["b"]]),
        # In these pandoc reads LaTeX as TeX does. We read what the model prints, which no TeX ever sees.
        (r"{l}a \\ [1] \\ c", [["a"], ["[1]"], ["c"]]),
        (r"{ll}5% & $5 \\ a_b & #1", [["5%", "$5"], ["a_b", "#1"]]),
    ],
    ids=[
        "makecell",
        "dotless",
        "span column",
        "between",
        "before",
        "cmidrule",
        "head",
        "empty row",
        "[1]",
        "signs",
    ],
)
def test_where_pandoc_reads_something_else(tabular: str, grid: list[list[str | None]]) -> None:
    (found,) = find_tables(rf"\begin{{tabular}}{tabular}\end{{tabular}}", expected=True)

    assert isinstance(found, FoundTable)
    assert found.table.grid() == grid
