"""What NemotronParseNodeParser says to a name that it does not know."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from llama_index.node_parser.nemotron_parse import NemotronParseNodeParser


def test_a_misspelt_option_is_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(ValidationError, match=r"no option max_token; did you mean max_tokens\?"):
        NemotronParseNodeParser(max_token=256)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("chunk_size", "say max_tokens"),
        ("chunk_overlap", "say overlap_sentences"),
        ("mode", "split= of NemotronParseReader"),
    ],
)
def test_an_option_of_another_splitter_is_refused_with_ours(name: str, told: str) -> None:
    with pytest.raises(ValidationError, match=f"no option {name}; .*{told}"):
        NemotronParseNodeParser(**{name: 256})


def test_the_name_that_llama_index_adds_is_none_of_the_options() -> None:
    stored = {"class_name": "NemotronParseNodeParser", "max_tokens": 99}
    assert NemotronParseNodeParser.model_validate(stored).max_tokens == 99
    assert NemotronParseNodeParser.from_dict(stored).max_tokens == 99
