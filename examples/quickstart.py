"""The main job on the sample paper: Markdown, tables and chunks, with the embedded CPU backend.

python examples/quickstart.py [FILE]
"""

from __future__ import annotations

import sys
from pathlib import Path

from nemoparse_loaders import DocumentParser, LayoutChunker

SAMPLE = Path(__file__).parent / "documents" / "sample-paper.pdf"


def main() -> None:
    path = sys.argv[1] if len(sys.argv) > 1 else SAMPLE
    document = DocumentParser(backend="cpu", show_progress=True).parse(path)
    print(document.to_markdown(page_markers=True))

    print("\n=== Chunks\n")
    for chunk in LayoutChunker(max_tokens=256).chunk(document):
        about = chunk.metadata
        print(f"page {about['page_number']}  {about['chunk_type']}  {about['n_tokens']} tokens")
        print(f"  {about['section_path']}")
        print(f"  {' '.join(chunk.text.split())[:96]}\n")

    report = document.report
    if report is not None:
        print(f"{document.file_name}: {report.ok} of {report.pages} pages read in {report.seconds:.1f} s")


if __name__ == "__main__":
    main()
