"""What came in: each request as the server saw it."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class FormField:
    """One part of a multipart form.

    Attributes:
        name: Its name.
        content_type: As sent, or empty.
        filename: As sent, or None.
        data: Its bytes.
    """

    name: str
    content_type: str
    filename: str | None
    data: bytes = field(repr=False)


@dataclass
class RecordedRequest:
    """One request.

    Attributes:
        method: "GET", "POST", ...
        path: Without the query.
        headers: Looked up without regard to case.
        body: The raw body; empty for a form.
        json: The decoded JSON body, or a form's decoded ``options``, or None.
        fields: The parts of a multipart body by name.
        image: The picture, decoded, or None.
        media_type: The picture's type as sent.
        task: The prompt text beside the picture.
        status: The answer's HTTP status, once there is one.
        disconnected: The client left before the answer was whole.
    """

    method: str
    path: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(default=b"", repr=False)
    json: Any = field(default=None, repr=False)
    fields: dict[str, FormField] = field(default_factory=dict, repr=False)
    image: bytes | None = field(default=None, repr=False)
    media_type: str = ""
    task: str = ""
    status: int | None = None
    disconnected: bool = False


def picture_and_task(body: object) -> tuple[list[str], str]:
    """The picture URLs and the joined text of a chat request's last message."""
    messages = body.get("messages") if isinstance(body, dict) else None
    last = messages[-1] if isinstance(messages, list) and messages else None
    content = last.get("content") if isinstance(last, dict) else None
    if isinstance(content, str):
        return [], content
    urls: list[str] = []
    texts: list[str] = []
    for part in content if isinstance(content, list) else []:
        if not isinstance(part, dict):
            continue
        if part.get("type") == "image_url":
            image_url = part.get("image_url")
            url = image_url.get("url") if isinstance(image_url, dict) else image_url
            urls.append(url if isinstance(url, str) else "")
        elif isinstance(part.get("text"), str):
            texts.append(part["text"])
    return urls, "".join(texts)


def decode_data_url(url: str) -> tuple[str, bytes]:
    """The type and the bytes in a base64 data URL.

    Raises:
        ValueError: It is none, or its base64 is broken.
    """
    head, comma, data = url.partition(",")
    if not head.startswith("data:") or not comma or not head.endswith(";base64"):
        raise ValueError("no base64 data URL")
    return head[len("data:") : -len(";base64")], base64.b64decode(data, validate=True)
