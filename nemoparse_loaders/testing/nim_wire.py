"""The wire of the hosted endpoint and of the NIM container, as documented; its error bodies are a guess."""

from __future__ import annotations

import json
from typing import Any

from .replies import Reply, cut_to
from .requests import FormField, RecordedRequest
from .vllm_wire import RefusedError

MAX_OUTPUT_TOKENS = 9_000
_MEDIA_TYPES = {b"\x89PNG\r\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}


def error_body(status: int, message: str) -> bytes:
    """The body of an error."""
    return json.dumps({"detail": message}).encode()


def check_request(request: RecordedRequest) -> int:
    """Check a form, and note its picture in the record.

    Returns:
        The most output tokens asked for.

    Raises:
        RefusedError: It is not taken.
    """
    document = request.fields.get("document")
    if document is None or not document.data:
        raise RefusedError(422, {"detail": "document: Field required"})
    kinds = [kind for start, kind in _MEDIA_TYPES.items() if document.data.startswith(start)]
    if not kinds:
        raise RefusedError(422, {"detail": "document must be a PNG or JPEG image"})
    request.keep_picture(document.content_type, image=document.data)
    options = request.fields.get("options")
    return MAX_OUTPUT_TOKENS if options is None else _max_output_tokens(request, options)


def _max_output_tokens(request: RecordedRequest, options: FormField) -> int:
    try:
        request.json = json.loads(options.data)
        value = request.json.get("decoding", {}).get("max_output_tokens", MAX_OUTPUT_TOKENS)
    except (ValueError, AttributeError):
        raise RefusedError(422, {"detail": "options must be a JSON object"}) from None
    if not isinstance(value, int) or not 1 <= value <= MAX_OUTPUT_TOKENS:
        message = f"options.decoding.max_output_tokens must be between 1 and {MAX_OUTPUT_TOKENS}"
        raise RefusedError(422, {"detail": message})
    return value


def parse_body(reply: Reply, max_output_tokens: int) -> dict[str, Any]:
    """The answer that carries a reply."""
    reply = cut_to(reply, max_output_tokens)
    body: dict[str, Any] = {"content": reply.text, "usage": {"output_tokens": reply.tokens()}}
    if reply.finish_reason is not None:
        body["finish_reason"] = reply.finish_reason
    return body
