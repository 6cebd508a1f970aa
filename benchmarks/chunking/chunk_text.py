"""Chunkers of plain text as a process of their own: LangChain, LlamaIndex, fixed size, pages.

python -m benchmarks.chunking.chunk_text JOB
Options: name ("langchain", "llama_index", "fixed", "page"); max_tokens; overlap (tokens).
"""

from __future__ import annotations

import sys
from typing import Any

from tokenizers import Tokenizer

from .job import Job, lines_of, write


def texts_of(line: dict[str, Any], options: dict[str, Any], tokenizer: Tokenizer) -> list[str]:
    """The chunks of one document."""

    def count(text: str) -> int:
        return len(tokenizer.encode(text, add_special_tokens=False).ids)

    name, size = options["name"], options.get("max_tokens", 0)
    if name == "page":
        return list(line["pages"])
    if name == "langchain":
        from langchain_text_splitters import RecursiveCharacterTextSplitter

        return RecursiveCharacterTextSplitter(
            chunk_size=size, chunk_overlap=options["overlap"], length_function=count
        ).split_text(line["markdown"])
    if name == "llama_index":
        from llama_index.core.node_parser import SentenceSplitter

        return SentenceSplitter(
            chunk_size=size,
            chunk_overlap=options["overlap"],
            tokenizer=lambda text: tokenizer.encode(text, add_special_tokens=False).ids,
        ).split_text(line["markdown"])
    if name == "fixed":
        return list(_windows(line["markdown"], size, options["overlap"], tokenizer))
    raise ValueError(f"no chunker is called {name}")


def _windows(text: str, size: int, overlap: int, tokenizer: Tokenizer) -> list[str]:
    offsets = tokenizer.encode(text, add_special_tokens=False).offsets
    windows: list[str] = []
    for start in range(0, len(offsets), size - overlap):
        end = min(start + size, len(offsets))
        windows.append(text[offsets[start][0] : offsets[end - 1][1]])
        if end == len(offsets):
            break
    return windows


def main() -> None:
    job = Job.from_json(sys.argv[1])
    tokenizer = Tokenizer.from_file(job.tokenizer)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    pieces = [
        {"document": line["name"], "text": text, "embed_text": text}
        for line in lines_of(job.documents)
        for text in texts_of(line, job.options, tokenizer)
    ]
    write(job.pieces, pieces)


if __name__ == "__main__":
    main()
