from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders.chunking.body import body_of
from nemoparse_loaders.chunking.levels import heading_levels
from nemoparse_loaders.chunking.outline import outline
from nemoparse_loaders.document import Element, ParsedDocument, ParsedPage


def heading(markdown: str, name: str = "Section-header") -> Element:
    return Element(id="p1e1", type=name, markdown=markdown, text=markdown.lstrip("# "))


def levels(*texts: str) -> list[int]:
    return heading_levels([heading(text) for text in texts])


def test_numbers_tell_the_level() -> None:
    assert levels("1 Introduction", "2 Site", "2.1 Array", "2.2 Train", "2.2.1 Gearbox", "3. Methods") == [
        1,
        1,
        2,
        2,
        3,
        1,
    ]


def test_appendices_have_letters() -> None:
    assert levels("Appendix A Details", "A.1 Data", "A.2 Error", "A.2.1 More", "Appendix B") == [
        1,
        2,
        2,
        3,
        1,
    ]


@pytest.mark.parametrize(
    "text", ["Chapter 3", "Part II", "Article 5 Duties", "IV. Results", "Annex C. Forms"]
)
def test_named_and_roman_numbers_stand_at_the_top(text: str) -> None:
    assert levels("1 One", "1.1 Two", text) == [1, 2, 1]


def test_a_first_title_is_no_level_and_later_ones_are_the_first() -> None:
    headings = [heading("Wear", "Title"), heading("1 Start"), heading("Second Part", "Title")]

    assert heading_levels(headings) == [0, 1, 1]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["2.1 Array", "2.2 Train", "2.3 Fit"], [2, 2, 2]),
        (["2.2.4 Oil", "2.2.5 Seal", "2.3 Fit", "3 Methods"], [3, 3, 2, 1]),
        (["1 One", "1.1.1 Three", "1.1.2 Four", "1.1.3 Five"], [1, 3, 3, 3]),
        (["1 One", "1.1.1.1 Four", "1.1.1.2 Five", "1.1.2 Six"], [1, 4, 4, 3]),
        (["A.1 Data", "A.2 Error", "Appendix B", "B.1 More"], [2, 2, 1, 2]),
        (["#### Alpha", "#### Beta", "## Gamma", "#### Delta"], [2, 2, 1, 2]),
        (["Article 3 Scope", "Article 4 Terms", "Chapter II Duties", "Article 5"], [2, 2, 1, 2]),
    ],
)
def test_siblings_stay_siblings_where_levels_are_left_out(texts: list[str], expected: list[int]) -> None:
    assert levels(*texts) == expected


@given(st.lists(st.lists(st.integers(1, 12), min_size=1, max_size=4), max_size=12))
def test_decimal_numbers_of_one_depth_have_one_level(numbers: list[list[int]]) -> None:
    found = levels(*(".".join(map(str, parts)) + " Wear" for parts in numbers))

    assert found == [len(parts) for parts in numbers]


def test_a_run_of_pages_that_begins_inside_of_a_chapter() -> None:
    texts = ["2.1 Array", "2.2 Train", "2.2.1 Gearbox", "2.3 Fit"]
    elements = tuple(heading(text).model_copy(update={"id": text}) for text in texts)
    document = ParsedDocument(doc_id="d", pages=(ParsedPage(number=5, elements=elements),))

    assert [[part.text for part in path] for path in outline(body_of(document))] == [
        ["2.1 Array"],
        ["2.2 Train"],
        ["2.2 Train", "2.2.1 Gearbox"],
        ["2.3 Fit"],
    ]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["II. METHOD", "A. Data", "B. Model", "C. Training", "D. Tests", "III. FIT"], [1, 2, 2, 2, 2, 1]),
        (["I. ONE", "II. TWO", "III. THREE", "IV. FOUR", "V. FIVE", "A. Data", "VI. SIX"], [1] * 5 + [2, 1]),
        (["1. One", "H. Oil", "I. Seal", "J. Teeth", "2. Two"], [1, 2, 2, 2, 1]),
        (["IX. NINE", "X. TEN", "XI. ELEVEN"], [1, 1, 1]),
        (["1. One", "K. Oil", "L. Seal", "M. Teeth"], [1, 2, 2, 2]),
        (["1. One", "1.1 Two", "C. Training", "D. Evaluation"], [1, 2, 3, 3]),
        (["IV. FOUR", "A. Oil", "B. Seal", "C. Teeth", "V. FIVE", "A. Fit"], [1, 2, 2, 2, 1, 2]),
    ],
)
def test_letters_of_a_row_are_no_roman_numbers(texts: list[str], expected: list[int]) -> None:
    assert levels(*texts) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Schedule a demo",
        "Book a room",
        "BOOK A ROOM",
        "Part of it",
        "Section views",
        "Title a page",
        "Book civil",
    ],
)
def test_words_that_are_no_numbers_of_chapters(text: str) -> None:
    assert levels("1 One", "1.1 Two", text) == [1, 2, 3]


@pytest.mark.parametrize(
    "text", ["PART II", "part ii", "Kapitel 4", "SCHEDULE B FEES", "Chapitre IV : Suite"]
)
def test_names_of_chapters_in_any_case(text: str) -> None:
    assert levels("1 One", "1.1 Two", text) == [1, 2, 1]


def test_schedules_with_letters() -> None:
    assert levels("Part I", "Part II", "Schedule A Fees", "1. Rates", "Schedule B Costs") == [1, 1, 1, 2, 1]


@pytest.mark.parametrize(
    "name", ["Introduction", "Einleitung", "Résumé", "Introducción", "References", "SUMMARY:"]
)
def test_known_names_in_a_chapter_are_part_of_it(name: str) -> None:
    texts = [
        "Part I Land",
        "Chapter 1 Soil",
        name,
        "1.1 Clay",
        "1.2 Sand",
        "Chapter 2 Rock",
        name,
        "2.1 Lime",
    ]

    assert levels(*texts) == [1, 2, 3, 3, 3, 2, 3, 3]


@pytest.mark.parametrize("name", ["References", "Index", "Literaturverzeichnis", "Bibliographie", "Glosario"])
def test_what_closes_a_book_is_no_part_of_the_last_chapter(name: str) -> None:
    assert levels("Chapter 1 Soil", "1.1 Clay", "Chapter 2 Rock", "2.1 Lime", name, "A run-in head")[-2:] == [
        1,
        1,
    ]


def test_marks_tell_of_known_names_in_a_chapter() -> None:
    assert levels("# Chapter 1", "## 1.1 Clay", "### Sand", "### Summary", "# Chapter 2") == [1, 2, 3, 3, 1]


@pytest.mark.parametrize("name", ["Zusammenfassung", "Bibliographie", "Conclusiones", "Abstract"])
def test_known_names_stand_at_the_top_where_no_chapter_is_open(name: str) -> None:
    assert levels("1 One", "1.1 Two", name, "2 Three") == [1, 2, 1, 1]


def test_known_names_stand_at_the_top_among_numbers() -> None:
    assert levels("1 One", "1.1 Two", "References", "Acknowledgements") == [1, 2, 1, 1]


def test_a_heading_without_number_is_below_the_number_before_it() -> None:
    assert levels("1 One", "1.1 Two", "A run-in head", "1.2 Three", "2 Four", "Another") == [1, 2, 3, 2, 1, 2]


def test_marks_tell_the_level_where_there_are_no_numbers() -> None:
    assert levels("## Alpha", "### Beta", "### Gamma", "## Delta") == [1, 2, 2, 1]


def test_marks_are_read_as_numbered_headings_use_them() -> None:
    assert levels("### 1 One", "#### 1.1 Two", "#### Loose", "### Free") == [1, 2, 2, 1]


def test_marks_that_are_always_the_same_say_nothing() -> None:
    assert levels("### 1 One", "### 1.1 Two", "### 2 Three") == [1, 2, 1]


def test_without_any_evidence_all_stand_side_by_side() -> None:
    assert levels("Alpha", "Beta", "Gamma") == [1, 1, 1]


@pytest.mark.parametrize("text", ["2023 Results", "1,000 turbines", "3D printing", "A turbine"])
def test_words_that_only_begin_like_numbers(text: str) -> None:
    assert levels("1 One", "1.1 Two", text) == [1, 2, 3]


def test_articles_stand_below_chapters() -> None:
    assert levels(
        "Chapter I General", "Article 1 Scope", "Article 2 Terms", "Chapter II Duties", "Article 3"
    ) == [
        1,
        2,
        2,
        1,
        2,
    ]


def test_numbers_inside_of_a_chapter() -> None:
    assert levels("Chapter 3 Wear", "3.1 Planets", "3.1.1 Teeth", "Appendix A", "A.1 Oil") == [
        1,
        2,
        3,
        1,
        2,
    ]


def test_numbers_that_begin_anew_in_every_article() -> None:
    assert levels("Part I", "Article 5 Duties", "1. Care", "2. Loyalty", "Article 6", "1. Rest") == [
        1,
        2,
        3,
        3,
        2,
        3,
    ]


def test_deeper_marks_are_deeper_than_those_of_numbered_headings() -> None:
    assert levels("## 1 One", "### Below", "## 2 Two") == [1, 2, 1]


def test_numbers_stand_below_parts() -> None:
    assert levels("Part I Land", "1. Soil", "1.1 Clay", "Part II Sea", "2. Tides") == [1, 2, 3, 1, 2]


@pytest.mark.parametrize(
    "names", [("Introduction", "References"), ("Einleitung", "Literatur"), ("Résumé", "Index")]
)
def test_headings_that_look_like_names_at_the_top_stand_beside_them(names: tuple[str, str]) -> None:
    texts = ["# A study of wear", f"## {names[0]}", "## Methods", "### Oil", "## Results", f"## {names[1]}"]

    assert levels(*texts) == [1, 1, 1, 2, 1, 1]


def test_a_single_name_tells_nothing_of_looks() -> None:
    assert levels("# One", "### Abstract", "## Two", "### Three", "# Four") == [1, 1, 2, 3, 1]


def test_names_without_marks_tell_nothing_of_marks() -> None:
    assert levels("Introduction", "## Methods", "## Results", "References") == [1, 1, 1, 1]
