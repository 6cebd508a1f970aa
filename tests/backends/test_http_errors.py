"""HTTP answers as errors."""

from __future__ import annotations

import json
import timeit
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from multidict import CIMultiDict

from nemoparse_loaders.backends.http_errors import error_from_answer, parse_retry_after, server_message
from nemoparse_loaders.errors import (
    AuthenticationError,
    BackendError,
    ModelNotFoundError,
    RequestRejectedError,
    ServerBusyError,
    ServerFailedError,
)

SERVER = "http://gpu:8000"


def error(status: int, body: object = b"", **headers: str) -> BackendError:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return error_from_answer(status, CIMultiDict(headers), raw, server=SERVER)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", ""),
        (b"plain text\n over  lines", "plain text over lines"),
        (b"<html><body><h1>502 Bad Gateway</h1></body></html>", "502 Bad Gateway"),
        (b'{"error": "Unauthorized"}', "Unauthorized"),
        (b'{"error": {"message": "no", "code": 4}}', "no"),
        (b'{"detail": "Not Found"}', "Not Found"),
        (b'{"detail": [{"loc": ["body"], "msg": "Field required"}, {"msg": "and more"}]}', None),
        (b'{"title": "Too Many Requests", "status": 429}', "Too Many Requests"),
        (b'{"status": 1}', ""),
        (b'["a", {"message": "b"}]', "a; b"),
        (b"null", ""),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"[" * 50_000, None),
        (b"\x1b[31mred\x00\xe2\x80\xae", "[31mred"),
    ],
)
def test_what_the_server_said(body: bytes, said: str | None) -> None:
    message = server_message(body)
    assert len(message) <= 400
    if said is not None:
        assert message == said


@pytest.mark.parametrize("piece", [b"<", b"<a ", b"</", b"<!--", b"A" * 63 + b" "])
def test_no_body_takes_long(piece: bytes) -> None:
    """The loop stands still meanwhile, and with it every other page."""

    def seconds(size: int) -> float:
        body = (piece * (size // len(piece) + 1))[:size]
        return min(timeit.repeat(lambda: server_message(body), number=1, repeat=5))

    assert seconds(65_536) < 10 * max(seconds(16_384), 0.005)


def test_validation_errors_are_joined() -> None:
    assert server_message(b'{"detail": [{"msg": "Field required"}, {"msg": "and more"}]}') == (
        "Field required; and more"
    )


@given(st.binary(max_size=200))
def test_no_body_is_too_odd(body: bytes) -> None:
    for status in (400, 404, 500):
        assert str(status) in str(error(status, body))


def test_pictures_and_secrets_are_cut_out() -> None:
    body = {"detail": f"bad url data:image/png;base64,{'iVBORw0KGgo' * 90}== with key sk-1234567890"}
    message = server_message(json.dumps(body).encode(), ("sk-1234567890",))
    assert message == "bad url data:image/png;base64,... with key ***"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"error": {"message": "The model `x` does not exist.", "param": "model"}}, ModelNotFoundError),
        ({"detail": "model 'x' not found, try pulling it first"}, ModelNotFoundError),
        ({"detail": "Not Found"}, RequestRejectedError),
        (b"<h1>404</h1>", RequestRejectedError),
    ],
)
def test_404_of_a_model_and_of_an_address(body: object, kind: type[BackendError]) -> None:
    assert type(error(404, body)) is kind


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (413, b""),
        (413, b"<html>413 Request Entity Too Large</html>"),
        (400, {"detail": "Payload too large"}),
        (422, {"message": "image exceeds the maximum size of 180000 bytes"}),
        (400, {"error": "base64 size of 250000 is over the limit"}),
    ],
)
def test_pictures_that_are_too_large(status: int, body: object) -> None:
    failure = error(status, body)
    assert isinstance(failure, RequestRejectedError)
    assert "max_image_bytes" in str(failure)
    # The pipeline sends a smaller picture after a 413, whichever status the server chose for it.
    assert failure.status == 413
    assert str(status) in str(failure)


@pytest.mark.parametrize(
    "said",
    [
        "This model's maximum context length is 2048 tokens. However, your prompt contains 2049 input tokens",
        "max_tokens=100000 cannot be greater than max_model_len=2048.",
        "Failed to load image: cannot identify image file",
    ],
)
def test_other_refusals_do_not_speak_of_the_picture_size(said: str) -> None:
    failure = error(400, {"error": {"message": said}})
    assert "max_image_bytes" not in str(failure)
    assert failure.status == 400


def test_redirects_tell_where_to() -> None:
    failure = error(301, Location="https://new.example/v1/chat/completions")
    assert isinstance(failure, RequestRejectedError)
    assert "https://new.example" in str(failure)


@pytest.mark.parametrize(
    "location",
    ["https://user:hunter2@sso.example/in", "https://sso.example/in?token=hunter2#hunter2", "//a:hunter2@["],
)
def test_a_redirect_shows_no_secrets_of_its_target(location: str) -> None:
    failure = error(302, Location=location)
    assert "hunter2" not in str(failure)
    assert ("sso.example/in" in str(failure)) == ("sso" in location)


def test_retry_after() -> None:
    now = "Mon, 30 Nov 2026 19:10:00 GMT"
    assert parse_retry_after(None) is None
    assert parse_retry_after("0") == 0
    assert parse_retry_after("2.5") == 2.5
    assert parse_retry_after("Mon, 30 Nov 2026 19:11:30 GMT", now) == 90
    assert parse_retry_after("Mon, 30 Nov 2026 19:09:00 GMT", now) == 0
    assert parse_retry_after("Mon, 30 Nov 2020 19:09:00 GMT") == 0
    for odd in ("", "soon", "-1", "nan", "inf", "1e400", "Mon, 99 Nov 2026 19:11:30 GMT", "12 Nov"):
        assert parse_retry_after(odd, now) is None
    for odd in (f"Mon, 30 Nov {'9' * 20} 19:11:30 GMT", f"Mon, {'9' * 40} Nov 2026 19:11:30 GMT"):
        assert parse_retry_after("Mon, 30 Nov 2020 19:09:00 GMT", odd) == 0
        assert parse_retry_after(odd, now) is None


@given(st.text(max_size=40), st.text(max_size=40))
def test_retry_after_is_none_or_a_time(value: str, date: str) -> None:
    seconds = parse_retry_after(value, date)
    assert seconds is None or seconds >= 0


def test_retry_after_is_kept() -> None:
    assert error(429, **{"Retry-After": "3"}).retry_after == 3
    assert error(500, **{"retry-after": "4"}).retry_after == 4


@pytest.mark.data
def test_recorded_refusals(data_dir: Path) -> None:
    expected: dict[int, type[BackendError]] = {
        400: RequestRejectedError,
        401: AuthenticationError,
        403: AuthenticationError,
        404: ModelNotFoundError,
        405: RequestRejectedError,
        500: ServerFailedError,
        501: RequestRejectedError,
        503: ServerBusyError,
    }
    seen: set[int] = set()
    for path in sorted((data_dir / "wire").rglob("*.json")):
        response = json.loads(path.read_text(encoding="utf-8")).get("response")
        status = response.get("status") if isinstance(response, dict) else None
        if status is None or status == 200:
            continue
        body = (response.get("body") or "").encode()
        failure = error_from_answer(status, CIMultiDict(), body, server=SERVER)
        kind = RequestRejectedError if path.stem == "not_found" else expected[status]
        assert type(failure) is kind, path
        assert str(failure).startswith(f"{SERVER} answered {status}: "), path
        seen.add(status)
    assert seen == set(expected)
