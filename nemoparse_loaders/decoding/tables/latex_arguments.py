"""The arguments of LaTeX commands: the groups in braces and the options in brackets behind a command."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .column_spec import looks_like_spec
from .latex_tokens import Kind, Structure, Token

_POSITION = re.compile(r"\s*\[[tbcm]\]\s*")
_TARGET = re.compile(r"\s*(?:to|spread)\b")
_WIDTH = re.compile(r"\s*(?:\*|=|-?[0-9.]+\s*(?:[a-z]{2}|\\[A-Za-z]+)|[0-9.]*\\[A-Za-z]+)\s*")
# Environments whose first argument is their width.
_WITH_WIDTH = frozenset({"tabular*", "tabularx", "tabulary", "xltabular"})
OPTION = re.compile(r"\s*(?:\[[^\[\]\n]{0,40}\]\s*){1,3}")


@dataclass(slots=True)
class Arguments:
    """Finds the groups that belong to a command; all indices are those of tokens.

    Attributes:
        source: The whole body.
        tokens: Its tokens.
        structure: What belongs together.
        end: One behind the last token of the table.
    """

    source: str
    tokens: list[Token]
    structure: Structure
    end: int

    def open_index(self, index: int) -> int:
        """The next token that is no white space and no option in brackets."""
        while index < self.end and self.tokens[index].kind is Kind.TEXT:
            text = self.tokens[index].text
            if text.strip() and not OPTION.fullmatch(text):
                break
            index += 1
        return index

    def group(self, index: int) -> int | None:
        """The end of the sound group that comes next, if one does."""
        opened = self.open_index(index)
        if opened >= self.end:
            return None
        end = self.structure.group_end.get(opened)
        return end if end is not None and end < self.end else None

    def group_text(self, index: int, group_end: int) -> str:
        """The text inside of a group that `group` found."""
        opened = self.open_index(index)
        return self.source[self.tokens[opened].end : self.tokens[group_end].start]

    def texts(self, index: int, count: int) -> tuple[list[str], int] | None:
        """The texts of the next groups and the index behind them; None where there are not that many."""
        texts: list[str] = []
        for _ in range(count):
            group = self.group(index)
            if group is None:
                return None
            texts.append(self.group_text(index, group))
            index = group + 1
        return texts, index

    def skip_group(self, index: int, option: re.Pattern[str] = OPTION) -> int:
        """The index behind the next group, and behind an option before it."""
        if (
            index < self.end
            and self.tokens[index].kind is Kind.TEXT
            and option.fullmatch(self.tokens[index].text)
        ):
            index += 1
        group = self.group(index)
        return index if group is None else group + 1

    def skip_layout(self, index: int, *, is_row: bool) -> int:
        """Behind the number of a span: skip the column specification, or the width, if it is one."""
        if is_row and index < self.end and self.tokens[index].text.strip() == "*":
            return index + 1
        group = self.group(index)
        if group is None:
            return index
        if self.group(group + 1) is None and self.open_index(group + 1) >= self.end:
            return group + 1
        text = self.group_text(index, group)
        fits = _WIDTH.fullmatch(text) if is_row else looks_like_spec(text)
        has_text_behind = self.open_index(group + 1) < self.end and (
            self.tokens[self.open_index(group + 1)].kind is Kind.OPEN
        )
        # Without a further group this one is the text, unless it cannot be.
        return group + 1 if fits or has_text_behind else index

    def skip_spec(self, index: int, name: str) -> tuple[int, str]:
        r"""Behind a ``\begin``: the index behind position, width and column specification, and the last."""
        if index < self.end and _POSITION.fullmatch(self.tokens[index].text):
            index += 1
        if name in _WITH_WIDTH:
            index = self.skip_group(index)
        elif name in ("tabu", "longtabu"):
            index = self._skip_target(index)
        group = self.group(index)
        if group is None:
            return index, ""
        text = self.group_text(index, group)
        return (group + 1, text) if looks_like_spec(text) else (index, "")

    def _skip_target(self, index: int) -> int:
        r"""Behind ``to \textwidth`` or ``spread 2cm``, the width of a ``tabu``."""
        if index >= self.end or not _TARGET.match(self.tokens[index].text):
            return index
        following = index + 1
        if following < self.end and self.tokens[following].kind is Kind.COMMAND:
            following += 1
        return following if self.group(following) is not None else index
