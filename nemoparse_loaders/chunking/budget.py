"""The token budget: what may stand in front of a chunk's text, and whether the whole fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..errors import OptionError
from .clean import shortened
from .outline import Path
from .steps import ALL_STEPS, Steps
from .tokens import KeptCounts, TokenCounter


@dataclass(frozen=True)
class Budget:
    """At most ``max_tokens`` for all that is embedded.

    Attributes:
        max_tokens: The limit.
        count: Counts tokens, and keeps the counts.
        empty: Tokens of the empty text: the special tokens that a tokenizer adds to every text.
        steps: Which steps are taken on the way.
        plain: What is embedded is plain words, not the reader's Markdown.
    """

    max_tokens: int
    count: TokenCounter
    empty: int
    steps: Steps = ALL_STEPS
    plain: bool = True
    _prefixes: dict[tuple[tuple[str, ...], str], str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, max_tokens: int, count: TokenCounter, steps: Steps = ALL_STEPS, *, plain: bool = True
    ) -> Budget:
        """A budget of that many tokens for one document; no text of it is counted twice."""
        kept = KeptCounts(count)
        return cls(max_tokens, kept, kept(""), steps, plain)

    @property
    def seam(self) -> str:
        """What stands between two blocks of what is embedded: Markdown wants a blank line."""
        return "\n" if self.plain else "\n\n"

    def fits(self, text: str) -> bool:
        """Whether the text is within the limit."""
        return not self.hopeless(text) and self.count(text) <= self.max_tokens

    def hopeless(self, text: str) -> bool:
        """Whether a text, with marks or without, is so long that it is not worth counting."""
        return len(text) > self.most_characters

    @property
    def most_characters(self) -> int:
        """No text of more characters fits: no vocabulary has tokens of 64 characters on average."""
        return 64 * self.max_tokens

    def cost(self, text: str) -> int:
        """Tokens that a text adds to others; the sum is an estimate, and `fits` has the last word."""
        return max(1, self.count(text + "\n") - self.empty)

    def room(self, prefix: str) -> int:
        """Tokens that are left behind a prefix."""
        return self.max_tokens - self.empty - (self.cost(prefix) if prefix else 0)

    def prefix(self, path: Path, caption: str = "") -> str:
        """Heading path and caption, as they stand in front of the embedded text.

        The path takes at most a sixth of the budget and is shortened from the left. The caption takes at most
        a third and is shortened at its end. An ellipsis shows where.
        """
        texts = self._texts(path)
        key = (texts, caption)
        if key not in self._prefixes:
            self._prefixes[key] = self._prefix(texts, caption, self.max_tokens // 3)
        return self._prefixes[key]

    def front(self, path: Path, caption: str = "") -> str:
        """`prefix` with what stands between it and the text; empty where there is none."""
        prefix = self.prefix(path, caption)
        return prefix and prefix + self.seam

    def with_longer_path(self, embed_text: str, path: Path) -> str:
        """A finished text that begins with its path, with as much more of it as the text leaves room for."""
        texts = self._texts(path)
        short = self.prefix(path)
        for line in _path_lines(texts) if short and embed_text.startswith(short) else ():
            if len(line) <= len(short):
                break
            longer = line + embed_text[len(short) :]
            if self.fits(longer):
                return longer
        return embed_text

    def holds_caption(self, caption: str) -> bool:
        """Whether `prefix` has room for all of a caption."""
        return self.cost(caption) <= self.max_tokens // 3

    def too_small(self) -> OptionError:
        """The error for a budget that not even one character fits."""
        return OptionError(
            f"max_tokens={self.max_tokens} is too small: "
            "the tokenizer counts more than that for a single character"
        )

    def within(self, text: str, limit: int, *, keep: str = "start") -> str:
        """The text cut to at most ``limit`` tokens, with an ellipsis; empty where nothing is left of it."""
        length = len(text)
        while text and self.cost(text) > limit:
            length = min(length - 1, length * 3 // 4)
            if length <= 0:
                return ""
            text = shortened(text, length, keep=keep)
        return text if text != "…" else ""

    def _texts(self, path: Path) -> tuple[str, ...]:
        return tuple(heading.text for heading in path) if self.steps.paths else ()

    def cut(self, text: str) -> str:
        """The text, or as much of its start as is within the budget, with an ellipsis.

        Raises:
            OptionError: Nothing of it is.
        """
        length = len(text)
        while text and not self.fits(text):
            length = min(length - 1, length * 3 // 4)
            text = shortened(text, length) if length > 0 else ""
        if text in ("", "…"):
            raise self.too_small()
        return text

    def _prefix(self, texts: Sequence[str], caption: str, caption_limit: int) -> str:
        limit = self.max_tokens // 6
        lines = _path_lines(texts)
        line = next((line for line in lines if self.cost(line) <= limit), lines[-1])
        line = self.within(line, limit, keep="end")
        return "\n".join(part for part in (line, self.within(caption, caption_limit)) if part)


def _path_lines(texts: Sequence[str]) -> list[str]:
    """The path as one line: whole, then without its first heading, and so on."""
    shorter = [" > ".join(["…", *texts[dropped:]]) for dropped in range(1, len(texts))]
    return [" > ".join(texts), *shorter]
