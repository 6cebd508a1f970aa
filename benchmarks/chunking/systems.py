"""The configurations that are compared, and running them, each as a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .exchange import Piece, read_pieces
from .job import Job

ROOT = Path(__file__).parents[2]
_MODULES = {
    "ours": "chunk_ours",
    "docling": "chunk_docling",
    "unstructured": "chunk_unstructured",
    "langchain": "chunk_text",
    "llama_index": "chunk_text",
    "fixed": "chunk_text",
    "page": "chunk_text",
}
STEPS = (
    "furniture",
    "levels",
    "joins",
    "captions",
    "bindings",
    "sections",
    "header_rows",
    "overlap",
    "paths",
    "embed_text",
)


@dataclass(frozen=True)
class Configuration:
    """A chunker with its options.

    Attributes:
        system: Which chunker.
        label: In reports; unique.
        options: As its process takes them.
    """

    system: str
    label: str
    options: dict[str, Any] = field(default_factory=dict)


def compared() -> list[Configuration]:
    """Every system in the sizes that are usual for it."""
    found: list[Configuration] = []
    for size in (256, 512):
        found.append(Configuration("ours", f"ours {size}", {"max_tokens": size}))
        found.extend(
            Configuration(
                "docling", f"docling {serializer} {size}", {"max_tokens": size, "serializer": serializer}
            )
            for serializer in ("default", "markdown")
        )
        overlap = size * 15 // 100
        found.append(
            Configuration(
                "langchain",
                f"langchain {size}",
                {"name": "langchain", "max_tokens": size, "overlap": overlap},
            )
        )
        found.append(
            Configuration(
                "llama_index",
                f"llama_index {size}",
                {"name": "llama_index", "max_tokens": size, "overlap": overlap},
            )
        )
        found.append(
            Configuration(
                "fixed",
                f"fixed {size}+{overlap}",
                {"name": "fixed", "max_tokens": size, "overlap": overlap},
            )
        )
        # Three and a half characters a token, tables included.
        characters = size * 7 // 2
        found.append(
            Configuration(
                "unstructured",
                f"unstructured {characters}",
                {"max_characters": characters, "overlap": 0},
            )
        )
    found.append(Configuration("page", "page", {"name": "page"}))
    return found


def ablations(size: int) -> list[Configuration]:
    """Ours without one step each."""
    return [
        Configuration("ours", f"ours {size} -{step}", {"max_tokens": size, "off": [step]}) for step in STEPS
    ]


def run(
    configuration: Configuration, documents: Path, tokenizer: Path, folder: Path, docling: str
) -> list[Piece]:
    """The chunks of all documents; those that an earlier run left in the folder are taken.

    Args:
        configuration: What to run.
        documents: File of prepared documents.
        tokenizer: A ``tokenizer.json``.
        folder: For the chunks.
        docling: The Python of docling's environment.

    Raises:
        RuntimeError: The process failed; the message has the end of what it said.
    """
    pieces = folder / f"{configuration.label.replace(' ', '_')}.jsonl"
    if not pieces.is_file():
        job = Job(str(documents), str(pieces), str(tokenizer), configuration.options)
        python = docling if configuration.system == "docling" else sys.executable
        module = f"benchmarks.chunking.{_MODULES[configuration.system]}"
        done = subprocess.run(
            [python, "-m", module, job.to_json()], cwd=ROOT, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{configuration.label}: status {done.returncode}\n{done.stderr[-2000:]}")
    return read_pieces(pieces)


def describe(configuration: Configuration) -> str:
    """For the log."""
    return f"{configuration.label} {json.dumps(configuration.options, sort_keys=True)}"
