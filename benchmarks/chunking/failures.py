"""Questions whose evidence a configuration does not bring within the budget, grouped by cause."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer

from .evaluate import TREATMENTS, Task, own_version
from .exchange import Piece, read_pieces
from .recall import BUDGETS
from .retrieve import Bm25
from .words import covered, letters

# From this share of the evidence on a question counts as answered.
ENOUGH = 0.9


def listed(task: Task, label: str, kind: str, tokenizer_file: Path) -> str:
    """The misses of a configuration of ours with BM25 on questions of a kind, one paragraph each.

    Causes: "evidence not in the text" (no chunk of the document has it), "cut" (no single chunk has all of
    it), "just behind the budget" (the chunk is within twice the budget), "wrong document" (the chunks that
    were read are of other documents), "other chunk of the document".
    """
    tokenizer = Tokenizer.from_file(str(tokenizer_file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    path = task.work / "chunks" / own_version() / f"{label.replace(' ', '_')}.jsonl"
    pieces = read_pieces(path)
    sizes = [len(tokenizer.encode(piece.text, add_special_tokens=False).ids) for piece in pieces]
    texts = [letters(piece.text) for piece in pieces]
    domain_of = {question.document: question.domain for question in task.questions}
    groups: dict[str, list[str]] = {}
    asked = [question for question in task.questions if task.kinds[question.id] == kind]
    for domain in sorted({question.domain for question in asked}):
        places = [place for place, piece in enumerate(pieces) if domain_of[piece.document] == domain]
        own = [question for question in asked if question.domain == domain]
        ranks = Bm25().rank(
            [TREATMENTS["own"](pieces[place]) for place in places], [question.text for question in own]
        )
        for question, rank in zip(own, ranks, strict=True):
            order = [places[item] for item in rank]
            evidence = [letters(text) for text in question.evidence]
            here = [place for place in places if pieces[place].document == question.document]
            cause, best = _cause(evidence, here, order, texts, sizes, pieces, question.document)
            if cause:
                groups.setdefault(cause, []).append(
                    f"- {question.document}, {question.id}\n  asked: {question.text}\n"
                    f"  evidence: {question.evidence[0][:160]!r}\n  {best}"
                )
    lines: list[str] = []
    for cause, items in sorted(groups.items(), key=lambda group: -len(group[1])):
        lines += [f"\n## {cause}: {len(items)} of {len(asked)}\n", *items]
    return "\n".join(lines)


def _cause(
    evidence: Sequence[str],
    here: Sequence[int],
    order: Sequence[int],
    texts: Sequence[str],
    sizes: Sequence[int],
    pieces: Sequence[Piece],
    document: str,
) -> tuple[str, str]:
    """The cause of a miss, empty for none, and where the best chunk stands."""

    def share(places: Sequence[int]) -> float:
        found = [texts[place] for place in places if pieces[place].document == document]
        return sum(covered(text, found) for text in evidence) / len(evidence)

    read = _within(order, sizes, BUDGETS[0])
    if share(read) >= ENOUGH:
        return "", ""
    if share(here) < ENOUGH:
        return "evidence not in the text", f"all chunks together have {share(here):.0%}"
    best = max(here, key=lambda place: share([place]))
    rank = order.index(best) + 1 if best in order else 0
    said = f"best chunk: rank {rank}, {sizes[best]} tokens, {pieces[best].embed_text[:240]!r}"
    if share([best]) < ENOUGH:
        return "cut", said
    if share(_within(order, sizes, BUDGETS[1])) >= ENOUGH:
        return "just behind the budget", said
    if not any(pieces[place].document == document for place in read):
        return "wrong document", said
    return "other chunk of the document", said


def _within(order: Sequence[int], sizes: Sequence[int], budget: int) -> list[int]:
    """The chunks that are read whole or in part; a part counts as whole here."""
    read: list[int] = []
    for place in order:
        read.append(place)
        budget -= sizes[place]
        if budget <= 0:
            break
    return read
