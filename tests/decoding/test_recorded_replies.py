"""Replies that the model really gave: every word of their bodies is in the elements."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from nemoparse_loaders.decoding import decode_page, encode_page
from nemoparse_loaders.document import Element, ParsedPage

pytestmark = pytest.mark.data

_TOKENS = re.compile(r"</?s>|<(?:predict|output|no)_\w+>|<[xy]_[-0-9.]+>|<class_[^>]*>|<tbc>")
_COMMANDS = re.compile(
    r"\\(?:begin|end)\{\w+\}(?:\{[lcr|]*\})?|\\multi(?:row|column)\{\d+\}\{[^{}]*\}|\\[a-zA-Z]+"
)
_TAGS = re.compile(r"</?(?:table|thead|tbody|tr|td|th|br|sup|sub|u|chart)\b[^>]*>")
_WORD = re.compile(r"[^\W_]+")


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(_TAGS.sub(" ", _COMMANDS.sub(" ", _TOKENS.sub(" ", text)))))


def _said(page: ParsedPage) -> Counter[str]:
    """The words of all elements: of the Markdown, whose spans may say a word more often than the body."""
    return _words("\n".join(element.markdown for element in page.elements))


def _letters(text: str) -> Counter[str]:
    """Letters and digits, raised and lowered ones as plain ones."""
    bare = _TAGS.sub("", _COMMANDS.sub("", _TOKENS.sub("", text)))
    return Counter(character for character in unicodedata.normalize("NFKC", bare) if character.isalnum())


def _bodies_of_json(value: object) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _bodies_of_json(item)
    elif isinstance(value, dict):
        yield str(value.get("text", ""))


def _missing(bodies: str, page: ParsedPage) -> list[str]:
    """Words that the Markdown lacks, and letters that the plain text lacks."""
    text = "\n".join(element.text for element in page.elements)
    return [*(_words(bodies) - _said(page)), *(_letters(bodies) - _letters(text))]


TEXTS = [
    "v1.0_eclair_nvingest_fixture.txt",
    "v1.1_sglang_simple_page.txt",
    "v1.2_house_tables_six_col_truncated.txt",
    "v1.2_missing_end_coords_synthetic.txt",
    "v1.2_mlx_golden_empty_table.txt",
    "v1.2_vllm_vietnamese_court_smoke.txt",
    "v2.0_docling_synthetic_page.txt",
    "v2.0_literal_coord_inside_text_synthetic.txt",
    "v2.0_tag_regex_page_synthetic.txt",
]
CHATS = [
    "v1.1_nim_eq_02.json",
    "v1.1_nim_eq_03.json",
    "v1.1_nim_eq_05.json",
    "v1.1_nim_eq_07.json",
    "v1.1_nim_pqa_test_detection_only_0_00.json",
    "v1.1_nim_pqa_test_markdown_bbox_0_00.json",
    "v1.1_nim_pqa_test_markdown_no_bbox_0_00.json",
]
LINES = [f"v1.1_nimlocal_a_map_page_{number}.jsonl" for number in (1, 5, 10, 14, 19, 20, 24, 25)]


@pytest.mark.parametrize("name", TEXTS)
def test_no_word_of_a_token_reply_is_lost(name: str, data_dir: Path) -> None:
    reply = (data_dir / "outputs" / name).read_text(encoding="utf-8")

    page = decode_page(reply)

    assert not _missing(reply, page)
    assert len(page.elements) == reply.count("<class_") or "truncated" in name


@pytest.mark.parametrize("name", CHATS)
def test_no_word_of_a_tool_call_is_lost(name: str, data_dir: Path) -> None:
    chat = json.loads((data_dir / "outputs" / name).read_text(encoding="utf-8"))
    choice = chat["choices"][0]
    reply = choice["message"]["tool_calls"][0]["function"]["arguments"]

    page = decode_page(reply, choice["finish_reason"], profile="1.1")

    assert page.status == "ok"
    assert not _missing("\n".join(_bodies_of_json(json.loads(reply))), page)


@pytest.mark.parametrize("name", LINES)
def test_no_word_of_a_page_is_lost_when_it_is_printed_and_read(name: str, data_dir: Path) -> None:
    lines = (data_dir / "outputs" / name).read_text(encoding="utf-8").splitlines()
    items = [json.loads(line) for line in lines if line.strip()]
    elements = []
    for item in items:
        box = item["bbox"]
        corners = [[box["xmin"], box["ymin"]], [box["xmax"], box["ymax"]]]
        text = item["data"].get("content", "")
        opened = f"<x_{corners[0][0]}><y_{corners[0][1]}>"
        elements.append(f"{opened}{text}<x_{corners[1][0]}><y_{corners[1][1]}><class_{item['type']}>")
    reply = "\n\n".join(elements)

    page = decode_page(reply)
    again = decode_page(encode_page(page.elements))

    assert len(page.elements) == len(elements)
    assert not _missing(reply, page)
    assert [_without_box(element) for element in again.elements] == [
        _without_box(element) for element in page.elements
    ]


def _without_box(element: Element) -> dict[str, object]:
    return element.model_dump(exclude={"bbox"})


def test_the_failures_of_the_hosted_model_are_marked(data_dir: Path) -> None:
    text = (data_dir / "outputs" / "hosted_failure_shapes_synthetic.txt").read_text(encoding="utf-8")
    assert text.count("finish") == 3

    assert decode_page("", "stop").status == "failed"
    babble = decode_page("<table" + "!" * 30, "stop")
    assert "!!!" in babble.elements[0].text
    assert decode_page("<x_" * 40, "length").status == "partial"
