r"""What a tabular holds besides rows: captions, addresses, quantities, and ends with another name."""

# A case reads best on one line.
# ruff: noqa: E501

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemoparse_loaders.decoding import decode_page
from nemoparse_loaders.decoding.tables.latex_units import unit_text
from nemoparse_loaders.document import Element


def decode(body: str) -> list[Element]:
    return list(decode_page(f"<x_0.1><y_0.1>{body}<x_0.9><y_0.2><class_Table>").elements)


def cell(source: str) -> str:
    (element,) = decode(f"\\begin{{tabular}}{{cc}}{source} & x \\\\ y & z\\end{{tabular}}")
    assert element.table is not None
    assert (element.table.n_rows, element.table.n_cols) == (2, 2)
    return element.table.cells[0].text


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (r"\caption{Yields}\\ a & b \\ 1 & 2 \\", "Yields"),
        (r"\caption{Yields} \label{t} \\ \hline a & b \\ 1 & 2 \\", "Yields"),
        (
            r"\caption[Short]{Yields of \textbf{kg \& t}} \tabularnewline a & b \\ 1 & 2",
            r"Yields of \textbf{kg \& t}",
        ),
        (r"\caption*{Yields & sales}\\[2pt] a & b \\ 1 & 2 \\", "Yields & sales"),
        (r"a & b \\ 1 & 2 \\ \caption{Yields}", "Yields"),
        (r"a & b \\ 1 & 2 \\ \hline \caption{Yields} \\", "Yields"),
        (r"a & b \caption{Yields} \\ 1 & 2", "Yields"),
    ],
)
def test_a_caption_is_no_row(rows: str, words: str) -> None:
    (element,) = decode(rf"\begin{{longtable}}{{ll}}{rows}\end{{longtable}}")

    assert element.table is not None
    assert element.table.grid() == [["a", "b"], ["1", "2"]]
    assert element.markdown == f"{words}\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"
    assert element.issues == ()


def test_a_caption_without_rows_keeps_its_words() -> None:
    (element,) = decode(r"\begin{longtable}{ll}\caption{Yields}\end{longtable}")

    assert element.text == "Yields"


def test_a_caption_that_never_closes_takes_no_rows_with_it() -> None:
    (element,) = decode(r"\begin{longtable}{ll}\caption{Yields \\ a & b \\ 1 & 2} \\\end{longtable}")

    assert element.table is not None
    assert element.table.grid()[1:] == [["a", "b"], ["1", "2"]]
    assert "Yields" in element.text


def test_an_empty_row_behind_a_caption_stays() -> None:
    (element,) = decode(r"\begin{longtable}{l}\caption{Yields}\\ \\ a \\\end{longtable}")

    assert element.table is not None
    assert element.table.grid() == [[""], ["a"]]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"\url{http://a.org/?b&c=1}", "http://a.org/?b&c=1"),
        (r"see \url{http://a.org/b\_c\%20\&d\#e~f} there", "see http://a.org/b_c%20&d#e~f there"),
        (r"\url{http://a.org/?b&amp;c}", "http://a.org/?b&c"),
        (r"\href{http://a.org/?b&c=1}{the \textbf{site}}", "the **site**"),
        (r"\path{C:&D}", "C:&D"),
        (r"\textbf{\url{a&b}}", "**a&b**"),
    ],
)
def test_an_address_ends_no_cell(source: str, text: str) -> None:
    assert cell(source) == text


def test_an_address_without_end_is_one_cell_only() -> None:
    (element,) = decode(r"\begin{tabular}{cc}\url{a & b \\ c & d\end{tabular}")

    assert element.table is not None
    assert [row[1] for row in element.table.grid()] == ["b", "d"]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"\SI{5}{\mm}", "5 mm"),
        (r"\SI{5}{\milli\metre\per\second}", "5 mm/s"),
        (r"\SI[per-mode=symbol]{9.8}{\metre\per\square\second}", "9.8 m/s²"),
        (r"\qty{3}{m/s}", "3 m/s"),
        (r"\SI{25}{\celsius} and \SI{5}{\percent}", "25 °C and 5 %"),
        (r"\SIrange{1}{2}{\kilo\gram}", "1–2 kg"),
        (r"\si{\joule\per\mole\per\kelvin}", "J/mol/K"),
        (r"\unit{\newton\metre\squared}", "N·m²"),
        (r"\num{1.5e3} \numrange{1}{2}", "1.5e3 1–2"),
        (r"\num{5\%}", "5%"),
        (r"\ang{45} \ang{1;2;3}", "45° 1°2′3″"),
        (r"\SI{90}{\degree}", "90°"),
        (r"\si{kg.m^{-2}}", "kg.m^-2"),
        # Something is missing.
        (r"\SI{5} m", "5 m"),
        (r"\num", r"\num"),
    ],
)
def test_a_quantity_reads_as_printed(source: str, text: str) -> None:
    assert cell(source) == text


@given(
    st.lists(
        st.sampled_from(
            ["\\milli", "\\metre", "\\per", "\\squared", "\\cubic", "\\foo", "m", "^{2}", " ", "\\%", "\\"]
        )
    )
)
@settings(max_examples=100)
def test_no_name_is_lost_from_a_unit(pieces: list[str]) -> None:
    unit = unit_text("".join(pieces))

    assert "{" not in unit
    assert unit.count("foo") == "".join(pieces).count("\\foo")


@pytest.mark.parametrize(
    ("begin", "end"),
    [("tabular", "array"), ("array", "tabular"), ("longtable", "tabular"), ("tabular", "tabularx")],
)
def test_an_end_with_another_name_is_an_end(begin: str, end: str) -> None:
    page = decode_page(
        f"<x_0.1><y_0.1>\\begin{{{begin}}}{{cc}} a & b \\\\ 1 & 2 \\end{{{end}}} Source<x_0.9><y_0.2><class_Table>"
    )

    (element,) = page.elements
    assert element.table is not None
    assert element.table.grid() == [["a", "b"], ["1", "2"]]
    assert element.text.endswith("\nSource")
    assert [issue.code for issue in element.issues] == ["malformed"]
    assert "another environment" in element.issues[0].message
    assert page.status == "ok"


def test_each_of_several_tables_takes_its_own_end() -> None:
    first, second, third = decode(
        r"\begin{tabular}{c} a \\ 1 \end{array} \begin{tabular}{c} b \\ 2 \end{tabular}"
        r"\begin{tabular}{c} c \\ 3 \end{array}"
    )

    assert [element.table and element.table.grid() for element in (first, second, third)] == [
        [["a"], ["1"]],
        [["b"], ["2"]],
        [["c"], ["3"]],
    ]


def test_an_end_with_another_name_inside_of_a_table_with_its_own_ends_nothing() -> None:
    (element,) = decode(r"\begin{tabular}{cc} a & b \\ \end{array} 1 & 2 \end{tabular}")

    assert element.table is not None
    assert element.table.grid() == [["a", "b"], ["1", "2"]]


def test_rows_behind_an_end_with_another_name_stay_rows() -> None:
    (element,) = decode(r"\begin{tabular}{cc} a & b \\ \end{array} 1 & 2 \\ 3 & 4")

    assert element.table is not None
    assert element.table.grid() == [["a", "b"], ["1", "2"], ["3", "4"]]
    assert [issue.code for issue in element.issues] == ["truncated"]
