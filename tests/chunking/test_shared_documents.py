"""Chunks of the shared documents, read by the engine for the CPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.chunk_invariants.documents import replies
from nemoparse_loaders import DocumentParser, LayoutChunker, NemoparseError, ParsedDocument
from tests.chunking.invariants import assert_sound, pipe_rows
from tests.chunking.violations import violations

pytestmark = pytest.mark.data

# Scans take seconds a page through OCR, and give the same kinds of elements: these are enough.
_SCANS = ("congress_scan.pdf", "ocr_poster.pdf", "nemotron_multipage.pdf")
_OTHER_SCANS = (
    "2206.01062.tif",
    "hugemono.pdf",
    "lincoln_letter.pdf",
    "ocr_",
    "pypdf_Seige",
    "sample_with_rotation_mismatch.pdf",
    "scan-bad.pdf",
    "test-page-form.pdf",
)
# Of long ones some pages in a row.
_PAGES = {
    "R-intro.pdf": "16-18",
    "asymptote_manual.pdf": "19-21",
    "beamer_talk_slides.pdf": "1-8",
    "circuitikz_vector.pdf": "83-86",
    "eu-004.pdf": "2-8",
    "federal-register-2020-17221.pdf": "5-6",
    "memoir_book.pdf": "263-266",
    "nemotron_multipage.pdf": "1",
    "repeating_references_on_pg9_pg10.pdf": "1-5",
}
_SUFFIXES = (".pdf", ".tif", ".tiff", ".png", ".jpg")


@pytest.fixture(scope="module")
def parsed(data_dir: Path) -> list[ParsedDocument]:
    """Every document that can be read."""
    found = []
    for path in sorted([*(data_dir / "files").iterdir(), *(data_dir / "pages").iterdir()]):
        if path.suffix not in _SUFFIXES or (path.name.startswith(_OTHER_SCANS) and path.name not in _SCANS):
            continue
        try:
            found.append(DocumentParser(backend="cpu", pages=_PAGES.get(path.name)).parse(path))
        # Some of them are there because they cannot be read.
        except NemoparseError:
            continue
    return found


# Each option once, at small and large budgets. `benchmarks.chunk_invariants` has more, for all pages.
WAYS: list[dict[str, Any]] = [
    {"max_tokens": 512, "parents": "section"},
    {"max_tokens": 256, "overlap_sentences": 0, "parents": "page", "furniture": "keep"},
    {"max_tokens": 128, "parents": "section", "min_tokens": 32, "pictures": "drop"},
    {"max_tokens": 64, "overlap_sentences": 0, "footnotes": "drop", "toc": "drop"},
]


@pytest.mark.parametrize("options", WAYS)
def test_nothing_is_violated(parsed: list[ParsedDocument], options: dict[str, Any]) -> None:
    chunker = LayoutChunker(**options)
    chunks = 0
    found: list[str] = []
    for document in parsed:
        tree = chunker.chunk_tree(document)
        chunks += len(tree.chunks)
        found += [f"{document.file_name}: {problem}" for problem in violations(document, chunker, tree)]

    assert found == []
    assert len(parsed) > 40
    assert chunks > 200


@pytest.mark.parametrize("options", WAYS[:3])
def test_nothing_is_violated_in_recorded_replies(data_dir: Path, options: dict[str, Any]) -> None:
    chunker = LayoutChunker(**options)
    documents = list(replies(data_dir))
    found = [
        f"{document.file_name}: {problem}"
        for document in documents
        for problem in violations(document, chunker)
    ]

    assert found == []
    assert len(documents) > 100


def test_the_same_document_has_the_same_chunks(parsed: list[ParsedDocument]) -> None:
    chunker = LayoutChunker(max_tokens=48)
    chunks = [chunk for document in parsed for chunk in assert_sound(document, chunker)]

    assert len(chunks) > 200


def test_whole_tables_come_back_from_their_pieces(parsed: list[ParsedDocument]) -> None:
    chunker = LayoutChunker(max_tokens=300)
    whole = LayoutChunker(max_tokens=100_000)
    compared = 0
    for document in parsed:
        pieces: dict[str, list[str]] = {}
        ends: dict[str, int] = {}
        cut: set[str] = set()
        for chunk in chunker.chunk(document):
            table_id = str(chunk.metadata["table_id"])
            start, end = int(chunk.metadata["row_start"]), int(chunk.metadata["row_end"])
            if chunk.metadata["table_parts"] and end > start:
                pieces.setdefault(table_id, []).extend(pipe_rows(chunk)[start - end :])
                # Parts of one row have some of its cells only.
                if start < ends.get(table_id, 0):
                    cut.add(table_id)
                ends[table_id] = end
        for chunk in whole.chunk(document):
            table_id = str(chunk.metadata["table_id"])
            rows = pipe_rows(chunk)[-int(chunk.metadata["row_end"]) :]
            # A part of a row, even if it is the only one, has other columns.
            same_columns = {row.count("|") for row in pieces.get(table_id, ())} == {
                row.count("|") for row in rows
            }
            # A header of several rows is one row of a pipe table, but where it is too long to be a header.
            has_header = pieces.get(table_id, rows)[:1] == rows[:1]
            if len(rows) > 5 and same_columns and has_header and table_id not in cut:
                assert pieces[table_id] == rows, (document.file_name, table_id)
                compared += 1
    assert compared > 10
