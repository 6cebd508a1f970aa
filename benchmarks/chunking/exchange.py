"""What is handed to the processes of the chunkers, and what they hand back: JSON, a line a document."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nemoparse_loaders.document import ParsedDocument
from nemoparse_loaders.export.markdown import FURNITURE

# A note of our own Markdown, which would only cost the others tokens.
_NOTE = re.compile(r"\n*<!-- cells over several rows or columns are repeated -->")


@dataclass(frozen=True)
class Piece:
    """A chunk of any system.

    Attributes:
        document: Where it comes from.
        text: What a reader gets; tokens of the budget are counted on it.
        embed_text: What the system itself would have embedded.
    """

    document: str
    text: str
    embed_text: str


def prepared(document: ParsedDocument) -> dict[str, Any]:
    """One parsed document in the forms that the peers take."""
    return {
        "name": document.doc_id,
        "parsed": document.to_json(),
        "docling": document.to_docling().export_to_dict(),
        "markdown": _NOTE.sub("", document.to_markdown()),
        "pages": [_NOTE.sub("", page.to_markdown()) for page in document.pages],
        "blocks": [
            {
                "type": element.type,
                # unstructured joins the words of a table by spaces.
                "text": element.text if element.table is None else element.text.replace(" | ", " "),
                "html": element.table.to_html() if element.table is not None else "",
                "page": page.number,
            }
            for page in document.pages
            for element in page.elements
            if element.type not in FURNITURE and element.text.strip()
        ],
    }


def write_documents(path: Path, documents: Iterable[ParsedDocument]) -> None:
    """Write prepared documents."""
    with path.open("w", encoding="utf-8") as out:
        for document in documents:
            out.write(json.dumps(prepared(document)) + "\n")


def read_pieces(path: Path) -> list[Piece]:
    """What `job.write` wrote."""
    with path.open(encoding="utf-8") as lines:
        return [Piece(**json.loads(line)) for line in lines]
