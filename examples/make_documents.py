"""Writes the sample documents: a paper as PDF, two of its pages as a scan, and what is in them as JSON.

Run it from anywhere: ``python examples/make_documents.py [--out DIR]``. It needs reportlab (dependency group
``test``). The same versions of reportlab, pypdfium2 and Pillow give the same bytes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from sample_paper.paper import write_paper
from sample_paper.scan import write_scan

SCANNED_PAGES = (2, 3)


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the sample documents.")
    parser.add_argument(
        "--out", type=Path, default=Path(__file__).parent / "documents", help="folder to write to"
    )
    out: Path = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    write_paper(out / "sample-paper.pdf", out / "sample-paper.expected.json")
    write_scan(out / "sample-paper.pdf", SCANNED_PAGES, out / "sample-scan.tiff")


if __name__ == "__main__":
    main()
