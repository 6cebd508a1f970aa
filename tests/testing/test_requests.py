"""What is kept of a request, with checks and without."""

from __future__ import annotations

import json

import pytest

from nemoparse_loaders.testing import ParseServer, RecordedRequest
from nemoparse_loaders.testing.requests import read_unchecked

from .test_server import chat_body, content_of, fetch, picture


@pytest.mark.parametrize("checks_requests", [True, False])
def test_the_same_is_known_without_checks(checks_requests: bool) -> None:
    def about(request: RecordedRequest) -> str:
        return f"{request.media_type} {len(request.image or b'')} {request.json['seed']} {request.task}"

    with ParseServer(replies=about, checks_requests=checks_requests) as server:
        answer = fetch(f"{server.base_url}/v1/chat/completions", chat_body(seed=3, max_tokens=100))[1]
    assert content_of(answer) == f"image/png {len(picture())} 3 <predict_bbox>"
    assert server.page_requests[0].image == picture()
    assert server.statistics().pixels == 32 * 32


@pytest.mark.parametrize("checks_requests", [True, False])
def test_options_count_without_checks(checks_requests: bool) -> None:
    with ParseServer(checks_requests=checks_requests) as server:
        answer = fetch(f"{server.base_url}/v1/chat/completions", chat_body(max_tokens=2))[1]
    assert json.loads(answer)["choices"][0]["finish_reason"] == "length"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'{"messages": [{"content": "x;base64,"}]}',
        b'";base64,"',
        b"\xff;base64,",
        b";base64,",
    ],
)
def test_unchecked_takes_anything(body: bytes) -> None:
    request = RecordedRequest("POST", "/v1/chat/completions", {}, body)
    read_unchecked(request)
    assert request.image is None


@pytest.mark.parametrize("checks_requests", [True, False])
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/parse"])
def test_bodies_are_dropped(checks_requests: bool, path: str) -> None:
    with ParseServer(keep_bodies=False, checks_requests=checks_requests) as server:
        status = fetch(server.base_url + path, chat_body())[0]
    (request,) = server.page_requests
    assert request.status == status
    assert (request.body, request.json, request.image, request.fields) == (b"", None, None, {})
