"""The documents of a data folder: files read by the CPU backend, and recorded replies of the model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nemoparse_loaders import DocumentParser, NemoparseError, ParsedDocument, decode_page

# Told beside the files by those who made them.
PASSWORDS = {
    "docling_password_2206.01062_pg3.pdf": "1234",
    "libreoffice-writer-password.pdf": "openpassword",
    "r6-user-password.pdf": "asdfzxcv",
}


def files(folder: Path) -> Iterator[Path]:
    """The documents in the subfolders, in order; lists and notes beside them are left out."""
    for name in ("files", "pages"):
        for path in sorted((folder / name).iterdir()):
            if path.is_file() and path.suffix not in (".tsv", ".md"):
                yield path


def read(path: Path, root: Path, kept: Path | None) -> ParsedDocument | str:
    """The document with ids that hold on every machine; or why there is none.

    Args:
        path: The file.
        root: The data folder.
        kept: Folder that keeps what was read as JSON, for the next run.
    """
    copy = None if kept is None else kept / f"{path.parent.name}-{path.name}.json"
    if copy is not None and copy.exists():
        return ParsedDocument.from_json(copy.read_text(encoding="utf-8"))
    parser = DocumentParser(backend="cpu", password=PASSWORDS.get(path.name), render_workers=1)
    try:
        document = parser.parse(path, root=root)
    except NemoparseError as error:
        return type(error).__name__
    if copy is not None:
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(document.to_json(), encoding="utf-8")
    return document


def replies(folder: Path) -> Iterator[ParsedDocument]:
    """A document of one page for each recorded reply and each case of the decoder's suite."""
    for path in sorted((folder / "outputs").iterdir()):
        if path.suffix == ".txt":
            yield _document(path.name, path.read_text(encoding="utf-8"))
        elif path.suffix == ".json":
            choice = json.loads(path.read_text(encoding="utf-8"))["choices"][0]
            arguments = choice["message"]["tool_calls"][0]["function"]["arguments"]
            yield _document(path.name, arguments, profile="1.1")
        elif path.suffix == ".jsonl":
            lines = path.read_text(encoding="utf-8").splitlines()
            yield _document(path.name, "\n\n".join(_printed(json.loads(line)) for line in lines if line))
    for path in sorted((folder / "conformance" / "cases").glob("*.json")):
        yield _document(path.name, json.loads(path.read_text(encoding="utf-8"))["input"])


def _document(name: str, reply: str, profile: str = "3.5") -> ParsedDocument:
    page = decode_page(reply, profile=profile, image_size=(1664, 2048))
    return ParsedDocument(doc_id=name, source=name, file_name=name, pages=(page,), total_pages=1)


def _printed(item: dict[str, Any]) -> str:
    """An element as the model prints it."""
    box, text = item["bbox"], item["data"].get("content", "")
    corners = f"<x_{box['xmin']}><y_{box['ymin']}>", f"<x_{box['xmax']}><y_{box['ymax']}>"
    return f"{corners[0]}{text}{corners[1]}<class_{item['type']}>"
