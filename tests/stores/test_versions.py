"""The versions that docs/stores.md names are those that the tests run with."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_versions_in_the_matrix() -> None:
    pins = "".join(
        (ROOT / "requirements" / name).read_text("utf-8")
        for name in ("constraints.txt", "langchain-milvus.txt")
    )
    pinned = {tuple(line.split(" ;")[0].split("==")) for line in pins.splitlines() if "==" in line}
    names = {"Chroma": "chromadb", "LanceDB": "lancedb", "Milvus Lite": "milvus-lite"}
    table = (ROOT / "docs" / "stores.md").read_text("utf-8").split("For each pair:")[0]
    named = re.findall(r"(?:`([a-z-]+)`|(Chroma|LanceDB|Milvus Lite)) (\d+\.\d+\.\d+)", table)
    assert len(named) > 15
    for package, store, version in named:
        assert (package or names[store], version) in pinned
