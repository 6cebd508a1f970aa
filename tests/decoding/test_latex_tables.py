"""LaTeX tabulars to grids: every shape, span, escape and damage that the model is known to print."""

# A case reads best on one line.
# ruff: noqa: E501

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemoparse_loaders.decoding import decode_page
from nemoparse_loaders.document import Element, Table
from nemoparse_loaders.export.plain import markdown_to_text

Grid = list[list[str | None]]


def decode(body: str, name: str = "Table") -> Element:
    (element,) = decode_page(f"<x_0.1><y_0.1>{body}<x_0.9><y_0.2><class_{name}>").elements
    return element


def table(rows: str, spec: str = "{ccc}") -> Table:
    found = decode(f"\\begin{{tabular}}{spec}\n{rows}\n\\end{{tabular}}").table
    assert found is not None
    return found


def plain(found: Table) -> Grid:
    return [[None if cell is None else markdown_to_text(cell) for cell in row] for row in found.grid()]


def spans(found: Table) -> list[tuple[int, int, int, int]]:
    return [
        (cell.row, cell.col, cell.rowspan, cell.colspan)
        for cell in found.cells
        if cell.rowspan > 1 or cell.colspan > 1
    ]


@pytest.mark.parametrize(
    ("rows", "spec", "expected"),
    [
        # Row ends, with and without spaces, options, and at the very end.
        (r"a & b \\ c & d \\", "{cc}", [["a", "b"], ["c", "d"]]),
        (r"a&b\\c&d", "{cc}", [["a", "b"], ["c", "d"]]),
        (r"a & b \\[2pt] c & d \\* e & f \tabularnewline g & h", "{cc}", [["a", "b"], ["c", "d"], ["e", "f"], ["g", "h"]]),
        ("a & b \\\\ [5pt] c & d \\\\ [5] & e", "{cc}", [["a", "b"], ["c", "d"], ["[5]", "e"]]),
        ("[1] & x \\\\\n[2] & y \\\\", "{cc}", [["[1]", "x"], ["[2]", "y"]]),
        (r"a & b \\[1] & c", "{cc}", [["a", "b"], ["[1]", "c"]]),
        # Column specifications.
        (r"a & b", "", [["a", "b"]]),
        (r"a & b & c", "{|l|*{2}{p{3cm}|}}", [["a", "b", "c"]]),
        (r"a & b & c", "{@{}p{3cm}|S[table-format=2.1]!{\\vrule}X[2,c]}", [["a", "b", "c"]]),
        (r"a & b", r"[t]{@{\hspace{2pt}}l>{\bfseries}r<{x}}", [["a", "b"]]),
        (r"a & b", "{*{999999}{c}}", [["a", "b"]]),
        # Rules never become text.
        (r"\toprule[1pt] a & b \\ \midrule \hline\hline c & d \\ \cmidrule(lr){1-2} \cline{2-2} e & f \\ \bottomrule", "{cc}",
         [["a", "b"], ["c", "d"], ["e", "f"]]),
        (r"a & b \hline c & d", "{cc}", [["a", "b"], ["c", "d"]]),
        # Ragged rows.
        (r"a & b & c \\ d \\ e & f & g & h", "{ccc}", [["a", "b", "c", ""], ["d", "", "", ""], ["e", "f", "g", "h"]]),
        (r"a &b;& c&lt & d", "{cccc}", [["a", "b;", "c", "lt", "d"]]),
        (r"a & & c \\ & & \\ x & y & z", "{ccc}", [["a", "", "c"], ["", "", ""], ["x", "y", "z"]]),
        # Lines inside of a cell.
        ("a\nb & c<br>d & e \\linebreak f \\newline g", "{ccc}", [["a b", "c\nd", "e\nf\ng"]]),
        (r"\makecell{Net \\ sales} & \thead[l]{a \\ b} & \makecell*[r]{x\\y}", "{ccc}", [["Net\nsales", "a\nb", "x\ny"]]),
        (r"\begin{tabular}{c} in1 \\ in2 \end{tabular} & b \\ c & d", "{cc}", [["in1\nin2", "b"], ["c", "d"]]),
        # A file name, with single and double backslashes.
        (r"C:\\dir\\file.txt & b \\ C:\dir\file & d", "{cc}", [[r"C:\dir\file.txt", "b"], [r"C:\dir\file", "d"]]),
    ],
)  # fmt: skip
def test_rows_and_cells(rows: str, spec: str, expected: Grid) -> None:
    assert plain(table(rows, spec)) == expected


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (r"\$5 to \$9", "$5 to $9"),
        ("$5 to $9", "$5 to $9"),
        ("foo_bar_baz", "foo_bar_baz"),
        (r"foo\_bar", "foo_bar"),
        ("x_1_y", "x_1_y"),
        ("<LOQ", "<LOQ"),
        ("<b 5>", "<b 5>"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("a|b", "a|b"),
        (r"R\&D 12\% \#7 \{x\}", "R&D 12% #7 {x}"),
        ("R&amp;D &lt;5 &quot;x&quot;&nbsp;y", 'R&D <5 "x" y'),
        (r"R\&amp;D", "R&amp;D"),
        ("50% of #1", "50% of #1"),
        (r"\- x \> y \< z \* w", "- x > y < z * w"),
        ("5*3*2", "5*3*2"),
        (r"\textless LOQ", "<LOQ"),
        (r"\textless{} LOQ", "< LOQ"),
        (r"\textasciitilde 3 \textgreater{}5", "~3 >5"),
        (r"25\,\textdegree C, 3 \times 4", "25 °C, 3 × 4"),
        (r"caf\'{e}, na\"{\i}ve, \c{c}a", "café, naïve, ça"),
        (
            r"caf\'e, M\"uller, \`a la, ma\~nana, \^\i, fa\c cade, \v Skoda",
            "café, Müller, à la, mañana, î, façade, Škoda",
        ),
        (r"it\'s O\'Neill \'n\' \"A\" \c \v{}", "it's O'Neill 'n' \"A\" \\c"),
        (r"\textbar\ y a\;b", "| y a b"),
        (r"\checkmark* \textdegree*", "✓* °*"),
        ("m<sup>2</sup> CO<sub>2</sub>", "m² CO₂"),
        (r"m\textsuperscript{2}", "m²"),
        (r"\textbf{Total} \textit{n} \emph{x}", "Total n x"),
        (r"\textbf{\textit{Both}}", "Both"),
        (r"foo\textit{bar}baz", "foobarbaz"),
        (r"\textbf{ } x", "x"),
        (r"\textbf{a\textbf{b}c}", "abc"),
        (r"\textcolor{red}{hot} \cellcolor[gray]{0.9}x \color{blue}y", "hot x y"),
        (r"\rotatebox{90}{up} \parbox[t]{3cm}{para} \mbox{box}", "up para box"),
        (r"\diagbox{A}{B}", "A / B"),
        (r"\foo{arg} \bar", r"arg \bar"),
        (r"\(x_1^2\) and \(a<b\)", "x_1^2 and a<b"),
        (r"$x_{1}^{2}$", "$x_{1}^{2}$"),
        (r"\(\frac{a}{b}\)", r"\frac{a}{b}"),
        (r"\( \begin{matrix} 1 & 2 \\ 3 & 4 \end{matrix} \)", r"\begin{matrix} 1 & 2 \\ 3 & 4 \end{matrix}"),
        (r"open \( math", "open ( math"),
        ("{grouped} {\\bfseries bold}", "grouped bold"),
    ],
)
def test_the_text_of_a_cell(cell: str, expected: str) -> None:
    found = table(f"{cell} & next \\\\ x & y", "{cc}")

    assert plain(found) == [[expected, "next"], ["x", "y"]]


@pytest.mark.parametrize(
    ("rows", "expected", "expected_spans"),
    [
        (r"a & \multicolumn{2}{c}{bc} \\ d & e & f", [["a", "bc", None], ["d", "e", "f"]], [(0, 1, 1, 2)]),
        (r"\multicolumn{3}{l}{\textbf{All}} \\ d & e & f", [["All", None, None], ["d", "e", "f"]], [(0, 0, 1, 3)]),
        (r"\multicolumn{2}{c}{Total} (net) & 5 \\ d & e & f", [["Total (net)", None, "5"], ["d", "e", "f"]], [(0, 0, 1, 2)]),
        (r"\multirow{2}{*}{A} & b & c \\ & d & e", [["A", "b", "c"], [None, "d", "e"]], [(0, 0, 2, 1)]),
        (r"\multirow[t]{2}[2]{3cm}[1pt]{A} & b & c \\ & d & e", [["A", "b", "c"], [None, "d", "e"]], [(0, 0, 2, 1)]),
        (r"\multirow{2}*{A} & b & c \\ & d & e", [["A", "b", "c"], [None, "d", "e"]], [(0, 0, 2, 1)]),
        (r"\multirow{2}{A} & b & c \\ & d & e", [["A", "b", "c"], [None, "d", "e"]], [(0, 0, 2, 1)]),
        (r"\multirowcell{2}[0pt][l]{A \\ B} & b & c \\ & d & e", [["A\nB", "b", "c"], [None, "d", "e"]], [(0, 0, 2, 1)]),
        # Upwards.
        (r" & b & c \\ \multirow{-2}{*}{A} & d & e", [["A", "b", "c"], [None, "d", "e"]], [(0, 0, 2, 1)]),
        (r"x & b & c \\ \multirow{-2}{*}{A} & d & e", [["x", "b", "c"], ["A", "d", "e"]], []),
        # Both ways, in either order, with empty cells or an empty \multicolumn below.
        (r"\multicolumn{2}{c}{\multirow{2}{*}{AB}} & c \\ & & f", [["AB", None, "c"], [None, None, "f"]], [(0, 0, 2, 2)]),
        (r"\multirow{2}{*}{\multicolumn{2}{c}{AB}} & c \\ \multicolumn{2}{c}{} & f", [["AB", None, "c"], [None, None, "f"]], [(0, 0, 2, 2)]),
        (r"\multirow{2}{*}{A} & b & c \\ \multicolumn{2}{c}{} & f", [["A", "b", "c"], [None, "", "f"]], [(0, 0, 2, 1)]),
        # Too long: a span ends before text, and with the table.
        (r"\multirow{3}{*}{A} & b & c \\ & d & e \\ X & f & g", [["A", "b", "c"], [None, "d", "e"], ["X", "f", "g"]], [(0, 0, 2, 1)]),
        (r"\multirow{9}{*}{A} & b & c \\ & d & e", [["A", "b", "c"], [None, "d", "e"]], [(0, 0, 2, 1)]),
        (r"a & \multicolumn{9}{c}{B} \\ d & e & f", [["a", "B", None], ["d", "e", "f"]], [(0, 1, 1, 2)]),
        (r"\multicolumn{3}{c}{A} & b \\ d & e & f", [["A", None, "b"], ["d", "e", "f"]], [(0, 0, 1, 2)]),
        # Not a number.
        (r"\multirow{*}{*}{A} & \multicolumn{x}{c}{B} & c \\ d & e & f", [["A", "B", "c"], ["d", "e", "f"]], []),
        (r"\multirow{99999999999}{*}{A} & b & c \\ & e & f", [["A", "b", "c"], [None, "e", "f"]], [(0, 0, 2, 1)]),
        # The specification left out, and two without an "&" between.
        (r"\multicolumn{2}{Total} & b \\ d & e & f", [["Total", None, "b"], ["d", "e", "f"]], [(0, 0, 1, 2)]),
        (r"\multicolumn{2}{c}{A}\multicolumn{1}{c}{B} \\ d & e & f", [["A", None, "B"], ["d", "e", "f"]], [(0, 0, 1, 2)]),
    ],
)  # fmt: skip
def test_spans(rows: str, expected: Grid, expected_spans: list[tuple[int, int, int, int]]) -> None:
    found = table(rows)

    assert plain(found) == expected
    assert spans(found) == expected_spans


@pytest.mark.parametrize(
    ("rows", "spec", "header_rows"),
    [
        ("Name & Age \\\\ Ann & 5", "{cc}", 1),
        ("2023 & 2024 \\\\ Ann & 5", "{cc}", 1),
        ("7 & x \\\\ 8 & y", "{cc}", 0),
        ("12.5\\% & x \\\\ 8 & y", "{cc}", 0),
        ("Name & Age", "{cc}", 0),
        ("\\thead{Name} & \\thead{Age}", "{cc}", 1),
        ("\\thead{a} & \\thead{b} \\\\ \\thead{c} & \\\\ d & e", "{cc}", 2),
        ("**a** & **b** \\\\ **c** & **d** \\\\ e & f", "{cc}", 2),
        ("\\textbf{a} & b \\\\ c & d \\\\ e & f", "{cc}", 1),
        ("a & b \\\\ c & d \\\\ \\midrule e & f", "{cc}", 2),
        ("\\midrule a & b \\\\ c & d", "{cc}", 0),
        ("\\toprule a & b \\\\ c & d \\\\ \\bottomrule", "{cc}", 1),
        ("\\hline 1 & 2 \\\\ 3 & 4 \\\\ \\hline 5 & 6 \\\\ \\hline", "{cc}", 2),
        ("\\multirow{2}{*}{G} & \\multicolumn{2}{c}{Before} \\\\ & mean & SD \\\\ x & 1 & 2", "{ccc}", 2),
        ("\\multirow{2}{*}{North} & a \\\\ & b \\\\ South & c", "{cc}", 0),
        ("\\multicolumn{3}{c}{Everything} \\\\ a & b & c \\\\ 1 & 2 & 3", "{ccc}", 1),
    ],
)
def test_header_rows(rows: str, spec: str, header_rows: int) -> None:
    found = table(rows, spec)

    assert found.header_rows == header_rows
    assert all(cell.is_header == (cell.row < header_rows) for cell in found.cells)


@pytest.mark.parametrize(
    ("body", "expected", "code"),
    [
        ("a & b \\\\ 1 & 2 \\\\\n\\end{tabular}", [["a", "b"], ["1", "2"]], "malformed"),
        ("a & b \\\\ 1 & 2 \\\\", [["a", "b"], ["1", "2"]], "malformed"),
        ("\\begin{tabular}{cc} a & b \\\\ 1 & 2", [["a", "b"], ["1", "2"]], "truncated"),
        ("\\begin{tabular}{cc} a & b \\\\ 1 & 2 \\\\ \\end{tab", [["a", "b"], ["1", "2"]], "truncated"),
        ("\\begin{tabular}{cc} a & b \\\\ 1 & 2 \\\\ \\multicol", [["a", "b"], ["1", "2"]], "truncated"),
        (
            "\\begin{tabular}{cc} a & b \\\\ 1 & 2 \\\\ \\multicolumn{2}{",
            [["a", "b"], ["1", "2"]],
            "truncated",
        ),
        ("\\begin{tabular}{cc} a & b \\\\ \\multicolumn{2}{c}{To", [["a", "b"], ["To", None]], "truncated"),
        (
            "\\begin{tabular}{cc} \\textbf{a & b \\\\ 1 & 2 \\end{tabular}",
            [["a", "b"], ["1", "2"]],
            "malformed",
        ),
        (
            "\\begin{tabular}{cc} \\textbf{a}} & b \\\\ 1 & 2}} \\end{tabular}",
            [["a", "b"], ["1", "2"]],
            "malformed",
        ),
        (
            "\\begin{tabular}{cc} \\textbf{a & b \\\\ 1} & 2 \\end{tabular}",
            [["a", "b"], ["1", "2"]],
            "malformed",
        ),
    ],
)
def test_damaged_tables_keep_their_cells_and_are_flagged(body: str, expected: Grid, code: str) -> None:
    element = decode(body)

    assert element.table is not None
    assert plain(element.table) == expected
    assert [issue.code for issue in element.issues] == [code]


@pytest.mark.parametrize(
    "begin",
    [
        "\\begin{tabular*}{\\textwidth}{@{\\extracolsep{\\fill}}lc}",
        "\\begin{tabularx}{5cm}{X|c}",
        "\\begin{longtable}{ll}",
        "\\begin{tabu} to \\textwidth {XX}",
        "\\begin{tabu} spread 2cm {X[2]X}",
        "\\begin{array}{ll}",
    ],
)
def test_other_environments(begin: str) -> None:
    name = begin[begin.index("{") + 1 : begin.index("}")]

    element = decode(f"{begin} a & b \\\\ 1 & 2 \\end{{{name}}}")

    assert element.table is not None
    assert plain(element.table) == [["a", "b"], ["1", "2"]]
    assert element.issues == ()


def test_words_around_a_table_stay_with_it() -> None:
    element = decode(
        "Table 3: **Yields**\n\\begin{table}[h]\\centering\\caption{In {kg}}\\begin{tabular}{cc}a & b\\\\1 & 2"
        "\\end{tabular}\\end{table}\nSource: own data"
    )

    assert element.markdown == (
        "Table 3: **Yields**\nIn {kg}\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nSource: own data"
    )
    assert element.text == "Table 3: Yields\nIn {kg}\na | b\n1 | 2\nSource: own data"


def test_two_tables_in_a_body_are_two_elements() -> None:
    page = decode_page(
        "<x_0.1><y_0.1>First\n\\begin{tabular}{cc}a & b\\\\1 & 2\\end{tabular}\nThen\n"
        "\\begin{tabular}{c}x\\\\y\\end{tabular} end<x_0.9><y_0.2><class_Table>\n\n<x_0.1><y_0.3>t<x_0.9><y_0.4><class_Text>"
    )

    assert [element.id for element in page.elements] == ["p1e1", "p1e2", "p1e3"]
    assert [element.text for element in page.elements] == ["First\na | b\n1 | 2", "Then\nx\ny\nend", "t"]
    assert page.elements[0].bbox == page.elements[1].bbox
    assert page.elements[1].raw == "Then\n\\begin{tabular}{c}x\\\\y\\end{tabular}\nend"


def test_a_table_without_rows() -> None:
    element = decode("\\begin{tabular}{ccc}\n\\end{tabular}")

    assert element.table == Table()
    assert (element.markdown, element.text, element.issues) == ("", "", ())


def test_a_table_of_contents_has_no_header_unless_marked() -> None:
    element = decode("\\begin{tabular}{lr} Introduction & i \\\\ Methods & ii \\end{tabular}", "TOC")

    assert element.table is not None
    assert element.table.header_rows == 0


@pytest.mark.parametrize(
    ("name", "is_table"), [("Text", True), ("Picture", True), ("Code", False), ("Formula", False)]
)
def test_a_tabular_in_a_block_of_another_class(name: str, is_table: bool) -> None:
    element = decode("\\begin{tabular}{cc}a & b\\\\1 & 2\\end{tabular}", name)

    assert (element.table is not None) == is_table
    assert element.type == name


def test_a_sentence_about_a_tabular_is_no_table() -> None:
    element = decode("Write \\begin{tabular} to begin one.", "Text")

    assert element.table is None
    assert element.text == "Write \\begin{tabular} to begin one."
    assert element.issues == ()


def test_depth_is_no_danger() -> None:
    depth = 3_000
    element = decode("\\begin{tabular}{c}" * depth + "x" + "\\textbf{" * depth)

    assert element.table is not None
    assert element.table.grid() == [["x"]]


def test_what_no_page_holds_stays_text() -> None:
    cells = [str(number) for number in range(1_200)]

    element = decode("\\begin{tabular}{c}" + "&".join(cells) + "\\end{tabular}")

    assert element.table is None
    assert element.text.split() == cells
    assert "make no grid" in element.issues[0].message


def test_a_beginning_that_stutters() -> None:
    element = decode("\\begin{tabular}{cc}\n" * 3 + "a & b \\\\ 1 & 2 \\end{tabular}")

    assert element.table is not None
    assert element.table.grid() == [["a", "b"], ["1", "2"]]
    assert element.text == "a | b\n1 | 2"


@pytest.mark.parametrize("command", ["textbf", "textit", "underline", "textsuperscript", "textsubscript"])
@pytest.mark.parametrize("end", ["{ }{ }", " { } { } ", "{}{ }", "\\quad\\quad", "{\t} \\ "])
def test_white_space_at_the_end_of_a_mark_goes_behind_it(command: str, end: str) -> None:
    (element,) = decode_page(
        f"<x_0><y_0>\\begin{{tabular}}{{c}}\\{command}{{a{end}}}b\\end{{tabular}}<x_1><y_1><class_Table>"
    ).elements

    assert element.table is not None
    (cell,) = element.table.cells
    assert cell.text.endswith(" b")
    assert not cell.text.endswith("  b")


@given(
    st.lists(
        st.lists(st.text("ab 1.%#$[]*:\t\n", max_size=6), min_size=1, max_size=4), min_size=1, max_size=5
    ),
    st.sampled_from(["\\\\", "\\\\\n", "\\\\[2pt]", "\\\\*\n", "\\tabularnewline "]),
    st.sampled_from(["", "\\hline ", "\\toprule\n"]),
)
@settings(max_examples=200)
def test_plain_cells_are_read_alike_whatever_stands_between(
    rows: list[list[str]], end: str, rule: str
) -> None:
    """Runs of plain cells are read at once; empty groups between them have each read alone."""
    escaped = [[re.sub(r"[%#$]", r"\\\g<0>", cell) for cell in row] for row in rows]
    at_once = rule + end.join("&".join(cells) for cells in escaped)
    alone = rule + end.join("&".join(f"{{}}{cell}{{}}" for cell in cells) for cells in escaped)

    first, second = (
        decode(f"\\begin{{tabular}}{{c}}{body}\\end{{tabular}}").table for body in (at_once, alone)
    )

    assert first is not None
    # A bracket right behind a row end may be its length, which the empty group prevents.
    if not any(row[0].startswith(("[", "*")) for row in rows):
        assert second is not None
        assert first.grid() == second.grid()
        assert first.header_rows == second.header_rows
