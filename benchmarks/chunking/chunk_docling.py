"""docling's HybridChunker as a process of its own, in docling's environment.

python -m benchmarks.chunking.chunk_docling JOB
Options: max_tokens; serializer: "default" (row, column = value) or "markdown".
"""

from __future__ import annotations

import sys
from typing import Any

from .job import Job, lines_of, write


def chunker(tokenizer: str, max_tokens: int, serializer: str) -> Any:
    """A HybridChunker that counts with that tokenizer file."""
    from docling_core.transforms.chunker.hierarchical_chunker import (
        ChunkingDocSerializer,
        ChunkingSerializerProvider,
    )
    from docling_core.transforms.chunker.hybrid_chunker import HybridChunker
    from docling_core.transforms.chunker.tokenizer.huggingface import HuggingFaceTokenizer
    from docling_core.transforms.serializer.markdown import MarkdownTableSerializer
    from transformers import PreTrainedTokenizerFast

    class MarkdownTables(ChunkingSerializerProvider):
        def get_serializer(self, doc: Any) -> Any:
            return ChunkingDocSerializer(doc=doc, table_serializer=MarkdownTableSerializer())

    counter = HuggingFaceTokenizer(
        tokenizer=PreTrainedTokenizerFast(
            tokenizer_file=tokenizer, model_max_length=10**9, pad_token="[PAD]", unk_token="[UNK]"
        ),
        max_tokens=max_tokens,
    )
    if serializer == "markdown":
        return HybridChunker(tokenizer=counter, serializer_provider=MarkdownTables())
    return HybridChunker(tokenizer=counter)


def main() -> None:
    from docling_core.types.doc import DoclingDocument

    job = Job.from_json(sys.argv[1])
    maker = chunker(job.tokenizer, job.options["max_tokens"], job.options["serializer"])
    pieces: list[dict[str, str]] = []
    for line in lines_of(job.documents):
        document = DoclingDocument.model_validate(line["docling"])
        pieces.extend(
            {"document": line["name"], "text": chunk.text, "embed_text": maker.contextualize(chunk)}
            for chunk in maker.chunk(document)
        )
    write(job.pieces, pieces)


if __name__ == "__main__":
    main()
