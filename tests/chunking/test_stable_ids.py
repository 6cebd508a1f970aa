"""Ids of chunks are the same in every process and, with ``root``, on every machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from nemoparse_loaders import DocumentParser, LayoutChunker, ParsedDocument

PRINT = """
import sys
from nemoparse_loaders import LayoutChunker, ParsedDocument
document = ParsedDocument.from_json(open(sys.argv[1], encoding="utf-8").read())
tree = LayoutChunker(max_tokens=48, parents="section").chunk_tree(document)
print(*(chunk.to_json() for chunk in (*tree.parents, *tree.chunks)), sep="\\n")
"""


def test_another_process_in_another_folder_makes_the_same_chunks(
    sample_paper: ParsedDocument, tmp_path: Path
) -> None:
    path = tmp_path / "document.json"
    path.write_text(sample_paper.to_json(), encoding="utf-8")
    tree = LayoutChunker(max_tokens=48, parents="section").chunk_tree(sample_paper)
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])}
        done = subprocess.run(
            [sys.executable, "-c", PRINT, "../document.json"],
            cwd=folder,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            check=True,
        )

        assert done.stdout.splitlines() == [chunk.to_json() for chunk in (*tree.parents, *tree.chunks)]


def test_with_a_root_the_place_of_the_folder_does_not_count(
    make_pdf: Callable[..., bytes], tmp_path: Path
) -> None:
    content = make_pdf("Gearboxes\nThe gearbox has three stages.", "Oil\nIt is changed twice a year.")
    parser, chunker = DocumentParser(backend="cpu"), LayoutChunker(parents="page")
    ids, ids_without = [], []
    for name in ("one", "other machine"):
        path = tmp_path / name / "documents" / "2024" / "report.pdf"
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
        tree = chunker.chunk_tree(parser.parse(path, root=tmp_path / name))
        ids.append([chunk.id for chunk in (*tree.parents, *tree.chunks)])
        ids_without.append([chunk.id for chunk in chunker.chunk(parser.parse(path))])

    assert ids[0] == ids[1]
    assert len(ids[0]) > 1
    assert not set(ids_without[0]) & set(ids_without[1])
