"""Loops are found, legal repetition is left alone."""

from __future__ import annotations

import pytest

from nemoparse_loaders.decoding import decode_page
from nemoparse_loaders.document import ParsedPage


def block(body: str, top: float, name: str = "Text", height: float = 0.02) -> str:
    return f"<x_0.1><y_{top:.4f}>{body}<x_0.9><y_{top + height:.4f}><class_{name}>"


def is_loop(page: ParsedPage) -> bool:
    found = any(issue.code == "loop" for issue in page.issues)
    assert not found or page.status == "partial"
    return found


def table(rows: str) -> str:
    return block("\\begin{tabular}{lr}\nMonth & Cost \\\\\n" + rows + "\\end{tabular}", 0.1, "Table", 0.8)


@pytest.mark.parametrize(
    "reply",
    [
        "\n\n".join(block("Account summary", 0.2 + n / 1000, height=0.1) for n in range(8)),
        "\n\n".join(block("Account summary", 0.2, height=0.1) for _ in range(40)),
        "\n\n".join(block("ab"[n % 2] * 9, 0.2 + n / 2000, height=0.1) for n in range(40)),
        block("0" * 3000, 0.1),
        block("Total . . . " + ". " * 2000, 0.1),
        block("word " + "again and again " * 100, 0.1),
        block("\n" * 4000 + "x", 0.1, "Picture"),
        block("\\begin{tabular}{c}" + "& " * 1000 + "\\end{tabular}", 0.1, "Table"),
        table("0 & 0 \\\\\n" * 400),
        "<x_" * 100,
        block("a", 0.1) + "<x_0.1>" * 50,
        block("a " + "<x_0.1><y_0.1>w " * 50, 0.1),
    ],
)
def test_a_loop_is_found_although_the_reply_says_stop(reply: str) -> None:
    assert is_loop(decode_page(reply, "stop"))


@pytest.mark.parametrize(
    "reply",
    [
        # Forty equal ledger lines with their own boxes.
        "\n\n".join(block("0.00 0.00", 0.02 * n) for n in range(40)),
        "\n\n".join(block("- n/a", 0.02 * n, "List-item") for n in range(40)),
        # Thirty empty table rows, or many equal ones.
        table(" & \\\\\n" * 30),
        table("0.00 & 0.00 \\\\\n" * 120),
        table(" & & & & & & & & & & & & & & & & & & & \\\\\n" * 30),
        # Dotted and ruled lines.
        block("Introduction " + "." * 300 + " 3", 0.1, "TOC"),
        block("Name: " + "_" * 500, 0.1),
        block("\n".join(f"{n} Chapter " + ". " * 60 + f"{n * 10}" for n in range(30)), 0.1, "TOC"),
        # Twice by accident, and pictures without text.
        block("Twice", 0.1) * 3,
        "\n\n".join(block("", 0.02 * n, "Picture") for n in range(30)),
        block("ha " * 100, 0.1),
    ],
)
def test_legal_repetition_is_no_loop(reply: str) -> None:
    page = decode_page(reply, "stop")

    assert not is_loop(page)
    assert page.status == "ok"


def test_nothing_is_dropped_from_a_loop_but_exact_repetitions() -> None:
    shifted = decode_page("\n".join(block("Same", 0.2 + n / 1000, height=0.1) for n in range(8)))
    exact = decode_page("\n".join(block("Same", 0.2) for _ in range(8)))

    assert len(shifted.elements) == 8
    assert len(exact.elements) == 1
    assert "8" not in exact.issues[0].message
