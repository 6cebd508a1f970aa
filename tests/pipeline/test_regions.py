"""Which regions of a page are read by themselves."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemoparse_loaders.document import BBox, ParsedPage
from nemoparse_loaders.pipeline.region_boxes import BoxIndex, likeness, same_place, to_page, to_picture
from nemoparse_loaders.pipeline.regions import MAX_REGIONS, Region, regions_to_read, wants_reading

from ..decoding.strategies import boxes
from .region_pages import Printed, page_of, regions_of, tabular

BODY = tabular("a & b", "1 & 2")
UPPER, LOWER = BBox(0.1, 0.2, 0.9, 0.4), BBox(0.1, 0.42, 0.9, 0.6)
BOTH = UPPER.union(LOWER)
TEXT = Printed("Text", BBox(0.1, 0.05, 0.9, 0.15), "Some words before the tables.")


def table(box: BBox, kind: str = "Table") -> Printed:
    return Printed(kind, box, BODY)


def boxes_of(regions: list[Region]) -> list[BBox]:
    return [region.box for region in regions]


def test_tables_and_charts_are_read_in_reading_order() -> None:
    page = page_of(
        [TEXT, table(LOWER), table(UPPER, "Chart"), Printed("Picture", BBox(0.1, 0.7, 0.9, 0.9), "")]
    )

    assert regions_to_read(page) == [Region(LOWER, "Table", "p1e2"), Region(UPPER, "Chart", "p1e3")]


@pytest.mark.parametrize(
    ("box", "is_read"),
    [
        (BBox(0.1, 0.5, 0.9, 0.505), False),  # a line of a few pixels
        (BBox(0.1, 0.1, 0.105, 0.9), False),
        (BBox(0.1, 0.5, 0.13, 0.52), False),  # a speck
        (BBox(0.1, 0.5, 0.3, 0.52), True),  # a table of one row
        (BBox(0.0, 0.0, 1.0, 1.0), False),  # there is nothing more to be seen
        (BBox(0.03, 0.04, 0.97, 0.96), False),
        (BBox(0.0, 0.2, 1.0, 0.8), True),
        (BBox(0.2, 0.0, 0.8, 1.0), True),
    ],
)
def test_slivers_and_whole_pages_are_not_read(box: BBox, is_read: bool) -> None:
    assert bool(regions_to_read(page_of([TEXT, table(box)]))) is is_read


def test_of_tables_at_one_place_the_largest_is_read() -> None:
    inner, wider = BBox(0.12, 0.22, 0.5, 0.38), BBox(0.09, 0.19, 0.9, 0.41)

    regions = regions_to_read(page_of([table(inner), table(UPPER), table(wider), table(LOWER)]))

    assert regions == [Region(wider, "Table", "p1e3"), Region(LOWER, "Table", "p1e4")]


def test_a_region_is_the_box_of_page_and_detection_together() -> None:
    seen = BBox(0.08, 0.22, 0.9, 0.45)

    regions = regions_to_read(page_of([TEXT, table(UPPER)]), regions_of(("Text", TEXT.box), ("Table", seen)))

    assert regions == [Region(UPPER.union(seen), "Table", "p1e2")]


def test_a_table_that_detection_sees_as_two_is_read_once() -> None:
    regions = regions_to_read(page_of([table(BOTH)]), regions_of(("Table", UPPER), ("Table", LOWER)))

    assert regions == [Region(BOTH, "Table", "p1e1")]


def test_two_tables_that_detection_sees_as_one_are_read_once() -> None:
    regions = regions_to_read(page_of([table(UPPER), table(LOWER)]), regions_of(("Table", BOTH)))

    assert regions == [Region(BOTH, "Table", "p1e1")]


def test_a_detected_table_that_its_pieces_do_not_fill_is_no_table() -> None:
    small = [BBox(0.1, 0.2, 0.4, 0.25), BBox(0.1, 0.5, 0.4, 0.55)]

    regions = regions_to_read(page_of([table(box) for box in small]), regions_of(("Table", BOTH)))

    assert boxes_of(regions) == small


def test_a_detected_table_as_large_as_the_page_changes_nothing() -> None:
    page = page_of([TEXT, table(UPPER), table(LOWER)])

    assert regions_to_read(page, regions_of(("Table", BBox(0, 0, 1, 1)))) == regions_to_read(page)


def test_what_the_page_calls_a_picture_and_detection_a_chart_is_read() -> None:
    page = page_of([TEXT, Printed("Picture", UPPER, ""), Printed("TOC", LOWER, "1 Harbours 3")])

    regions = regions_to_read(page, regions_of(("Text", TEXT.box), ("Chart", UPPER), ("Table", LOWER)))

    assert regions == [Region(UPPER, "Chart", "p1e2")]


def test_missed_regions_of_any_class_follow_in_the_order_of_detection() -> None:
    footer = BBox(0.48, 0.95, 0.5, 0.965)
    speck = BBox(0.5, 0.5, 0.503, 0.503)
    found = regions_of(
        ("Page-footer", footer), ("Table", LOWER), ("Text", TEXT.box), ("Picture", UPPER), ("Text", speck)
    )

    regions = regions_to_read(page_of([TEXT, table(BBox(0.1, 0.7, 0.9, 0.8))]), found)

    assert regions[1:] == [Region(footer, "Page-footer"), Region(LOWER, "Table"), Region(UPPER, "Picture")]
    assert [wants_reading(region, text_in_pictures=False) for region in regions] == [True, True, True, False]
    assert all(wants_reading(region) for region in regions)


def test_what_elements_cover_together_is_not_missed() -> None:
    lines = [
        Printed("Text", BBox(0.1, 0.2 + 0.05 * line, 0.9, 0.24 + 0.05 * line), f"row {line}")
        for line in range(4)
    ]

    assert regions_to_read(page_of(lines), regions_of(("Table", UPPER))) == []


def test_a_region_that_is_found_again_and_again_is_read_once() -> None:
    again = [("Text", BBox(0.1, 0.3 + 0.0001 * step, 0.9, 0.4)) for step in range(300)]

    assert len(regions_to_read(page_of([TEXT]), regions_of(("Text", TEXT.box), *again))) == 1


def test_a_detection_that_is_off_by_a_line_misses_nothing() -> None:
    lines = [
        Printed("Text", BBox(0.1, 0.1 + 0.04 * line, 0.9, 0.115 + 0.04 * line), f"line {line}")
        for line in range(20)
    ]
    off = [("Text", BBox(0.1, line.box.y0 + 0.016, 0.9, line.box.y1 + 0.016)) for line in lines]

    assert regions_to_read(page_of(lines), regions_of(*off)) == []


def test_one_of_many_like_lines_is_missed() -> None:
    lines = [
        Printed("Text", BBox(0.1, 0.1 + 0.02 * line, 0.9, 0.115 + 0.02 * line), "Total 0")
        for line in range(40)
    ]
    found = regions_of(*(("Text", line.box) for line in lines))
    lost = lines.pop(17)

    (missed,) = regions_to_read(page_of(lines), found)
    assert missed.box == pytest.approx(lost.box)


def test_a_block_that_the_reply_was_cut_in_gets_its_place_from_detection() -> None:
    cut = Printed("Table", LOWER, tabular("a & b", "1 &", closed=False), open=True)
    page = page_of([TEXT, table(UPPER), cut])
    assert page.elements[2].bbox is None
    found = regions_of(
        ("Text", TEXT.box), ("Table", UPPER), ("Table", LOWER), ("Text", BBox(0.1, 0.7, 0.9, 0.8))
    )

    assert regions_to_read(page, found) == [
        Region(UPPER, "Table", "p1e2"),
        Region(LOWER, "Table", "p1e3"),
        Region(BBox(0.1, 0.7, 0.9, 0.8), "Text"),
    ]
    assert regions_to_read(page) == [Region(UPPER, "Table", "p1e2")]


def test_a_page_without_boxes_misses_nothing_and_an_empty_one_everything() -> None:
    found = regions_of(("Text", UPPER), ("Table", LOWER))
    plain = page_of([])
    words = ParsedPage(
        number=1, elements=tuple(e.model_copy(update={"bbox": None}) for e in page_of([TEXT]).elements)
    )

    assert regions_to_read(words, found) == []
    assert boxes_of(regions_to_read(plain, found)) == [UPPER, LOWER]
    assert regions_to_read(plain) == []


def grid_boxes(columns: int, rows: int) -> list[BBox]:
    return [
        BBox(column / columns, row / rows, (column + 0.9) / columns, (row + 0.9) / rows)
        for row in range(rows)
        for column in range(columns)
    ]


def test_replies_that_run_wild_give_a_bounded_number_of_regions() -> None:
    many = grid_boxes(8, 40)
    tables = page_of([table(box) for box in many])
    found = regions_of(*(("Text", box) for box in many))

    assert len(regions_to_read(tables)) == MAX_REGIONS
    assert len(regions_to_read(page_of([TEXT]), found)) == MAX_REGIONS
    assert len(regions_to_read(tables, found)) == MAX_REGIONS


def comparisons(monkeypatch: pytest.MonkeyPatch, page: ParsedPage, found: ParsedPage) -> int:
    count = 0
    overlap = BBox.overlap

    def counted(box: BBox, other: BBox) -> float:
        nonlocal count
        count += 1
        return overlap(box, other)

    with monkeypatch.context() as patch:
        patch.setattr(BBox, "overlap", counted)
        regions_to_read(page, found)
    return count


def test_the_work_grows_with_the_page_and_no_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    def pages(rows: int) -> tuple[ParsedPage, ParsedPage]:
        lines = grid_boxes(1, rows)
        kept = [Printed("Text", box, "words") for box in lines[::2]]
        return page_of(kept), regions_of(*(("Text", box) for box in lines))

    small, large = (comparisons(monkeypatch, *pages(rows)) for rows in (100, 800))

    assert large < 12 * small


pages = st.lists(
    st.tuples(st.sampled_from(["Table", "Chart", "Text", "Picture", "Page-footer"]), boxes()), max_size=10
)


@given(printed=pages, found=st.none() | pages)
@settings(max_examples=200)
def test_every_region_is_on_the_page_and_every_subject_an_element(
    printed: list[tuple[str, BBox]], found: list[tuple[str, BBox]] | None
) -> None:
    page = page_of([Printed(kind, box, "x") for kind, box in printed])
    seen = None if found is None else regions_of(*found)

    regions = regions_to_read(page, seen)

    subjects = [region.subject for region in regions if region.subject]
    by_id = {element.id: element for element in page.elements}
    assert len(set(subjects)) == len(subjects)
    for region in regions:
        assert 0.0 <= region.box.x0 < region.box.x1 <= 1.0
        assert 0.0 <= region.box.y0 < region.box.y1 <= 1.0
        subject = by_id[region.subject].bbox if region.subject else None
        assert subject is None or region.box.union(subject) == region.box
    if seen is None:
        assert all(region.subject for region in regions)


@given(box=boxes(), picture=boxes())
@settings(max_examples=200)
def test_from_the_picture_to_the_page_and_back(box: BBox, picture: BBox) -> None:
    on_page = to_page(box, picture)

    assert picture.x0 <= on_page.x0 <= on_page.x1 <= picture.x1
    assert picture.y0 <= on_page.y0 <= on_page.y1 <= picture.y1
    assert to_picture(on_page, picture) == pytest.approx(box, abs=1e-9)
    assert to_page(BBox(0, 0, 1, 1), picture) == pytest.approx(picture)


@given(box=boxes(), other=boxes())
def test_likeness_is_the_same_both_ways(box: BBox, other: BBox) -> None:
    assert likeness(box, other) == pytest.approx(likeness(other, box))
    assert same_place(box, other) is same_place(other, box)
    assert likeness(box, box) == pytest.approx(1.0)


@given(found=st.lists(boxes(), max_size=12), box=boxes())
def test_the_index_finds_what_meets_a_box(found: list[BBox], box: BBox) -> None:
    index = BoxIndex([*found, None])

    assert index.meeting(box) == [at for at, other in enumerate(found) if other.overlap(box) > 0]
    assert index.covered(box, 0.5) is (sum(other.overlap(box) for other in found) >= 0.5 * box.area)
