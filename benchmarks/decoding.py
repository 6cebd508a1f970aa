"""How long `decode_page` takes: an ordinary page, and 100 kB replies of the kinds that break parsers.

python benchmarks/decoding.py [--size 100000] [--only NAME]

Prints milliseconds of processor time (the best of several runs), and what twice the reply costs. Targets:
20 ms for 100 kB, 1 ms for an ordinary page. Only the ratio is asserted, because it does not depend on the
machine: twice the reply takes at most about twice the time.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable

from nemoparse_loaders.decoding import decode_page

# 4 would be quadratic; memory that no longer fits a cache costs a little, too.
MOST_FOR_TWICE = 3.0
HEAD = "<x_0.1><y_0.1>"
TAIL = "<x_0.9><y_0.3><class_{}>\n\n<x_0.1><y_0.9>Last block.<x_0.9><y_0.95><class_Text>"


def repeated(unit: str, name: str = "Text", before: str = "", after: str = "") -> Callable[[int], str]:
    """One block of a repeated piece of text, of about so many characters."""
    return lambda size: HEAD + before + unit * (size // len(unit)) + after + TAIL.format(name)


def tabular(unit: str) -> Callable[[int], str]:
    """One table of a repeated piece."""
    return repeated(unit, "Table", "\\begin{tabular}{cc}\n", "\n\\end{tabular}")


def words(size: int) -> str:
    """Blocks of plain words, all different, with boxes of their own."""
    blocks = []
    for number in range(size // 100):
        top = number % 900 / 1000
        blocks.append(f"<x_0.1><y_{top}>{number} words of a page<x_0.9><y_{top + 0.01:.3f}><class_Text>")
    return "\n\n".join(blocks)


def tiny_blocks(size: int) -> str:
    """Blocks without text, as a detection task prints them."""
    return "".join(f"<x_0><y_0>{n}<x_1><y_1><class_T>" for n in range(size // 31))


def distinct_rows(size: int) -> str:
    """A table of numbers that differ."""
    rows = "".join(f"{n} & {n * 7 % 1000} & name {n} \\\\\n" for n in range(size // 22))
    return HEAD + "\\begin{tabular}{lll}\n" + rows + "\\end{tabular}" + TAIL.format("Table")


def loose(unit: str) -> Callable[[int], str]:
    """A piece of a reply with a number in it, again and again."""
    return lambda size: "".join(unit.replace("#", str(n)) for n in range(size // (len(unit) + 3)))


def numbered(unit: str, name: str = "Text", before: str = "", after: str = "") -> Callable[[int], str]:
    """One block of a piece of text with a number in it, so that no two rounds are equal."""

    def make(size: int) -> str:
        rounds = size // (len(unit) + 3)
        return (
            HEAD
            + before
            + "".join(unit.replace("#", str(n)) for n in range(rounds))
            + after
            + TAIL.format(name)
        )

    return make


def ordinary_page(_: int = 0) -> str:
    """150 elements, three of them tables; about 14 kB and 6,400 tokens."""
    blocks = []
    for number in range(150):
        top = number / 160
        box = f"<x_0.1038><y_{top:.4f}>", f"<x_0.8962><y_{top + 0.0055:.4f}>"
        if number % 50 == 25:
            rows = "".join(f"Item {r} & {r * 3}.5 & {r * 7}\\% & n/a \\\\\n" for r in range(8))
            body, name = f"\\begin{{tabular}}{{lrrl}}\nName & A & B & C \\\\\n{rows}\\end{{tabular}}", "Table"
        elif number % 10 == 0:
            body, name = f"## Section {number}", "Section-header"
        elif number % 7 == 0:
            body, name = f"- item **{number}** with m<sup>2</sup>", "List-item"
        else:
            mark = "_pages_" if number % 4 == 1 else "pages"
            body, name = f"Words of line {number}, as {mark} have.", "Text"
        blocks.append(f"{box[0]}{body}{box[1]}<class_{name}>")
    return "\n\n".join(blocks)


CASES: dict[str, Callable[[int], str]] = {
    "plain text": repeated("Nothing but words here. "),
    "blocks of words": words,
    "tiny blocks": tiny_blocks,
    "coordinate pairs": repeated("<x_0.1><y_0.1>"),
    "broken tokens": repeated("<x_"),
    "class tokens": repeated("<class_Text>"),
    "angle brackets": repeated("<"),
    "stars that never close": repeated("**a "),
    "stars that close": repeated("**a** "),
    "scripts": repeated("m<sup>2</sup> "),
    "escapes": repeated("\\* "),
    "backslashes": repeated("\\"),
    "open formulas": repeated("\\( "),
    "pipes": repeated("|", "Table"),
    "pipe rows": repeated("|a|b|\n", "Table"),
    "spaces": repeated(" ", before="Body"),
    "line ends": repeated("\n", before="Body"),
    "list lines": repeated("- a\n", "List-item"),
    "one row of cells": tabular("a&"),
    "empty cells": tabular("&"),
    "one-cell rows": tabular("a\\\\"),
    "empty rows": tabular("\\\\"),
    "ten-cell rows": tabular("a&b&c&d&e&f&g&h&i&j\\\\\n"),
    "open braces": tabular("{"),
    "nested braces": repeated("{}", "Table", "\\begin{tabular}{c}", "\\end{tabular}"),
    "nested tabulars": repeated("\\begin{tabular}{c}", "Table"),
    "rules": tabular("\\hline"),
    "spans over columns": tabular("\\multicolumn{9}{c}{a}&"),
    "spans over rows": tabular("\\multirow{9}{*}{a}\\\\"),
    "bold cells": tabular("\\textbf{a}&b\\\\\n"),
    "HTML cells": repeated("<td>a", "Table", "<table><tr>", "</table>"),
    "HTML rows": repeated("<tr><td>a</td></tr>", "Table", "<table>", "</table>"),
    "HTML spans": repeated("<tr><td rowspan=9>a</td>", "Table", "<table>", "</table>"),
    # The same without exact repetition, which would be shortened before it is read.
    "numbered pairs": loose("<x_0.#><y_0.1>"),
    "numbered prompt tokens": loose("<s># </s>"),
    "blocks without a class": loose("<x_0.1><y_0.1>Word #<x_0.2><y_0.2>\n\n"),
    "blocks without an end": loose("<x_0.1><y_0.1>Word #<class_Text>\n\n"),
    "blocks on a grid": loose("<x_512><y_100>Word #<x_600><y_200><class_Text>\n\n"),
    "equal blocks elsewhere": loose("<x_0.1><y_0.#>Word<x_0.2><y_0.99><class_Text>\n\n"),
    "numbered rows": distinct_rows,
    "numbered stars": numbered("**# "),
    "numbered italics": numbered("_#_ "),
    "numbered brackets": numbered("\\[" + "*a" * 101 + "#", after="\\]"),
    "numbered scripts": numbered("m<sup>#</sup> "),
    "numbered escapes": numbered("\\*# "),
    "numbered formulas": numbered("\\(# "),
    "numbered list lines": numbered("- #\n", "List-item"),
    "numbered one-cell rows": numbered("#\\\\", "Table", "\\begin{tabular}{c}", "\\end{tabular}"),
    "numbered ten-cell rows": numbered(
        "#&b&c&d&e&f&g&h&i&j\\\\\n", "Table", "\\begin{tabular}{c}", "\\end{tabular}"
    ),
    "numbered bold cells": numbered("\\textbf{#}&b\\\\\n", "Table", "\\begin{tabular}{cc}", "\\end{tabular}"),
    "numbered row spans": numbered(
        "\\multirow{9}{*}{#}&\\\\\n", "Table", "\\begin{tabular}{cc}", "\\end{tabular}"
    ),
    "numbered pipe rows": numbered("|#|b|\n", "Table"),
    "numbered HTML rows": numbered("<tr><td>#</td></tr>", "Table", "<table>", "</table>"),
    "chart lines": repeated("title: a\n", "Chart", '<chart type="bar">\n'),
    "chart tables": repeated("table[1]:\n|a|\n", "Chart", '<chart type="bar">\n'),
}


def milliseconds(reply: str, *, runs: int = 5) -> float:
    """Processor time of the fastest of some runs."""
    best = float("inf")
    for _ in range(runs):
        gc.collect()
        start = time.process_time()
        decode_page(reply)
        best = min(best, time.process_time() - start)
    return best * 1000


def main() -> None:
    """Print the table; exit with 1 where a ratio is too large."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--size", type=int, default=100_000, help="characters of an adversarial reply")
    parser.add_argument("--only", default="", help="part of a case's name")
    options = parser.parse_args()
    page = ordinary_page()
    print(f"{'ordinary page':<26}{milliseconds(page, runs=30):9.2f} ms   {len(page):,} characters")
    print(f"{'100 kB of':<26}{'ms':>9}{'twice':>9}{'ratio':>8}")
    slow = []
    for name, make in CASES.items():
        if options.only not in name:
            continue
        once, twice = milliseconds(make(options.size)), milliseconds(make(2 * options.size))
        ratio = twice / once
        print(f"{name:<26}{once:9.1f}{twice:9.1f}{ratio:8.2f}", flush=True)
        # Below a millisecond the clock decides, not the reply.
        if ratio > MOST_FOR_TWICE and twice > 1.0:
            slow.append(name)
    if slow:
        sys.exit(f"more than {MOST_FOR_TWICE} times the time for twice the reply: {', '.join(slow)}")


if __name__ == "__main__":
    main()
