"""What NemotronParseReader says to a name that it does not know."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from pydantic import ValidationError

from llama_index.readers.nemotron_parse import NemotronParseReader
from nemoparse_loaders.testing import ParseServer


@pytest.mark.parametrize(("wrong", "meant"), [("max_concurency", "max_concurrency"), ("splitt", "split")])
def test_a_misspelt_option_is_refused_with_the_one_that_was_meant(wrong: str, meant: str) -> None:
    with pytest.raises(ValidationError, match=f"no option {wrong}; did you mean {meant}\\?"):
        NemotronParseReader(**{wrong: "page"})


def test_a_name_like_no_other_is_refused_too() -> None:
    with pytest.raises(ValidationError, match="no option zzz"):
        NemotronParseReader(zzz=1)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("mode", r'say split="document", "page", "element"'),
        ("chunk_size", r"chunker=LayoutChunker\(max_tokens=\.\.\., overlap_sentences="),
        ("chunk_overlap", r"chunker=LayoutChunker\(max_tokens=\.\.\., overlap_sentences="),
    ],
)
def test_a_name_of_other_readers_is_refused_with_ours(name: str, told: str) -> None:
    with pytest.raises(ValidationError, match=f"no option {name}; .*{told}"):
        NemotronParseReader(**{name: 9})


def test_max_tokens_of_a_reader_is_not_that_of_chunks(
    server: ParseServer, pdf: Path, caplog: pytest.LogCaptureFixture
) -> None:
    reader = NemotronParseReader(base_url=server.base_url, max_tokens=128)
    reader.load_data(pdf)
    reader.load_data(pdf)
    told = [record.message for record in caplog.records if "max_tokens" in record.message]
    assert len(told) == 1
    assert "max_tokens=128 limits the model's reply" in told[0]
    assert "chunker=LayoutChunker(max_tokens=" in told[0]


def test_max_tokens_with_a_client_is_warned_of_once(
    server: ParseServer, pdf: Path, caplog: pytest.LogCaptureFixture
) -> None:
    openai = pytest.importorskip("openai", reason="a client of that library")
    client = openai.OpenAI(base_url=server.base_url, api_key="not-a-real-key")
    NemotronParseReader(client=client, max_tokens=128).load_data(pdf)
    assert [record.message[:14] for record in caplog.records] == ["max_tokens=128"]


def test_pages_that_need_review_are_in_the_log(
    server: ParseServer, sample_paper: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="nemoparse_loaders"):
        NemotronParseReader(base_url=server.base_url, pages="1-2").load_data(sample_paper)
    told = [record.message for record in caplog.records if "review" in record.message]
    assert told == ["sample-paper.pdf: 2 of 2 pages need review: 1, 2"]


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
