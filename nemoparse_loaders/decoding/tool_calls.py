"""Replies of the 1.1 chat API: the arguments of a tool call, a JSON list, often doubly nested.

``[[{"bbox": {"xmin": .., "ymin": .., "xmax": .., "ymax": ..}, "text": "..", "type": ".."}, ...]]``. The boxes
are fractions of the image that was sent. A list that is cut gives the items that are whole, and the rest as
text.
"""

from __future__ import annotations

import json
import re

from ..document import BBox
from .artefacts import storable
from .block import Block

_START = re.compile(r"\s*\[\s*(?:\[\s*)?\{\s*\"(?:bbox|text|type)\"\s*:")
_TEXT_VALUE = re.compile(r'"text"\s*:\s*"((?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)')
_LARGEST = 1e6
_BETWEEN = re.compile(r"[\s,\[\]]*")


def is_tool_call(reply: str) -> bool:
    """Whether the reply is such a list."""
    return _START.match(reply) is not None


def blocks_from_tool_call(reply: str) -> tuple[list[Block], bool]:
    """The blocks of the list, and whether it is cut."""
    decoder = json.JSONDecoder(strict=False)
    blocks: list[Block] = []
    position = 0
    while True:
        between = _BETWEEN.match(reply, position)
        position = between.end() if between else position
        if position >= len(reply):
            return blocks, reply.count("[", 0, 8) > 0 and not reply.rstrip().endswith("]")
        try:
            item, position = decoder.raw_decode(reply, position)
        except (ValueError, RecursionError):
            blocks.append(Block(_cut_text(reply[position:]), cut=True, problem="its end is missing"))
            return blocks, True
        blocks.append(_block(item))


def _cut_text(item: str) -> str:
    """The text of an item that has no end; all of it where there is no text."""
    match = _TEXT_VALUE.search(item)
    if match is None:
        return item
    return storable(str(json.loads(f'"{match[1]}"', strict=False)))


def _block(item: object) -> Block:
    if not isinstance(item, dict):
        return Block(json.dumps(item), problem="it is no block")
    name, text = item.get("type"), item.get("text")
    printed = _box(item.get("bbox"))
    return Block(
        body=storable(text) if isinstance(text, str) else "",
        name=(storable(name) if isinstance(name, str) else "") or "Text",
        printed=printed,
        problem="its box is broken" if "bbox" in item and not printed else "",
    )


def _box(box: object) -> BBox | None:
    if not isinstance(box, dict):
        return None
    values = []
    for key in ("xmin", "ymin", "xmax", "ymax"):
        value = box.get(key)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < _LARGEST:
            return None
        values.append(float(value))
    return BBox(*values)
