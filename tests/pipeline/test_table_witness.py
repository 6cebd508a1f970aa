"""Two readings of a table, and a file that stores all of its words, some, or none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import pytest

from nemoparse_loaders.checks import evidence as evidence_module
from nemoparse_loaders.checks.layer import Layer, visible_layer
from nemoparse_loaders.document import BBox, Element
from nemoparse_loaders.pipeline import table_witness
from nemoparse_loaders.pipeline.region_merge import merge_regions
from nemoparse_loaders.pipeline.region_words import words_of
from nemoparse_loaders.pipeline.regions import Region
from nemoparse_loaders.pipeline.table_reading import Reading, reading_of
from nemoparse_loaders.pipeline.table_witness import Witness, outvoted, refuted, witness_of
from nemoparse_loaders.rendering.page_image import EvidenceWord, PageEvidence

from .region_pages import Printed, page_of, reading_of_region, tabular

Rows = Sequence[str]
HERE = BBox(0.1, 0.3, 0.9, 0.45)
CAPTION = Printed(
    "Caption", BBox(0.1, 0.285, 0.9, 0.299), "Year and rent of the flats in 2021, 2022 and 2023"
)
BELOW = Printed("Text", BBox(0.1, 0.5, 0.9, 0.6), "The rent rose in every year.")

LABELS = ("Line & Field & Value", "12a & Name & ", "12b & City & ", "12c & Amount & ", "12d & Signed & ")
FILLED = (
    LABELS[0],
    "12a & Name & Jane",
    "12b & City & Springfield",
    "12c & Amount & 4711",
    "12d & Signed & ",
)
RENTS = ("Year & Rent & Flats", "2021 & 1250 & 310", "2022 & 1310 & 325", "2023 & 1475 & 342")
FLATS = ("Year & Rent & Flats", "2021 & & 310", "2022 & & 325", "2023 & & 342")
LETTERS = ("City & Country & River & Harbour", "Bergen & Norway & & ", "Hamburg & Germany & Elbe & ")
COUNTS = ("City & Country & River & Harbour", "Bergen & Norway & & 310", "Hamburg & Germany & Elbe & 42")


def stored(rows: Rows, box: BBox = HERE) -> Iterable[EvidenceWord]:
    """The words of rows, spread over a box."""
    height = box.height / len(rows)
    for at, row in enumerate(rows):
        words = row.replace("&", " ").split()
        width = box.width / max(1, len(words))
        for place, word in enumerate(words):
            x, y = box.x0 + place * width, box.y0 + at * height
            yield EvidenceWord(word, BBox(x, y, x + width / 2, y + height / 2))


def file_with(*rows: str) -> PageEvidence:
    """A file that stores what stands around the table, and these words of it."""
    around = [word for block in (CAPTION, BELOW) for word in stored([block.body], block.box)]
    return PageEvidence((*around, *(stored(rows) if rows else ())), usable=True)


def private(text: str) -> str:
    return "".join(chr(0xE000 + ord(char)) if char.isdigit() else char for char in text)


def merged(of_page: Rows, of_region: Rows, evidence: PageEvidence | None) -> Element:
    page = page_of([CAPTION, Printed("Table", HERE, tabular(*of_page)), BELOW], number=3)
    reading = reading_of_region(Region(HERE, "Table", "p3e2"), [Printed("Table", HERE, tabular(*of_region))])
    found = merge_regions(page, [reading], evidence).elements
    assert [element.type for element in found] == ["Caption", "Table", "Text"]
    return found[1]


def rows_of(element: Element) -> list[list[str]]:
    assert element.table is not None
    return [[cell or "" for cell in row] for row in element.table.grid()]


def cells(rows: Rows) -> list[list[str]]:
    return [[cell.strip() for cell in row.split("&")] for row in rows]


def asks_to_look(element: Element) -> bool:
    return any(issue.code == "table_disagreement" and issue.severity == "warning" for issue in element.issues)


NOT_STORED = [
    pytest.param(RENTS, FLATS, file_with(), id="a picture, cells lost"),
    pytest.param(RENTS, RENTS[:1], file_with(), id="a picture, rows lost"),
    pytest.param(RENTS, RENTS[:1], file_with(RENTS[0]), id="outlines under a header of text"),
    pytest.param(RENTS, RENTS[:2], file_with("Year", "2021"), id="outlines and a few words"),
    pytest.param(FILLED, LABELS, file_with(*LABELS), id="values of form fields"),
    pytest.param(RENTS, FLATS, file_with(*map(private, RENTS)), id="private digits, a column lost"),
    pytest.param(RENTS, RENTS[:1], file_with(*map(private, RENTS)), id="private digits, rows lost"),
    pytest.param(COUNTS, LETTERS, file_with(*map(private, COUNTS)), id="private digits in a table of words"),
    pytest.param(
        (*LETTERS, "2021 & 1250 & 310 & 42"),
        LETTERS,
        file_with(*LETTERS, private("2021 & 1250 & 310 & 42")),
        id="a row of private digits in a table of words",
    ),
]


@pytest.mark.parametrize(("full", "less", "evidence"), NOT_STORED)
def test_a_file_without_the_words_takes_nothing_from_the_page(
    full: Rows, less: Rows, evidence: PageEvidence
) -> None:
    table = merged(full, less, evidence)

    assert rows_of(table) == cells(full)
    assert asks_to_look(table)


@pytest.mark.parametrize(("full", "less", "evidence"), NOT_STORED)
def test_a_file_without_the_words_keeps_nothing_from_the_page(
    full: Rows, less: Rows, evidence: PageEvidence
) -> None:
    table = merged(less, full, evidence)

    assert rows_of(table) == cells(full)
    assert asks_to_look(table)


def other_values(rows: Rows) -> list[str]:
    return [row.replace("4711", "1174").replace("1310", "1370") for row in rows]


@pytest.mark.parametrize(
    ("rows", "evidence"),
    [
        pytest.param(RENTS, file_with(), id="a picture"),
        pytest.param(RENTS, file_with(*FLATS), id="a column of outlines"),
        pytest.param(RENTS, file_with(*map(private, RENTS)), id="private digits"),
        pytest.param(FILLED, file_with(*LABELS), id="form fields"),
    ],
)
def test_between_two_values_that_it_has_not_the_file_does_not_decide(
    rows: Rows, evidence: PageEvidence
) -> None:
    for of_page, of_region in ((rows, other_values(rows)), (other_values(rows), rows)):
        table = merged(of_page, of_region, evidence)

        assert rows_of(table) == cells(of_page)
        assert asks_to_look(table)


@pytest.mark.parametrize("right_one", ["page", "region"])
def test_between_two_values_of_which_it_has_one_the_file_decides(right_one: str) -> None:
    wrong = other_values(RENTS)
    of_page, of_region = (RENTS, wrong) if right_one == "page" else (wrong, RENTS)

    table = merged(of_page, of_region, file_with(*RENTS))

    assert rows_of(table) == cells(RENTS)
    assert not asks_to_look(table)


@pytest.mark.parametrize(("of_page", "of_region"), [(RENTS, FLATS), (FLATS, RENTS), (RENTS, RENTS[:1])])
def test_words_that_the_file_has_are_proof(of_page: Rows, of_region: Rows) -> None:
    table = merged(of_page, of_region, file_with(*RENTS))

    assert rows_of(table) == cells(RENTS)
    assert not asks_to_look(table)


def test_a_word_that_is_borne_out_in_one_cell_takes_no_value_from_another() -> None:
    of_page = [row.replace("Signed", "") for row in FILLED]
    of_region = LABELS

    table = merged(of_page, of_region, file_with(*LABELS))

    assert rows_of(table) == cells(of_page)
    assert asks_to_look(table)


@pytest.mark.parametrize("invented", [("2024 & 1590 & 361",), ("Atlantis & 999 & 111",)])
def test_a_row_that_the_file_has_not_though_it_has_the_table_is_an_invention(invented: Rows) -> None:
    more = (*RENTS, *invented)
    for of_page, of_region in ((more, RENTS), (RENTS, more)):
        table = merged(of_page, of_region, file_with(*RENTS))

        assert rows_of(table) == cells(RENTS)
        # It is likely and no more.
        assert asks_to_look(table)
        assert [rows_of(other) for other in table.alternatives] == [cells(more)]


ROW = "Atlantis & 999 & 111"


@pytest.mark.parametrize(
    ("rows", "evidence"),
    [
        pytest.param((*RENTS[:2], ROW, *RENTS[2:]), file_with(*RENTS[:2], "", *RENTS[2:]), id="room inside"),
        pytest.param((*RENTS, ROW), file_with(*RENTS, ""), id="room at the end"),
        pytest.param((*RENTS, ROW), file_with(*RENTS, private("AT14NT1S 999 111")), id="words left over"),
        pytest.param(
            (*FILLED, "Jane & 123-45-6789 & child"), file_with(*FILLED, ""), id="a row of form fields"
        ),
        pytest.param(
            (*RENTS, "2024 & 1590 & 361", "2025 & 1610 & 377", "2026 & 1644 & 389"),
            file_with(*RENTS),
            id="a large part of the table",
        ),
    ],
)
def test_a_row_that_may_be_there_without_words_in_the_file_is_kept(
    rows: Rows, evidence: PageEvidence
) -> None:
    less = FILLED if rows[0] == FILLED[0] else RENTS
    for of_page, of_region in ((rows, less), (less, rows)):
        table = merged(of_page, of_region, evidence)

        assert rows_of(table) == cells(rows)
        assert asks_to_look(table)


@pytest.mark.parametrize("spelling", [str.upper, lambda row: row.replace("2", "\uff12")])
def test_how_a_word_is_stored_does_not_matter(spelling: Callable[[str], str]) -> None:
    table = merged(other_values(RENTS), RENTS, file_with(*map(spelling, RENTS)))

    assert rows_of(table) == cells(RENTS)


def reading(*rows: str) -> Reading:
    return reading_of([page_of([Printed("Table", HERE, tabular(*rows))]).elements[0]])


def witness(words: str) -> Witness:
    """One that has these words and no room for more."""
    known = words_of(words.replace("&", " "))

    def share(text: str) -> float | None:
        asked = words_of(text)
        return sum(word in known for word in asked) / len(asked) if asked else None

    return Witness(share, tuple(known), has_room=False)


def test_something_that_the_file_has_stands_in_the_place_of_a_word() -> None:
    right, wrong = reading(*RENTS), reading(*other_values(RENTS))

    shared = "year rent flats 2021 2022 2023 1250 1475 310 325 342"
    assert outvoted({"1370"}, wrong, right, witness(f"{shared} 1310"))
    assert not outvoted({"1370"}, wrong, right, witness(shared))
    # It has too little of the table to be asked.
    assert not outvoted({"1370"}, wrong, right, witness("1310"))
    assert not outvoted({"1370"}, wrong, right, witness("year rent flats 1310"))


def test_a_short_word_does_not_stand_for_a_longer_text() -> None:
    longer = reading(*RENTS[:2], "2022 & 1310 approx. & 325")
    shorter = reading(*RENTS[:2], "2022 & ca. & 325")

    assert not outvoted(
        {"1310", "approx"}, longer, shorter, witness("year rent flats 2021 2022 1250 310 325 ca")
    )


def test_a_few_shared_words_are_no_table() -> None:
    one, other = reading("Name & Rent", "Kiosk & 1250"), reading("Name & Rent", "Kiosc & 1250")

    assert not outvoted({"kiosk"}, one, other, witness("name rent kiosc 1250"))


@pytest.mark.parametrize("stored_words", ["year rent flats", "1250 310 325 342", "atlas 998 112"])
def test_a_file_with_little_of_the_table_refutes_no_row(stored_words: str) -> None:
    words = {"atlantis", "999", "111"}
    assert not refuted(words, reading(*RENTS, ROW), reading(*RENTS), witness(stored_words))
    everything = witness(" ".join(RENTS))
    assert refuted(words, reading(*RENTS, ROW), reading(*RENTS), everything)


def test_the_words_of_the_file_are_taken_apart_once_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def counted(words: Sequence[EvidenceWord]) -> Layer:
        calls.append(len(words))
        return visible_layer(words)

    monkeypatch.setattr(evidence_module, "visible_layer", counted)
    witness = witness_of(file_with(*RENTS), HERE)
    assert [witness.share(text) for text in ("Rent 1250", "Rent 9999", "")] == [1.0, 0.5, None]
    assert len(calls) == 1


def test_a_word_far_off_does_not_stand_in_the_place_of_another_in_a_long_table() -> None:
    # Words that come often are all that is between the two.
    rows = ["flat & small & let & none" for _ in range(100)]
    page, picture = ["Name & Size & State & Rent", *rows], ["Name & Size & State & Rent", *rows]
    page[30] = "flat & small & let & 1050"
    picture[70] = "flat & small & let & 7050"
    one, other = (
        reading_of([page_of([Printed("Table", HERE, tabular(*found))]).elements[0]])
        for found in (page, picture)
    )
    witness = witness_of(file_with(*picture), HERE)
    assert not outvoted({"1050"}, one, other, witness)
    page[70] = "flat & small & let & 1050"
    page[30] = rows[0]
    one = reading_of([page_of([Printed("Table", HERE, tabular(*page))]).elements[0]])
    assert outvoted({"1050"}, one, other, witness)


def test_a_huge_table_of_one_word_is_not_compared_word_by_word(monkeypatch: pytest.MonkeyPatch) -> None:
    def compared(*_: object, **__: object) -> None:
        raise AssertionError("it would take long")

    rows = ["Name & Size & State & Rent", *[f"row{index} & 0 & 0 & 0" for index in range(300)]]
    page, picture = [*rows, "0 & 0 & 0 & 1050"], [*rows, "0 & 0 & 0 & 7050"]
    one, other = (
        reading_of([page_of([Printed("Table", HERE, tabular(*found))]).elements[0]])
        for found in (page, picture)
    )
    monkeypatch.setattr(table_witness, "SequenceMatcher", compared)
    assert not outvoted({"1050"}, one, other, witness_of(file_with(*picture), HERE))
