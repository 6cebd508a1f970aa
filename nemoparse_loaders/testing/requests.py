"""What came in: each request as the server saw it."""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


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
        json: The decoded JSON body, or a form's decoded ``options``, or None. A server that does not check
            requests leaves the picture's data out.
        fields: The parts of a multipart body by name.
        media_type: The picture's type as sent.
        task: The prompt text beside the picture.
        status: The answer's HTTP status, once there is one.
        disconnected: The connection broke before the answer was whole.
        kind: What a request with a picture was for, where a `Script` answered it.
    """

    method: str
    path: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(default=b"", repr=False)
    json: Any = field(default=None, repr=False)
    fields: dict[str, FormField] = field(default_factory=dict, repr=False)
    media_type: str = ""
    task: str = ""
    status: int | None = None
    disconnected: bool = False
    kind: Literal["page", "region", "detection"] | None = None
    _image: bytes | None = field(default=None, repr=False)
    _base64: bytes | None = field(default=None, repr=False)

    @property
    def image(self) -> bytes | None:
        """The picture, decoded, or None; decoded when it is first asked for."""
        if self._image is None and self._base64 is not None:
            try:
                self._image = binascii.a2b_base64(self._base64)
            except binascii.Error:
                self._base64 = None
        return self._image

    def keep_picture(self, media_type: str, *, image: bytes | None = None, encoded: bytes = b"") -> None:
        """Note the picture, decoded or as base64."""
        self.media_type, self._image, self._base64 = media_type, image, encoded or None

    @property
    def has_picture(self) -> bool:
        """Whether a picture came with it."""
        return self._image is not None or self._base64 is not None

    def picture_pixels(self) -> int:
        """Pixels of a PNG, from its header; 0 where there is no PNG."""
        width, height = _png_size(self._start())
        return width * height

    def picture_size(self) -> tuple[int, int]:
        """Width and height in pixels of a PNG or JPEG; (0, 0) where there is none."""
        start = self._start()
        return _jpeg_size(self.image or b"") if start.startswith(b"\xff\xd8") else _png_size(start)

    def _start(self) -> bytes:
        """The first 24 bytes of the picture, decoded no further."""
        if self._image is None and self._base64 is not None:
            with contextlib.suppress(binascii.Error):
                return binascii.a2b_base64(self._base64[:32])
        return (self._image or b"")[:24]

    def picture_digest(self) -> str:
        """A name for the picture: the same for the same picture, however often it comes."""
        data = self._image if self._base64 is None else self._base64
        return hashlib.sha256(data or b"").hexdigest()

    def forget_body(self) -> None:
        """Drop whatever is as large as a picture."""
        self.body, self.json, self.fields = b"", None, {}
        self._image = self._base64 = None


def _png_size(start: bytes) -> tuple[int, int]:
    if len(start) < 24 or not start.startswith(b"\x89PNG"):
        return 0, 0
    width, height = struct.unpack_from(">II", start, 16)
    return int(width), int(height)


def _jpeg_size(data: bytes) -> tuple[int, int]:
    """From the frame header (ITU-T T.81, B.2.2), which stands behind segments that say how long they are."""
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, at + 5)
            return int(width), int(height)
        at += 2 + length
    return 0, 0


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


def read_unchecked(request: RecordedRequest) -> None:
    """Note what a chat request says without reading its picture, which is all of its length.

    The first base64 text is cut out before the rest is read as JSON. A body that is no JSON is left alone.
    """
    start = request.body.find(b";base64,") + len(b";base64,")
    end = request.body.find(b'"', start)
    has_picture = start >= len(b";base64,") and end >= 0
    try:
        request.json = json.loads(request.body[:start] + request.body[end:] if has_picture else request.body)
    except ValueError:
        return
    urls, request.task = picture_and_task(request.json)
    if has_picture and urls:
        request.keep_picture(urls[0][len("data:") : -len(";base64,")], encoded=request.body[start:end])


def decode_data_url(url: str) -> tuple[str, bytes]:
    """The type and the bytes in a base64 data URL.

    Raises:
        ValueError: It is none, or its base64 is broken.
    """
    head, comma, data = url.partition(",")
    if not head.startswith("data:") or not comma or not head.endswith(";base64"):
        raise ValueError("no base64 data URL")
    return head[len("data:") : -len(";base64")], base64.b64decode(data, validate=True)
