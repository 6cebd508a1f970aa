"""LlamaIndex's reader and LangChain's loader over a real vLLM, and over the NIM's wire."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from vllm_fixtures import API_KEY
from vllm_process import VllmProcess

from langchain_nemotron_parse import NemotronParseLoader
from llama_index.readers.nemotron_parse import NemotronParseReader
from nemoparse_loaders import ParsedDocument, Table, split_document
from nemoparse_loaders.testing import ParseServer

# What the tiny checkpoint answers, see tests/vllm_server/script.py: corners in units of 1/1024.
EXPECTED = [
    ("Title", (103, 52, 922, 95), "A tiny heading"),
    ("Text", (104, 120, 921, 210), "First paragraph, with *markup* and café — €."),
    ("Table", (105, 230, 920, 400), None),
    ("Formula", (106, 420, 500, 450), "E = mc^2"),
    ("Picture", (107, 460, 919, 800), ""),
    ("List-item", (108, 810, 918, 860), "- item one\n- item two"),
    ("Chart", (110, 870, 916, 990), None),
    ("Page-footer", (109, 1000, 917, 1020), "page 7 of 9"),
]


@dataclass(frozen=True)
class Engine:
    """How to reach an engine that answers with the tiny checkpoint's page."""

    options: Mapping[str, Any]


@pytest.fixture(params=[pytest.param("vllm", marks=pytest.mark.vllm), "nvidia"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    if request.param == "vllm":
        server: VllmProcess = request.getfixturevalue("vllm_server")
        yield Engine({"base_url": server.base_url, "api_key": API_KEY})
        return
    reply = _scripted_page()
    with ParseServer(replies=reply, api_key="a-key-for-tests") as nim:
        yield Engine({"backend": "nvidia", "base_url": nim.base_url, "api_key": "a-key-for-tests"})
        assert nim.page_requests
        for request_seen in nim.page_requests:
            assert request_seen.path == "/v1/parse"
            assert request_seen.headers["Authorization"] == "Bearer a-key-for-tests"


def _scripted_page() -> str:
    from script import PAGE

    return "".join(PAGE)


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    path = tmp_path / "scan.png"
    picture = Image.new("RGB", (480, 640), "white")
    picture.paste("black", (60, 60, 300, 90))
    picture.save(path)
    return path


def check(document: ParsedDocument) -> None:
    page = document.pages[0]
    assert page.status == "ok"
    assert [element.type for element in page.elements] == [kind for kind, _, _ in EXPECTED]
    for element, (_, corners, text) in zip(page.elements, EXPECTED, strict=True):
        assert element.bbox is not None
        assert element.bbox == pytest.approx([corner / 1024 for corner in corners], abs=1e-4)
        if text is not None:
            assert element.markdown == text or element.text == text
    (table,) = page.tables
    assert isinstance(table, Table)
    assert table.grid() == [["Name", "Qty"], ["bolt", "42"]]
    chart = page.elements[6].chart
    assert chart is not None
    assert (chart.type, chart.title) == ("bar", "Sales")
    assert chart.tables[0].grid()[1:] == [["2024", "10"], ["2025", "12"]]


def test_llama_index_reader(engine: Engine, scan: Path) -> None:
    (document,) = NemotronParseReader(**engine.options).load_data(scan)
    check(ParsedDocument.from_json(document.layout_json))  # type: ignore[attr-defined]
    assert "| bolt | 42 |" in document.text


def test_langchain_loader(engine: Engine, scan: Path) -> None:
    (document,) = NemotronParseLoader(scan, split="document", **engine.options).load()
    check(ParsedDocument.from_json(document.layout_json))  # type: ignore[attr-defined]
    chunks = NemotronParseLoader(scan, **engine.options).load()
    assert any("bolt" in chunk.page_content for chunk in chunks)
    for chunk in chunks:
        assert chunk.metadata["page_number"] == 1
        assert json.loads(chunk.metadata["bboxes"])[0][0] == 1
        assert "page 7 of 9" not in chunk.page_content
    whole = ParsedDocument.from_json(document.layout_json)  # type: ignore[attr-defined]
    assert [chunk.id for chunk in chunks] == [chunk.id for chunk in split_document(whole)]
