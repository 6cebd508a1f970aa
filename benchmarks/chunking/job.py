"""The job of a process that chunks; it needs nothing but the standard library."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Job:
    """What to chunk, how, and where to put the chunks.

    Attributes:
        documents: File of prepared documents (`exchange.write_documents`).
        pieces: File to write.
        tokenizer: A ``tokenizer.json``.
        options: Of the system.
    """

    documents: str
    pieces: str
    tokenizer: str
    options: dict[str, Any]

    def to_json(self) -> str:
        """For a command line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Job:
        """What `to_json` made."""
        return cls(**json.loads(text))


def lines_of(path: str) -> list[dict[str, Any]]:
    """The prepared documents."""
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def write(path: str, pieces: list[dict[str, str]]) -> None:
    """Chunks as `exchange.read_pieces` reads them, those without words left out."""
    with open(path, "w", encoding="utf-8") as out:
        for piece in pieces:
            if piece["text"].strip() and piece["embed_text"].strip():
                out.write(json.dumps(piece) + "\n")
