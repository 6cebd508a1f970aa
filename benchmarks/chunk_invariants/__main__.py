"""The command line of the check.

python -m benchmarks.chunk_invariants DATA_FOLDER [--kept FOLDER] [--tokenizer FILE] [--few]

Reads every document of the folder with the CPU backend, decodes the recorded replies, chunks all of them in
every way of `variants`, and checks what docs/chunks.md promises: no chunk over its budget, no character or
cell lost or doubled, tables that come back from their pieces, captions and headers in place, flat metadata
with constant keys under 1 KB, ids that are unique, parents and boxes that fit. The chunkers for LlamaIndex
and LangChain are checked at 256 tokens with sections as the parents. The exit status is 1 where anything is
violated.

With ``--ids`` a digest of each document's chunk ids and texts is written to a file; where the file is there
already, it is compared with that: ids must be the same in another process, another working folder and
another place of the data.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from nemoparse_loaders import LayoutChunker, ParsedDocument
from nemoparse_loaders.chunking import ChunkTree
from tests.chunking.violations import violations

from .adapters import adapter_problems
from .documents import files, read, replies
from .variants import variants


def documents(folder: Path, kept: Path | None, only: str, errors: list[str]) -> Iterator[ParsedDocument]:
    """Every document that can be read; the names of the others go to ``errors``."""
    for path in files(folder):
        if only not in path.name:
            continue
        found = read(path, folder, kept)
        if isinstance(found, str):
            errors.append(f"{path.name}: {found}")
        else:
            yield found
    yield from (document for document in replies(folder) if only in document.file_name)


def problems(document: ParsedDocument, chunker: LayoutChunker, tree: ChunkTree) -> list[str]:
    """What is wrong with one document in one way of chunking."""
    found = violations(document, chunker, tree)
    if chunker.parents == "section" and (chunker.max_tokens, chunker.min_tokens) == (256, 0):
        found += adapter_problems(document, chunker, tree)
        if chunker.chunk_tree(document) != tree:
            found.append("the same input gives other chunks")
    return found


def digest(trees: Sequence[ChunkTree]) -> str:
    """A hash of the ids, texts and relations of a document's chunks."""
    found = hashlib.sha256()
    for tree in trees:
        for chunk in (*tree.parents, *tree.chunks):
            found.update(chunk.model_copy(update={"metadata": {}}).to_json().encode("utf-8"))
    return found.hexdigest()[:16]


def main() -> None:
    """Read the command line and do what it says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chunk_invariants", description=__doc__)
    parser.add_argument("data", type=Path, help="folder with files/, pages/, outputs/ and conformance/")
    parser.add_argument("--kept", type=Path, help="folder that keeps what was read for the next run")
    parser.add_argument("--tokenizer", help="a tokenizer.json to count with beside the estimate")
    parser.add_argument("--ids", type=Path, help="file of digests, to compare with or to write")
    parser.add_argument("--only", default="", help="a part of the names of the documents to check")
    parser.add_argument("--few", action="store_true", help="one way of chunking for each budget and counter")
    options = parser.parse_args()
    ways = list(variants(options.tokenizer, few=options.few))
    errors: list[str] = []
    digests: dict[str, str] = {}
    checked: Counter[str] = Counter()
    for document in documents(options.data, options.kept, options.only, errors):
        checked["documents"] += 1
        checked["pages"] += len(document.pages)
        checked["failed pages"] += sum(page.status == "failed" for page in document.pages)
        trees = []
        for name, chunker in ways:
            try:
                tree = chunker.chunk_tree(document)
                found = problems(document, chunker, tree)
            # Whatever is raised is a finding like any other.
            except Exception:  # noqa: BLE001 - what it raises is a finding, and others follow
                tree, found = ChunkTree([], []), [traceback.format_exc(limit=-2)]
            trees.append(tree)
            checked["chunks"] += len(tree.chunks)
            checked["parents"] += len(tree.parents)
            checked["violations"] += len(found)
            for problem in found:
                print(f"{document.file_name}, {name}: {problem}", flush=True)
        digests[document.doc_id] = digest(trees)
        print(f"{document.file_name}: {len(document.pages)} pages", file=sys.stderr, flush=True)
    if options.ids and options.ids.exists():
        before = json.loads(options.ids.read_text(encoding="utf-8"))
        others = [key for key, value in digests.items() if before.get(key) != value]
        checked["violations"] += len(others)
        print(f"{len(digests) - len(others)} of {len(digests)} documents have the ids of {options.ids.name}")
    elif options.ids:
        options.ids.write_text(json.dumps(digests, indent=1), encoding="utf-8")
    print(f"{len(errors)} files cannot be read: {'; '.join(errors)}")
    print(f"{len(ways)} ways of chunking; " + ", ".join(f"{count} {name}" for name, count in checked.items()))
    sys.exit(checked["violations"] > 0)


if __name__ == "__main__":
    main()
