"""A parse server to test against: `ParseServer`, what it answers, and how it can fail."""

from __future__ import annotations

from .faults import (
    BrokenJson,
    CutConnection,
    Death,
    Drip,
    EmptyReply,
    Fault,
    FinishReason,
    Hang,
    HttpError,
    Loop,
)
from .latency import LognormalLatency, UniformLatency
from .load import ServerStatistics
from .mix import FAULT_KINDS, random_faults
from .replies import SAMPLE_PAGE, Reply
from .requests import FormField, RecordedRequest
from .server import ParseServer

__all__ = [
    "FAULT_KINDS",
    "SAMPLE_PAGE",
    "BrokenJson",
    "CutConnection",
    "Death",
    "Drip",
    "EmptyReply",
    "Fault",
    "FinishReason",
    "FormField",
    "Hang",
    "HttpError",
    "LognormalLatency",
    "Loop",
    "ParseServer",
    "RecordedRequest",
    "Reply",
    "ServerStatistics",
    "UniformLatency",
    "random_faults",
]
