"""The envelope's tokens: where coordinates, classes and prompt tokens stand in a reply.

Whole blocks are found by one expression, which takes each of them in one step; from the first place on that
is no whole block, another one finds each token. Both are bounded, so the time is linear whatever the text is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ..document import BBox
from .block import Block, Corner

EventKind = Literal["text", "pair", "class", "prompt", "noise"]
"""Text; two coordinates; a class; a control token; coordinates on their own, or broken tokens."""

# A coordinate may have lost its ">" (the next token follows at once, or the reply ends there). Escaped
# brackets ("\<x_0.5\>", "\<class_Text\>") never match: a backslash stands before their ">".
_VALUE = r"-?[0-9]{0,12}(?:[.,][0-9]{0,24})?(?:[eE][-+]?[0-9]{1,3})?"
_PROMPT = r"/?s|pad|predict_[a-z_]{1,32}|no_bbox|no_classes|output_[a-z_]{1,32}"
_MARKER = re.compile(
    r"<(?:"
    rf"x_(?P<x>{_VALUE}) ?(?:>|(?=<))\s*<y_(?P<y>{_VALUE}) ?(?:>|(?=<))"
    r"|(?P<stutter>[xy]_(?=<)(?:<[xy]_(?=<))*)"
    rf"|(?P<axis>[xy])_{_VALUE} ?(?P<xy_end>>|(?=<)|\Z)"
    r"|class_(?P<name>[^<>\n]{0,48})(?P<class_end>(?<!\\)>|(?=[<\n])|\Z)"
    rf"|(?P<prompt>{_PROMPT})>"
    r")"
)
_PROMPTS_AT_START = re.compile(rf"(?:\s*<(?:{_PROMPT})>)*")
_TOKEN_STARTS = ("<x_", "<y_", "<class_", "</s>", "<predict_", "<output_")
# A block with all of its tokens and no other one inside, or all that comes behind the last such block. Its
# numbers are fractions: a reply in the grid of the first generation is read token by token; so is one with a
# body of very many angle brackets, since the expression remembers each of them.
# Empty alternatives, since an optional group costs more.
_FRACTION = r"-?[0-7](?:\.[0-9]{0,24}|)"
_CORNER = rf"<x_({_FRACTION})><y_({_FRACTION})>"
_MOST_BRACKETS = 2_000
_WHOLE_BLOCK = re.compile(
    rf"\s*{_CORNER}"
    rf"([^<]*(?:|(?:<(?!x_|y_|class_|(?:{_PROMPT})>)[^<]*){{1,{_MOST_BRACKETS}}}))"
    rf"{_CORNER}<class_(?=\s{{0,47}}[^\s<>])([^<>\n]{{1,48}})(?<!\\)>"
    r"|([\s\S]+)"
)
_TOKEN_NAME = re.compile("<(x|y|class)_")
_LARGEST = 1e6


# A piece of a reply: what it is; the text, the class name, or the source of a control token; the numbers of
# a pair as printed; how many tokens of noise. A plain tuple, since a broken reply has ten thousands of them.
Event = tuple[EventKind, str, Corner, int]
_NOWHERE = (0.0, 0.0)


@dataclass(slots=True)
class Scan:
    """A reply taken apart.

    Attributes:
        whole: The whole blocks that the reply begins with.
        events: What comes behind them, in order; texts are never empty.
        cut: The reply ends inside of a token.
        class_cut: It is a class token, so it ends a block.
        has_pairs: There is at least one coordinate pair.
        has_classes: There is at least one class token.
        noise_run: The longest run of broken tokens with nothing else between.
    """

    whole: list[Block]
    events: list[Event]
    cut: bool = False
    class_cut: bool = False
    has_pairs: bool = False
    has_classes: bool = False
    noise_run: int = 0


def scan(reply: str) -> Scan:
    """Take a reply apart.

    Args:
        reply: The token string, without control characters.
    """
    whole, rest = _whole_blocks(reply)
    found = Scan(whole, [], has_pairs=bool(whole), has_classes=bool(whole))
    if rest:
        _scan_tokens(rest, found)
    return found


def _scan_tokens(reply: str, found: Scan) -> None:
    """Find the tokens of a reply one by one."""
    events = found.events
    # White space at the end ends no token.
    end = len(reply.rstrip())
    cut = False
    position = noise = 0
    for match in _MARKER.finditer(reply):
        start = match.start()
        if start > position:
            events.append(("text", reply[position:start], _NOWHERE, 0))
            noise = 0
        position = match.end()
        group = match.lastgroup
        if group == "y":
            x, y = _number(match[1]), _number(match[2])
            if x is None or y is None:
                noise = _add_noise(found, noise, 2)
                continue
            events.append(("pair", "", (x, y), 0))
            found.has_pairs = True
        elif group == "class_end":
            cut = found.class_cut = not match["class_end"] and position >= end
            if cut:
                position = len(reply)
                break
            events.append(("class", match["name"].strip(), _NOWHERE, 0))
            found.has_classes = True
        elif group == "prompt":
            events.append(("prompt", match[0], _NOWHERE, 0))
        else:
            noise = _add_noise(found, noise, (position - start) // 3 if group == "stutter" else 1)
            # An x at the end is the beginning of a pair.
            cut = position == len(reply) and (not match["xy_end"] or match["axis"] == "x")
            continue
        noise = 0
    if position < len(reply):
        events.append(("text", reply[position:], _NOWHERE, 0))
    found.cut = _drop_cut_token(found) or cut


def _whole_blocks(reply: str) -> tuple[list[Block], str]:
    """The whole blocks that a reply begins with, and the rest. Most replies are nothing else."""
    start = _PROMPTS_AT_START.match(reply)
    found = _WHOLE_BLOCK.findall(reply, start.end() if start else 0)
    rest: str = found.pop()[-1] if found and found[-1][-1] else ""
    blocks = [
        Block(body, name.strip(), BBox(float(x0), float(y0), float(x1), float(y1)))
        for x0, y0, body, x1, y1, name, _ in found
    ]
    return blocks, rest


def _add_noise(found: Scan, run: int, count: int) -> int:
    """Note some broken tokens; how many there are now without anything else between."""
    found.events.append(("noise", "", _NOWHERE, count))
    run += count
    found.noise_run = max(found.noise_run, run)
    return run


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
    return match[0] if match["prompt"] else _TOKEN_NAME.sub(r"<\1\\_", match[0])


def _escaped_with_prompts(match: re.Match[str]) -> str:
    return match[0].replace(">", "\\>") if match["prompt"] else _escaped(match)


def _number(text: str) -> float | None:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    return value if abs(value) < _LARGEST else None


def _drop_cut_token(found: Scan) -> bool:
    """Take the start of a token ("<", "<cla") off the end of the reply; whether there was one."""
    events = found.events
    if not events or events[-1][0] != "text":
        return False
    text = events[-1][1]
    start = text.rfind("<", max(0, len(text) - 10))
    if start < 0 or not any(token.startswith(text[start:]) for token in _TOKEN_STARTS):
        return False
    if text[start:] == "<" and not found.has_pairs:
        return False
    found.class_cut = found.class_cut or text.startswith("<c", start)
    if text[:start]:
        events[-1] = ("text", text[:start], _NOWHERE, 0)
    else:
        events.pop()
    return True
