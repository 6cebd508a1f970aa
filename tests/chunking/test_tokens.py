from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from nemoparse_loaders import LayoutChunker, OptionError
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
