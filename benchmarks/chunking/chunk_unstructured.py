"""unstructured's chunk_by_title as a process of its own.

python -m benchmarks.chunking.chunk_unstructured JOB
Options: max_characters, overlap (characters). It counts characters: its tokens are those of tiktoken only.
"""

from __future__ import annotations

import sys
from typing import Any

from .job import Job, lines_of, write


def elements_of(line: dict[str, Any]) -> list[Any]:
    """The blocks as unstructured's elements."""
    from unstructured.documents import elements as kinds

    made: dict[str, Any] = {
        "Title": kinds.Title,
        "Section-header": kinds.Title,
        "List-item": kinds.ListItem,
        "Table": kinds.Table,
        "Caption": kinds.FigureCaption,
        "Formula": kinds.Formula,
        "Code": kinds.CodeSnippet,
    }
    found: list[Any] = []
    for block in line["blocks"]:
        kind = made.get(block["type"], kinds.NarrativeText)
        metadata = kinds.ElementMetadata(page_number=block["page"])
        if block["html"]:
            metadata.text_as_html = block["html"]
        found.append(kind(text=block["text"], metadata=metadata))
    return found


def main() -> None:
    from unstructured.chunking.title import chunk_by_title

    job = Job.from_json(sys.argv[1])
    pieces: list[dict[str, str]] = []
    for line in lines_of(job.documents):
        chunks = chunk_by_title(
            elements_of(line),
            max_characters=job.options["max_characters"],
            new_after_n_chars=job.options["max_characters"],
            overlap=job.options["overlap"],
        )
        pieces.extend({"document": line["name"], "text": str(c), "embed_text": str(c)} for c in chunks)
    write(job.pieces, pieces)


if __name__ == "__main__":
    main()
