"""vLLM's wire as recorded from version 0.33: what it accepts, how it answers, how it refuses."""

from __future__ import annotations

import io
import json
import uuid
from typing import Any

from PIL import Image, UnidentifiedImageError

from .replies import Reply, cut_to, without_special_tokens
from .requests import RecordedRequest, decode_data_url, picture_and_task

VERSION = "0.33.0"
_FINGERPRINT = "vllm-0.33.0-3f4cf29c"
_CREATED = 1_796_065_808


class RefusedError(Exception):
    """A request that the server does not take.

    Attributes:
        status: HTTP status.
        content: The JSON body.
    """

    def __init__(self, status: int, content: dict[str, Any]) -> None:
        super().__init__(status, content)
        self.status = status
        self.content = content


def error_body(status: int, message: str) -> bytes:
    """The body of an error that has no more to say than its message."""
    kind = {429: "Too Many Requests", 503: "Service Unavailable"}.get(
        status, "InternalServerError" if status >= 500 else "BadRequestError"
    )
    return json.dumps(_error(status, message, kind)).encode()


def _error(status: int, message: str, kind: str, param: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": param, "code": status}}


def _bad_request(message: str, param: str | None = None) -> RefusedError:
    return RefusedError(400, _error(400, message, "BadRequestError", param))


def _invalid(kind: str, where: str, message: str, value: str, more: str = "") -> RefusedError:
    """A body that does not fit the schema; vLLM words these apart from all other errors."""
    detail = f"{{'type': '{kind}', 'loc': '{where}', 'msg': '{message}', 'input': {value}{more}}}"
    return RefusedError(400, _error(400, f"1 validation error:\n  {detail}", "Bad Request", where))


def models_body(names: tuple[str, ...], max_model_len: int) -> dict[str, Any]:
    """The answer of ``/v1/models``."""
    permission = {
        "object": "model_permission",
        "created": _CREATED,
        "allow_create_engine": False,
        "allow_sampling": True,
        "allow_logprobs": True,
        "allow_search_indices": False,
        "allow_view": True,
        "allow_fine_tuning": False,
        "organization": "*",
        "group": None,
        "is_blocking": False,
    }
    return {
        "object": "list",
        "data": [
            {
                "id": name,
                "object": "model",
                "created": _CREATED,
                "owned_by": "vllm",
                "root": f"/models/{name}",
                "parent": None,
                "max_model_len": max_model_len,
                "permission": [{"id": f"modelperm-{uuid.uuid4().hex[:16]}", **permission}],
            }
            for name in names
        ],
    }


def check_request(request: RecordedRequest, models: tuple[str, ...], max_model_len: int) -> dict[str, Any]:
    """Check a chat request as the server does, and note its picture and task in the record.

    Raises:
        RefusedError: It is not taken.
    """
    if request.headers.get("Content-Type", "").partition(";")[0].strip() != "application/json":
        message = "1 validation error:\n  Unsupported Media Type: Only 'application/json' is allowed"
        raise RefusedError(400, _error(400, message, "Bad Request"))
    body = _json_object(request)
    messages = body.get("messages")
    if messages is None:
        raise _invalid("missing", "body.messages", "Field required", f"'<dict of {len(body)} items>'")
    max_tokens = body.get("max_completion_tokens", body.get("max_tokens"))
    if max_tokens is not None and not isinstance(max_tokens, int):
        raise _invalid(
            "int_parsing",
            "body.max_tokens",
            "Input should be a valid integer, unable to parse string as an integer",
            repr(max_tokens),
        )
    name = body.get("model") or models[0]
    if name not in models:
        message = f"The model `{name}` does not exist. Valid aliases: {', '.join(models)}."
        raise RefusedError(404, _error(404, message, "NotFoundError", "model"))
    if not messages:
        raise _bad_request(
            "Cannot apply chat template to an empty conversation. Provide at least one message."
        )
    if max_tokens is not None:
        _check_max_tokens(max_tokens, max_model_len)
    _take_picture(request, body)
    return body


def _json_object(request: RecordedRequest) -> dict[str, Any]:
    try:
        text = request.body.decode()
    except UnicodeDecodeError:
        raise RefusedError(400, {"detail": "There was an error parsing the body"}) from None
    if not text:
        raise _invalid("missing", "body", "Field required", "'None'")
    try:
        body = json.loads(text)
    except json.JSONDecodeError as error:
        more = f", 'ctx': {{'error': '{error.msg}'}}"
        where = f"body.{error.pos}"
        raise _invalid("json_invalid", where, "JSON decode error", "'<dict of 0 items>'", more) from None
    if not isinstance(body, dict):
        message = "Input should be a valid dictionary or object to extract fields from"
        kind = f"<{type(body).__name__} of {len(body)} items>" if isinstance(body, list) else str(body)
        raise _invalid("model_attributes_type", "body", message, f"'{kind}'")
    request.json = body
    return body


def _check_max_tokens(max_tokens: int, max_model_len: int) -> None:
    where = f"(parameter=max_tokens, value={max_tokens})"
    if max_tokens < 1:
        raise _bad_request(f"max_tokens must be at least 1, got {max_tokens}. {where}", "max_tokens")
    if max_tokens > max_model_len:
        raise _bad_request(
            f"max_tokens={max_tokens} cannot be greater than max_model_len={max_model_len}. "
            f"Please request fewer output tokens. {where}",
            "max_tokens",
        )


def _take_picture(request: RecordedRequest, body: dict[str, Any]) -> None:
    urls, request.task = picture_and_task(body)
    if len(urls) > 1:
        raise _bad_request("At most 1 image(s) may be provided in one prompt. (parameter=image)", "image")
    if not urls:
        return
    if not urls[0].startswith(("http:", "https:", "data:", "file:")):
        raise _bad_request("The URL must be either a HTTP, data or file URL.")
    if not urls[0].partition(",")[0].endswith(";base64"):
        message = "Only base64 data URLs are supported for now."
        raise RefusedError(501, _error(501, message, "NotImplementedError"))
    try:
        media_type, image = decode_data_url(urls[0])
    except ValueError:
        raise _bad_request("Non-base64 digit found") from None
    request.keep_picture(media_type, image=image)
    try:
        with Image.open(io.BytesIO(image)) as picture:
            picture.load()
    except UnidentifiedImageError:
        what = "cannot identify image file <_io.BytesIO object>"
        raise _bad_request(f"Failed to load image: {what}") from None
    except OSError:
        raise _bad_request("Failed to load image: image file is truncated") from None


def reply_as_asked(reply: Reply, body: dict[str, Any]) -> Reply:
    """The reply as the request's options shape it: cut at its limit, without special tokens unless kept."""
    limit = body.get("max_completion_tokens", body.get("max_tokens"))
    reply = cut_to(reply, limit)
    if body.get("skip_special_tokens", True) is not False:
        tokens = reply.tokens()
        return Reply(without_special_tokens(reply.text), reply.finish_reason, reply.prompt_tokens, tokens)
    return reply


def completion_body(reply: Reply, model: str) -> dict[str, Any]:
    """The answer that carries a reply."""
    tokens = reply.tokens()
    message = {
        "role": "assistant",
        "content": reply.text,
        "refusal": None,
        "annotations": None,
        "audio": None,
        "function_call": None,
        "reasoning": None,
    }
    choice: dict[str, Any] = {
        "index": 0,
        "message": message,
        "logprobs": None,
        "finish_reason": reply.finish_reason,
        "stop_reason": "repetition_detected" if reply.finish_reason == "repetition" else None,
        "token_ids": None,
        "routed_experts": None,
        "weight_versions": None,
    }
    if reply.finish_reason is None:
        del choice["finish_reason"]
    return {
        "id": f"chatcmpl-{uuid.uuid4().hex[:16]}",
        "object": "chat.completion",
        "created": _CREATED,
        "model": model,
        "choices": [choice],
        "service_tier": None,
        "system_fingerprint": _FINGERPRINT,
        "usage": {
            "prompt_tokens": reply.prompt_tokens,
            "total_tokens": reply.prompt_tokens + tokens,
            "completion_tokens": tokens,
            "prompt_tokens_details": None,
            "completion_tokens_details": None,
        },
        "prompt_logprobs": None,
        "prompt_token_ids": None,
        "prompt_text": None,
        "kv_transfer_params": None,
        "ec_transfer_params": None,
        "metrics": None,
    }


def metrics_text(model: str, gauges: dict[str, float], finished: dict[str, int]) -> str:
    """The answer of ``/metrics``: the lines that clients read.

    Args:
        model: Served name.
        gauges: Values by metric name.
        finished: How many replies ended for which reason.
    """
    lines = [_sample(name, {"model_name": model}, value) for name, value in gauges.items()]
    for reason, count in finished.items():
        labels = {"finished_reason": reason, "model_name": model}
        lines.append(_sample("vllm:request_success_total", labels, count))
    return "\n".join(lines) + "\n"


def _sample(name: str, labels: dict[str, str], value: float) -> str:
    text = ",".join(f'{key}="{label}"' for key, label in {"engine": "0", **labels}.items())
    return f"{name}{{{text}}} {value:.1f}"
