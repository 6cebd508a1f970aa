"""HTTP answers that are no replies, as the errors of this package: by status, with what the server said."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit, urlunsplit

from ..errors import (
    AuthenticationError,
    BackendError,
    ModelNotFoundError,
    RequestRejectedError,
    ServerBusyError,
    ServerFailedError,
)

_MESSAGE_KEYS = ("message", "detail", "error", "title", "msg")
_LONGEST_MESSAGE = 400
# A picture, or a piece of one, that a server echoes in its error.
_BASE64_RUN = re.compile(r"[A-Za-z0-9+/_-]{64,}={0,2}")
# No "<" inside, so that a body of nothing else takes no quadratic time.
_HTML_TAG = re.compile(r"<[^<>]*>")
_WHITE_SPACE = re.compile(r"\s+")
_BUSY = frozenset({408, 425, 429, 503, 529})
_TOO_LARGE = re.compile(
    r"too large|too big|payload|(?:exceed|larger|maximum|limit)\w*[^.]{0,60}(?:size|bytes|[km]i?b\b)"
    r"|(?:size|bytes)[^.]{0,60}(?:exceed|larger|maximum|limit)",
    re.IGNORECASE,
)


def error_from_answer(
    status: int, headers: Mapping[str, str], body: bytes, *, server: str, secrets: tuple[str, ...] = ()
) -> BackendError:
    """The error that an HTTP answer stands for.

    Args:
        status: HTTP status, not 2xx.
        headers: The answer's headers; looked up without regard to case where the mapping does so.
        body: The answer's body, whatever it is.
        server: The server's address as it may be printed.
        secrets: Texts that must not appear in the message.
    """
    said = server_message(body, secrets)
    text = f"{server} answered {status}" + (f": {said}" if said else "")
    retry_after = parse_retry_after(headers.get("Retry-After"), headers.get("Date"))
    if status in (401, 403):
        return AuthenticationError(
            f"{text}. The key is missing, wrong, or not allowed to do this: set api_key= or "
            "NEMOTRON_PARSE_API_KEY (NVIDIA_API_KEY for the nvidia backend).",
            status=status,
        )
    if status == 407:
        return AuthenticationError(f"{text}. The proxy wants a user name and password.", status=status)
    if status == 404 and _names_model(body, said):
        return ModelNotFoundError(text, status=status)
    if status == 404:
        return RequestRejectedError(f"{text}. There is no such address there: check base_url.", status=status)
    if status == 413 or (status in (400, 422) and _TOO_LARGE.search(said)):
        # Some servers say it as 400 or 422; under 413 the pipeline knows it and sends a smaller picture.
        return RequestRejectedError(
            f"{text}. The picture is too large for the server: set max_image_bytes= (or a smaller "
            "max_image_size=).",
            status=413,
        )
    if 300 <= status < 400:
        target = _address(headers.get("Location", ""))
        return RequestRejectedError(
            f"{text}. It points elsewhere{f' ({_clean(target, secrets)})' if target else ''}: "
            "set base_url to the final address.",
            status=status,
        )
    if status in _BUSY:
        return ServerBusyError(text, status=status, retry_after=retry_after)
    if status >= 500 and status not in (501, 505):
        return ServerFailedError(text, status=status, retry_after=retry_after)
    return RequestRejectedError(text, status=status)


def server_message(body: bytes, secrets: tuple[str, ...] = ()) -> str:
    """What an error body says, in one short line: JSON of any of the usual shapes, or text.

    Args:
        body: The body, whatever it is.
        secrets: Texts to mask.
    """
    text = body[:65_536].decode("utf-8", errors="replace").strip()
    try:
        found = _message_in(json.loads(text))
    except (ValueError, RecursionError):
        found = _HTML_TAG.sub(" ", text) if text.startswith("<") else text
    return _clean(found, secrets)


def error_fields(body: bytes) -> dict[str, object]:
    """The members of the error object in a body, or nothing: ``{"error": {...}}`` or the object itself."""
    try:
        value = json.loads(body[:65_536])
    except (ValueError, RecursionError):
        return {}
    if isinstance(value, dict):
        inner = value.get("error")
        return inner if isinstance(inner, dict) else value
    return {}


def parse_retry_after(value: str | None, date: str | None = None) -> float | None:
    """Seconds to wait, from either form of the Retry-After header; None where it says nothing usable.

    Args:
        value: The header: seconds or an HTTP date.
        date: The answer's Date header: the server's own clock, to which its dates refer.
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        until = _http_date(value)
        if until is None:
            return None
        now = _http_date(date) if date else None
        seconds = max(0.0, (until - (now or datetime.now(timezone.utc))).total_seconds())
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _address(location: str) -> str:
    """Where a redirection points, without what may be a secret in it: login, query, fragment."""
    try:
        parts = urlsplit(location)
    except ValueError:
        return ""
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _http_date(value: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)


def _names_model(body: bytes, said: str) -> bool:
    """Whether a 404 is about the model and not about the address."""
    return error_fields(body).get("param") == "model" or bool(
        re.search(r"\bmodel\b.*(?:not exist|not found|unknown|no such)", said, re.IGNORECASE)
    )


def _message_in(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        for key in _MESSAGE_KEYS:
            if value.get(key):
                return _message_in(value[key])
        return ""
    if isinstance(value, list):
        return "; ".join(filter(None, (_message_in(item) for item in value[:3])))
    return ""


def _clean(text: str, secrets: tuple[str, ...]) -> str:
    for secret in secrets:
        if secret:
            text = text.replace(secret, "***")
    # Control characters would steer the terminal that the message is shown on.
    text = "".join(char if char.isprintable() else " " for char in text)
    text = _WHITE_SPACE.sub(" ", _BASE64_RUN.sub("...", text)).strip()
    if len(text) > _LONGEST_MESSAGE:
        text = text[: _LONGEST_MESSAGE - 3] + "..."
    return text.rstrip(".")
