"""The arguments of LaTeX commands: the groups in braces and the options in brackets behind a command."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .latex_tokens import Kind, Structure, Token

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
