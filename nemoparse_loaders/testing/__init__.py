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
from .replies import SAMPLE_DETECTION, SAMPLE_PAGE, SAMPLE_REGION, Reply
from .requests import FormField, RecordedRequest
from .script import OTHERS, Script, picture_name
from .server import ParseServer

__all__ = [
    "FAULT_KINDS",
    "OTHERS",
    "SAMPLE_DETECTION",
    "SAMPLE_PAGE",
    "SAMPLE_REGION",
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
    "Script",
    "ServerStatistics",
    "UniformLatency",
    "picture_name",
    "random_faults",
]
