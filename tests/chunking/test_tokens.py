from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from nemoparse_loaders import LayoutChunker, MissingDependencyError, OptionError
from nemoparse_loaders.chunking.tokens import counter_for, estimate_tokens


def word_tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "[PAD]": 1}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return tokenizer


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 2),
        ("gear", 3),
        ("gearbox", 4),
        ("a b, c", 6),
        ("12,714", 2 + 1 + 1 + 2),
        ("  \n\t", 2),
        ("齿轮", 4),
        ("…", 3),
    ],
)
def test_the_estimate_counts_letters_digits_and_signs(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def test_the_estimate_never_falls_when_text_is_added() -> None:
    text = "Wear of the planet stage differed by a factor of 2.6 (see Table 1)."
    counts = [estimate_tokens(text[:end]) for end in range(len(text) + 1)]

    assert counts == sorted(counts)


def test_a_function_counts() -> None:
    assert counter_for(lambda text: len(text.split()))("one two three") == 3


def test_a_tokenizer_counts_all_of_a_text_though_it_is_set_to_cut_and_to_pad() -> None:
    tokenizer = word_tokenizer()
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=8, pad_token="[PAD]", pad_id=1)
    count = counter_for(tokenizer)

    assert count("a b c d e f g h i j") == 10
    assert count("a") == 1
    assert tokenizer.truncation is not None


def test_a_tokenizer_file_counts(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    word_tokenizer().save(str(path))

    assert counter_for(path)("a b c") == 3
    assert counter_for(str(path))("a b c") == 3


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"nowhere\.json"):
        counter_for(tmp_path / "nowhere.json")


def test_a_file_that_is_no_tokenizer_is_named(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text("{}")

    with pytest.raises(OptionError, match=r"other\.json"):
        counter_for(path)


@pytest.mark.parametrize("value", [3, b"tokenizer.json", [len]])
def test_other_values_are_refused(value: object) -> None:
    with pytest.raises(OptionError, match="tokenizer must be"):
        counter_for(value)  # type: ignore[arg-type]


def test_a_function_that_gives_no_number_is_refused() -> None:
    with pytest.raises(OptionError, match="must return a number"):
        counter_for(lambda text: text.split())  # type: ignore[arg-type, return-value]


def test_a_chunker_with_a_tokenizer_pickles() -> None:
    chunker = pickle.loads(pickle.dumps(LayoutChunker(max_tokens=64, tokenizer=word_tokenizer())))

    assert chunker.count("a b c") == 3
    assert chunker.max_tokens == 64


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A local Hugging Face cache that holds the tokenizer of owner/small."""
    snapshot = tmp_path / "hub" / "models--owner--small" / "snapshots" / "0123"
    snapshot.mkdir(parents=True)
    word_tokenizer().save(str(snapshot / "tokenizer.json"))
    (snapshot.parents[1] / "refs").mkdir()
    (snapshot.parents[1] / "refs" / "main").write_text("0123")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


def refuse_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr("socket.socket.connect", refused)
    monkeypatch.setattr("socket.getaddrinfo", refused)


def test_the_tokenizer_of_a_model_in_the_local_cache(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_network(monkeypatch)
    chunker = pickle.loads(pickle.dumps(LayoutChunker(64, tokenizer="owner/small")))

    assert chunker.count("a b c") == 3


@pytest.mark.parametrize("name", ["owner/other", "other"])
def test_a_model_that_is_not_in_the_cache_is_not_fetched(
    hub: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    refuse_network(monkeypatch)
    with pytest.raises(OptionError, match=f"hf download {name} tokenizer.json"):
        counter_for(name)


@pytest.fixture
def encoding(monkeypatch: pytest.MonkeyPatch) -> str:
    """A vocabulary of single bytes, known to tiktoken by name."""
    tiktoken = pytest.importorskip("tiktoken")
    registry = pytest.importorskip("tiktoken.registry")
    registry.list_encoding_names()  # which finds the constructors
    bytes_only = {
        "name": "bytes",
        "pat_str": r"(?s).",
        "mergeable_ranks": {bytes([value]): value for value in range(256)},
        "special_tokens": {"<|endoftext|>": 256},
    }
    monkeypatch.setitem(registry.ENCODING_CONSTRUCTORS, "bytes", lambda: bytes_only)
    monkeypatch.setitem(tiktoken.model.MODEL_TO_ENCODING, "some-embedder", "bytes")
    return "bytes"


def test_an_encoding_of_tiktoken(encoding: str) -> None:
    assert counter_for("tiktoken:bytes")("héé") == 5
    assert counter_for("tiktoken:some-embedder")("abc") == 3
    assert counter_for("tiktoken:bytes")("<|endoftext|>") == 13
    assert pickle.loads(pickle.dumps(LayoutChunker(64, tokenizer="tiktoken:bytes"))).count("abc") == 3


def test_a_name_that_tiktoken_does_not_know(encoding: str) -> None:
    with pytest.raises(OptionError, match=r"no model 'nothing'.*bytes"):
        counter_for("tiktoken:nothing")


def test_a_vocabulary_that_cannot_be_fetched(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(name: str) -> None:
        raise ConnectionError("no route to host")

    monkeypatch.setattr("tiktoken.get_encoding", unreachable)
    with pytest.raises(OptionError, match="TIKTOKEN_CACHE_DIR"):
        counter_for("tiktoken:bytes")


def test_without_tiktoken_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(MissingDependencyError, match=r"nemoparse-loaders\[tiktoken\]"):
        counter_for("tiktoken:cl100k_base")
