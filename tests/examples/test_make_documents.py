from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from PIL import Image, ImageSequence

ROOT = Path(__file__).parents[2]
DOCUMENTS = ROOT / "examples" / "documents"
FOOTNOTE_ANCHORS = {
    "a": "the play between the teeth.",
    "b": "through a filter of 10 µm as long as",
    "c": "belongs to the reversals.",
}


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folders = tmp_path_factory.mktemp("first"), tmp_path_factory.mktemp("second")
    for folder in folders:
        subprocess.run(
            [sys.executable, str(ROOT / "examples" / "make_documents.py"), "--out", str(folder)], check=True
        )
    return folders


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((DOCUMENTS / "sample-paper.expected.json").read_text(encoding="utf-8"))
    return data


@pytest.fixture(scope="module")
def page_texts() -> list[str]:
    """The text of each page, white space made plain."""
    pdf = pypdfium2.PdfDocument(DOCUMENTS / "sample-paper.pdf")
    try:
        texts = []
        for page in pdf:
            text_page = page.get_textpage()
            texts.append(" ".join(text_page.get_text_bounded().split()))
            text_page.close()
            page.close()
        return texts
    finally:
        pdf.close()


@pytest.mark.parametrize("name", ["sample-paper.pdf", "sample-paper.expected.json"])
def test_two_runs_give_the_same_bytes(two_runs: tuple[Path, Path], name: str) -> None:
    first, second = two_runs

    assert (first / name).read_bytes() == (second / name).read_bytes()


def test_two_runs_give_the_same_pictures(two_runs: tuple[Path, Path]) -> None:
    # Not the same bytes: before version 13 Pillow leaves what stands between the frames to chance.
    first, second = (frames(folder / "sample-scan.tiff") for folder in two_runs)

    assert first == second
    assert len(first) == 2


def frames(path: Path) -> list[bytes]:
    with Image.open(path) as image:
        return [frame.convert("L").tobytes() for frame in ImageSequence.Iterator(image)]


def test_the_files_in_the_repository_come_from_the_script(two_runs: tuple[Path, Path]) -> None:
    made = two_runs[0] / "sample-paper.expected.json"

    assert made.read_text(encoding="utf-8") == (DOCUMENTS / made.name).read_text(encoding="utf-8")


def test_the_paper_has_its_title_and_labels(expected: dict[str, Any]) -> None:
    pdf = pypdfium2.PdfDocument(DOCUMENTS / "sample-paper.pdf")
    try:
        labels = [pdf.get_page_label(index) for index in range(len(pdf))]
        assert pdf.get_metadata_value("Title") == expected["title"]
    finally:
        pdf.close()
    assert labels == expected["page_labels"]
    assert len(labels) == expected["pages"] >= 6


def test_headings_stand_on_the_pages_that_are_told(expected: dict[str, Any], page_texts: list[str]) -> None:
    assert {heading["level"] for heading in expected["headings"]} == {1, 2, 3}
    for heading in expected["headings"]:
        assert heading["text"] in page_texts[heading["page"] - 1]


def test_every_cell_stands_on_one_of_its_tables_pages(
    expected: dict[str, Any], page_texts: list[str]
) -> None:
    for table in expected["tables"]:
        text = " ".join(page_texts[part["page"] - 1] for part in table["parts"])
        assert table["caption"] in text
        for cell in table["cells"]:
            assert all(word in text for word in cell["text"].split()), cell


def test_the_long_table_goes_over_two_pages_with_its_header(
    expected: dict[str, Any], page_texts: list[str]
) -> None:
    oil = next(table for table in expected["tables"] if table["caption"].startswith("Table 2"))
    header = " ".join(cell["text"] for cell in oil["cells"] if cell["row"] == 0)

    assert [part["page"] for part in oil["parts"]] == [3, 4]
    assert sum(part["body_rows"] for part in oil["parts"]) == oil["n_rows"] - oil["header_rows"]
    for part in oil["parts"]:
        assert all(word in page_texts[part["page"] - 1] for word in header.split())


def test_cells_of_the_spanned_table_fill_the_grid_once(expected: dict[str, Any]) -> None:
    loads = expected["tables"][0]
    covered = [
        (row, col)
        for cell in loads["cells"]
        for row in range(cell["row"], cell["row"] + cell["rowspan"])
        for col in range(cell["col"], cell["col"] + cell["colspan"])
    ]

    assert sorted(covered) == [(row, col) for row in range(loads["n_rows"]) for col in range(loads["n_cols"])]
    assert any(cell["rowspan"] > 1 for cell in loads["cells"])
    assert any(cell["colspan"] > 1 for cell in loads["cells"])


def test_footnotes_stand_on_the_page_of_their_marks(expected: dict[str, Any], page_texts: list[str]) -> None:
    for note in expected["footnotes"]:
        assert FOOTNOTE_ANCHORS[note["mark"]] in page_texts[note["page"] - 1]


def test_every_word_of_the_text_is_on_its_pages(expected: dict[str, Any], page_texts: list[str]) -> None:
    for block in expected["blocks"]:
        if block["class"] in ("Formula", "Code"):
            continue
        text = " ".join(page_texts[place["page"] - 1] for place in block["places"])
        words = block["text"].split()
        assert sum(word in text for word in words) >= 0.9 * len(words), block["text"]


def test_no_two_blocks_overlap(expected: dict[str, Any]) -> None:
    places = [(place["page"], place["bbox"]) for block in expected["blocks"] for place in block["places"]]
    places += [(part["page"], part["bbox"]) for table in expected["tables"] for part in table["parts"]]
    for index, (page, (x0, y0, x1, y1)) in enumerate(places):
        assert 0 < x0 < x1 < 1
        assert 0 < y0 < y1 < 1
        for other_page, (u0, v0, u1, v1) in places[index + 1 :]:
            apart = page != other_page or x1 <= u0 or u1 <= x0 or y1 <= v0 + 1e-3 or v1 <= y0 + 1e-3
            assert apart


def test_the_scan_has_two_grey_frames_and_stays_small() -> None:
    path = DOCUMENTS / "sample-scan.tiff"
    with Image.open(path) as image:
        assert getattr(image, "n_frames", 1) == 2
        assert image.mode == "L"
        assert image.info["dpi"] == (200, 200)
        assert image.size == (1654, 2339)
    assert path.stat().st_size < 1_000_000
