"""Random LaTeX tabulars as people write them, for comparing readers; a seed gives the same one again."""

from __future__ import annotations

import random

WORDS = [
    "alpha",
    "Beta",
    "n",
    "Total",
    "1,234.5",
    "-0.3",
    "2024",
    "été",
    "漢字",
    "x y z",
    "a/b",
    "(n=12)",
    "(1)",
]
SIGNS = [
    r"12\,\%",
    r"5\%",
    r"\$5",
    r"R\&D",
    r"foo\_bar",
    r"\#1",
    r"\{x\}",
    r"\textless{}LOQ",
    r"3 \textgreater{} 2",
]
STYLES = [
    r"\textbf{%s}",
    r"\textit{%s}",
    r"\emph{%s}",
    r"\underline{%s}",
    r"{%s}",
    r"\textrm{%s}",
    r"{\bf %s}",
]
FORMULAS = [r"\(x_1^2\)", r"\(a<b\)", r"\(\alpha + \beta\)", r"\(\frac{1}{2}\)", r"\(\pm\) 3"]
SCRIPTS = [r"m\textsuperscript{2}", r"H\textsubscript{2}O"]
ACCENTS = [r"caf\'{e}", r"\"{u}ber", r"fa\c{c}ade", r"\~{n}", r"\aa ngstr\"{o}m", r"\ss"]
COLUMN_KINDS = ["l", "c", "r", "p{3cm}", "m{0.2\\textwidth}", "@{}c"]
RULES = [r"\hline", r"\toprule", r"\midrule", r"\bottomrule", r"\hline\hline", r"\cline{1-1}"]
# What pandoc is known to misread, see `test_against_pandoc`. A table in ten has one of a kind.
ODD_CELLS = [r"\makecell{one \\ two}", r"na\"{\i}ve", r"\multicolumn{1}{p{2cm}}{narrow}"]
ODD_COLUMNS = ["!{\\quad}r", ">{\\bfseries}l"]
ODD_RULES = [r"\cmidrule{1-1}", r"\cmidrule(lr){1-1}"]


def tabular(seed: int) -> str:
    """One tabular: a valid one, whose spans do not collide."""
    rng = random.Random(seed)
    odd_cell, odd_column, odd_rule = (rng.random() < 0.04 for _ in range(3))
    n_rows, n_cols = rng.randint(1, 6), rng.randint(1, 5)
    covered: set[tuple[int, int]] = set()
    lines = []
    for row in range(n_rows):
        if rng.random() < 0.3:
            lines.append(rng.choice(RULES))
        cells = []
        col = 0
        while col < n_cols:
            if (row, col) in covered:
                cells.append("")
                col += 1
                continue
            colspan = rowspan = 1
            if rng.random() < 0.15:
                colspan = rng.randint(1, n_cols - col)
                while any((row, col + step) in covered for step in range(colspan)):
                    colspan -= 1
            if rng.random() < 0.15 and colspan == 1:
                rowspan = rng.randint(1, n_rows - row)
            covered |= {(row + down, col) for down in range(1, rowspan)}
            text = _cell(rng)
            if odd_cell and rowspan == colspan == 1:
                text, odd_cell = rng.choice(ODD_CELLS), False
            cells.append(_spanning(rng, text, rowspan, colspan))
            col += colspan
        lines.append(
            rng.choice([" & ", "&", " &\n  "]).join(cells)
            + rng.choice([r" \\", r"\\", r" \\[2pt]", r" \tabularnewline"])
        )
        if odd_rule:
            lines.append(rng.choice(ODD_RULES))
            odd_rule = False
    if rng.random() < 0.3:
        lines.append(r"\hline")
    body = "\n".join(lines)
    spec = _spec(rng, n_cols)
    if odd_column:
        spec = rng.choice(ODD_COLUMNS) + spec[1:] if spec[0] in "lcr" else spec
    name, options = rng.choice(
        [("tabular", "")] * 6
        + [
            ("tabular", "[t]"),
            ("tabular*", "{\\textwidth}"),
            ("tabularx", "{\\textwidth}"),
            ("longtable", ""),
        ]
    )
    return f"\\begin{{{name}}}{options}{{{spec}}}\n{body}\n\\end{{{name}}}"


def _spec(rng: random.Random, n_cols: int) -> str:
    if rng.random() < 0.15:
        return f"*{{{n_cols}}}{{c}}"
    columns = [rng.choice(COLUMN_KINDS) if rng.random() < 0.3 else rng.choice("lcr") for _ in range(n_cols)]
    bar = rng.choice(["", "", "|", " "])
    return bar + bar.join(columns) + bar


def _cell(rng: random.Random) -> str:
    pieces = []
    for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3])):
        kind = rng.choice([WORDS, WORDS, WORDS, SIGNS, FORMULAS, SCRIPTS, ACCENTS, STYLES])
        piece = rng.choice(kind)
        pieces.append(piece % rng.choice(WORDS) if kind is STYLES else piece)
    if rng.random() < 0.04:
        pieces = [r"one\newline two"]
    return " ".join(pieces)


def _spanning(rng: random.Random, text: str, rowspan: int, colspan: int) -> str:
    if rowspan > 1:
        text = rf"\multirow{{{rowspan}}}{{*}}{{{text}}}"
    if colspan > 1:
        text = rf"\multicolumn{{{colspan}}}{{{rng.choice(['c', 'l', '|c|', '|r'])}}}{{{text}}}"
    return text
