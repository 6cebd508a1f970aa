"""OHR-Bench's development domains: its questions, and its documents as parsed documents."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from nemoparse_loaders.document import ParsedDocument

from .pages import document_of

# "academic" has page texts but no questions at that commit. The other domains are the test, kept aside.
DOMAINS = ("academic", "paper", "manual", "law")
COMMIT = "1f421eb"
# Some of the evidence has lost backslashes: "\\times" was read as a tab and "imes".
_LOST = re.compile("[\a\b\t\v\f\r](?=[a-zA-Z])")
_LETTERS = {"\a": "a", "\b": "b", "\t": "t", "\v": "v", "\f": "f", "\r": "r"}


@dataclass(frozen=True)
class Question:
    """A question and where its answer stands.

    Attributes:
        id: Its identifier in the data.
        domain: Only documents of this domain are searched.
        document: The one that answers it.
        kind: "text", "table" or "equation": where the evidence stands.
        text: The question.
        answer: The answer.
        evidence: Passages of the document that answer it.
        page: Page index of the evidence, from 0.
    """

    id: str
    domain: str
    document: str
    kind: str
    text: str
    answer: str
    evidence: tuple[str, ...]
    page: int


def questions(data: Path) -> list[Question]:
    """All questions of the development domains.

    Args:
        data: The repository's folder ``data``, or the one around it.

    Raises:
        FileNotFoundError: It is not there.
    """
    rows = json.loads((_root(data) / "qas.json").read_text(encoding="utf-8"))
    found: list[Question] = []
    for row in rows:
        domain = row["doc_name"].split("/")[0]
        if domain not in DOMAINS:
            continue
        context = row["evidence_context"]
        evidence = [context] if isinstance(context, str) else context
        found.append(
            Question(
                id=row["ID"],
                domain=domain,
                document=row["doc_name"],
                kind=row["evidence_source"],
                text=row["questions"],
                answer=row["answers"],
                evidence=tuple(_LOST.sub(_with_backslash, passage) for passage in evidence),
                page=row["evidence_page_no"],
            )
        )
    return found


def document(data: Path, name: str) -> ParsedDocument:
    """A document of the benchmark."""
    path = _root(data) / "retrieval_base" / "gt" / f"{name}.json"
    pages = json.loads(path.read_text(encoding="utf-8"))
    return document_of(name, [(page["page_idx"], page["text"]) for page in pages])


def _with_backslash(match: re.Match[str]) -> str:
    return "\\" + _LETTERS[match.group()]


def _root(data: Path) -> Path:
    return data if (data / "qas.json").is_file() else data / "data"
