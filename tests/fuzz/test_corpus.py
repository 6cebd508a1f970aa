"""Replays the seed corpus of the fuzzer, and each input cut and doubled, without atheris."""

from __future__ import annotations

from pathlib import Path

import pytest

from .targets import check_reply, check_table

CORPUS = sorted(Path(__file__).with_name("corpus").iterdir())


def test_there_is_a_corpus() -> None:
    assert len(CORPUS) >= 20


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_an_input_of_the_corpus(path: Path) -> None:
    data = path.read_bytes()

    for variant in (data, data[: len(data) // 2], data + data[1:], data[:1] + data[len(data) // 3 :]):
        check_reply(variant)
        check_table(variant)
