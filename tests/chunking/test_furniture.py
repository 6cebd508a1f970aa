"""Running heads, feet and page numbers."""

from __future__ import annotations

import pytest

from nemoparse_loaders import LayoutChunker
from nemoparse_loaders.chunking.body import body_of
from nemoparse_loaders.chunking.furniture import page_label, printed_labels
from nemoparse_loaders.chunking.steps import Steps
from nemoparse_loaders.document import BBox, Element, ParsedDocument, ParsedPage

TOP, BOTTOM, MIDDLE = BBox(0.1, 0.03, 0.9, 0.05), BBox(0.4, 0.95, 0.6, 0.97), BBox(0.1, 0.3, 0.9, 0.5)
Spec = tuple[str, str, BBox | None]


def document(*pages: list[Spec], labels: list[str] | None = None) -> ParsedDocument:
    parsed = []
    for number, specs in enumerate(pages, start=1):
        elements = tuple(
            Element(id=f"p{number}e{index}", type=name, markdown=text, text=text, bbox=box)
            for index, (name, text, box) in enumerate(specs, start=1)
        )
        label = labels[number - 1] if labels else str(number)
        parsed.append(ParsedPage(number=number, label=label, elements=elements))
    return ParsedDocument(doc_id="d", pages=tuple(parsed))


def kept(doc: ParsedDocument, steps: Steps | None = None) -> list[str]:
    return [placed.element.text for placed in body_of(doc, steps or Steps())]


def body(number: int) -> Spec:
    return ("Text", f"Body {number}.", MIDDLE)


BODIES = [f"Body {number}." for number in range(1, 9)]


def test_a_running_head_and_page_numbers_are_furniture() -> None:
    pages = [
        [("Page-header", f"Annual Report 202{n % 2}", TOP), body(n), ("Page-footer", str(n), BOTTOM)]
        for n in range(1, 9)
    ]

    assert kept(document(*pages)) == BODIES


def test_a_lone_page_header_is_body() -> None:
    pages = [[body(n)] for n in range(1, 9)]
    pages[3].insert(0, ("Page-header", "Terms of Delivery", TOP))

    assert kept(document(*pages)) == [*BODIES[:3], "Terms of Delivery", *BODIES[3:]]
    assert kept(document(*pages), Steps(furniture=False)) == BODIES


def test_the_same_words_in_other_places_are_no_repetition() -> None:
    pages = [[body(n)] for n in range(1, 9)]
    for index, top in enumerate((0.05, 0.3, 0.6)):
        pages[index].append(("Page-header", "Note", BBox(0.1, top, 0.9, top + 0.02)))

    assert kept(document(*pages)).count("Note") == 3


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 7, 8])
@pytest.mark.parametrize("name", ["Page-header", "Page-footer"])
@pytest.mark.parametrize(
    "words", ["Termination of the contract", "Kündigung des Vertrags", "Résiliation", "8 Rescisión"]
)
def test_a_lone_head_or_foot_stays_in_documents_of_any_length(count: int, name: str, words: str) -> None:
    for place in range(count):
        pages: list[list[Spec]] = [[body(n)] for n in range(1, count + 1)]
        pages[place].insert(0, (name, words, TOP if name == "Page-header" else BOTTOM))

        assert words in kept(document(*pages))


@pytest.mark.parametrize("count", [2, 3, 5, 8])
def test_a_head_that_comes_back_is_furniture_in_short_documents_too(count: int) -> None:
    pages: list[list[Spec]] = [[("Page-header", f"Journal {n}", TOP), body(n)] for n in range(1, count + 1)]

    assert kept(document(*pages)) == BODIES[:count]


@pytest.mark.parametrize(
    "date",
    ["12 March 2024", "March 12, 2024", "12. März 2024", "1er août 2023", "3 de mayo de 2022", "May 2024",
     "2024-03-12", "12.3.2024", "Dec. 2021"],
)  # fmt: skip
@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_lone_date_is_furniture(date: str, count: int) -> None:
    pages: list[list[Spec]] = [[body(n)] for n in range(1, count + 1)]
    pages[-1].append(("Page-footer", date, BOTTOM))

    assert kept(document(*pages)) == BODIES[:count]


@pytest.mark.parametrize("words", ["Maintenance 2024", "March on Rome", "Marketing 12, 2024", "Octane 95"])
def test_words_that_are_no_dates_stay(words: str) -> None:
    pages: list[list[Spec]] = [[("Page-header", words, TOP), body(1)], [body(2)]]

    assert words in kept(document(*pages))


def line_box(words: str, size: float, top: float) -> BBox:
    """The box of a line of letters of that size in points, on a letter page."""
    return BBox(0.1, top, 0.1 + 0.5 * size * len(words) / 612, top + 1.2 * size / 792)


@pytest.mark.parametrize(
    ("size", "top", "stays"),
    [(7.5, 0.02, False), (7.5, 0.96, False), (10.0, 0.02, True), (14.0, 0.02, True), (7.5, 0.1, True)],
)
def test_on_a_single_page_place_and_size_decide(size: float, top: float, stays: bool) -> None:
    head, words = "Journal of Tidal Power", "The casing holds one hundred litres of oil."
    page: list[Spec] = [
        ("Page-header", head, line_box(head, size, top)),
        ("Text", words, line_box(words, 10, 0.3)),
    ]

    assert (head in kept(document(page))) == stays


def test_on_a_single_page_without_boxes_the_text_stays() -> None:
    assert kept(document([("Page-header", "Journal", None), body(1), ("Page-footer", "7", None)])) == [
        "Journal",
        BODIES[0],
    ]


def test_a_head_that_repeats_a_heading_is_furniture() -> None:
    pages = [[body(n)] for n in range(1, 9)]
    pages[1].insert(0, ("Section-header", "3. Wear of the Planets", MIDDLE))
    pages[2].insert(0, ("Page-header", "3 . WEAR OF THE PLANETS", TOP))

    assert kept(document(*pages)) == [BODIES[0], "3. Wear of the Planets", *BODIES[1:]]


@pytest.mark.parametrize("label", ["7", "- 7 -", "Page 7 of 12", "xiv", "A-3", "· 7 ·", "Seite 7"])
def test_a_lone_page_number_is_furniture(label: str) -> None:
    pages = [[body(n)] for n in range(1, 9)]
    pages[3].append(("Page-footer", label, BOTTOM))

    assert kept(document(*pages)) == BODIES


def test_text_that_comes_back_at_the_edge_is_furniture() -> None:
    pages = [
        [("Text", "CONFIDENTIAL", TOP), body(n), ("Text", f"{n + 4} | Draft", BOTTOM)] for n in range(1, 9)
    ]

    assert kept(document(*pages)) == BODIES
    assert len(kept(document(*pages), Steps(furniture=False))) == 24


@pytest.mark.parametrize(
    "texts",
    [
        ["Step 1", "Step 1", "Other"],
        ["Question 4", "Question 9", "Question 1"],
        ["One", "Two", "Three"],
    ],
)
def test_text_at_the_edge_that_does_not_come_back_is_body(texts: list[str]) -> None:
    pages: list[list[Spec]] = [[("Text", text, TOP), body(n)] for n, text in enumerate(texts, start=1)]

    assert [text for text in kept(document(*pages)) if text in texts] == texts


def test_text_inside_of_the_page_is_body_however_often_it_comes_back() -> None:
    pages: list[list[Spec]] = [[("Text", "Signed:", MIDDLE)] for _ in range(8)]

    assert kept(document(*pages)) == ["Signed:"] * 8


def test_headings_that_come_back_are_body() -> None:
    pages: list[list[Spec]] = [[("Section-header", "Notes", TOP), body(n)] for n in range(1, 9)]

    assert kept(document(*pages)).count("Notes") == 8


def test_labels_are_read_from_furniture() -> None:
    doc = document(
        [("Page-footer", "iv", BOTTOM)],
        [("Page-header", "12 Methods", TOP)],
        [("Page-header", "13 Methods", TOP), body(3)],
        [("Page-header", "Annual Report 2020", TOP), ("Page-footer", "14", BOTTOM)],
        [("Page-header", "Results 15", TOP)],
        [("Text", "9", BOTTOM)],
    )
    labels = printed_labels(doc)

    assert labels == {1: "iv", 2: "12", 3: "13", 4: "14", 5: "15"}
    assert [page_label(page, labels) for page in doc.pages] == ["iv", "12", "13", "14", "15", "6"]


@pytest.mark.parametrize("year", ["2024", "1999", "12", "FY-3"])
@pytest.mark.parametrize("first", [17, 1, 2020])
def test_of_several_numbers_the_one_that_runs_on_is_the_label(year: str, first: int) -> None:
    for specs in ([("Page-header", year, TOP)], [("Page-footer", year, BOTTOM)]):
        pages: list[list[Spec]] = [
            [*specs, body(n), ("Page-footer", str(first + n), BOTTOM)] for n in range(1, 6)
        ]
        doc = document(*pages)

        assert printed_labels(doc) == {n: str(first + n) for n in range(1, 6)}


@pytest.mark.parametrize("order", [1, -1])
def test_on_one_page_a_year_is_the_label_of_last_resort(order: int) -> None:
    specs: list[Spec] = [("Page-header", "2024", TOP), ("Page-footer", "17", BOTTOM)]

    assert printed_labels(document(specs[::order])) == {1: "17"}
    assert printed_labels(document([("Page-header", "31", TOP), ("Page-footer", "Page 7 of 9", BOTTOM)])) == {
        1: "7"
    }


def test_a_number_that_stays_the_same_is_no_label() -> None:
    pages: list[list[Spec]] = [[("Page-header", "2024", TOP), body(n)] for n in range(1, 4)]

    assert printed_labels(document(*pages)) == {}
    assert printed_labels(document(*[[("Page-header", "3", TOP), body(n)] for n in range(1, 4)])) == {}


@pytest.mark.parametrize("labels", [["i", "ii", "iii", "iv", "v"], ["A-1", "A-2", "A-3", "B-1", "B-2"],
                                    ["7", "8", "1", "2", "3"], ["Page 1", "Page 1", "Page 1"]])  # fmt: skip
def test_labels_of_every_series(labels: list[str]) -> None:
    pages: list[list[Spec]] = [
        [("Page-header", "2021", TOP), ("Page-footer", text, BOTTOM)] for text in labels
    ]

    found = printed_labels(document(*pages))

    assert list(found.values()) == [text.removeprefix("Page ") for text in labels]


def test_the_label_of_the_file_comes_first() -> None:
    doc = document([("Page-footer", "7", BOTTOM)], labels=["A-7"])

    assert page_label(doc.pages[0], printed_labels(doc)) == "A-7"


def test_a_number_in_a_head_that_does_not_run_on_is_no_label() -> None:
    pages: list[list[Spec]] = [[("Page-header", "Report 2020", TOP)] for _ in range(4)]
    doc = document(*pages)

    assert printed_labels(doc) == {}


def test_a_head_where_most_pages_have_one_is_furniture() -> None:
    names = ["Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta", "Eta", "Theta"]
    pages: list[list[Spec]] = [[("Page-header", name, TOP), body(n)] for n, name in enumerate(names, start=1)]
    pages[4][0] = ("Page-header", "Terms of Delivery", BBox(0.1, 0.1, 0.9, 0.12))

    assert kept(document(*pages)) == [*BODIES[:4], "Terms of Delivery", *BODIES[4:]]


def test_text_that_repeats_the_page_headers_of_other_pages_is_furniture() -> None:
    pages: list[list[Spec]] = [[("Page-header", f"{n + 40}", TOP), body(n)] for n in range(1, 9)]
    pages[4][0] = ("Text", "45", TOP)

    assert kept(document(*pages)) == BODIES


def test_chunks_have_the_printed_label_and_the_document_is_not_changed() -> None:
    doc = document([body(1), ("Page-footer", "iv", BOTTOM)], [body(2)], labels=["1", "A-2"])

    chunks = LayoutChunker(16, lambda text: 7 * len(text.split())).chunk(doc)

    assert [chunk.metadata["page_label"] for chunk in chunks] == ["iv", "A-2"]
    assert doc.pages[0].label == "1"
