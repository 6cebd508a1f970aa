"""Results as tables: recall by kind of question, and differences to ours with intervals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from .bootstrap import difference, mean
from .evaluate import Result, Task, results
from .recall import BUDGETS, Found

OTHER = {False: "in one chunk", True: "parts of it"}


def tables(task: Task) -> str:
    """All of it, as Markdown."""
    found = results(task)
    kinds = ["all", *sorted(set(task.kinds.values()))]
    lines = [f"{task.name} {task.part}: {len(task.documents)} documents, {len(task.questions)} questions"]
    counts = {kind: len(_of_kind(task, kind)) for kind in kinds}
    lines.append(", ".join(f"{kind} {count}" for kind, count in counts.items()))
    for read in sorted({one.read for one in found}, reverse=True):
        by_read = [one for one in found if one.read == read]
        for retriever in [*sorted({one.retriever for one in by_read}), "embedders"]:
            chosen = [one for one in by_read if one.retriever == retriever]
            if retriever == "embedders":
                chosen = _joined(by_read)
            if chosen:
                lines.extend(_table(task, f"{retriever}, read: {read}", chosen, kinds))
    return "\n".join(lines)


def _table(task: Task, title: str, found: list[Result], kinds: list[str]) -> Iterable[str]:
    head = [f"{kind} {budget}" for budget in BUDGETS for kind in kinds] + [f"{OTHER[task.together]} 1000"]
    yield f"\n### {title}\n"
    yield "| configuration | embedded | chunks | tokens | " + " | ".join(head) + " |"
    yield "|---" * (len(head) + 4) + "|"
    for one in sorted(found, key=lambda one: (one.label, one.treatment)):
        cells = [
            f"{mean(list(_values(task, one, kind, place).values())):.1f}"
            for place in range(len(BUDGETS))
            for kind in kinds
        ]
        cells.append(f"{mean([(item.recall if task.together else item.whole)[0] for item in one.found]):.1f}")
        yield f"| {one.label} | {one.treatment} | {one.chunks} | {one.tokens:.0f} | {' | '.join(cells)} |"
    yield from _differences(task, found, kinds)


def _differences(task: Task, found: list[Result], kinds: list[str]) -> Iterable[str]:
    """Each of ours against the best peer, which is chosen anew for each kind, budget and treatment."""
    document_of = {question.id: question.document for question in task.questions}
    ours = [one for one in found if one.label.startswith("ours")]
    peers = [one for one in found if not one.label.startswith("ours")]
    if not peers or not ours:
        return
    yield "\nDifference to the peer that is best at it, points (95 % interval by documents):\n"
    for one in sorted(ours, key=lambda one: (one.label, one.treatment)):
        for place, budget in enumerate(BUDGETS):
            for kind in kinds:
                own = _values(task, one, kind, place)
                best = max(peers, key=lambda peer: mean(list(_values(task, peer, kind, place).values())))
                theirs = _values(task, best, kind, place)
                yield (
                    f"- {one.label} {one.treatment}, {kind}, {budget} tokens: "
                    f"{difference(own, theirs, document_of)} against {best.label} {best.treatment}"
                )


def _values(task: Task, one: Result, kind: str, place: int) -> dict[str, float]:
    """Question of that kind -> what counts in this set, at that budget."""
    asked = set(_of_kind(task, kind))
    return {
        item.question: (item.whole if task.together else item.recall)[place]
        for item in one.found
        if item.question in asked
    }


def _of_kind(task: Task, kind: str) -> list[str]:
    return [question for question, own in task.kinds.items() if kind in ("all", own)]


def _joined(found: list[Result]) -> list[Result]:
    """The mean of both embedders, for what has been run with both."""
    groups: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for one in found:
        if one.retriever != "bm25":
            groups[one.label, one.treatment].append(one)
    joined: list[Result] = []
    for pair in groups.values():
        if len(pair) != 2 or pair[0].version != pair[1].version:
            continue
        others = {item.question: item for item in pair[1].found}
        joined.append(_mean_of(pair[0], others))
    return joined


def _mean_of(first: Result, others: dict[str, Found]) -> Result:
    items: list[Found] = []
    for item in first.found:
        other = others[item.question]
        recall = tuple((a + b) / 2 for a, b in zip(item.recall, other.recall, strict=True))
        whole = tuple((a + b) / 2 for a, b in zip(item.whole, other.whole, strict=True))
        items.append(Found(item.question, item.document, recall, whole))
    return replace(first, retriever="embedders", found=items)
