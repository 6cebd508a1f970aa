"""ParseServer against recordings of a real vLLM: the recorded requests, sent again, get the same answers."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nemoparse_loaders.testing import ParseServer

pytestmark = pytest.mark.data

MODEL = "nvidia/Nemotron-3.5-Parse"
KEY = "sekret"
CONTEXT = 2048

REFUSED = [
    "err_bad_base64",
    "err_bad_json",
    "err_base64_padding",
    "err_content_type",
    "err_empty_body",
    "err_empty_data",
    "err_empty_messages",
    "err_invalid_utf8",
    "err_json_list",
    "err_max_tokens_negative",
    "err_max_tokens_string",
    "err_max_tokens_too_large",
    "err_max_tokens_zero",
    "err_no_messages",
    "err_not_an_image",
    "err_not_base64_url",
    "err_pdf",
    "err_truncated_png",
    "err_two_images",
    "err_url_scheme",
    "err_wrong_model",
    "method_not_allowed",
    "not_found",
]
ANSWERED = [
    "err_max_tokens_just_too_large",
    "no_image_string_content",
    "no_image_text_only",
    "ok_1x1",
    "ok_image_after_text",
    "ok_jpeg",
    "ok_no_model",
    "ok_skip_special_default",
    "ok_stop",
    "ok_webp",
    "ok_wrong_mime",
    "sampling_params",
    "unknown_field",
    "vllm-0.33.0/repetition_detection_page",
    "models",
    "version",
    "health",
]
KEYED = [
    "key_401_missing",
    "key_401_models",
    "key_401_scheme",
    "key_401_wrong",
    "key_health_open",
    "key_models_ok",
    "key_version_open",
]
# What 0.33 added to the answers of 0.32.
NEWER = {"weight_versions"}


@pytest.fixture(scope="module")
def expected_page(data_dir: Path) -> str:
    recording = json.loads((data_dir / "wire" / "ok_stop.json").read_text(encoding="utf-8"))
    return str(recording["response"]["json"]["choices"][0]["message"]["content"])


@pytest.fixture(scope="module")
def server(expected_page: str) -> Iterator[ParseServer]:
    with ParseServer(replies=expected_page, model=MODEL, max_model_len=CONTEXT) as server:
        yield server


@pytest.fixture(scope="module")
def keyed_server() -> Iterator[ParseServer]:
    with ParseServer(model=MODEL, max_model_len=4096, api_key=KEY) as server:
        yield server


def load(data_dir: Path, name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((data_dir / "wire" / f"{name}.json").read_text(encoding="utf-8"))
    return value


def send_again(server: ParseServer, recording: dict[str, Any]) -> tuple[int, str, str]:
    request = recording["request"]
    headers = {name: value for name, value in request["headers"].items() if name != "Host"}
    body = request.get("body")
    # A byte that is no UTF-8 was recorded as the sign that stands for it.
    raw = None if body is None else body.encode().replace("\ufffd".encode(), b"\xff")
    connection = http.client.HTTPConnection(server.base_url.removeprefix("http://"), timeout=30)
    try:
        connection.request(request["method"], request["path"], raw, headers)
        response = connection.getresponse()
        return response.status, response.headers.get("Content-Type", ""), response.read().decode()
    finally:
        connection.close()


def shape(value: Any) -> Any:
    """The keys of an answer, without its values."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items() if key not in NEWER}
    if isinstance(value, list):
        return [shape(inner) for inner in value[:1]]
    return type(value).__name__


@pytest.mark.parametrize("name", REFUSED)
def test_refused(server: ParseServer, data_dir: Path, name: str) -> None:
    recording = load(data_dir, name)
    status, _, body = send_again(server, recording)
    assert status == recording["response"]["status"]
    assert json.loads(body) == json.loads(recording["response"]["body"])


@pytest.mark.parametrize("name", ANSWERED)
def test_answered(server: ParseServer, data_dir: Path, name: str) -> None:
    recording = load(data_dir, name)
    status, content_type, body = send_again(server, recording)
    recorded = recording["response"]
    assert status == recorded["status"] == 200
    assert content_type.partition(";")[0] == dict(recorded["headers"]).get("content-type", content_type)
    if not recorded["body"]:
        assert body == ""
        return
    assert shape(json.loads(body)) == shape(json.loads(recorded["body"]))
    if name != "ok_no_model" and "choices" in recorded["body"] and name != "unknown_field":
        ours, theirs = (json.loads(text)["choices"][0] for text in (body, recorded["body"]))
        assert ours["message"]["content"] == theirs["message"]["content"]
        assert ours["finish_reason"] == theirs["finish_reason"]


@pytest.mark.parametrize("name", KEYED)
def test_keys(keyed_server: ParseServer, data_dir: Path, name: str) -> None:
    recording = load(data_dir, name)
    status, _, body = send_again(keyed_server, recording)
    assert status == recording["response"]["status"]
    if status == 401:
        assert body == recording["response"]["body"]


def test_metrics_have_the_lines_that_are_read(server: ParseServer, data_dir: Path) -> None:
    recorded = load(data_dir, "metrics_idle")["response"]["body"].splitlines()
    status, _, body = send_again(server, load(data_dir, "metrics_idle"))
    assert status == 200
    for line in body.splitlines():
        name = line.partition(" ")[0]
        assert any(known.partition(" ")[0] == name for known in recorded), line


def test_busy(data_dir: Path) -> None:
    recording = load(data_dir, "overload_503")
    with ParseServer(model=MODEL, max_model_len=4096, slots=1, fail_fast=True, latency_s=0.5) as server:
        statuses: list[tuple[int, str, str]] = []
        threads = [
            threading.Thread(target=lambda: statuses.append(send_again(server, recording))) for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    (refused,) = [answer for answer in statuses if answer[0] == 503]
    assert json.loads(refused[2]) == json.loads(recording["response"]["body"])
