from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders.errors import OptionError
from nemoparse_loaders.sources import parse_page_range


@pytest.mark.parametrize(
    ("pages", "count", "expected"),
    [
        (None, 3, [1, 2, 3]),
        ("2", 3, [2]),
        ("1-3,7", 9, [1, 2, 3, 7]),
        (" 1 - 3 , 7 ", 9, [1, 2, 3, 7]),
        ("1–3", 3, [1, 2, 3]),
        ("5-", 7, [5, 6, 7]),
        ("-3", 7, [1, 2, 3]),
        ("-3", 2, [1, 2]),
        ("-99999999999999999999", 2, [1, 2]),
        ("3,1,2-3", 5, [1, 2, 3]),
        ("007", 9, [7]),
        (4, 5, [4]),
        ((3, 1, 3), 5, [1, 3]),
        (range(2, 4), 5, [2, 3]),
    ],
)
def test_reads_every_form_in_document_order(pages: object, count: int, expected: list[int]) -> None:
    assert parse_page_range(pages, count) == expected  # type: ignore[arg-type]


IMPOSSIBLE_TEXTS = ["", " ", ",", "1,", "-", "a", "1-2-3", "1 2", "0", "-0", "4", "2-4", "4-", "3-1", "1.5"]
IMPOSSIBLE_TEXTS += ["١", "9" * 5000]
IMPOSSIBLE_NUMBERS = [
    0,
    -1,
    4,
    2.0,
    (),
    (1, 4),
    (True,),
    (1.0,),
    ("1",),
    pytest.param(10**5000, id="huge"),
    (1, -(10**5000)),
]


@pytest.mark.parametrize("pages", [*IMPOSSIBLE_TEXTS, *IMPOSSIBLE_NUMBERS])
def test_what_cannot_be_is_refused_with_the_page_count(pages: object) -> None:
    with pytest.raises(OptionError, match="has 3 pages") as caught:
        parse_page_range(pages, 3)  # type: ignore[arg-type]
    assert "1-3,7" in str(caught.value)
    assert len(str(caught.value)) < 400


def test_one_page_is_said_in_the_singular() -> None:
    with pytest.raises(OptionError, match="has 1 page;"):
        parse_page_range("2", 1)


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(0, 10)), min_size=1))
def test_agrees_with_the_set_of_its_parts(parts: list[tuple[int, int]]) -> None:
    text = ",".join(f"{first}-{first + more}" if more else str(first) for first, more in parts)
    wanted = sorted({page for first, more in parts for page in range(first, first + more + 1)})
    assert parse_page_range(text, 50) == wanted


@given(st.one_of(st.text(), st.text(alphabet="0123456789-, ")), st.integers(1, 30))
def test_any_text_gives_pages_of_the_document_or_an_option_error(text: str, count: int) -> None:
    try:
        pages = parse_page_range(text, count)
    except OptionError:
        return
    assert pages == sorted(set(pages))
    assert pages
    assert all(1 <= page <= count for page in pages)
