"""Parses every file of a folder with the CPU backend, each in a process of its own, and writes a table.

python benchmarks/hard_files.py FOLDER... --out docs/hard-files.md [--max-pages 20] [--deadline 600]

A file passes when it parses, or gives a typed error that names it. A crash, an untyped error and a deadline
that passes are failures, and make the exit status 1.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

CHILD = """
import itertools, json, resource, sys
from nemoparse_loaders import DocumentParser, NemoparseError
path, most = sys.argv[1], int(sys.argv[2]) or None
try:
    pages = list(itertools.islice(DocumentParser(backend="cpu").iter_pages(path), most))
except NemoparseError as error:
    out = {"error": type(error).__name__, "message": str(error)}
else:
    out = {
        "statuses": [page.status for page in pages],
        "elements": sum(len(page.elements) for page in pages),
        "tables": sum(len(page.tables) for page in pages),
        "characters": sum(len(element.text) for page in pages for element in page.elements),
        "issues": sorted({issue.code for page in pages for issue in page.issues}),
        "reasons": sorted({i.message for page in pages if page.status == "failed" for i in page.issues}),
    }
out["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(json.dumps(out))
"""

HEAD = """# Hard files

What the CPU backend makes of {count} files: some are known to break document loaders (damaged, encrypted,
huge, rotated, without fonts, in odd colour modes), the others are real documents. Each ran in a process of
its own with `python benchmarks/hard_files.py`; {pages} pages were read. "ok" pages have a whole reply,
"blank" ones have nothing to read. None may hang, crash, or fail without an error that names the file.

| file | result | pages | elements | tables | characters | issues | peak MB |
|---|---|---|---|---|---|---|---|
"""


def run_file(path: Path, max_pages: int, deadline: float) -> dict[str, object]:
    """Parse one file in a child process."""
    command = [sys.executable, "-c", CHILD, str(path), str(max_pages)]
    started = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=deadline, check=False)
    except subprocess.TimeoutExpired:
        return {"failure": f"no end within {deadline:.0f} s"}
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        last = done.stderr.strip().splitlines()[-1:] or [""]
        return {"failure": f"exit status {done.returncode}: {last[0]}"}
    outcome: dict[str, object] = json.loads(lines[-1])
    return {**outcome, "seconds": time.monotonic() - started}


def row(name: str, outcome: dict[str, object]) -> str:
    """One line of the table."""
    if "failure" in outcome:
        return f"| {name} | **{outcome['failure']}** | | | | | | |"
    if "error" in outcome:
        return (
            f"| {name} | {outcome['error']}: {_cell(outcome['message'])} | | | | | | {outcome['peak_mb']} |"
        )
    statuses = [str(status) for status in outcome["statuses"]]  # type: ignore[attr-defined]
    counts = ", ".join(f"{statuses.count(status)} {status}" for status in sorted(set(statuses)))
    reasons = "; ".join(_cell(reason) for reason in outcome["reasons"])  # type: ignore[attr-defined]
    result = f"{counts} ({reasons})" if reasons else counts
    issues = ", ".join(str(code) for code in outcome["issues"])  # type: ignore[attr-defined]
    return (
        f"| {name} | {result} | {len(statuses)} | {outcome['elements']} "
        f"| {outcome['tables']} | {outcome['characters']} | {issues} | {outcome['peak_mb']} |"
    )


def passed(path: Path, outcome: dict[str, object]) -> bool:
    """Whether the outcome is a document, or a typed error that names the file."""
    return "failure" not in outcome and ("error" not in outcome or path.name in str(outcome["message"]))


def files(folders: list[Path]) -> Iterator[Path]:
    """The documents of the folders, in order; lists and references beside them are left out."""
    for folder in folders:
        for path in sorted(folder.iterdir(), key=lambda path: path.name.casefold()):
            if path.is_file() and path.suffix not in (".tsv", ".md"):
                yield path


def _cell(text: object) -> str:
    return str(text).replace("|", "\\|").replace("\n", " ")


def main() -> None:
    """Read the command line and do what it says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--max-pages", type=int, default=0, help="most pages of a file; 0: all")
    parser.add_argument("--deadline", type=float, default=600.0, help="seconds a file may take")
    options = parser.parse_args()
    rows, failures, pages = [], [], 0
    for path in files(options.folders):
        outcome = run_file(path, options.max_pages, options.deadline)
        rows.append(row(path.name, outcome))
        print(rows[-1], f"{outcome.get('seconds', 0):.1f} s", flush=True)
        statuses = outcome.get("statuses", [])
        pages += len(statuses) if isinstance(statuses, list) else 0
        if not passed(path, outcome):
            failures.append(path.name)
    if options.out:
        text = HEAD.format(count=len(rows), pages=pages) + "\n".join(rows) + "\n"
        options.out.write_text(text, "utf-8")
    if failures:
        sys.exit(f"failed: {', '.join(failures)}")


if __name__ == "__main__":
    main()
