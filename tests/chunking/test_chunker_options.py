"""What LayoutChunker says of its options, and that they stay."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

from nemoparse_loaders import Element, LayoutChunker, OptionError, ParsedDocument, ParsedPage


def test_it_shows_its_options() -> None:
    assert repr(LayoutChunker(64, parents="page")).startswith(
        "LayoutChunker(max_tokens=64, tokenizer=None, overlap_sentences=1, min_tokens=0, parents='page'"
    )
    assert "tokenizer=<len>" in repr(LayoutChunker(tokenizer=len))


def test_it_does_not_change_and_makes_others() -> None:
    chunker = LayoutChunker(64, tokenizer=len, toc="drop")
    with pytest.raises(AttributeError, match=r"with_options\(max_tokens=...\)"):
        chunker.max_tokens = 32
    other = chunker.with_options(max_tokens=32)
    assert (chunker.max_tokens, other.max_tokens) == (64, 32)
    assert other.selection == chunker.selection
    assert other.tokenizer is len
    for twin in (copy.deepcopy(chunker), copy.copy(chunker), pickle.loads(pickle.dumps(chunker))):
        assert repr(twin) == repr(chunker)
    with pytest.raises(OptionError):
        chunker.with_options(max_tokens=3)


@pytest.mark.parametrize("option", ["max_tokens", "overlap_sentences", "min_tokens"])
@pytest.mark.parametrize("value", ["512", 64.0, None, True])
def test_numbers_that_are_none(option: str, value: object) -> None:
    with pytest.raises(OptionError, match=f"{option} must be a whole number"):
        LayoutChunker(**{option: value})  # type: ignore[arg-type]


def test_numbers_of_numpy() -> None:
    chunker = LayoutChunker(np.int64(64), tokenizer=lambda text: np.int64(len(text)))
    page = ParsedPage(number=1, elements=(Element(id="p1e1", type="Text", markdown="Ships.", text="Ships."),))
    [chunk] = chunker.chunk(ParsedDocument(doc_id="d", pages=(page,)))
    assert type(chunker.max_tokens) is int
    assert type(chunk.metadata["n_tokens"]) is int
    assert chunk.metadata["n_tokens"] == 6


def test_tokenizers_that_cannot_be_read(tmp_path: Path) -> None:
    binary = tmp_path / "tokenizer.json"
    binary.write_bytes(b"\xff\xfe\x00\x81")
    for tokenizer in (binary, str(tmp_path), "a--b", "-a/b", "a\0.json"):
        with pytest.raises(OptionError, match="tokenizer"):
            LayoutChunker(tokenizer=tokenizer)
