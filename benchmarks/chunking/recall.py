"""Evidence recall: how much of a question's evidence is within the first tokens that are retrieved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tokenizers import Tokenizer

from .exchange import Piece
from .retrieve import Retriever
from .words import covered, letters

BUDGETS = (1000, 2000)


class Asked(Protocol):
    """A question of either set."""

    @property
    def id(self) -> str:
        """Its identifier."""
        ...

    @property
    def domain(self) -> str:
        """Only documents of this domain are searched."""
        ...

    @property
    def document(self) -> str:
        """The one that answers it."""
        ...

    @property
    def text(self) -> str:
        """The question."""
        ...

    @property
    def evidence(self) -> tuple[str, ...]:
        """Passages that answer it."""
        ...


@dataclass(frozen=True)
class Found:
    """What was found for a question.

    Attributes:
        question: Its identifier.
        document: The one that answers it.
        recall: For each budget the share of the evidence in all retrieved text.
        whole: For each budget, whether one retrieved chunk holds all of it.
    """

    question: str
    document: str
    recall: tuple[float, ...]
    whole: tuple[float, ...]


def measure(
    pieces: Sequence[Piece],
    embedded: Sequence[str],
    questions: Sequence[Asked],
    domain_of: dict[str, str],
    retriever: Retriever,
    tokenizer: Tokenizer,
) -> list[Found]:
    """Ask all questions, each among the documents of its domain.

    Args:
        pieces: The chunks of all documents.
        embedded: What is embedded of each.
        questions: With their evidence.
        domain_of: Document -> domain.
        retriever: Ranks.
        tokenizer: Counts the budget, on the text that a reader gets.
    """
    found: list[Found] = []
    encoded = tokenizer.encode_batch([piece.text for piece in pieces], add_special_tokens=False)
    ends = [[end for _, end in item.offsets] for item in encoded]
    plain = [letters(piece.text) for piece in pieces]
    for domain in sorted({question.domain for question in questions}):
        places = [place for place, piece in enumerate(pieces) if domain_of[piece.document] == domain]
        asked = [question for question in questions if question.domain == domain]
        ranks = retriever.rank([embedded[place] for place in places], [question.text for question in asked])
        for question, rank in zip(asked, ranks, strict=True):
            evidence = [letters(text) for text in question.evidence]
            recall: list[float] = []
            whole: list[float] = []
            for budget in BUDGETS:
                texts = _read(question.document, [places[r] for r in rank], pieces, ends, plain, budget)
                recall.append(sum(covered(text, texts) for text in evidence) / len(evidence))
                whole.append(float(any(all(e in text for e in evidence) for text in texts)))
            found.append(Found(question.id, question.document, tuple(recall), tuple(whole)))
    return found


def _read(
    document: str,
    ranked: Sequence[int],
    pieces: Sequence[Piece],
    ends: Sequence[Sequence[int]],
    plain: Sequence[str],
    budget: int,
) -> list[str]:
    """The retrieved texts of one document; the last chunk is cut where the budget ends."""
    texts: list[str] = []
    for place in ranked:
        size = len(ends[place])
        if pieces[place].document == document:
            if size <= budget:
                texts.append(plain[place])
            else:
                texts.append(letters(pieces[place].text[: ends[place][budget - 1]]))
        budget -= size
        if budget <= 0:
            break
    return texts
