"""Tables of contents: level, text and page from lines and from grids."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemoparse_loaders.decoding import decode_page, encode_page
from nemoparse_loaders.decoding.toc import read_toc
from nemoparse_loaders.document import TocEntry


def entries(body: str) -> list[tuple[int, str, str]]:
    (element,) = decode_page(f"<x_0.1><y_0.1>{body}<x_0.9><y_0.9><class_TOC>").elements
    return [(entry.level, entry.text, entry.page) for entry in element.toc]


def test_leaders_and_numbers() -> None:
    body = (
        "Contents\n"
        "1 Introduction ........ 3\n"
        "1.1 Background . . . . . 4\n"
        "1.2 A long title that\ngoes on …… 5\n"
        "2.0 Methods ______ 7\n"
        "References .... 12\n"
        "A. Proofs ..... A-3\n"
        "Appendix B Data ..... xv"
    )

    assert entries(body) == [
        (1, "1 Introduction", "3"),
        (2, "1.1 Background", "4"),
        (2, "1.2 A long title that goes on", "5"),
        (1, "2.0 Methods", "7"),
        (1, "References", "12"),
        (1, "A. Proofs", "A-3"),
        (1, "Appendix B Data", "xv"),
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "Introduction 1\nPlan for 2030 5\nTable 3\nConclusions 9",
            [
                (1, "Introduction", "1"),
                (1, "Plan for 2030", "5"),
                (1, "Table 3", ""),
                (1, "Conclusions", "9"),
            ],
        ),
        (
            "Summary 3\nThe year 2024\nOutlook 5\nIndex 7",
            [(1, "Summary", "3"), (1, "The year 2024", ""), (1, "Outlook", "5"), (1, "Index", "7")],
        ),
        ("Plan for 2030\nOutlook\nNext", [(1, "Plan for 2030", ""), (1, "Outlook", ""), (1, "Next", "")]),
        (
            "Preface v\nAcknowledgements vii\n1 Methods 1\n2 Results of group x 9\nIndex xc",
            [
                (1, "Preface", "v"),
                (1, "Acknowledgements", "vii"),
                (1, "1 Methods", "1"),
                (1, "2 Results of group x", "9"),
                (1, "Index xc", ""),
            ],
        ),
        ("Preface xiv\nMethods 1\nIndex 7", [(1, "Preface", "xiv"), (1, "Methods", "1"), (1, "Index", "7")]),
        (
            "Badania i\nWyniki 5\nWnioski i\nPytania 7\nIndeks 9",
            [
                (1, "Badania i", ""),
                (1, "Wyniki", "5"),
                (1, "Wnioski i", ""),
                (1, "Pytania", "7"),
                (1, "Indeks", "9"),
            ],
        ),
        (
            "World War II 3\nHenry IV\nPeace 8",
            [(1, "World War II", "3"), (1, "Henry IV", ""), (1, "Peace", "8")],
        ),
    ],
    ids=["ascending", "a year", "no pages", "Roman", "one Roman", "a word", "names"],
)
def test_numbers_at_the_end_are_pages_only_where_most_lines_have_them(
    body: str, expected: list[tuple[int, str, str]]
) -> None:
    assert entries(body) == expected


def test_a_roman_page_on_a_line_of_its_own() -> None:
    assert entries("Preface\nvii\nMethods\n1") == [(1, "Preface", "vii"), (1, "Methods", "1")]


def test_indentation_tells_the_level_where_no_number_does() -> None:
    body = "Introduction\n  Part one   3\n    Detail   4\n  Part two   5\nEnd   9"

    assert [(level, page) for level, _, page in entries(body)] == [
        (1, ""),
        (2, "3"),
        (3, "4"),
        (2, "5"),
        (1, "9"),
    ]


def test_the_first_line_stands_with_the_outermost_others() -> None:
    assert [level for level, _, _ in entries("  One   1\n  Two   2\n    Three   3")] == [1, 1, 2]


@pytest.mark.parametrize("body", ["1\nIntro\n3\n2\nOutlook\n7", "- 1 Intro\n3\n- 2 Outlook\n7"])
def test_numbers_and_pages_on_lines_of_their_own(body: str) -> None:
    assert entries(body) == [(1, "1 Intro", "3"), (1, "2 Outlook", "7")]


def test_several_entries_in_one_line() -> None:
    assert entries("1 Introduction .... 3 1.1 Aims ..... 4 2 Methods .... 9") == [
        (1, "1 Introduction", "3"),
        (2, "1.1 Aims", "4"),
        (1, "2 Methods", "9"),
    ]


@pytest.mark.parametrize(
    ("tabular", "expected"),
    [
        (
            r"{lr}1 Introduction & 3 \\ 2 Methods & 7 \\ 2.1 Data ..... & 8 \\ & \\",
            [(1, "1 Introduction", "3"), (1, "2 Methods", "7"), (2, "2.1 Data", "8")],
        ),
        (
            r"{llr} & Preface & v \\ 1 & Introduction & 3 \\ 1.1 & Aims & 7 \\ & References & 9 \\",
            [(1, "Preface", "v"), (1, "1 Introduction", "3"), (2, "1.1 Aims", "7"), (1, "References", "9")],
        ),
        (r"{lr}1 One\newline 2 Two & 3 \newline 7", [(1, "1 One", "3"), (1, "2 Two", "7")]),
        (r"{l}1 One .... 4\\ 1.2 Two .... 7", [(1, "1 One", "4"), (2, "1.2 Two", "7")]),
        (
            r"{llr}Results & & 4 \\ & Detail & 5 \\ & More \\",
            [(1, "Results", "4"), (2, "Detail", "5"), (2, "More", "")],
        ),
        (
            r"{lr}\thead{Section} & \thead{Page} \\ One & 4 \\ Two & 5",
            [(1, "One", "4"), (1, "Two", "5")],
        ),
    ],
    ids=["two columns", "numbers apart", "a column in a cell", "leaders", "depth by column", "header"],
)
def test_a_tabular(tabular: str, expected: list[tuple[int, str, str]]) -> None:
    assert entries(rf"\begin{{tabular}}{tabular}\end{{tabular}}") == expected


def test_only_a_table_of_contents_has_entries() -> None:
    page = decode_page("1 One .... 3<class_Text>\n\n1 One .... 3<class_TOC>")

    assert [element.toc for element in page.elements] == [
        (),
        (TocEntry(level=1, text="1 One", page="3"),),
    ]


def test_a_looping_list_has_no_entries_but_keeps_its_text() -> None:
    body = "\n".join(f"{number} Word .... {number}" for number in range(5_000))
    (element,) = decode_page(f"{body}<class_TOC>").elements

    assert element.toc == ()
    assert element.text == body


PIECES = [
    "1",
    "1.2",
    "A.",
    "Word",
    "more",
    "....",
    " . . . ",
    "…",
    "___",
    "   ",
    "\t",
    " ",
    "\n",
    "xi",
    "7",
    "99",
    "-",
    "# ",
]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
@settings(max_examples=300)
def test_no_word_is_lost_or_invented(text: str) -> None:
    found = read_toc(text, None)

    said = "".join(entry.text + entry.page for entry in found)
    for letters in ("Word", "more"):
        assert said.count(letters) == text.count(letters)
    assert all(any(map(str.isalnum, entry.text)) for entry in found)
    assert all(entry.text == " ".join(entry.text.split()) for entry in found)


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=20).map("".join))
def test_entries_come_back(text: str) -> None:
    page = decode_page(f"<x_0.1><y_0.1>{text}<x_0.9><y_0.9><class_TOC>")

    assert decode_page(encode_page(page.elements)).elements == page.elements
