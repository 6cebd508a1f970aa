"""What NemotronParseReader says to a name that it does not know."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from llama_index.readers.nemotron_parse import NemotronParseReader


@pytest.mark.parametrize(("wrong", "meant"), [("max_concurency", "max_concurrency"), ("splitt", "split")])
def test_a_misspelt_option_is_refused_with_the_one_that_was_meant(wrong: str, meant: str) -> None:
    with pytest.raises(ValidationError, match=f"no option {wrong}; did you mean {meant}\\?"):
        NemotronParseReader(**{wrong: "page"})


def test_a_name_like_no_other_is_refused_too() -> None:
    with pytest.raises(ValidationError, match="no option zzz"):
        NemotronParseReader(zzz=1)


def test_the_name_that_llama_index_adds_is_none_of_the_options() -> None:
    reader = NemotronParseReader(split="page", dpi=100)
    dumped = reader.model_dump()
    assert dumped["class_name"] == "NemotronParseReader"
    assert NemotronParseReader.model_validate(dumped).dpi == 100
    assert NemotronParseReader.from_dict(reader.to_dict()).split == "page"


@pytest.mark.parametrize("option", ["root", "cache_dir"])
def test_a_folder_may_be_a_path(option: str) -> None:
    reader = NemotronParseReader(**{option: Path("a") / "folder"})
    assert getattr(reader, option) == str(Path("a", "folder"))
