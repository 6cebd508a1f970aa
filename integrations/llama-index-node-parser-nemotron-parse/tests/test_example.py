"""The example of the docs, run as it stands on the paper that the project ships, and on a recorded page."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest


def test_the_example_finds_chunks_with_their_place(
    sample_paper: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    example = sample_paper.parent.parent / "llama_index_rag.py"
    monkeypatch.setattr(sys, "argv", [str(example)])
    runpy.run_path(str(example))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("page 10") for line in lines)
