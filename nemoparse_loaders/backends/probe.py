"""The probe page: a small picture drawn in memory, and what a reply to it says about the server."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import Literal

from ..decoding import decode_page
from ..profiles import Profile
from ..rendering.page_image import PageGeometry, PageImage
from .base import ModelReply

Level = Literal["ok", "hint", "problem"]

_SIZE = (640, 480)
_POINT_S = 72 / 96
# An envelope token in any of its forms.
_LAYOUT_TOKEN = re.compile(r"<[xy]_|<class_")
_CHAT_TALK = re.compile(
    r"\b(?:as an ai|i(?:'m| am) (?:sorry|unable)|i can(?:'t|not)|here(?:'s| is) the|the image|this image|"
    r"the picture shows|let me know|how can i (?:help|assist))\b|\bsure[,!]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        level: "ok"; "hint" for what works but could be better; "problem" for what must be mended.
        topic: A word: "server", "key", "model", "context", "page", "slots", "speculation".
        message: What is so, and what to do.
    """

    level: Level
    topic: str
    message: str


def draw_probe_page() -> PageImage:
    """A white page with a heading and a paragraph."""
    from PIL import Image, ImageDraw

    picture = Image.new("RGB", _SIZE, "white")
    pen = ImageDraw.Draw(picture)
    pen.text((60, 50), "Probe page", fill="black", font_size=36)
    for line, text in enumerate(("A page to see whether a server", "reads what it is sent.")):
        pen.text((60, 130 + 36 * line), text, fill="black", font_size=24)
    stream = io.BytesIO()
    picture.save(stream, "PNG")
    width, height = _SIZE
    geometry = PageGeometry(1, "1", width * _POINT_S, height * _POINT_S)
    return PageImage(stream.getvalue(), "image/png", width, height, geometry)


def judge_reply(reply: ModelReply, profile: Profile) -> Finding:
    """What the reply to the probe page says.

    Args:
        reply: As it came.
        profile: The generation that was asked.
    """
    text = reply.text.strip()
    if not text:
        return Finding(
            "problem",
            "page",
            "The server answers, but the reply to a probe page is empty. Look at its log: is the checkpoint "
            "complete, and does this server's version support it? (Parse 2.0 on a stock vLLM is known to "
            "come up and to print nothing.)",
        )
    if not _LAYOUT_TOKEN.search(text):
        if _CHAT_TALK.search(text):
            return Finding(
                "problem",
                "page",
                "The reply reads like one of a general chat model, not of Nemotron Parse: is the right model "
                f"served, and the right one asked for? It begins: {text[:80]!r}",
            )
        return Finding(
            "problem",
            "page",
            "The reply has text but no layout tokens. Either something between here and the server drops "
            '"skip_special_tokens": false from the requests (a gateway that passes on known fields only), or '
            "the checkpoint's chat template is not in use (--chat-template chat_template.jinja).",
        )
    if reply.finish_reason == "abort":
        return Finding("problem", "page", "The server broke its reply off (abort): is it being stopped?")
    page = decode_page(reply.text, reply.finish_reason, profile, image_size=_SIZE)
    count = len(page.elements)
    read = f"{count} element{'' if count == 1 else 's'}"
    if page.status == "ok":
        return Finding("ok", "page", f"A probe page came back whole: {read}.")
    why = "; ".join(issue.message for issue in page.issues) or f"finish_reason {reply.finish_reason!r}"
    return Finding(
        "problem",
        "page",
        f"The reply to a probe page is not whole ({read}): {why}. A page this small should end by itself: is "
        f"{profile.name} the right generation for this model (profile=)?",
    )
