"""Records as JSON: what goes in comes out."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given

from nemoparse_loaders.pipeline.record import PageRecord
from nemoparse_loaders.pipeline.record_json import record_from_json, record_to_json
from nemoparse_loaders.rendering.page_image import PageEvidence

from .records import record_of, records


@given(records)
def test_a_record_survives_json(record: PageRecord) -> None:
    again = record_from_json(record_to_json(record))
    assert again == record
    assert repr(again) == repr(record)


def test_a_record_that_does_not_say_whether_its_words_are_cut_can_be_read() -> None:
    record = replace(record_of("text"), evidence=PageEvidence(usable=True))
    older = json.loads(record_to_json(record))
    del older["evidence"]["cut"]
    assert record_from_json(json.dumps(older).encode()) == record


@pytest.mark.parametrize(
    "text", ["\ud800", "\ud83d" + "\ude00", "\U0001f600", "\ude00\ud83d", "\x00", "日本語" * 100_000]
)
def test_text_comes_back_code_point_by_code_point(text: str) -> None:
    (part,) = record_from_json(record_to_json(record_of(text))).parts
    assert [*part.reply.text] == [*text]


@pytest.mark.parametrize("data", [b"", b"{}", b"null", b"\xff", b'{"geometry": 1}', b"[" * 100])
def test_anything_else_is_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        record_from_json(data)
