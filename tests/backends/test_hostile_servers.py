"""What no server and no setting may do: show a key, break a document, end in an untyped error."""

from __future__ import annotations

import asyncio
import io
import json
import random
from typing import Any

import pytest
from PIL import Image

from nemoparse_loaders import DocumentParser, LayoutChunker, NemoparseError, OptionError, ParsedDocument
from nemoparse_loaders.backends.body import Body
from nemoparse_loaders.backends.http import HttpConnection
from nemoparse_loaders.rendering.page_image import PageImage
from nemoparse_loaders.testing import Fault, HttpError, ParseServer, RecordedRequest

KEY = "sk-a-secret-key-of-some-length"
TEXT = "<x_0.1><y_0.1># A heading<x_0.9><y_0.15><class_Title>"


def answer(body: object) -> HttpError:
    return HttpError(200, body=body if isinstance(body, (str, bytes)) else json.dumps(body).encode())


def completion(**members: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": TEXT}
    return {"choices": [{"message": message, "finish_reason": "stop"}], **members}


def parse(page: PageImage, body: object, **options: Any) -> ParsedDocument:
    with ParseServer(faults=[answer(body)]) as server:
        options = {
            "base_url": server.base_url,
            "backend": "vllm",
            "max_retries": 0,
            # What this server says first is what is looked at.
            "recover": False,
            **options,
        }
        return DocumentParser(**options).parse(page.data)


def test_a_page_of_html_that_repeats_the_key_does_not_show_it(page: PageImage) -> None:
    document = parse(page, f"<html>Authorization: Bearer {KEY}</html>", api_key=KEY)
    assert document.pages[0].status == "failed"
    assert "Bearer ***" in document.pages[0].issues[0].message
    assert KEY not in document.to_json()


def test_a_login_in_the_address_is_not_shown(page: PageImage) -> None:
    with ParseServer(
        faults=[HttpError(500, body="You sent Basic dXNlcjpodW50ZXIy, which is user:hunter2")]
    ) as server:
        address = server.base_url.replace("://", "://user:hunter2@")
        parser = DocumentParser(base_url=address, backend="vllm", max_retries=0)
        message = parser.parse(page.data).pages[0].issues[0].message
    assert "You sent Basic ***, which is user:***" in message


@pytest.mark.parametrize(
    "body",
    [
        completion(usage={"prompt_tokens": 10**400, "completion_tokens": -5}),
        completion(usage={"prompt_tokens": True, "completion_tokens": "7"}),
        completion(usage=[]),
        completion(model=["\ud800"]),
        {"choices": [{"message": {"content": TEXT}, "finish_reason": "a\ud800\x00\n" + "b" * 1000}]},
        {"choices": [{"message": {"content": TEXT + "\ud800\x00"}, "finish_reason": "stop"}]},
    ],
)
def test_whatever_stands_beside_the_text_the_document_can_be_written(page: PageImage, body: object) -> None:
    document = parse(page, body)
    assert "A heading" in document.to_markdown()
    assert ParsedDocument.from_json(document.to_json()) == document
    report = document.report
    assert report is not None
    assert (report.prompt_tokens, report.completion_tokens) == (0, 0)
    for chunk in LayoutChunker().chunk(document):
        text = chunk.model_dump_json()
        assert "\\u0000" not in text
        assert len(text) < 5_000


def test_a_model_of_an_odd_name_can_be_written(page: PageImage) -> None:
    models = answer({"data": [{"id": "parse\ud800"}]})
    page_answer = answer(completion())
    with ParseServer(faults=lambda asked: models if asked.method == "GET" else page_answer) as server:
        document = DocumentParser(base_url=server.base_url, backend="vllm", max_retries=0).parse(page.data)
    assert ParsedDocument.from_json(document.to_json()) == document


@pytest.mark.parametrize("backend", ["vllm", "nvidia"])
def test_a_server_that_lists_very_many_models_gets_a_short_message(page: PageImage, backend: str) -> None:
    many = [f"{number}{'m' * 500}" for number in range(500)]
    with ParseServer(model=many) as server, pytest.raises(NemoparseError, match="480 more") as caught:
        DocumentParser(base_url=server.base_url, backend=backend, model="other").parse(page.data)
    assert len(str(caught.value)) < 4_000


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Key": f"{KEY}\r\nX-Other: b"},
        {"X-Key": f"{KEY}\x7f"},
        {"X-Key": f"{KEY}\ud800"},
        {"X\r\nOther": KEY},
        {"": KEY},
        {"X Key": KEY},
        {"X-Key:": KEY},
        {"X-Kéy": KEY},
        {"Content-Length": KEY},
        {"transfer-encoding": KEY},
    ],
)
def test_headers_that_no_request_can_carry_are_refused(page: PageImage, headers: dict[str, str]) -> None:
    with pytest.raises(OptionError, match="headers: ") as caught:
        parse(page, completion(), headers=headers)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("character", ["\n", "\x00", "\x7f", "\ud800"])
def test_keys_that_no_header_can_carry_are_refused(page: PageImage, character: str) -> None:
    with pytest.raises(OptionError, match="headers: ") as caught:
        parse(page, completion(), api_key=f"{KEY}{character}end")
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("host", ["a..b", ".", "a" * 300, "127.1:1", "user\ud800:hunter2@a..b"])
def test_hosts_that_cannot_be_looked_up_are_named(page: PageImage, host: str) -> None:
    with pytest.raises(NemoparseError, match="base_url") as caught:
        parse(page, completion(), base_url=f"http://{host}")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "refusal",
    [
        HttpError(413),
        HttpError(400, {"detail": "image of 250000 bytes exceeds the maximum size of 180000 bytes"}),
        HttpError(422, {"error": {"message": "Payload too large"}}),
    ],
)
@pytest.mark.parametrize("backend", ["vllm", "nvidia"])
def test_a_picture_that_is_too_large_is_sent_smaller_whatever_the_status(
    refusal: HttpError, backend: str
) -> None:
    noise = Image.frombytes("RGB", (600, 600), random.Random(1).randbytes(600 * 600 * 3))
    stream = io.BytesIO()
    noise.save(stream, "PNG")

    def refuse(request: RecordedRequest) -> Fault | None:
        size = int(request.headers.get("Content-Length", 0))
        return refusal if size > 700_000 else None

    with ParseServer(faults=refuse) as server:
        document = DocumentParser(base_url=server.base_url, backend=backend).parse(stream.getvalue())
    assert [page.status for page in document.pages] == ["ok"]
    assert len(server.page_requests) >= 2


async def test_a_refusal_that_comes_before_the_whole_picture_is_read() -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 413 Request Entity Too Large\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        async with HttpConnection(f"http://127.0.0.1:{port}") as connection:
            answer = await connection.post("/parse", Body(b"x" * 5_000_000), content_type="image/png")
    assert answer.status == 413
