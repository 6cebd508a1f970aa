"""The command line of the benchmark; docs/chunking-benchmark.md says what it measures.

python -m benchmarks.chunking --data DIR --tools DIR --work DIR
"""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path

from . import failures, layout_set, ohr, report, speed
from .evaluate import RETRIEVERS, TREATMENTS, Task, evaluate
from .systems import Configuration, ablations, compared


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chunking", description=__doc__)
    parser.add_argument("--data", type=Path, help="OHR-Bench's repository or its folder data")
    parser.add_argument("--documents", type=Path, help="folder of the second set's documents")
    parser.add_argument("--tools", type=Path, required=True, help="what environment.sh made")
    parser.add_argument("--work", type=Path, required=True, help="folder for chunks, vectors, results, log")
    parser.add_argument("--sets", nargs="+", choices=["ohr", "layout"], default=["ohr"])
    parser.add_argument("--retrievers", nargs="+", choices=list(RETRIEVERS), default=list(RETRIEVERS))
    parser.add_argument("--treatments", nargs="+", choices=list(TREATMENTS), default=list(TREATMENTS))
    parser.add_argument("--read", choices=["text", "embedded"], default="text", help="what the reader gets")
    parser.add_argument("--domains", nargs="+", choices=list(ohr.DOMAINS), default=list(ohr.DOMAINS))
    parser.add_argument("--systems", default="", help="only configurations whose label has this expression")
    parser.add_argument("--ablations", type=int, default=0, help="ours without each step, at this size")
    parser.add_argument("--speed", action="store_true", help="measure processor time only")
    parser.add_argument("--report", action="store_true", help="only print the results that are there")
    parser.add_argument("--failures", default="", help="only list what this configuration misses")
    parser.add_argument("--kind", default="table", help="of the questions that --failures lists")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    if "ohr" in options.sets and options.data is None:
        parser.error("--data must name the folder of OHR-Bench")
    if "layout" in options.sets and options.documents is None:
        parser.error("--documents must name the folder of the second set's documents")
    return options


def task_of(name: str, options: argparse.Namespace) -> Task:
    """The documents and questions of a set."""
    work = options.work.resolve() / name
    if name == "ohr":
        everything = ohr.questions(options.data)
        # The chunks are those of all domains.
        names = sorted({question.document for question in everything})
        documents = [ohr.document(options.data, document) for document in names]
        questions = [question for question in everything if question.domain in options.domains]
        part = "" if set(options.domains) == set(ohr.DOMAINS) else "-".join(options.domains)
        kinds = {question.id: question.kind for question in questions}
        return Task(name, work, documents, questions, kinds, part=part)
    asked, documents = layout_set.load(options.documents)
    return Task(
        name, work, documents, asked, {question.id: question.kind for question in asked}, together=True
    )


def main() -> None:
    options = arguments()
    tools = options.tools.resolve()
    tokenizer, docling = tools / "tokenizer.json", str(tools / "docling" / "bin" / "python")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    configurations: list[Configuration] = ablations(options.ablations) if options.ablations else compared()
    configurations = [one for one in configurations if re.search(options.systems, one.label)]
    for name in options.sets:
        task = task_of(name, options)
        if options.speed:
            print(speed.compare(task, tokenizer, docling))
            continue
        if options.failures:
            print(failures.listed(task, options.failures, options.kind, tokenizer))
            continue
        if not options.report:
            evaluate(
                task,
                configurations,
                options.retrievers,
                options.treatments,
                options.read,
                tokenizer,
                docling,
                options.threads,
            )
        print(report.tables(task))


if __name__ == "__main__":
    main()
