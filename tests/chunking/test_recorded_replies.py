"""Replies of the model as others have published them, decoded and chunked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nemoparse_loaders import LayoutChunker, decode_page
from nemoparse_loaders.document import ParsedDocument
from nemoparse_loaders.export.markdown import FURNITURE
from nemoparse_loaders.export.plain import markdown_to_text

pytestmark = pytest.mark.data


def replies(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and token string of each recorded reply and of each conformance case."""
    for path in sorted((folder / "outputs").glob("*.txt")):
        yield path.name, path.read_text(encoding="utf-8")
    for path in sorted((folder / "conformance" / "cases").glob("*.json")):
        case: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        yield path.name, case["input"]


@pytest.mark.parametrize("max_tokens", [32, 512])
def test_no_word_is_lost_and_no_budget_broken(data_dir: Path, max_tokens: int) -> None:
    chunker = LayoutChunker(max_tokens=max_tokens)
    count = 0
    for name, reply in replies(data_dir):
        page = decode_page(reply, image_size=(1664, 2048))
        document = ParsedDocument(doc_id=name, pages=(page,))
        chunks = chunker.chunk(document)
        count += len(chunks)
        assert all(chunker.count(chunk.embed_text) <= max_tokens for chunk in chunks), name
        assert all("\\begin" not in chunk.embed_text for chunk in chunks), name
        said = " ".join(markdown_to_text(chunk.text) + chunk.embed_text for chunk in chunks)
        if len(reply) > 20_000:
            continue
        whole_words = set(said.split())
        said = "".join(said.replace("\\|", "|").split())
        for element in page.elements:
            if element.type in FURNITURE:
                continue
            words = [word for word in element.text.split() if len(word) < 12 and word != "|"]
            missing = [word for word in words if word not in whole_words and word not in said]
            assert len(missing) <= 0.02 * len(words), (name, element.id, missing)
    assert count > 100
