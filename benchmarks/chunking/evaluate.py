"""Runs configurations, and keeps the result of each with a line in the log."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tokenizers import Tokenizer

from nemoparse_loaders.document import ParsedDocument

from .exchange import Piece, write_documents
from .recall import Asked, Found, measure
from .retrieve import Bm25, Dense, MiniLm, Retriever, WordLlamaEmbedder
from .systems import ROOT, Configuration, describe, run
from .words import plain

RETRIEVERS = ("bm25", "wordllama", "minilm")
TREATMENTS: dict[str, Callable[[Piece], str]] = {
    "own": lambda piece: piece.embed_text,
    "plain": lambda piece: plain(piece.embed_text) or piece.embed_text,
}


@dataclass(frozen=True)
class Task:
    """A set of documents with questions.

    Attributes:
        name: Of the set.
        work: Folder for all that is written.
        part: Which part of the set it is; empty for all.
        documents: Parsed.
        questions: About them.
        kinds: Question -> kind.
        together: All of the evidence has to be in one chunk, else each part of it counts.
    """

    name: str
    work: Path
    documents: Sequence[ParsedDocument]
    questions: Sequence[Asked]
    kinds: dict[str, str]
    together: bool = False
    part: str = ""

    @property
    def results(self) -> Path:
        """Folder of its results."""
        return self.work / f"results{'-' if self.part else ''}{self.part}"


@dataclass(frozen=True)
class Result:
    """What one configuration found with one retriever.

    Attributes:
        label: The configuration's.
        treatment: What was embedded.
        retriever: Which one.
        read: What the reader gets, and the budget counts: the "text" of a chunk, or what is "embedded".
        version: Of our own code, as a digest; empty for others.
        chunks: How many.
        tokens: Mean length of a chunk's text.
        found: By question.
    """

    label: str
    treatment: str
    retriever: str
    read: str
    version: str
    chunks: int
    tokens: float
    found: list[Found]


def evaluate(
    task: Task,
    configurations: Sequence[Configuration],
    retrievers: Sequence[str],
    treatments: Sequence[str],
    read: str,
    tokenizer_file: Path,
    docling: str,
    threads: int,
) -> None:
    """Run all that has no result yet; ours is run again whenever its code changed."""
    folder = task.results
    folder.mkdir(parents=True, exist_ok=True)
    (task.work / "chunks").mkdir(exist_ok=True)
    documents = task.work / "documents.jsonl"
    if not documents.is_file():
        write_documents(documents, task.documents)
    tokenizer = Tokenizer.from_file(str(tokenizer_file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    domain_of = {question.document: question.domain for question in task.questions}
    made: dict[str, Retriever] = {}
    for name in retrievers:
        for configuration in configurations:
            version = own_version() if configuration.system == "ours" else ""
            for treatment in treatments:
                path = folder / file_name(configuration.label, treatment, name, read)
                if path.is_file() and json.loads(path.read_text(encoding="utf-8"))["version"] == version:
                    continue
                chunks = task.work / "chunks" / (version or "peers")
                chunks.mkdir(exist_ok=True)
                pieces = run(configuration, documents, tokenizer_file, chunks, docling)
                pieces = [piece for piece in pieces if piece.document in domain_of]
                if name not in made:
                    made[name] = _retriever(name, tokenizer_file, task.work / "vectors", threads)
                embedded = [TREATMENTS[treatment](piece) for piece in pieces]
                if read == "embedded":
                    pieces = [replace(piece, text=piece.embed_text) for piece in pieces]
                found = measure(pieces, embedded, task.questions, domain_of, made[name], tokenizer)
                tokens = _mean_length(pieces, tokenizer)
                result = Result(
                    configuration.label, treatment, name, read, version, len(pieces), tokens, found
                )
                path.write_text(json.dumps(asdict(result)), encoding="utf-8")
                _log(task, f"{describe(configuration)} {treatment} {name} {read} {version}".rstrip())


def results(task: Task) -> list[Result]:
    """All results that are there."""
    found: list[Result] = []
    for path in sorted(task.results.glob("*.json")):
        row = json.loads(path.read_text(encoding="utf-8"))
        items = [
            Found(item["question"], item["document"], tuple(item["recall"]), tuple(item["whole"]))
            for item in row.pop("found")
        ]
        found.append(Result(**row, found=items))
    return found


def file_name(label: str, treatment: str, retriever: str, read: str) -> str:
    """Of a result."""
    return f"{label} {treatment} {retriever} {read}".replace(" ", "_") + ".json"


def own_version() -> str:
    """A digest of the chunker's code."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "nemoparse_loaders" / "chunking").glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:10]


def _retriever(name: str, tokenizer: Path, vectors: Path, threads: int) -> Retriever:
    if name == "bm25":
        return Bm25()
    return Dense(MiniLm(tokenizer, threads) if name == "minilm" else WordLlamaEmbedder(), vectors)


def _mean_length(pieces: Sequence[Piece], tokenizer: Tokenizer) -> float:
    encoded = tokenizer.encode_batch([piece.text for piece in pieces], add_special_tokens=False)
    return sum(len(item.ids) for item in encoded) / len(pieces)


def _log(task: Task, text: str) -> None:
    stamp = time.strftime("%Y-%m-%d %H:%M:%S")
    with (task.work / "log.txt").open("a", encoding="utf-8") as log:
        log.write(f"{stamp} {task.name} {task.part or 'all'} {text}\n")
