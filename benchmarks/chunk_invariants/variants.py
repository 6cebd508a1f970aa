"""The ways of chunking that are checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nemoparse_loaders import LayoutChunker

BUDGETS = (512, 256, 64)


def variants(tokenizer: str | None, *, few: bool = False) -> Iterator[tuple[str, LayoutChunker]]:
    """Name and chunker: each budget and counter with and without overlap and parents, and the other options.

    Args:
        tokenizer: Path of a ``tokenizer.json``, beside the estimate that is always taken.
        few: One way for each budget and counter, such that every option is taken.
    """
    for max_tokens in BUDGETS:
        for counter in (None, tokenizer) if tokenizer else (None,):
            ways = list(_options(max_tokens))
            if few:
                ways = [ways[0] if counter is None else ways[-1]]
            elif counter is None:
                ways += _lone_options()
            for options in ways:
                name = ", ".join(f"{key}={value}" for key, value in options.items()) or "defaults"
                label = f"{max_tokens} tokens by {'the tokenizer' if counter else 'the estimate'}, {name}"
                yield label, LayoutChunker(max_tokens, counter, **options)


def _options(max_tokens: int) -> Iterator[dict[str, Any]]:
    yield {"parents": "section"}
    yield {"overlap_sentences": 0, "parents": "page"}
    yield {"parents": "section", "min_tokens": max_tokens // 4, "furniture": "keep"}
    dropped = dict.fromkeys(("pictures", "footnotes", "toc"), "drop")
    others = {"overlap_sentences": 0, "parents": "page", "min_tokens": max_tokens // 4, "furniture": "keep"}
    yield {**others, **dropped}


def _lone_options() -> Iterator[dict[str, Any]]:
    for kind in ("pictures", "footnotes", "toc"):
        yield {"overlap_sentences": 0, kind: "drop"}
