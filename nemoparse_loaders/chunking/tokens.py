"""Counting tokens: by a tokenizer of the caller's, or by an estimate that needs no network."""

from __future__ import annotations

import operator
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from ..errors import MissingDependencyError, OptionError
from .wordpieces import WordPieceCounter, counts_by_words

if TYPE_CHECKING:
    from tiktoken import Encoding
    from tokenizers import Tokenizer

_TIKTOKEN = "tiktoken:"

# "bert-base-uncased" or "BAAI/bge-small-en-v1.5".
_MODEL_NAME = re.compile(r"[\w.-]+(?:/[\w.-]+)?\Z")

# What `LayoutChunker` takes as its tokenizer.
TokenizerInput: TypeAlias = "Callable[[str], int] | Tokenizer | str | os.PathLike[str] | None"


class TokenCounter(Protocol):
    """Tells how many tokens a text has for the model that embeds it."""

    def __call__(self, text: str, /) -> int:
        """Number of tokens, the tokenizer's own special tokens included."""
        ...


# Some 1,400 pages: a document's texts are seen several times each while it is cut into chunks.
_MOST_KEPT_CHARACTERS = 8_000_000


class KeptCounts:
    """A counter that asks another one once for each text, as long as one document is worked on.

    Blocks, candidates and finished chunks are often the same text, and a tokenizer takes most of the time of
    chunking. What is kept is bounded: past some millions of characters all of it is dropped.
    """

    def __init__(self, count: TokenCounter) -> None:
        self._count = count
        self._kept: dict[str, int] = {}
        self._characters = 0

    def __call__(self, text: str, /) -> int:
        """As the other counter."""
        tokens = self._kept.get(text)
        if tokens is None:
            tokens = self._count(text)
            self._characters += len(text)
            if self._characters > _MOST_KEPT_CHARACTERS:
                self._kept.clear()
                self._characters = len(text)
            self._kept[text] = tokens
        return tokens


def counter_for(tokenizer: TokenizerInput) -> TokenCounter:
    """The counter that the caller's value stands for.

    Args:
        tokenizer: None for `estimate_tokens`; a function from text to number; a ``tokenizers.Tokenizer``; the
            path of a ``tokenizer.json``; the name of a model, "BAAI/bge-small-en-v1.5", whose
            ``tokenizer.json`` lies in the local Hugging Face cache: nothing is downloaded; or "tiktoken:"
            with the name of an encoding or of an OpenAI model. Truncation and padding set in a tokenizer are
            ignored.

    Raises:
        OptionError: It is none of these, or cannot be read.
        MissingDependencyError: tiktoken is not installed.
    """
    if tokenizer is None:
        return estimate_tokens
    if isinstance(tokenizer, str) and tokenizer.startswith(_TIKTOKEN):
        return _from_tiktoken(tokenizer.removeprefix(_TIKTOKEN))
    if isinstance(tokenizer, (str, os.PathLike)):
        return _from_file(_file_of(tokenizer))
    # Whoever has such an object has loaded the module already.
    module = sys.modules.get("tokenizers")
    if module is not None and isinstance(tokenizer, module.Tokenizer):
        return _counter_of(_whole(tokenizer))
    if not callable(tokenizer):
        raise OptionError(
            "tokenizer must be a function from text to a number, a tokenizers.Tokenizer, the path of a "
            f"tokenizer.json or a name, not {type(tokenizer).__name__}"
        )
    counter = _FunctionCounter(tokenizer)
    counter("probe")
    return counter


_TOKEN = re.compile(r"[A-Za-z]{1,4}|[0-9]{1,2}|[^\sA-Za-z0-9]")


def estimate_tokens(text: str) -> int:
    """A careful estimate for subword vocabularies; it needs no files.

    One token for every four letters of a word and every two digits of a number, begun ones counted whole, and
    one for any other character that is no white space; two tokens for the marks of start and end. For English
    prose and tables this is some 10 to 40 % more than BERT's vocabulary counts, so that a budget holds; for
    other scripts, and for text full of rare abbreviations, give the embedder's own tokenizer.
    """
    return 2 + len(_TOKEN.findall(text))


@dataclass(frozen=True)
class _FunctionCounter:
    function: Callable[[str], int]

    def __call__(self, text: str) -> int:
        counted = self.function(text)
        try:
            if isinstance(counted, bool):
                raise TypeError
            # Numbers of numpy are none of Python's, and no JSON takes them.
            return operator.index(counted)
        except TypeError:
            raise OptionError(
                "the function given as tokenizer must return a number of tokens, not "
                f"{type(counted).__name__}; "
                "for a Hugging Face tokenizer: lambda text: len(tokenizer.encode(text))"
            ) from None


@dataclass(frozen=True)
class _TokenizerCounter:
    tokenizer: Tokenizer

    def __call__(self, text: str) -> int:
        return len(self.tokenizer.encode(text).ids)


@dataclass(frozen=True)
class _TiktokenCounter:
    encoding: Encoding

    def __call__(self, text: str) -> int:
        # Marks of the vocabulary's own that stand in a document are text like any other.
        return len(self.encoding.encode(text, disallowed_special=()))


def _from_tiktoken(name: str) -> TokenCounter:
    try:
        import tiktoken
    except ImportError:
        raise MissingDependencyError(
            f"tokenizer={_TIKTOKEN + name!r} needs tiktoken: pip install 'nemoparse-loaders[tiktoken]'"
        ) from None
    try:
        known = name in tiktoken.list_encoding_names()
        encoding = tiktoken.get_encoding(name) if known else tiktoken.encoding_for_model(name)
    except KeyError:
        raise OptionError(
            f"tokenizer: tiktoken knows no encoding and no model {name!r}; it has "
            + ", ".join(tiktoken.list_encoding_names())
        ) from None
    except OSError as error:
        # It fetches its vocabularies; the errors of its HTTP library are OSErrors.
        raise OptionError(
            f"tokenizer: tiktoken cannot load {name!r}: {type(error).__name__}. It fetches it once; "
            "without a network put it into the folder that TIKTOKEN_CACHE_DIR names"
        ) from error
    return _TiktokenCounter(encoding)


def _file_of(place: str | os.PathLike[str]) -> Path:
    """The file itself, or that of a model in the local Hugging Face cache."""
    path = Path(place)
    if not isinstance(place, str) or path.suffix == ".json" or path.exists() or not _MODEL_NAME.match(place):
        return path
    from huggingface_hub import try_to_load_from_cache

    try:
        found = try_to_load_from_cache(place, "tokenizer.json")
    except ValueError:
        # It is no name of a model: "a--b".
        found = None
    if not isinstance(found, str):
        raise OptionError(
            f"tokenizer: there is no file {place!r}, and the local Hugging Face cache has no tokenizer.json "
            "of a model of that name. Nothing is downloaded here: fetch it once with "
            f"'hf download {place} tokenizer.json', or give the path of the file"
        )
    return Path(found)


def _from_file(path: Path) -> TokenCounter:
    from tokenizers import Tokenizer

    try:
        data = path.read_text(encoding="utf-8")
    except OSError as error:
        raise OptionError(f"tokenizer: {path} cannot be read: {error.strerror}") from error
    # Neither text nor, with a NUL in it, a path.
    except ValueError as error:
        raise OptionError(f"tokenizer: {str(path)!r} is no tokenizer.json: {error}") from error
    try:
        tokenizer = _whole(Tokenizer.from_str(data))
    # The library raises a bare Exception for whatever it cannot read.
    except Exception as error:
        raise OptionError(f"tokenizer: {path} is no tokenizer.json: {error}") from error
    return _counter_of(tokenizer)


def _counter_of(tokenizer: Tokenizer) -> TokenCounter:
    return WordPieceCounter(tokenizer) if counts_by_words(tokenizer) else _TokenizerCounter(tokenizer)


def _whole(tokenizer: Tokenizer) -> Tokenizer:
    """A copy that counts all of a text: published files often cut at 128 or pad up to it."""
    copy: Tokenizer = type(tokenizer).from_str(tokenizer.to_str())
    copy.no_truncation()
    copy.no_padding()
    return copy
