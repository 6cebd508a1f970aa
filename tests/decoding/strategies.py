"""Hypothesis strategies for tables, charts and pages: the domain on which printing and reading are inverse.

The domain, in words: every class, and unknown ones; any text without control characters and without white
space at its edges, which is not itself a table, a chart or an artefact (``\\unknown``, ``<|unk|>``); bullets
in a list item; formulas without delimiters. Cells are lines of single-spaced words and fill their table, with
at most four header rows. Boxes are any with an area, in every frame; all elements of a page have one, no two
the same, or none has one, and then all have text. Only an element with text goes on elsewhere.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from nemoparse_loaders.document import BBox, Chart, Element, Table, TableCell

# Everything that means something to LaTeX, Markdown, HTML or the envelope, and some letters.
HARD_CHARACTERS = "abZ09 .,:;!?&%$#_{}~^\\*`'\"<>|/()[]-+=@éß漢±²\u00a0"
TEXT_CLASSES = (
    "Title",
    "Section-header",
    "Text",
    "Caption",
    "Footnote",
    "Page-header",
    "Page-footer",
    "Bibliography",
    "Picture",
    "Floating-text",
    "Infographic",
)
# Pieces of replies, whole and broken, for building replies that nobody foresaw.
FRAGMENTS = [
    "<x_0.1>",
    "<y_0.2>",
    "<x_",
    "<y_-",
    "<x_9e99>",
    "<y_1024>",
    "<class_Text>",
    "<class_Table>",
    "<class_Code>",
    "<class_Chart>",
    "<class_",
    "<class_Formula>",
    "<class_List-item>",
    "</s>",
    "<s>",
    "<predict_bbox>",
    "word",
    "**",
    "_",
    "\\",
    "\\\\",
    "&",
    "{",
    "}",
    "\\begin{tabular}",
    "{cc}",
    "\\end{tabular}",
    "\\multirow{2}{*}{",
    "\\multicolumn{9}{c}{",
    "\\multirow{-3}{*}{",
    "\\hline",
    "\\midrule",
    "\\thead{",
    "\\textbf{",
    "\\(",
    "\\)",
    "$",
    "|",
    "|---|",
    "<table>",
    "<tr>",
    "<td",
    "</td>",
    "</table>",
    "<th>",
    "<chart",
    "title:",
    "table[1]:",
    "panel:",
    "</chart>",
    "<sup>",
    "</sup>",
    "<br>",
    "<tbc>",
    "\\unknown",
    "<|unk|>",
    '[[{"text":',
    '"a"',
    "]]",
    "#",
    "-",
    "1.",
    "\n",
    "\n\n",
    " ",
    "\x00",
    "\ud800",
    "\u202e",
    "😀",
    '<td rowspan="3">',
    '<chart type="bar">',
    "- ",
    "|\n",
]
PIECES = [
    "**bold**",
    "_it_",
    "m<sup>2</sup>",
    "H<sub>2</sub>O",
    "\\(x_1^2\\)",
    "\\(a<b\\)",
    "\\*",
    "\\_",
    "<LOQ",
    "$5",
    "foo_bar_baz",
    "a|b",
    "<script>",
    "<x_0.5>",
    "<y_0.1>",
    "<class_Text>",
    "</s>",
    "<s>",
    "12%",
    "[1]",
    "\\begin{tabular}",
    "\\\\",
    "\\hline",
    "& &",
    "C:\\dir",
]


def _tidy(text: str) -> str:
    lines = (" ".join(part for part in line.split(" ") if part) for line in text.split("\n"))
    return "\n".join(line for line in lines if line).strip()


def words(*, max_lines: int = 1) -> st.SearchStrategy[str]:
    """Hard text, tidied: lines of single-spaced words."""
    piece = st.one_of(st.text(HARD_CHARACTERS, max_size=6), st.sampled_from(PIECES))
    line = st.lists(piece, max_size=5).map(" ".join)
    return st.lists(line, max_size=max_lines).map("\n".join).map(_tidy).filter(_is_in_domain)


def _is_in_domain(text: str) -> bool:
    lowered = text.lower()
    return not any(artefact in lowered for artefact in ("\\unknown", "<|unk|", "<tbc>", "<br"))


@st.composite
def tables(draw: st.DrawFn, *, spans: bool = True, max_header: int = 4, lines: int = 2) -> Table:
    """A table whose cells, with spans, fill it without overlap."""
    n_rows = draw(st.integers(1, 5))
    n_cols = draw(st.integers(1, 4))
    header_rows = draw(st.integers(0, min(n_rows, max_header)))
    free = {(row, col) for row in range(n_rows) for col in range(n_cols)}
    cells = []
    for row in range(n_rows):
        for col in range(n_cols):
            if (row, col) not in free:
                continue
            colspan = draw(st.integers(1, 3)) if spans else 1
            while colspan > 1 and not all((row, col + step) in free for step in range(colspan)):
                colspan -= 1
            rowspan = min(draw(st.integers(1, 3)) if spans else 1, n_rows - row)
            free -= {(row + down, col + right) for down in range(rowspan) for right in range(colspan)}
            cells.append(
                TableCell(
                    row=row,
                    col=col,
                    rowspan=rowspan,
                    colspan=colspan,
                    text=draw(words(max_lines=lines)),
                    is_header=row < header_rows,
                )
            )
    return Table(cells=tuple(cells), n_rows=n_rows, n_cols=n_cols, header_rows=header_rows)


def texts() -> st.SearchStrategy[str]:
    """Any text: hard pieces, other scripts, blank lines, white space of all kinds inside."""
    anything = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20)
    gap = st.sampled_from([" ", "  ", "\n", "\n\n", "\t", "\u2003", ""])
    piece = st.one_of(anything, st.text(HARD_CHARACTERS, max_size=8), st.sampled_from(PIECES), gap)
    return st.lists(piece, max_size=8).map("".join).map(str.strip).filter(_is_plain)


def _is_plain(text: str) -> bool:
    """Neither artefact, nor table, nor chart."""
    return _is_in_domain(text) and not any(
        mark in text.lower() for mark in ("<chart", "<t", "\\end", "|-", "-|", "| -", "- |", "|:", ":|")
    )


def exact_boxes() -> st.SearchStrategy[BBox]:
    """Boxes of any numbers, with an area."""
    side = st.floats(0.0, 1.0, allow_subnormal=False).filter(lambda value: value == 0.0 or value > 1e-6)
    return (
        st.tuples(side, side, side, side)
        .map(lambda sides: BBox.clamped(*sides))
        .filter(lambda box: box.area > 0.0)
    )


def boxes() -> st.SearchStrategy[BBox]:
    """Boxes of four decimals with an area."""
    side = st.integers(0, 9_999)
    return st.tuples(side, side, side, side).map(
        lambda sides: BBox(
            min(sides[0], sides[2]) / 10_000,
            min(sides[1], sides[3]) / 10_000,
            (max(sides[0], sides[2]) + 1) / 10_000,
            (max(sides[1], sides[3]) + 1) / 10_000,
        )
    )


def charts() -> st.SearchStrategy[Chart]:
    """Charts: words that are no keys of the format, tables without spans and with one header row or none."""
    plain = st.text("abc 12%é", max_size=10).map(_tidy)
    return st.builds(
        Chart,
        type=st.sampled_from(["", "bar", "stacked bar", "other"]),
        title=plain,
        panels=st.lists(plain.filter(bool), max_size=2).map(tuple),
        tables=st.lists(_chart_tables(), max_size=2).map(tuple),
    )


def _chart_tables() -> st.SearchStrategy[Table]:
    return st.integers(1, 3).flatmap(
        lambda n_cols: st.lists(
            st.lists(st.text("ab1. %é", min_size=1, max_size=5).map(_tidy), min_size=n_cols, max_size=n_cols),
            min_size=2,
            max_size=4,
        ).map(_headed_table)
    )


def _headed_table(rows: list[list[str]]) -> Table:
    rows = [[text or "x" for text in row] for row in rows]
    return Table(
        cells=tuple(
            TableCell(row=row, col=col, text=text, is_header=row == 0)
            for row, texts in enumerate(rows)
            for col, text in enumerate(texts)
        ),
        n_rows=len(rows),
        n_cols=len(rows[0]),
        header_rows=1,
    )


def elements_like(page_number: int = 1) -> st.SearchStrategy[Element]:
    """Elements as other rooms make them: a class, a box, and Markdown or a table or a chart; no raw body."""
    common: dict[str, Any] = {"id": st.just(f"p{page_number}e1"), "bbox": st.one_of(boxes(), exact_boxes())}
    return st.one_of(
        texts_like(common),
        st.builds(Element, type=st.sampled_from([*TEXT_CLASSES, "Table", "List-item", "TOC"]), **common),
        st.builds(Element, type=st.sampled_from(["Table", "TOC"]), table=tables(), **common, **_FLAGS),
        st.builds(Element, type=st.just("Chart"), chart=charts(), **common),
    )


_FLAGS: dict[str, Any] = {"continues_before": st.booleans(), "continues_after": st.booleans()}


def texts_like(common: dict[str, Any]) -> st.SearchStrategy[Element]:
    """Elements that are text: of any class."""
    text = st.one_of(texts(), words(max_lines=3)).filter(bool)
    items = st.lists(words().filter(bool), min_size=1, max_size=3).map(
        lambda lines: "\n".join(f"- {line}" for line in lines)
    )
    formulas = st.text("xyz^_{}+-=0 ,\\&\u03b1", min_size=1, max_size=12).map(str.strip).filter(_is_formula)
    return st.one_of(
        st.builds(Element, type=st.sampled_from(TEXT_CLASSES), markdown=text, **common, **_FLAGS),
        st.builds(Element, type=st.just("Code"), markdown=text, **common),
        st.builds(Element, type=st.just("List-item"), markdown=items, **common, **_FLAGS),
        st.builds(
            Element,
            type=st.sampled_from(["Formula", "Inline-formula"]),
            markdown=formulas,
            **common,
            **_FLAGS,
        ),
    )


def _is_formula(text: str) -> bool:
    # A backslash at the end would escape what closes the formula.
    return bool(text) and not text.endswith("\\")


def pages_like(max_size: int = 4) -> st.SearchStrategy[list[Element]]:
    """The elements of a page."""
    return st.lists(elements_like(), max_size=max_size, unique_by=lambda element: element.bbox)


def pages_without_boxes(max_size: int = 4) -> st.SearchStrategy[list[Element]]:
    """The elements of a page that was read without boxes."""
    return st.lists(texts_like({"id": st.just("p1e1")}), min_size=1, max_size=max_size)
