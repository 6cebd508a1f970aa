"""A parse server to test against: `ParseServer`, what it answers, and how it can fail."""

from __future__ import annotations

from .faults import (
    BrokenJson,
    CutConnection,
    Drip,
    EmptyReply,
    Fault,
    FinishReason,
    Hang,
    HttpError,
)
from .replies import SAMPLE_PAGE, Reply
from .requests import FormField, RecordedRequest
from .server import ParseServer

__all__ = [
    "SAMPLE_PAGE",
    "BrokenJson",
    "CutConnection",
    "Drip",
    "EmptyReply",
    "Fault",
    "FinishReason",
    "FormField",
    "Hang",
    "HttpError",
    "ParseServer",
    "RecordedRequest",
    "Reply",
]
