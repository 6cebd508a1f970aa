r"""Simple tabulars are read by splitting: always to what the reader of any tabular makes of them."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nemoparse_loaders.decoding.tables import find_tables
from nemoparse_loaders.decoding.tables.found import FoundTable
from nemoparse_loaders.decoding.tables.latex_reader import read_tabular
from nemoparse_loaders.decoding.tables.latex_rows import TabularRows
from nemoparse_loaders.decoding.tables.latex_simple import read_simple_tabular
from nemoparse_loaders.decoding.tables.latex_tokens import find_structure, tokenize

PIECES = [
    "&",
    " & ",
    "\\\\",
    "\\\\\n",
    " \\\\ ",
    "a",
    "b1",
    "12.5",
    " ",
    "  ",
    "\t",
    "\n",
    "\u00a0",
    "\u2003",
    "\\%",
    "\\&",
    "\\$",
    "$",
    "\\_",
    "_",
    "*",
    "\\{",
    "\\}",
    "{",
    "}",
    "\\textbf{",
    "\\textit{",
    "\\underline{",
    "\\thead{",
    "\\multirow{2}{*}{",
    "\\multirow{0}{*}{",
    "\\multicolumn{2}{c}{",
    "\\multicolumn{1}{|l|}{",
    "\\hline",
    "\\midrule ",
    "\\cline{1-2}",
    "<br>",
    "<",
    "[2pt]",
    "[1]",
    "&amp;",
    "amp;",
    "C:",
    "\\",
    "\\'",
    "\\ ",
    "\\(",
    "\\)",
    "\\foo",
    "x\\_y",
    "\\begin{tabular}",
    "\\end{tabular}",
]
CELLS = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(
        ["", " ", "\n", "\\multirow{3}{*}{", "\\multicolumn{2}{c}{", "\\multicolumn{2}{l}{\\multirow{2}{*}{"]
    ),
    st.sampled_from(["", "", "\\textbf{", "\\thead{", "\\emph{"]),
    st.sampled_from(["", "a", " a b ", "5\\%", "R\\&D", "x\\_y", "$5", "a<br> b", "**c**", "\u00a0"]),
    st.sampled_from(["", " ", "}", "}}", "}}}", "} "]),
)


@st.composite
def dialect(draw: st.DrawFn) -> str:
    """Rows nearly as the model prints them."""
    end = draw(st.sampled_from(["\\\\", " \\\\\n", "\\\\ "]))
    rule = st.sampled_from(["", "", "\\hline ", "\\midrule\n", "\\toprule\\cline{1-1}"])
    rows = draw(st.lists(st.tuples(rule, st.lists(CELLS, min_size=1, max_size=4)), max_size=5))
    return end.join(before + "&".join(cells) for before, cells in rows) + draw(st.sampled_from(["", end]))


def as_read(rows: TabularRows) -> object:
    cells = [
        [
            (cell, 1, 1, False)
            if isinstance(cell, str)
            else (cell.text, cell.rowspan, cell.colspan, cell.is_head)
            for cell in row
        ]
        for row in rows.rows
    ]
    return cells, rows.declared_cols, rows.midrules, rows.hlines, rows.damage


@given(
    st.one_of(dialect(), st.lists(st.sampled_from(PIECES), max_size=16).map("".join)),
    st.sampled_from(["{cc}", "{|l|r|}", "{}"]),
)
@example("a \\textbf{b}", "{cc}")
@example("\\textbf{}\\\\", "{cc}")
@example("\\multicolumn{1}{c}{}", "{cc}")
@example("a&b\\\\\\hline[1pt]c", "{cc}")
@settings(max_examples=1000)
def test_a_simple_tabular_is_read_as_any_tabular_is(rows: str, spec: str) -> None:
    body = f"\\begin{{tabular}}{spec}{rows}\\end{{tabular}}"

    simple = read_simple_tabular(body)

    if simple is not None:
        tokens = tokenize(body)
        structure = find_structure(tokens)
        assert structure.env_end == {0: len(tokens) - 1}
        assert as_read(simple) == as_read(
            read_tabular(body, tokens, structure, 1, len(tokens) - 1, "tabular")
        )


@pytest.mark.parametrize(
    "rows",
    [
        "",
        "a & b \\\\ c & d",
        "a & 5\\% \\\\\n\\textbf{c} & \\$5 \\\\\n",
        "\\hline \\thead{a} & \\thead{b} \\\\ \\hline 1 & R\\&D \\\\ \\hline",
        "\\multicolumn{2}{c}{\\textbf{a}} \\\\ \\multirow{2}{*}{b} & x\\_y<br>z \\\\ & $7 \\\\",
    ],
)
def test_what_the_model_prints_most_is_simple(rows: str) -> None:
    assert read_simple_tabular(f"\\begin{{tabular}}{{cc}}\n{rows}\n\\end{{tabular}}") is not None


@pytest.mark.parametrize(
    "body",
    [
        "a & b",
        "\\begin{tabular}{cc} a & b",
        "words \\begin{tabular}{cc} a & b \\end{tabular}",
        "\\begin{tabular}{cc} a & b \\end{tabular} words",
        "\\begin{tabular}{cc} a & b \\\\\\end{tabular}{tabular}",
        "\\begin{tabular}{p{2cm}} a \\end{tabular}",
        "\\begin{tabular}{cc} a & \\begin{tabular}{c} b \\end{tabular} \\end{tabular}",
        "\\begin{tabular}{cc} a & \\makecell{b \\\\ c} \\end{tabular}",
        "\\begin{tabular}{cc} a & {b \\end{tabular}",
        "\\begin{tabular}{cc} $a$ & b \\end{tabular}",
        "\\begin{tabular}{cc} a & \\textbf{b} c \\end{tabular}",
        "\\begin{tabular}{cc} a & b \\\\[2pt] c \\end{tabular}",
    ],
)
def test_anything_else_is_not(body: str) -> None:
    assert read_simple_tabular(body) is None


@given(st.one_of(dialect(), st.lists(st.sampled_from([*PIECES, "|"]), max_size=16).map("".join)))
@example("\\multirow{2}{*}{a} & b \\\\ & c")
@settings(max_examples=300)
def test_the_forms_of_a_found_table_are_those_of_its_table(rows: str) -> None:
    """They are made from the rows as read, not from the cells."""
    for part in find_tables(f"\\begin{{tabular}}{{cc}}{rows}\\end{{tabular}}", expected=True):
        if isinstance(part, FoundTable):
            assert part.grid.to_markdown() == part.table.to_markdown()
            assert part.grid.to_lines() == part.table.to_lines()
