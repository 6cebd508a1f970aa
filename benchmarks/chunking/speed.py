"""Processor time of chunking: ours and docling's HybridChunker, in turns, on the same documents.

As a process in docling's environment: python -m benchmarks.chunking.speed JOB
Both count with the same tokenizer file in one process; reading the documents is not measured.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .job import Job, lines_of

if TYPE_CHECKING:
    from .evaluate import Task

RUNS = 3
_ROOT = Path(__file__).parents[2]


def compare(task: Task, tokenizer: Path, docling: str, most_documents: int = 20) -> str:
    """Processor milliseconds a page of each, the best of some runs in turns.

    Args:
        task: Its documents; prepared if an earlier run has left them.
        tokenizer: A ``tokenizer.json``.
        docling: The Python of docling's environment, which has our dependencies as well.
        most_documents: Every n-th document, at most so many.
    """
    from .exchange import write_documents

    task.work.mkdir(parents=True, exist_ok=True)
    chosen = task.documents[:: max(1, len(task.documents) // most_documents)]
    path = task.work / "speed.jsonl"
    write_documents(path, chosen)
    pages = sum(len(document.pages) for document in chosen)
    lines = [f"{task.name}: {len(chosen)} documents, {pages} pages, best of {RUNS} runs in turns"]
    for size in (256, 512):
        job = Job(str(path), "", str(tokenizer), {"max_tokens": size})
        done = subprocess.run(
            [docling, "-m", "benchmarks.chunking.speed", job.to_json()],
            cwd=_ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"status {done.returncode}\n{done.stderr[-2000:]}")
        seconds: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
        for name, value in seconds.items():
            ratio = seconds["ours"] / value
            lines.append(
                f"{size} {name}: {1000 * value / pages:.2f} CPU ms a page; ours takes {ratio:.3f} of it"
            )
    return "\n".join(lines)


def main() -> None:
    from docling_core.types.doc import DoclingDocument

    from nemoparse_loaders.document import ParsedDocument

    from .chunk_docling import chunker as docling_chunker
    from .chunk_ours import chunker as own_chunker

    job = Job.from_json(sys.argv[1])
    size = job.options["max_tokens"]
    lines = lines_of(job.documents)
    ours = [ParsedDocument.from_json(line["parsed"]) for line in lines]
    theirs = [DoclingDocument.model_validate(line["docling"]) for line in lines]

    def run(chunker: Any, documents: list[Any]) -> Callable[[], None]:
        def chunk() -> None:
            for document in documents:
                list(chunker.chunk(document))

        return chunk

    def run_docling(serializer: str) -> Callable[[], None]:
        maker = docling_chunker(job.tokenizer, size, serializer)

        def chunk() -> None:
            for document in theirs:
                for piece in maker.chunk(document):
                    maker.contextualize(piece)

        return chunk

    work = {
        "ours": run(own_chunker(job.tokenizer, {"max_tokens": size}), ours),
        "docling default": run_docling("default"),
        "docling markdown": run_docling("markdown"),
    }
    best = dict.fromkeys(work, float("inf"))
    for _ in range(RUNS):
        for name, chunk in work.items():
            start = time.process_time()
            chunk()
            best[name] = min(best[name], time.process_time() - start)
    print(json.dumps(best))


if __name__ == "__main__":
    main()
