"""The envelope's tokens: where coordinates, classes and prompt tokens stand in a reply.

One pass with one bounded expression, so the time is linear whatever the text is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

EventKind = Literal["text", "pair", "class", "prompt", "noise"]

# A coordinate may have lost its ">" (the next token follows at once, or the reply ends there). Escaped
# brackets ("\<x_0.5\>") never match: a backslash stands where ">" should.
_MARKER = re.compile(
    r"<(?:"
    r"(?P<axis>[xy])_(?P<value>-?[0-9]{0,12}(?:[.,][0-9]{0,24})?(?:[eE][-+]?[0-9]{1,3})?)"
    r" ?(?P<xy_end>>|(?=<)|\Z)"
    r"|class_(?P<name>[^<>\n]{0,48})(?P<class_end>>|(?=[<\n])|\Z)"
    r"|(?P<prompt>/?s|pad|predict_[a-z_]{1,32}|no_bbox|no_classes|output_[a-z_]{1,32})>"
    r")"
)
_TOKEN_STARTS = ("<x_", "<y_", "<class_", "</s>", "<predict_", "<output_")
# Fractions never reach this; the integer grid of the first generation always does.
_GRID_THRESHOLD = 8.0
_GRID = (1024.0, 1280.0)
_LARGEST = 1e6


@dataclass(frozen=True, slots=True)
class Event:
    """One piece of a reply.

    Attributes:
        kind: "text", "pair" (two coordinates), "class", "prompt" (a control token) or "noise" (a coordinate
            on its own, or a broken token).
        text: The text, the class name, or the source of the control token.
        x: First coordinate of a pair, as printed.
        y: Second coordinate of a pair, as printed.
    """

    kind: EventKind
    text: str = ""
    x: float = 0.0
    y: float = 0.0


@dataclass(frozen=True, slots=True)
class Scan:
    """A reply taken apart.

    Attributes:
        events: In order; texts are never empty.
        cut: The reply ends inside of a token.
        has_pairs: There is at least one coordinate pair.
        has_classes: There is at least one class token.
        noise_run: The longest run of broken tokens with nothing else between.
    """

    events: tuple[Event, ...]
    cut: bool
    has_pairs: bool
    has_classes: bool
    noise_run: int


def scan(reply: str) -> Scan:
    """Take a reply apart.

    Args:
        reply: The token string, without control characters.
    """
    raw = list(_raw_events(reply))
    events = _with_pairs(raw)
    cut = _drop_cut_token(events)
    return Scan(
        events=tuple(_scaled(events)),
        # A reply that ends with an x ends inside of a pair.
        cut=cut or bool(raw and raw[-1].kind in ("cut", "x")),
        has_pairs=any(event.kind == "pair" for event in events),
        has_classes=any(event.kind == "class" for event in events),
        noise_run=_longest_noise_run(events),
    )


def escape_tokens(body: str, *, prompts: bool = False) -> str:
    r"""A body in which nothing is a token any more: ``<x_0.5>`` becomes ``<x\_0.5>``.

    Args:
        body: The text of a block.
        prompts: Also the prompt's tokens, which are text inside of a block with corners.
    """
    if "<" not in body:
        return body
    return _MARKER.sub(_escaped_with_prompts if prompts else _escaped, body)


def _escaped(match: re.Match[str]) -> str:
    return match[0] if match["prompt"] else match[0].replace("_", "\\_", 1)


def _escaped_with_prompts(match: re.Match[str]) -> str:
    return match[0].replace(">", "\\>") if match["prompt"] else _escaped(match)


@dataclass(frozen=True, slots=True)
class _Raw:
    kind: Literal["text", "x", "y", "class", "prompt", "noise", "cut"]
    text: str = ""
    value: float = 0.0


def _raw_events(reply: str) -> Iterator[_Raw]:
    position = 0
    for match in _MARKER.finditer(reply):
        if match.start() > position:
            yield _Raw("text", reply[position : match.start()])
        position = match.end()
        closed_by = match["xy_end"] if match["axis"] else match["class_end"]
        cut = closed_by == "" and position == len(reply)
        if match["axis"]:
            value = None if cut else _number(match["value"])
            if value is None:
                yield _Raw("noise")
            else:
                yield _Raw("x" if match["axis"] == "x" else "y", value=value)
        elif match["prompt"]:
            yield _Raw("prompt", match[0])
        elif not cut:
            yield _Raw("class", match["name"].strip())
        if cut:
            yield _Raw("cut")
    if position < len(reply):
        yield _Raw("text", reply[position:])


def _number(text: str) -> float | None:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    return value if abs(value) < _LARGEST else None


def _with_pairs(raw: list[_Raw]) -> list[Event]:
    """Join an x and the y behind it; white space may stand between."""
    events: list[Event] = []
    index = 0
    while index < len(raw):
        item = raw[index]
        index += 1
        if item.kind == "x":
            follower = index
            if follower < len(raw) and raw[follower].kind == "text" and not raw[follower].text.strip():
                follower += 1
            if follower < len(raw) and raw[follower].kind == "y":
                events.append(Event("pair", x=item.value, y=raw[follower].value))
                index = follower + 1
            else:
                events.append(Event("noise"))
        elif item.kind in ("y", "noise"):
            events.append(Event("noise"))
        elif item.kind == "text":
            events.append(Event("text", item.text))
        elif item.kind == "class":
            events.append(Event("class", item.text))
        elif item.kind == "prompt":
            events.append(Event("prompt", item.text))
    return events


def _drop_cut_token(events: list[Event]) -> bool:
    """Take the start of a token ("<", "<cla") off the end of the reply; whether there was one."""
    if not events or events[-1].kind != "text":
        return False
    text = events[-1].text
    start = text.rfind("<", max(0, len(text) - 10))
    if start < 0 or not any(token.startswith(text[start:]) for token in _TOKEN_STARTS):
        return False
    if text[start:] == "<" and not any(event.kind == "pair" for event in events):
        return False
    if text[:start]:
        events[-1] = Event("text", text[:start])
    else:
        events.pop()
    return True


def _scaled(events: list[Event]) -> list[Event]:
    """The first generation printed grid points, up to 1024 by 1280, where the others print fractions."""
    if not any(event.kind == "pair" and max(event.x, event.y) > _GRID_THRESHOLD for event in events):
        return events
    return [
        Event("pair", x=event.x / _GRID[0], y=event.y / _GRID[1]) if event.kind == "pair" else event
        for event in events
    ]


def _longest_noise_run(events: list[Event]) -> int:
    longest = run = 0
    for event in events:
        run = run + 1 if event.kind == "noise" else 0
        longest = max(longest, run)
    return longest
