"""Replies and faults by what a request is for: a whole page, a part of one, or its regions alone."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from .faults import Fault
from .replies import SAMPLE_DETECTION, SAMPLE_PAGE, SAMPLE_REGION, Replies, Reply, choose_reply
from .requests import RecordedRequest

RequestKind = Literal["page", "region", "detection"]

ScriptedReplies = Replies | Mapping[str, str | Reply]
ScriptedFaults = (
    Fault | Sequence[Fault | None] | Mapping[str, Fault] | Callable[[RecordedRequest], Fault | None]
)

OTHERS = ""
"""Key of a mapping for all pictures that it does not name."""

_DETECTION = "<output_no_text>"


def picture_name(data: bytes) -> str:
    """The name of a picture in the mappings of a `Script`: the SHA-256 of its bytes in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


class Script:
    """What to answer to each kind of request: ``ParseServer(replies=Script(page=..., region=...))``.

    Detection is known by its task (``<output_no_text>``), which a NIM does not have. A page and a part of one
    are asked for with the same task and are told apart by the size of the picture: one of ``page_sizes`` is a
    page, any other is a part, a band of a page as well. Without ``page_sizes`` it is the size of the first
    picture, so that all pages have to be alike.

    Replies of a kind are one for all, one for each in the order in which requests of that kind arrive (the
    last goes on), a function from the request to the reply, or a mapping by `picture_name` with `OTHERS` for
    the rest. Faults of a kind are one for all, one for each (None for none, none after the last), a function,
    or a mapping by `picture_name`, whose faults hit a picture every time that it comes.

    Args:
        page: Replies for whole pages.
        region: Replies for parts.
        detection: Replies for detection.
        page_faults: Faults of whole pages.
        region_faults: Faults of parts.
        detection_faults: Faults of detection.
        page_sizes: (width, height) in pixels of the pictures that are whole pages.
    """

    def __init__(
        self,
        *,
        page: ScriptedReplies = SAMPLE_PAGE,
        region: ScriptedReplies = SAMPLE_REGION,
        detection: ScriptedReplies = SAMPLE_DETECTION,
        page_faults: ScriptedFaults = (),
        region_faults: ScriptedFaults = (),
        detection_faults: ScriptedFaults = (),
        page_sizes: Sequence[tuple[int, int]] = (),
    ) -> None:
        self._replies: dict[RequestKind, ScriptedReplies] = {
            "page": page,
            "region": region,
            "detection": detection,
        }
        self._faults: dict[RequestKind, ScriptedFaults] = {
            "page": page_faults,
            "region": region_faults,
            "detection": detection_faults,
        }
        self._page_sizes = set(page_sizes)
        self._replied: Counter[RequestKind] = Counter()
        self._asked: Counter[RequestKind] = Counter()

    def kind(self, request: RecordedRequest) -> RequestKind:
        """What a request with a picture is for; it is remembered as the request's ``kind``."""
        if request.kind is None:
            request.kind = self._kind(request)
        return request.kind

    def __call__(self, request: RecordedRequest) -> Reply:
        """The reply to a request."""
        kind = self.kind(request)
        position = self._replied[kind]
        self._replied[kind] += 1
        replies = self._replies[kind]
        if isinstance(replies, Mapping):
            name = _name_of(request)
            if name not in replies and OTHERS not in replies:
                raise ValueError(f"the script has no reply for the picture {name} ({kind})")
            replies = replies[name] if name in replies else replies[OTHERS]
        return choose_reply(replies, request, position)

    def fault(self, request: RecordedRequest) -> Fault | None:
        """The fault of a request; None for none, and for requests without a picture."""
        if not request.has_picture:
            return None
        kind = self.kind(request)
        position = self._asked[kind]
        self._asked[kind] += 1
        faults = self._faults[kind]
        if isinstance(faults, Fault):
            return faults
        if isinstance(faults, Mapping):
            return faults.get(_name_of(request), faults.get(OTHERS))
        if callable(faults):
            return faults(request)
        return faults[position] if position < len(faults) else None

    def _kind(self, request: RecordedRequest) -> RequestKind:
        if _DETECTION in request.task:
            return "detection"
        size = request.picture_size()
        if not self._page_sizes:
            self._page_sizes.add(size)
        return "page" if size in self._page_sizes else "region"


def _name_of(request: RecordedRequest) -> str:
    return picture_name(request.image or b"")
