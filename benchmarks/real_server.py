"""Pages a second of the parser against a real server, on real PDF pages drawn beside it.

python benchmarks/real_server.py prepare PDF_FOLDER WORK_FOLDER --slices 4 --pages 192
python benchmarks/real_server.py run WORK_FOLDER --slice 0 --base-url http://127.0.0.1:8000 --in-flight 64

`prepare` deals the pages of all PDFs out into slices that share no page, since a server keeps what it has
seen: each slice as one PDF, and as the PNG files that the parser would send, for a client that draws nothing.
`run` reads one slice and prints a line of JSON. Replies are made exactly ``--tokens`` long, so that a server
with random weights does the work of real pages. Both sides of a comparison take different slices in turns.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

from nemoparse_loaders import DocumentParser, ParsedPage
from nemoparse_loaders.rendering import PageRenderer
from nemoparse_loaders.sources import load_source

# The largest picture that Nemotron 3.5 Parse takes; fewer pixels keep its shape.
FULL_SIZE = (1664, 2048)


def main() -> None:
    """Run the command line."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = arguments.add_subparsers(required=True)
    prepare_command = commands.add_parser("prepare")
    prepare_command.add_argument("pdfs", type=Path)
    prepare_command.add_argument("work", type=Path)
    prepare_command.add_argument("--slices", type=int, default=4)
    prepare_command.add_argument("--pages", type=int, default=192)
    prepare_command.set_defaults(call=prepare)
    run_command = commands.add_parser("run")
    run_command.add_argument("work", type=Path)
    run_command.add_argument("--slice", type=int, nargs="+", default=[0], dest="slices")
    run_command.add_argument("--base-url", required=True)
    run_command.add_argument("--in-flight", type=int, help="default: the parser's own choice")
    run_command.add_argument("--tokens", type=int, default=1_000)
    run_command.add_argument("--megapixels", type=float, default=None)
    run_command.add_argument("--render-workers", type=int, default=None)
    run_command.set_defaults(call=run)
    options = arguments.parse_args()
    options.call(options)


def prepare(options: argparse.Namespace) -> None:
    """Deal the pages out: slice k gets every k-th page that has something on it."""
    import pypdfium2 as pdfium

    options.work.mkdir(parents=True, exist_ok=True)
    slices = [pdfium.PdfDocument.new() for _ in range(options.slices)]
    folders = [options.work / f"slice{index}" for index in range(options.slices)]
    for folder in folders:
        folder.mkdir(exist_ok=True)
    dealt = 0
    with ExitStack() as exits:
        files = {
            path: exits.enter_context(PageRenderer(load_source(path)))
            for path in sorted(options.pdfs.glob("*.pdf"))
        }
        # The first page of every file, then the second: the kinds of pages are mixed evenly.
        places = sorted(
            (number, path) for path, pages in files.items() for number in range(1, pages.page_count + 1)
        )
        for number, path in places:
            if dealt == options.slices * options.pages:
                break
            image = files[path].render(number)
            if image.is_blank:
                continue
            index = dealt % options.slices
            (folders[index] / f"p{dealt:05d}.png").write_bytes(image.data)
            with pdfium.PdfDocument(path) as source:
                slices[index].import_pages(source, [number - 1])
            dealt += 1
    for index, document in enumerate(slices):
        document.save(options.work / f"slice{index}.pdf")
    print(f"{dealt} pages in {options.slices} slices")


def run(options: argparse.Namespace) -> None:
    """Read one slice."""
    size = FULL_SIZE
    if options.megapixels is not None:
        share = (options.megapixels * 1e6 / (FULL_SIZE[0] * FULL_SIZE[1])) ** 0.5
        size = (round(FULL_SIZE[0] * share), round(FULL_SIZE[1] * share))
    parser = DocumentParser(
        backend="vllm",
        base_url=options.base_url,
        max_concurrency=options.in_flight,
        max_tokens=options.tokens,
        max_image_size=size,
        timeout=500.0,
        recover=False,
        render_workers=options.render_workers,
        # Random weights print noise: no loop detector, every reply has its full length, and the plainest
        # sampling, so that both sides of a comparison cost the server the same.
        request_options={
            "temperature": 0,
            "top_k": 0,
            "repetition_penalty": 1.0,
            "seed": None,
            "min_tokens": options.tokens,
            "ignore_eos": True,
            "repetition_detection": None,
        },
    )
    began = time.monotonic()
    documents = list(parser.parse_many([options.work / f"slice{index}.pdf" for index in options.slices]))
    seconds = time.monotonic() - began
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    read = [page for document in documents for page in document.pages]
    latency = documents[-1].report.latency if documents[-1].report is not None else None
    pages = sum(page.usage.completion_tokens == options.tokens for page in read)
    print(
        json.dumps(
            {
                "label": "parser",
                "slices": options.slices,
                "size": size,
                "in_flight": options.in_flight,
                "pages": pages,
                "other": [page.issues[-1].message for page in islice(_unread(read), 3)],
                "seconds": round(seconds, 2),
                "pages_s": round(pages / seconds, 3),
                "latency_s": latency.model_dump() if latency is not None else None,
                "cores": {
                    "parser": round((own.ru_utime + own.ru_stime) / seconds, 3),
                    "rendering": round((children.ru_utime + children.ru_stime) / seconds, 3),
                },
                "parent_mb": own.ru_maxrss // (1 if sys.platform == "darwin" else 1024),
                "cpus": os.cpu_count(),
            }
        ),
        flush=True,
    )


def _unread(pages: list[ParsedPage]) -> Iterator[ParsedPage]:
    return (page for page in pages if page.status == "failed" and page.issues)


if __name__ == "__main__":
    main()
