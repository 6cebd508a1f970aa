"""LayoutChunker as a process of its own.

python -m benchmarks.chunking.chunk_ours JOB
Options: max_tokens; off: names of the steps that are not taken; others go to LayoutChunker as they are.
"""

from __future__ import annotations

import sys
from typing import Any

from nemoparse_loaders.chunking import LayoutChunker
from nemoparse_loaders.document import ParsedDocument

from .job import Job, lines_of, write


def chunker(tokenizer: str, options: dict[str, Any]) -> LayoutChunker:
    """A LayoutChunker with these options."""
    options = dict(options)
    off = set(options.pop("off", []))
    if "embed_text" in off:
        off.remove("embed_text")
        options["embed"] = "markdown"
    if off:
        from nemoparse_loaders.chunking.steps import Steps

        options["steps"] = Steps(**dict.fromkeys(off, False))
    return LayoutChunker(tokenizer=tokenizer, **options)


def main() -> None:
    job = Job.from_json(sys.argv[1])
    maker = chunker(job.tokenizer, job.options)
    pieces = [
        {"document": line["name"], "text": chunk.text, "embed_text": chunk.embed_text}
        for line in lines_of(job.documents)
        for chunk in maker.chunk(ParsedDocument.from_json(line["parsed"]))
    ]
    write(job.pieces, pieces)


if __name__ == "__main__":
    main()
