"""Every combination of what a page's reply, a picture's reply and a detection can be like."""

from __future__ import annotations

from itertools import product

import pytest

from nemoparse_loaders.document import BBox, ParsedPage
from nemoparse_loaders.pipeline.region_boxes import likeness
from nemoparse_loaders.pipeline.region_merge import RegionReading, merge_regions
from nemoparse_loaders.pipeline.regions import Region, regions_to_read

from .region_pages import (
    Printed,
    check_numbering,
    page_of,
    reading_of_region,
    regions_of,
    shown,
    tabular,
    with_margin,
    words_on,
)

ROWS = ("Port & Calls & Tonnes", "Bergen & 310 & 42", "Oslo & 355 & 57", "Tromso & 128 & 19")
OTHER_ROWS = ("Crew & Watch", "Deck & 12", "Engine & 8")
HERE = BBox(0.1, 0.30, 0.9, 0.46)
TITLE = Printed("Title", BBox(0.1, 0.05, 0.9, 0.09), "Harbour report")
INTRO = Printed(
    "Text", BBox(0.1, 0.11, 0.9, 0.24), "Traffic grew in both years, most of all in the bulk trades."
)
CAPTION = Printed("Caption", BBox(0.1, 0.265, 0.6, 0.29), "Table 1: Calls and tonnes by port")
TABLE = Printed("Table", HERE, tabular(*ROWS))
OTHER = Printed("Table", BBox(0.1, 0.50, 0.9, 0.60), tabular(*OTHER_ROWS))
END = Printed("Text", BBox(0.1, 0.63, 0.9, 0.72), "Containers followed later than anybody had foreseen.")
FOOTER = Printed("Page-footer", BBox(0.48, 0.95, 0.52, 0.97), "7")
TRUTH = (TITLE, INTRO, CAPTION, TABLE, OTHER, END, FOOTER)

LOOP = TABLE._replace(body=tabular(*ROWS[:2], *["Oslo & 355 & 57"] * 1_200, closed=False), open=True)
PAGES: dict[str, tuple[Printed, ...]] = {
    "right": TRUTH,
    "cut": (TITLE, INTRO, CAPTION, TABLE._replace(body=tabular(*ROWS[:2], "Osl", closed=False), open=True)),
    "looping": (TITLE, INTRO, CAPTION, LOOP),
    "missing the region": (TITLE, INTRO, CAPTION, OTHER, END, FOOTER),
    "wrong columns": (
        *TRUTH[:3],
        TABLE._replace(body=tabular(*(row.replace(" & ", " ", 1) for row in ROWS))),
        *TRUTH[4:],
    ),
}
CROPS = (
    "right",
    "worse",
    "cut",
    "looping",
    "shifted",
    "empty",
    "failed",
    "other class",
    "two tables",
    "with neighbours",
)
AGREEING = tuple((block.kind, block.box) for block in TRUTH)
UPPER, LOWER = BBox(0.1, 0.30, 0.9, 0.38), BBox(0.1, 0.38, 0.9, 0.46)


def moved(box: BBox, by: float) -> BBox:
    return BBox(box.x0, box.y0 + by, box.x1, box.y1 + by)


DETECTIONS: dict[str, tuple[tuple[str, BBox], ...] | None] = {
    "none": None,
    "agrees": AGREEING,
    "splits": (*AGREEING[:3], ("Table", UPPER), ("Table", LOWER), *AGREEING[4:]),
    "joins": (*AGREEING[:3], ("Table", HERE.union(OTHER.box)), *AGREEING[5:]),
    "misses": AGREEING[:2],
    "extra": (*AGREEING, ("Text", BBox(0.1, 0.75, 0.9, 0.85)), ("Picture", BBox(0.1, 0.86, 0.4, 0.93))),
    "shifted": tuple((kind, moved(box, 0.02)) for kind, box in AGREEING),
}


def read(region: Region, crop: str) -> RegionReading:
    """What comes of a region: the truth, but the table as the kind of crop says."""
    picture = with_margin(region.box)
    visible = shown(TRUTH, picture)
    if region.box.overlap(HERE) < 0.5 * min(region.box.area, HERE.area):
        return reading_of_region(region, visible)
    rest = [
        block for block in visible if block != TABLE and block.box.overlap(region.box) > 0.5 * block.box.area
    ]
    if crop in ("empty", "failed"):
        empty = ParsedPage(number=1, status="failed") if crop == "failed" else page_of([])
        return RegionReading(region, picture, empty)
    if crop == "shifted":
        return reading_of_region(region, [TABLE, *rest], shift=0.3)
    if crop == "with neighbours":
        return reading_of_region(region, [*(block for block in visible if block != TABLE), TABLE])
    tables = {
        "right": [TABLE],
        "worse": [TABLE._replace(body=tabular(*ROWS[:2], "Oslo & 365 & 57"))],
        "cut": [TABLE._replace(body=tabular(*ROWS[:3], "Tro", closed=False), open=True)],
        "looping": [LOOP],
        "other class": [TABLE._replace(kind="Text", body=" ".join(ROWS).replace(" & ", " "))],
        "two tables": [
            Printed("Table", UPPER, tabular(*ROWS[:2])),
            Printed("Table", LOWER, tabular(*ROWS[2:])),
        ],
    }[crop]
    return reading_of_region(region, [*rest, *tables] if crop in ("cut", "looping") else [*tables, *rest])


def grid_of(page: ParsedPage) -> list[list[list[str | None]]]:
    return [element.table.grid() for element in page.elements if element.table is not None]


RIGHT = [row.split(" & ") for row in ROWS]
OTHER_RIGHT = [row.split(" & ") for row in OTHER_ROWS]


@pytest.mark.parametrize(
    ("first", "crop", "detection"),
    [pytest.param(*kinds, id=" / ".join(kinds)) for kinds in product(PAGES, CROPS, DETECTIONS)],
)
def test_every_combination(first: str, crop: str, detection: str) -> None:
    page = page_of(PAGES[first])
    found = DETECTIONS[detection]
    regions = regions_to_read(page, None if found is None else regions_of(*found))
    readings = [read(region, crop) for region in regions]

    merged = merge_regions(page, readings)

    check_numbering(merged)
    # What the first pass had is there, or stands beside what took its place.
    assert words_on(page) <= words_on(merged, alternatives=True)
    _check_text(page, merged)
    for element in merged.elements:
        for other in element.alternatives:
            assert other.table is None or other.table != element.table
    # A block that is cut or not there has no box of its own.
    sees_it = first == "wrong columns" or detection not in ("none", "misses")
    if sees_it and first != "right" and crop in ("right", "shifted", "with neighbours"):
        assert RIGHT in grid_of(merged)
        assert all("42" not in row for grid in grid_of(merged) if grid != RIGHT for row in grid)
    if first == "right":
        tables = grid_of(merged)
        assert RIGHT in tables or (crop == "two tables" and [*tables[0], *tables[1]] == RIGHT)
        assert tables[-1] == OTHER_RIGHT
        assert not (words_on(merged) - words_on(page))
    if first == "right" and crop == "worse":
        assert "table_disagreement" in {issue.code for element in merged.elements for issue in element.issues}
    if first in ("cut", "looping"):
        assert merged.status == "partial"


def _check_text(page: ParsedPage, merged: ParsedPage) -> None:
    """Texts stand once, in their order; nothing that only a margin shows has come in."""
    texts = [element.text for element in merged.elements if element.text and element.table is None]
    known = [block.body for block in (TITLE, INTRO, CAPTION, END, FOOTER)]
    wanted = [text for text in known if text in texts]
    assert [text for text in texts if text in known] == wanted
    assert {element.text for element in page.elements if element.text in known} <= set(wanted)
    table_words = set(" ".join(ROWS).replace(" & ", " ").split())
    for text in texts:
        assert text in known or set(text.split()) <= table_words | {"365"}
    boxes = [element.bbox for element in merged.elements if element.bbox is not None and not element.text]
    assert all(likeness(box, block.box) < 0.3 for box in boxes for block in (TITLE, INTRO, END))
