from __future__ import annotations

from collections import Counter

import pytest

from nemoparse_loaders import LayoutChunker
from nemoparse_loaders.chunking.parents import Parents
from nemoparse_loaders.chunking.split import split_document
from nemoparse_loaders.chunking.tokens import KeptCounts, estimate_tokens
from nemoparse_loaders.document import ParsedDocument


@pytest.mark.parametrize("max_tokens", [48, 256])
@pytest.mark.parametrize("parents", [None, "section", "page"])
def test_no_text_of_a_document_is_counted_twice(
    sample_paper: ParsedDocument, max_tokens: int, parents: Parents | None
) -> None:
    counted: Counter[str] = Counter()

    def count(text: str) -> int:
        counted[text] += 1
        return estimate_tokens(text)

    chunker = LayoutChunker(max_tokens, count, min_tokens=max_tokens // 4, parents=parents)
    for chunks in (chunker.chunk, lambda document: split_document(document, chunker=chunker)):
        counted.clear()
        assert len(chunks(sample_paper)) > 10
        assert set(counted.values()) == {1}


@pytest.mark.parametrize("max_kept", [0, 300, 20_000])
def test_what_is_kept_is_bounded_and_changes_no_chunk(
    sample_paper: ParsedDocument, monkeypatch: pytest.MonkeyPatch, max_kept: int
) -> None:
    chunks = LayoutChunker(128, parents="section").chunk_tree(sample_paper)
    monkeypatch.setattr("nemoparse_loaders.chunking.tokens._MOST_KEPT_CHARACTERS", max_kept)

    assert LayoutChunker(128, parents="section").chunk_tree(sample_paper) == chunks


def test_counts_are_dropped_past_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nemoparse_loaders.chunking.tokens._MOST_KEPT_CHARACTERS", 10)
    asked: list[str] = []

    def ask(text: str) -> int:
        asked.append(text)
        return len(text)

    count = KeptCounts(ask)

    assert [count(text) for text in ("aaaa", "bbbb", "aaaa", "cccc", "cccc", "aaaa")] == [4] * 6
    assert asked == ["aaaa", "bbbb", "cccc", "aaaa"]


def test_a_number_of_tokens_is_that_of_what_is_embedded(sample_paper: ParsedDocument) -> None:
    chunker = LayoutChunker(64, lambda text: len(text) // 3 + 1, parents="page")

    for chunk in [chunk for level in chunker.chunk_tree(sample_paper) for chunk in level]:
        assert chunk.metadata["n_tokens"] == len(chunk.embed_text) // 3 + 1 <= 64
