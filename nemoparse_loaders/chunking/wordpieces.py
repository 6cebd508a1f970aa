"""Counting tokens word by word, for tokenizers of BERT's kind: each word is looked up once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# Some MB. Longer words are seldom seen twice.
_MOST_WORDS = 50_000
_LONGEST_WORD = 64


class WordPieceCounter:
    """Counts as the tokenizer does, see `counts_by_words`, at a small part of the time.

    It pickles, and may be used by several threads.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._words = _Words(tokenizer)

    def __call__(self, text: str, /) -> int:
        """Number of tokens, special tokens included."""
        # `str.split()` would also cut at characters that BERT takes out of words.
        words = text.replace("\n", " ").split(" ")
        return self._words.special + sum(map(self._words.__getitem__, words))


def counts_by_words(tokenizer: Tokenizer) -> bool:
    """Whether a text has the tokens of its words, parted at blanks and line ends, and a fixed number more.

    It is so where each step works on words or characters: BERT's normalizer and pre-tokenizer, WordPiece,
    templates that add special tokens, and no added token with white space in it.
    """
    parts = json.loads(tokenizer.to_str())
    return (
        _type(parts, "normalizer") == "BertNormalizer"
        and _type(parts, "pre_tokenizer") == "BertPreTokenizer"
        and _type(parts, "model") == "WordPiece"
        and _type(parts, "post_processor") in ("", "BertProcessing", "TemplateProcessing")
        and all(len(token["content"].split()) == 1 for token in parts["added_tokens"])
    )


def _type(parts: dict[str, dict[str, str] | None], name: str) -> str:
    part = parts.get(name)
    return "" if part is None else part["type"]


class _Words(dict[str, int]):
    """Tokens of each word, without special tokens."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        super().__init__()
        self.tokenizer = tokenizer
        self.special = len(tokenizer.encode("").ids)

    def __reduce__(self) -> tuple[type[_Words], tuple[Tokenizer]]:
        return _Words, (self.tokenizer,)

    def __missing__(self, word: str) -> int:
        tokens = len(self.tokenizer.encode(word).ids) - self.special
        if len(word) <= _LONGEST_WORD:
            if len(self) >= _MOST_WORDS:
                self.clear()
            self[word] = tokens
        return tokens
