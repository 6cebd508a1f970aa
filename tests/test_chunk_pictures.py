"""docs/chunks.md shows what the chunker does now, and its code runs as it stands there."""

from __future__ import annotations

import re
import shutil
from itertools import combinations
from pathlib import Path

import pytest
from PIL import Image

from docs.chunk_pictures import Tag, place_tags
from docs.draw_chunks import (
    DATA,
    FOLDER,
    PAGE,
    PICTURES,
    TOLERANCE,
    Drawing,
    agree,
    drawing_of,
    parse_and_chunk,
    printed_blocks,
    problems,
    with_blocks,
)

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def drawing() -> Drawing:
    """What would be drawn now."""
    return drawing_of(*parse_and_chunk())


def test_the_pictures_show_what_is_so_now(drawing: Drawing) -> None:
    assert problems(drawing) == [], "run python -m docs.draw_chunks"


def test_the_page_shows_what_it_says(drawing: Drawing) -> None:
    held = {element.number: set(element.chunks) for element in drawing.elements}

    assert held[3] == held[4] == {8}, "a table with its caption"
    assert held[6] == held[25] == {9}, "a paragraph with its footnote"
    assert held[15] == held[16] == {11}, "a list over two columns"
    assert {number for number, chunks in held.items() if not chunks} == {1, 2, 26}, "furniture"
    assert next(chunk.pages for chunk in drawing.chunks if chunk.index == 14) == "2,3"
    assert drawing.metadata["chunk_index"] == 9


def test_another_chunk_is_a_problem(drawing: Drawing) -> None:
    first, *others = drawing.chunks
    longer = first.model_copy(update={"tokens": first.tokens + 1})

    found = problems(drawing.model_copy(update={"chunks": (longer, *others)}))

    assert found == ["docs/images/chunks.json: chunks are others now"]


@pytest.mark.parametrize(
    ("now", "then", "same"),
    [
        ([0.5, 0.25], [0.5 + TOLERANCE / 2, 0.25], True),
        ([0.5, 0.25], [0.5 + TOLERANCE * 2, 0.25], False),
        ({"bboxes": "[[2,0.5,0.5]]"}, {"bboxes": "[[2,0.501,0.5]]"}, True),
        ({"bboxes": "[[2,0.5,0.5]]"}, {"bboxes": "[[3,0.5,0.5]]"}, False),
        ({"n_tokens": 171}, {"n_tokens": 172}, False),
        ([1], [1, 2], False),
        ({"a": 1}, {"b": 1}, False),
    ],
)
def test_only_small_moves_of_boxes_are_let_pass(now: object, then: object, same: bool) -> None:
    assert agree(now, then) is same


def test_a_changed_block_is_put_back(drawing: Drawing) -> None:
    page = PAGE.read_text("utf-8")
    blocks = printed_blocks(Drawing.model_validate_json(DATA.read_text("utf-8")))
    changed = page.replace('"chunk_index": 9', '"chunk_index": 10')

    assert changed != page
    assert with_blocks(changed, blocks) == page
    with pytest.raises(ValueError, match="no place for metadata"):
        with_blocks("# Chunks", blocks)


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_small_and_as_wide_as_a_page_shows_them(name: str) -> None:
    with Image.open(FOLDER / name) as picture:
        assert picture.mode == "P"
        assert 950 <= picture.width <= 1050
        assert 700 <= picture.height <= 1200
    assert (FOLDER / name).stat().st_size < 120_000


def test_labels_stand_beside_the_page_and_never_over_one_another() -> None:
    left, right = (180, 400, 480, 410), (520, 400, 820, 410)
    tags = [Tag(("a label", "of two lines"), (0, 0, 0), box) for box in (left, right) for _ in range(4)]

    places = place_tags(tags)

    for one, other in combinations(places, 2):
        apart = one[2] < other[0] or other[2] < one[0] or one[3] < other[1] or other[3] < one[1]
        assert apart, (one, other)
    assert all(place[2] < left[0] for place in places[:4])
    assert all(place[0] > right[2] for place in places[4:])


def test_the_code_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples" / "documents", tmp_path / "examples" / "documents")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    # The others need files of tokenizers, which tests/chunking/test_tokens.py makes.
    runnable = [block for block in blocks if "tokenizer=" not in block]
    names: dict[str, object] = {}

    for block in runnable:
        exec(compile(block, PAGE.name, "exec"), names)

    assert len(runnable) == 3
    assert sorted(path.suffix for path in (tmp_path / "figures").iterdir()) == [".png"]
