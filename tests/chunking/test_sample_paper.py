"""The sample paper, as a perfect parser would give it, in chunks."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from nemoparse_loaders import Chunk, LayoutChunker
from nemoparse_loaders.document import ParsedDocument


@pytest.fixture(scope="module")
def chunks(sample_paper: ParsedDocument) -> list[Chunk]:
    return LayoutChunker(max_tokens=256).chunk(sample_paper)


def holding(chunks: list[Chunk], words: str) -> Chunk:
    return next(chunk for chunk in chunks if words in chunk.text)


def parts_of(chunks: list[Chunk], table: dict[str, Any]) -> list[Chunk]:
    return [chunk for chunk in chunks if str(chunk.metadata["caption"])[:8] == table["caption"][:8]]


@pytest.mark.parametrize(
    ("words", "path", "pages"),
    [
        ("Skerra Sound is a strait", "2 Site and Machines > 2.1 The array", "1"),
        ("The casing holds 180", "2 Site and Machines > 2.2 Drive train > 2.2.2 Lubrication", "2"),
        ("The casts were scanned", "3 Methods > 3.1 Measurements > 3.1.3 Inspection of the teeth", "2"),
        ("A reversal adds a blow", "3 Methods > 3.2 Wear model", "2,3"),
        ("The least squares were", "Appendix A Details of the Fit > A.2 Result and error", "6"),
    ],
)
def test_text_stands_under_its_headings(chunks: list[Chunk], words: str, path: str, pages: str) -> None:
    chunk = holding(chunks, words)

    assert chunk.metadata["section_path"] == path
    assert chunk.metadata["pages"] == pages


def test_the_table_over_two_pages_is_one_table(chunks: list[Chunk], sample_truth: dict[str, Any]) -> None:
    oil = sample_truth["tables"][1]
    parts = parts_of(chunks, oil)

    assert {chunk.metadata["table_id"] for chunk in parts} == {parts[0].metadata["table_id"]}
    assert [chunk.metadata["table_part"] for chunk in parts] == list(range(1, len(parts) + 1))
    edges = [(chunk.metadata["row_start"], chunk.metadata["row_end"]) for chunk in parts]
    assert edges[0][0] == 0
    assert edges[-1][1] == oil["n_rows"]
    assert all(before[1] == after[0] for before, after in pairwise(edges))
    assert [chunk.metadata["pages"] for chunk in parts] == ["3", "3", "3,4", "4", "4", "4"]
    assert all("Survey Turbine Running hours" in chunk.embed_text for chunk in parts)


def test_every_cell_is_in_the_chunk_of_its_row(chunks: list[Chunk], sample_truth: dict[str, Any]) -> None:
    for table in sample_truth["tables"]:
        parts = parts_of(chunks, table)
        for cell in table["cells"]:
            part = next(
                chunk
                for chunk in parts
                if int(chunk.metadata["row_start"]) <= cell["row"] < int(chunk.metadata["row_end"])
            )
            assert cell["text"] in part.embed_text


def test_a_table_with_spans_says_its_labels_in_every_row(chunks: list[Chunk]) -> None:
    assert "North N3 64.5 136.2 35.0 79.3 4.2" in holding(chunks, "Table 1.").embed_text


def test_running_text_goes_around_tables(chunks: list[Chunk]) -> None:
    chunk = holding(chunks, "The inertia holds for the rotor")

    assert "machine in the first week" in chunk.text
    assert "Table 3. Symbols" not in chunk.text


def test_boxes_follow_the_columns(chunks: list[Chunk]) -> None:
    boxes = json.loads(str(holding(chunks, "The procedure was always the same").metadata["bboxes"]))

    assert [box[0] for box in boxes] == [2, 2]
    assert boxes[0][3] < 0.5 < boxes[1][1]


def test_furniture_is_in_no_chunk(chunks: list[Chunk], sample_truth: dict[str, Any]) -> None:
    assert not any(sample_truth["page_header"] in chunk.text for chunk in chunks)
