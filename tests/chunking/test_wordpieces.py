from __future__ import annotations

import pickle
import string
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors

from nemoparse_loaders.chunking import wordpieces
from nemoparse_loaders.chunking.tokens import counter_for
from nemoparse_loaders.chunking.wordpieces import WordPieceCounter, counts_by_words


def bert(*, cleans: bool = True, lowers: bool = True) -> Tokenizer:
    """A small tokenizer of BERT's kind: words of the vocabulary, else letters, else unknown."""
    pieces = ["[UNK]", "[CLS]", "[SEP]", "[MASK]", "gear", "##box", "齿", *string.punctuation]
    pieces += [mark + letter for letter in string.ascii_letters + string.digits for mark in ("", "##")]
    vocabulary = {piece: index for index, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=20))
    tokenizer.normalizer = normalizers.BertNormalizer(clean_text=cleans, lowercase=lowers)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    tokenizer.add_special_tokens(["[CLS]", "[SEP]", AddedToken("[MASK]", lstrip=True)])
    tokenizer.add_tokens(["stage", AddedToken("one", single_word=True)])
    return tokenizer


TOKENIZERS = [bert(), bert(cleans=False), bert(lowers=False)]
# Words, and what normalizers treat in ways of their own: controls, white space, marks, wide and joined forms.
WORDS = ["gear", "gearbox", "one", "stage", "[MASK]", "[SEP]", "-", "2.6", "x" * 25]
PARTINGS = [" ", "\n", "\t", "\r\n", "\x00", "\x1c", "\x85", "\xa0", "\u3000", "\u200b", "\u2028", "\ufffd"]
FORMS = ["\u0301", "İ", "Σ", "é", "齿轮", "한", "ﷺ", "ﬁ"]
SNIPPETS = st.sampled_from([*WORDS, *PARTINGS, *FORMS])
TEXTS = st.lists(SNIPPETS | st.characters(exclude_categories=["Cs"]), max_size=30).map("".join)


@given(text=TEXTS, tokenizer=st.sampled_from(TOKENIZERS))
def test_words_add_up_to_what_the_tokenizer_counts(text: str, tokenizer: Tokenizer) -> None:
    assert counts_by_words(tokenizer)
    assert WordPieceCounter(tokenizer)(text) == len(tokenizer.encode(text).ids)


def test_few_words_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordpieces, "_MOST_WORDS", 2)
    tokenizer = bert()
    count = WordPieceCounter(tokenizer)
    text = "gear box gear one of the gearbox " * 3

    assert count(text) == len(tokenizer.encode(text).ids)


def test_tokenizers_of_berts_kind_are_counted_by_words_and_pickle() -> None:
    count = pickle.loads(pickle.dumps(counter_for(bert())))

    assert isinstance(count, WordPieceCounter)
    assert count("Gearbox one\ntwo") == 2 + 2 + 1 + 3


def with_metaspace() -> Tokenizer:
    tokenizer = bert()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    return tokenizer


def with_other_normalizer() -> Tokenizer:
    tokenizer = bert()
    tokenizer.normalizer = normalizers.Replace("gear box", "gearbox")
    return tokenizer


def with_a_token_of_two_words() -> Tokenizer:
    tokenizer = bert()
    tokenizer.add_tokens(["gear box"])
    return tokenizer


@pytest.mark.parametrize("make", [with_metaspace, with_other_normalizer, with_a_token_of_two_words])
def test_other_tokenizers_count_whole_texts(make: Callable[[], Tokenizer]) -> None:
    tokenizer = make()

    assert not counts_by_words(tokenizer)
    assert counter_for(tokenizer)("gear box") == len(tokenizer.encode("gear box").ids)
