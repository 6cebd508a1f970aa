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
    if record.evidence is not None:
        # A page has hundreds of words: without the names of their fields it takes a third of the room.
        plain["evidence"]["words"] = [(word.text, *word.bbox, word.hidden) for word in record.evidence.words]
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode("utf-8", _SURROGATES)


def record_from_json(data: bytes) -> PageRecord:
    """Read what `record_to_json` wrote.

    Raises:
        ValueError: It is no such record.
    """
    plain = json.loads(data.decode("utf-8", _SURROGATES))
    evidence = plain.get("evidence") if isinstance(plain, dict) else None
    if isinstance(evidence, dict):
        words = evidence.get("words")
        evidence["words"] = [_word(word) for word in words] if isinstance(words, list) else words
    return _RECORD.validate_python(plain)


def _word(word: object) -> object:
    if not isinstance(word, list) or len(word) != 6:
        raise ValueError("a word of the evidence has another form")
    text, *bbox, hidden = word
    return {"text": text, "bbox": bbox, "hidden": hidden}
