"""PageRecord to JSON and back, without loss: also for text that no UTF-8 file could hold."""

from __future__ import annotations

import json

from pydantic import TypeAdapter

from .record import PageRecord

_RECORD = TypeAdapter(PageRecord)
# A reply may hold lone surrogates, from escapes in the server's JSON. Written as escapes in ours, two that
# happen to stand side by side would come back as one character; encoded one by one they do not.
_SURROGATES = "surrogatepass"


def record_to_json(record: PageRecord) -> bytes:
    """The record as JSON in UTF-8, surrogates included."""
    plain = _RECORD.dump_python(record)
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode("utf-8", _SURROGATES)


def record_from_json(data: bytes) -> PageRecord:
    """Read what `record_to_json` wrote.

    Raises:
        ValueError: It is no such record.
    """
    return _RECORD.validate_python(json.loads(data.decode("utf-8", _SURROGATES)))
