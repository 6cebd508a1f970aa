"""What loader, blob parser and chunker say to names that they do not know, and to a chunker that is none."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from langchain_nemotron_parse import NemotronParseBlobParser, NemotronParseChunker, NemotronParseLoader
from nemoparse_loaders import LayoutChunker, OptionError
from nemoparse_loaders.testing import ParseServer

SERVER = "http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"mode": "elements"}, r'no option mode; say split="document", "page", "element"'),
        ({"chunk_size": 256}, r"no option chunk_size; .*chunker=LayoutChunker\(max_tokens=\.\.\., overlap"),
        ({"chunk_overlap": 9}, r"no option chunk_overlap; .*overlap_sentences="),
        ({"splitt": "page"}, r"^there is no option splitt; did you mean split\?$"),
        ({"max_concurency": 2}, r"did you mean max_concurrency\?"),
        ({"zzz": 1}, r"^there is no option zzz$"),
        ({"mode": "single", "zzz": 1}, r"no option mode; .*; there is no option zzz$"),
    ],
)
def test_a_name_of_no_option(options: dict[str, Any], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        NemotronParseBlobParser(base_url=SERVER, **options)
    with pytest.raises(OptionError, match=told):
        NemotronParseLoader("a.pdf", base_url=SERVER, **options)


def test_the_options_of_a_loader_are_its_own() -> None:
    with pytest.raises(OptionError, match=r"did you mean on_file_error\?"):
        NemotronParseLoader("a.pdf", base_url=SERVER, on_file_eror="skip")
    with pytest.raises(OptionError, match="no option root"):
        NemotronParseBlobParser(base_url=SERVER, root="a")


def test_options_of_the_parser_are_taken() -> None:
    loader = NemotronParseLoader("a.pdf", base_url=SERVER, passes="double", progress=print, client=None)
    assert loader.blob_parser.parser.options.passes == "double"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"mode": "elements"}, r"no option mode; .*split= of NemotronParseLoader"),
        ({"chunk_size": 256}, r"no option chunk_size; say max_tokens"),
        ({"chunk_overlap": 9}, r"no option chunk_overlap; say overlap_sentences"),
        ({"min_token": 9}, r"did you mean min_tokens\?"),
        ({"overlap_sentence": 9}, r"did you mean overlap_sentences\?"),
    ],
)
def test_a_name_of_no_option_of_the_chunker(options: dict[str, Any], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        NemotronParseChunker(**options)


@pytest.mark.parametrize(
    ("chunker", "told"),
    [
        (NemotronParseChunker(max_tokens=99), r"not a NemotronParseChunker: give its \.chunker"),
        ("section", r"must be a LayoutChunker, .*not 'section'$"),
        (LayoutChunker, r"must be a LayoutChunker, "),
    ],
    ids=["chunker of LangChain", "text", "class"],
)
def test_a_chunker_that_is_no_layout_chunker(chunker: Any, told: str) -> None:
    with pytest.raises(OptionError, match=told):
        NemotronParseLoader("a.pdf", base_url=SERVER, chunker=chunker)
    with pytest.raises(OptionError, match=told):
        NemotronParseBlobParser(base_url=SERVER, chunker=chunker)


def test_what_the_message_says_works() -> None:
    given = NemotronParseChunker(max_tokens=99).chunker
    assert NemotronParseBlobParser(base_url=SERVER, chunker=given).chunker is given


def test_max_tokens_of_a_loader_is_not_that_of_chunks(caplog: pytest.LogCaptureFixture) -> None:
    NemotronParseLoader("a.pdf", base_url=SERVER, max_tokens=256)
    [record] = caplog.records
    assert record.levelname == "WARNING"
    assert "max_tokens=256 limits the model's reply" in record.message
    assert "chunker=LayoutChunker(max_tokens=" in record.message


def test_chunks_may_be_small_without_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    NemotronParseLoader("a.pdf", base_url=SERVER, chunker=LayoutChunker(max_tokens=64))
    assert not caplog.records


def test_pages_that_need_review_are_in_the_log(
    server: ParseServer, sample_paper: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="nemoparse_loaders"):
        NemotronParseLoader(sample_paper, base_url=server.base_url, pages="1-2").load()
    told = [record.message for record in caplog.records if "review" in record.message]
    assert told == ["sample-paper.pdf: 2 of 2 pages need review: 1, 2"]
