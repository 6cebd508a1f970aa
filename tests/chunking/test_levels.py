from __future__ import annotations

import pytest

from nemoparse_loaders.chunking.levels import heading_levels
from nemoparse_loaders.document import Element


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


def test_levels_go_down_one_at_a_time() -> None:
    assert levels("1 One", "1.1.1.1 Four", "1.1.1.2 Five") == [1, 2, 3]


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
