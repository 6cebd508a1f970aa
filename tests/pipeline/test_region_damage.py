"""Pages, pictures and detections that are damaged at random, each in its own way, from one true page."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest

from nemoparse_loaders.document import BBox, ParsedPage
from nemoparse_loaders.pipeline.region_merge import RegionReading, merge_regions
from nemoparse_loaders.pipeline.regions import regions_to_read, wants_reading

from .region_pages import (
    Printed,
    check_numbering,
    page_of,
    plain_words,
    reading_of_region,
    regions_of,
    shown,
    tabular,
    with_margin,
    words_on,
)

KINDS = ("Text", "Text", "Table", "Table", "List-item", "Section-header", "Picture")


def true_page(rng: random.Random, columns: int) -> list[Printed]:
    """Blocks down one column or two, each with words of its own."""
    blocks: list[Printed] = []
    width = 0.8 / columns
    for column in range(columns):
        heights = [rng.uniform(0.03, 0.14) for _ in range(rng.randint(2, 6))]
        y = 0.1
        for height in heights:
            x = 0.1 + column * (width + 0.02)
            box = BBox(x, y, min(0.96, x + width - 0.02), y + height)
            blocks.append(_block(rng, len(blocks), box))
            y += height + rng.uniform(0.004, 0.02)
    return blocks


def _block(rng: random.Random, number: int, box: BBox) -> Printed:
    kind = rng.choice(KINDS)
    if kind == "Picture":
        return Printed(kind, box, "")
    if kind != "Table":
        return Printed(kind, box, " ".join(f"w{number}x{at}" for at in range(rng.randint(2, 14))))
    columns, rows = rng.randint(2, 4), rng.randint(2, 6)
    return Printed(
        kind,
        box,
        tabular(
            *(" & ".join(f"t{number}r{row}c{column}" for column in range(columns)) for row in range(rows))
        ),
    )


def damaged(rng: random.Random, block: Printed) -> Printed:
    """One block, read a little wrong."""
    body = block.body
    how = rng.choice(["right", "right", "right", "digit", "row", "merged", "invented", "class", "shift"])
    lines = body.split("\n")
    if how == "shift":
        by = rng.uniform(-0.02, 0.02)
        box = BBox.clamped(block.box.x0, block.box.y0 + by, block.box.x1, block.box.y1 + by)
        return block._replace(box=box)
    if block.kind != "Table":
        if how == "digit" and body:
            return block._replace(body=body.replace("x1", "x9"))
        return block
    if how == "digit":
        return block._replace(body=body.replace("c1", "c9", 1))
    if how == "row" and len(lines) > 4:
        return block._replace(body="\n".join([*lines[:2], *lines[3:]]))
    if how == "merged":
        return block._replace(body="\n".join(line.replace(" & ", " ", 1) for line in lines))
    if how == "invented":
        return block._replace(body="\n".join([*lines[:-2], f"{lines[-2]} \\\\", "made & up 77", lines[-1]]))
    if how == "class":
        return block._replace(
            kind="Text", body=" ".join(body.replace("\\\\", "").replace("&", "").split()[1:-1])
        )
    return block


def read_page(rng: random.Random, truth: list[Printed]) -> list[Printed]:
    kept = [damaged(rng, block) for block in truth if rng.random() > 0.15]
    if kept and rng.random() < 0.25:
        kept = kept[: rng.randint(1, len(kept))]
        kept[-1] = cut(kept[-1])
    return kept


def cut(block: Printed) -> Printed:
    body = block.body[: max(1, len(block.body) * 2 // 3)]
    return block._replace(body=body.rstrip("\\& \n") or "x", open=True)


def detect(rng: random.Random, truth: list[Printed]) -> ParsedPage | None:
    if rng.random() < 0.2:
        return None
    found: list[tuple[str, BBox]] = []
    for block in truth:
        box, kind = block.box, block.kind
        if rng.random() < 0.1:
            continue
        if kind == "Table" and rng.random() < 0.2:
            middle = (box.y0 + box.y1) / 2
            found += [(kind, box._replace(y1=middle)), (kind, box._replace(y0=middle))]
            continue
        by = rng.uniform(-0.01, 0.01)
        found.append((kind, BBox.clamped(box.x0, box.y0 + by, box.x1, box.y1 + by)))
    return regions_of(*found) if found else None


def read_regions(
    rng: random.Random, page: ParsedPage, truth: list[Printed], detected: ParsedPage | None
) -> list[RegionReading]:
    readings = []
    for region in regions_to_read(page, detected):
        if not wants_reading(region, text_in_pictures=False):
            readings.append(RegionReading(region, region.box, ParsedPage(number=1)))
            continue
        blocks = [damaged(rng, block) for block in shown(truth, with_margin(region.box))]
        how = rng.random()
        if how < 0.1:
            blocks = []
        elif how < 0.2 and blocks:
            blocks = [*blocks[:-1], cut(blocks[-1])]
        readings.append(reading_of_region(region, blocks, shift=rng.choice([0.0, 0.0, 0.0, 0.2])))
    return readings


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("seed", range(100))
def test_nothing_is_lost_doubled_or_moved(columns: int, seed: int) -> None:
    rng = random.Random(f"{columns} {seed}")
    truth = true_page(rng, columns)
    page = page_of(read_page(rng, truth))
    readings = read_regions(rng, page, truth, detect(rng, truth))

    merged = merge_regions(page, readings)

    check_numbering(merged)
    assert words_on(page) <= words_on(merged, alternatives=True)
    # Without a witness only the torn end of a cut reading may leave the text itself.
    torn = [set(page.elements[-1].text.split()[-1:])] if page.status == "partial" and page.elements else []
    assert words_on(page) - words_on(merged) <= set().union(*torn)
    _check_order(page, merged)
    counts = Counter(
        word
        for element in merged.elements
        for word in plain_words(element)
        if word not in ("made", "up", "77")
    )
    before = Counter(word for element in page.elements for word in plain_words(element))
    twice = {word for word, count in counts.items() if count > max(1, before[word])}
    # A block that the page's reply was cut in has no box: it is known by its words alone.
    assert not twice or any(element.bbox is None for element in page.elements)


def _check_order(page: ParsedPage, merged: ParsedPage) -> None:
    place = {word: at for at, element in enumerate(merged.elements) for word in plain_words(element)}
    firsts = [
        min((place[word] for word in plain_words(element) if word in place), default=None)
        for element in page.elements
    ]
    known = [at for at in firsts if at is not None]
    assert all(before <= after for before, after in pairwise(known))
