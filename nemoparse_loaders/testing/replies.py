"""What the server answers to a page: replies, the sample page, and how sampling options change a reply."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from .requests import RecordedRequest

SAMPLE_PAGE = (
    "<x_0.0957><y_0.0488># Harbour report<x_0.9043><y_0.0859><class_Title>\n\n"
    "<x_0.0957><y_0.1055>Traffic grew in **both** years.<x_0.9043><y_0.1641><class_Text>\n\n"
    "<x_0.0957><y_0.1836>## Ships and cargo<x_0.5039><y_0.2109><class_Section-header>\n\n"
    "<x_0.0957><y_0.2305>Table 1: Calls and tonnes<x_0.9043><y_0.2539><class_Caption>\n\n"
    "<x_0.0957><y_0.2617>\\begin{tabular}{lrr}\nYear & Calls & Tonnes \\\\\n2024 & 310 & 42 \\\\\n"
    "2025 & 355 & 57 \\\\\n\\end{tabular}<x_0.9043><y_0.3984><class_Table>\n\n"
    "<x_0.0957><y_0.4219>\\- Bulk rose first.<x_0.9043><y_0.4414><class_List-item>\n\n"
    "<x_0.0957><y_0.4453>\\- Containers followed.<x_0.9043><y_0.4648><class_List-item>\n\n"
    "<x_0.0957><y_0.4883>\\(t = 42 + 15n\\)<x_0.5039><y_0.5117><class_Formula>\n\n"
    "<x_0.4824><y_0.9570>1<x_0.5176><y_0.9727><class_Page-footer>"
)
"""One whole page in the grammar of generation 3.5: nine blocks, a table of 3x3 among them."""

SAMPLE_REGION = (
    "<x_0.0200><y_0.0400>\\begin{tabular}{lrr}\nYear & Calls & Tonnes \\\\\n2024 & 310 & 42 \\\\\n"
    "2025 & 355 & 57 \\\\\n\\end{tabular}<x_0.9800><y_0.9600><class_Table>"
)
"""The table of `SAMPLE_PAGE`, read by itself."""

SAMPLE_DETECTION = re.sub(r"(<y_[0-9.]+>)[^<]+?(<x_)", r"\1\2", SAMPLE_PAGE)
"""`SAMPLE_PAGE` without its text, as it is answered to a request for detection."""

# The tokens that a server drops where skip_special_tokens is not false.
_SPECIAL = re.compile(r"</?s>|<pad>|<[xy]_-?[0-9.]+>|<class_[^<>]*>|<(?:predict|output|no)_[a-z_]+>")
_TOKEN = re.compile(rf"{_SPECIAL.pattern}|\s*[^\s<]+|\s+|<")


@dataclass(frozen=True)
class Reply:
    """One reply of the model.

    Attributes:
        text: The token string.
        finish_reason: "stop", "length", "abort", "repetition", ...; None leaves it out of the answer.
        prompt_tokens: As counted in the answer.
        completion_tokens: As counted in the answer; None for a rough count of the text.
    """

    text: str = SAMPLE_PAGE
    finish_reason: str | None = "stop"
    prompt_tokens: int = 72
    completion_tokens: int | None = None

    def tokens(self) -> int:
        """Tokens of the reply: as given, else counted roughly."""
        return count_tokens(self.text) if self.completion_tokens is None else self.completion_tokens


Replies = str | Reply | Sequence[str | Reply] | Callable[[RecordedRequest], str | Reply]


def choose_reply(replies: Replies, request: RecordedRequest, position: int) -> Reply:
    """The reply to a page request.

    Args:
        replies: One for all, one each in the order of arrival (the last one goes on), or a function.
        request: What came in.
        position: How many page requests came before it.
    """
    if isinstance(replies, (str, Reply)):
        chosen = replies
    elif callable(replies):
        chosen = replies(request)
    else:
        chosen = replies[min(position, len(replies) - 1)]
    return chosen if isinstance(chosen, Reply) else Reply(chosen)


def cut_to(reply: Reply, max_tokens: int | None) -> Reply:
    """The reply as a token limit leaves it: cut, with finish_reason "length"."""
    if max_tokens is None or reply.tokens() <= max_tokens:
        return reply
    pieces = _TOKEN.findall(reply.text)[:max_tokens]
    return replace(reply, text="".join(pieces), finish_reason="length", completion_tokens=max_tokens)


@lru_cache(maxsize=64)
def count_tokens(text: str) -> int:
    """Special tokens and words; a rough stand-in for a tokenizer."""
    return len(_TOKEN.findall(text))


def without_special_tokens(text: str) -> str:
    """The text as a server prints it that was not told ``skip_special_tokens: false``."""
    return _SPECIAL.sub("", text)
